/* Pieces of the files. For the writers only. */
#ifndef TRC_TEXT_H
#define TRC_TEXT_H

#include "base/time.h"

#include <stdio.h>

/** [ps] of a tick; rounded down, so that rounding up leads back to it. */
uint64_t trc_picoseconds(sim_tick t, uint64_t hz);

/** Writes a number of units as a decimal fraction of `digits` digits: 1234, 3 -> "1.234". */
void trc_put_fraction(uint64_t units, unsigned digits, FILE *out);

/** A stream whose bytes come to `out` compressed as gzip does, always the same ones; to be closed
 *  before `out`, which then has an error if not all came there. */
FILE *trc_gzip_open(FILE *out);

#endif

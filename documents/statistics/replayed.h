/*
 * What a replay of a recorded trace says of its own error.
 */
#ifndef DOC_STATISTICS_REPLAYED_H
#define DOC_STATISTICS_REPLAYED_H

#include "documents/run.h"

#include <stdio.h>

/** Writes for people how far a replay is off its recorded run, or how far its processors were held
 *  back; of another run nothing. */
void doc_print_replayed(const struct doc_run *run, FILE *out);

/** For who sees no table: that a replay is not to be trusted, and why; of others nothing. */
void doc_note_replayed(const struct doc_run *run, FILE *out);

#endif

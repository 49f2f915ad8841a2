/*
 * The values of a machine's parameters. A new row of params.def changes this struct, so that all
 * that includes it is built anew: what asks for a few common values has functions for them
 * (params.h).
 */
#ifndef NM_VALUES_H
#define NM_VALUES_H

#include "machine/params.h"

/** All values in the units of params.def. Plain data: copy freely. */
struct nm_params {
#define PARAM(field, key, type, unit, min, max, def, source, sentence) uint64_t field;
#include "machine/params.def"
#undef PARAM
};

#endif

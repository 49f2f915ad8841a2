/* Where in time two runs part. */
#ifndef CLI_DIVERGENCE_H
#define CLI_DIVERGENCE_H

#include "look/compare/diff.h"

/** Simulates both runs again, from what their directories hold, and says in which cycle, on which
 *  card and at which instruction they first differ; their configurations first.
 *  @return 0: they do not differ in time, 1: they do, 2: after a complaint */
int cli_first_divergence(const struct look_diff *diff, FILE *out);

#endif

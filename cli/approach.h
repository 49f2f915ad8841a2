/* The points of a fast-forward that are functions or addresses of the program. */
#ifndef CLI_APPROACH_H
#define CLI_APPROACH_H

#include "input/experiment.h"

/** Looks into the executable at `path`, which has been built by now.
 *  @param path  NULL: what is run is none
 *  @param[out] approach  the experiment's, with all addresses
 *  @return false after a complaint */
bool cli_approach_find(struct prog_approach *approach, const struct in_experiment *x,
                       const char *path);

#endif

/* The points of a fast-forward that are functions or addresses of the program. */
#ifndef CLI_APPROACH_H
#define CLI_APPROACH_H

#include "cli/guest.h"
#include "input/experiment.h"

/** Looks into the program, which has been built by now, and whether a run of it can be
 *  fast-forwarded at all.
 *  @param[out] approach  the experiment's, with all addresses
 *  @return false after a complaint */
bool cli_approach_find(struct prog_approach *approach, const struct in_experiment *x,
                       const struct cli_guest *guest);

#endif

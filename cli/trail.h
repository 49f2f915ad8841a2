/* Runs that leave trails (look/compare/trail.h). */
#ifndef CLI_TRAIL_H
#define CLI_TRAIL_H

#include "input/experiment.h"
#include "look/compare/trail.h"

/** Zeroed; to be released by cli_trail_free. */
struct look_trail *cli_trail_new(void);
void cli_trail_free(struct look_trail *trail);

/** Runs two experiments at the same time, each in a process of its own; what they write goes
 *  nowhere, and no directory is made. What the trails had before is gone.
 *  @return a complaint, or NULL. Static */
const char *cli_trail_run(const struct in_experiment *const x[2],
                          const struct look_schedule *schedule, struct look_trail *const trail[2]);

#endif

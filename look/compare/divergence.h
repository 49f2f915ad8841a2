/* Where in time two runs part. */
#ifndef LOOK_COMPARE_DIVERGENCE_H
#define LOOK_COMPARE_DIVERGENCE_H

#include "input/experiment.h"
#include "look/compare/diff.h"
#include "look/compare/trail.h"
#include "look/files.h"

/** How a finished run is simulated again: the joint to the room that runs experiments. */
struct look_again {
    /** Reads the experiment of a run's directory, which is the caller's (in_experiment_free).
     *  @return false after a complaint */
    bool (*load)(struct in_experiment *x, const char *directory);
    /** Runs two experiments, each of which leaves its trail in place of what was there.
     *  @return a complaint, or NULL. Static */
    const char *(*run)(const struct in_experiment *const x[2], const struct look_schedule *schedule,
                       struct look_trail *const trail[2]);
    const struct look_files *files; /**< what the user says of source files */
};

/** Simulates both runs again, from what their directories hold, and says in which cycle, on which
 *  card and at which instruction they first differ; their configurations first.
 *  @param trail  room for what the runs leave
 *  @return 0: they do not differ in time, 1: they do, 2: after a complaint */
int look_first_divergence(const struct look_diff *diff, const struct look_again *again,
                          struct look_trail *const trail[2], FILE *out);

#endif

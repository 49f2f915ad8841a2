/*
 * A run that a directory has kept, once more: with something else about it, to see what that gains.
 */
#ifndef CLI_AGAIN_H
#define CLI_AGAIN_H

#include "cli/exit.h"
#include "input/experiment.h"
#include "report/truth.h"

/** Reads the experiment of a run; the caller may change it, and owns it (in_experiment_free).
 *  Without a profile. @param truth  whether the truth of misses is asked for
 *  @return false after a complaint */
bool cli_again_load(struct in_experiment *x, const char *directory, bool truth);

/** What came of it. */
struct cli_again {
    uint64_t ticks;         /**< [ticks] that it took */
    bool same;              /**< the program wrote what it had written in the run */
    struct rep_truth truth; /**< the caller's (rep_truth_free), if it was asked for */
};

/** Runs it; what the program writes goes nowhere, and no directory is made. Complaints go to
 *  standard error. *again is filled in if the program came to its end: with CLI_EXIT_OK and
 *  CLI_EXIT_EXPECT. */
enum cli_exit cli_again_run(const char *directory, const struct in_experiment *x,
                            struct cli_again *again);

/** By how much fewer PCycles the second run took: "12.3 % fewer". @return buf */
const char *cli_again_gain(uint64_t before, uint64_t after, char *buf, size_t size);

#endif

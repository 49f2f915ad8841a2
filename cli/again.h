/*
 * A run that a directory has kept, once more: with something else about it, to see what that gains.
 */
#ifndef CLI_AGAIN_H
#define CLI_AGAIN_H

#include "cli/exit.h"
#include "cli/kept.h"
#include "input/experiment.h"

enum {
    CLI_AGAIN_SLOWEST = 4 /**< a run that takes so many times what it took before is stopped */
};

/** Whether the program has come to its end in the run, so that another one can be compared with it;
 *  else a complaint. @param asked  by this option: "--measure: "; "": by the command */
bool cli_again_compares(const struct look_kept *kept, const char *asked);

/** Reads the experiment of a run; the caller may change it, and owns it (in_experiment_free).
 *  Without a profile. @param truth  whether the truth of misses is asked for
 *  @return false after a complaint */
bool cli_again_load(struct in_experiment *x, const char *directory, bool truth);

/** What the program wrote, and what it had written in the run. */
enum cli_output {
    CLI_OUTPUT_unknown, /**< the run's output is not there any more */
    CLI_OUTPUT_same,
    CLI_OUTPUT_other,
    CLI_OUTPUT__COUNT
};
extern const char *const cli_output_name[CLI_OUTPUT__COUNT];

/** What came of it. */
struct cli_again {
    bool compares;  /**< it came to the end that it had come to in the run; else there is nothing to
                         compare, and somebody has complained */
    uint64_t ticks; /**< [ticks] that it took */
    uint64_t instructions; /**< of all processors */
    enum cli_output output;
    struct doc_truth truth; /**< the caller's (doc_truth_free), if it was asked for */
};

/** Runs it, with a limit of its own; what the program writes goes nowhere, and no directory is
 * made. Its standard input is the file that the experiment names, else this program's, unless that
 * is a terminal. Complaints go to standard error.
 *  @return where it does not compare: CLI_EXIT_EXPECT if it came to another end */
enum cli_exit cli_again_run(const struct look_kept *kept, const struct in_experiment *x,
                            struct cli_again *again);

/** What the output says about the comparison: one sentence; NULL: nothing. */
const char *cli_again_remark(const struct cli_again *again);

/** By how much fewer PCycles the second run took: "12.3 % fewer". @return buf */
const char *cli_again_gain(uint64_t before, uint64_t after, char *buf, size_t size);

#endif

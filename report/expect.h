/*
 * An experiment held to its expectations, when its run has ended.
 */
#ifndef REP_EXPECT_H
#define REP_EXPECT_H

#include "report/run.h"

/** What became of an expectation. */
struct rep_judged {
    bool kept;
    bool known; /**< the value is */
    char *text; /**< the value, as stats.json has it; or why there is none */
};

/** Judges all expectations of a finished run: run->judged. What is not known is not kept. Values
 *  are compared as stats.json has them: counts exactly, others with twelve digits. */
void rep_expect_judge(struct rep_run *run);
void rep_expect_free(struct rep_run *run);

/** How many of those that were judged are not kept. */
size_t rep_expect_broken(const struct rep_run *run);

/** Writes a line for each of them: where it is written, what was expected, and what was. */
void rep_expect_say(const struct rep_run *run, FILE *out);

#endif

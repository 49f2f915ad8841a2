/*
 * An experiment held to its expectations, when its run has ended.
 */
#ifndef REP_EXPECT_H
#define REP_EXPECT_H

#include "report/run.h"

/** What became of an expectation. */
struct rep_judged {
    bool left; /**< it is about several points of a sweep: not judged here */
    bool kept;
    bool known; /**< the value is */
    char *text; /**< the value, as stats.json has it; or why there is none */
};

/** Judges all expectations of a finished run: run->judged. What is not known is not kept. Values
 *  are compared as stats.json has them: counts exactly, others with twelve digits. */
void rep_expect_judge(struct rep_run *run);
void rep_expect_free(struct rep_run *run);

/**
 * Whether a run that has not begun can have the statistics that are expected of it. Only names are
 * looked at that every run of its machine and events has from its beginning.
 * @param now  totals at tick 0
 * @param out  gets a line for each that cannot be
 */
bool rep_expect_possible(const struct rep_run *run, const struct rep_sample *now, FILE *out);

/** How many of those that were judged are not kept. */
size_t rep_expect_broken(const struct rep_run *run);

/** Writes a line for each of them: where it is written, what was expected, and what was. */
void rep_expect_say(const struct rep_run *run, FILE *out);

#endif

/*
 * An experiment held to its expectations, when its run has ended.
 */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include "documents/run.h"

/** Judges all expectations of a finished run: run->judged. What is not known is not kept. Values
 *  are compared as stats.json has them: counts exactly, others with twelve digits. */
void run_expect_judge(struct doc_run *run);
void run_expect_free(struct doc_run *run);

/**
 * Whether a run that has not begun can have the statistics that are expected of it. Only names are
 * looked at that every run of its machine and events has from its beginning.
 * @param now  totals at tick 0
 * @param out  gets a line for each that cannot be
 */
bool run_expect_possible(const struct doc_run *run, const struct doc_sample *now, FILE *out);

/** How many of those that were judged are not kept. */
size_t run_expect_broken(const struct doc_run *run);

/** Writes a line for each of them: where it is written, what was expected, and what was. */
void run_expect_say(const struct doc_run *run, FILE *out);

#endif

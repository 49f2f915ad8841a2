/*
 * What an experiment expects of points of its sweep (expect.stats with points:): ratios of a
 * statistic at one point to one at another, for every combination of what else is swept.
 */
#ifndef SWP_EXPECT_H
#define SWP_EXPECT_H

#include "sweep/result.h"
#include "sweep/sweep.h"

#include <jansson.h>

/** Whether a sweep has the points that its experiment's expectations are about.
 *  @param out  gets a line for each expectation that has none */
bool swp_expect_check(const struct swp_sweep *sweep, const struct in_experiment *x, FILE *out);

/** What became of them. */
struct swp_judged {
    size_t kept, broken;
    size_t left;  /**< not judged: a point is not there */
    json_t *list; /**< of all of them, as a manifest has them, each with its `points`: for
                       swp_index_conclude */
};

/** Judges all of them. What is not known is not kept.
 *  @param out  gets a line for each that is broken: where it is written, what was expected and what
 *              was, at which points */
struct swp_judged swp_expect_judge(const struct swp_result *result, const struct in_experiment *x,
                                   FILE *out);

#endif

/*
 * The metrics of the groups an experiment asks for: beside the statistics, in a file of their own
 * and for people.
 */
#ifndef RES_STATISTICS_GROUP_H
#define RES_STATISTICS_GROUP_H

#include "results/statistics/stats.h"

/**
 * A metric over a level, from exact totals of what of the region was timed.
 * @return false when it divides by zero, is about a ring that the machine does not have, or about
 * what not all processors of the level count beside what is of all: there is nothing to say, which
 * is not the same as 0
 */
bool res_group_value(const struct res_run *run, const struct res_region *region,
                     struct res_level level, const struct in_metric *metric, double *value);

/** Why it has none. Static. */
const char *res_group_no_value(const struct res_run *run, const struct res_region *region,
                               struct res_level level, const struct in_metric *metric,
                               double value);

/** Calls `fn` for every metric that has a value: "group.nack.retries_per_request". */
void res_group_walk(const struct res_run *run, const struct res_region *region,
                    struct res_level level, const char *component, res_stat_fn *fn, void *ctx);

/** What the metrics' file is called in the run directory. */
#define RES_GROUPS "monitor/groups.csv"

/** Writes every metric of every region, card, station and the machine; one without a value has an
 *  empty one. */
void res_write_groups(const struct res_run *run, FILE *out);

#endif

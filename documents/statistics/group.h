/*
 * The metrics of the groups an experiment asks for: beside the statistics, in a file of their own
 * and for people.
 */
#ifndef DOC_STATISTICS_GROUP_H
#define DOC_STATISTICS_GROUP_H

#include "documents/statistics/stats.h"

/**
 * A metric over a level, from exact totals of what of the region was timed.
 * @return false when it divides by zero, is about a ring that the machine does not have, or about
 * what not all processors of the level count beside what is of all: there is nothing to say, which
 * is not the same as 0
 */
bool doc_group_value(const struct doc_run *run, const struct doc_region *region,
                     struct doc_level level, const struct in_metric *metric, double *value);

/** Why it has none. Static. */
const char *doc_group_no_value(const struct doc_run *run, const struct doc_region *region,
                               struct doc_level level, const struct in_metric *metric,
                               double value);

/** Calls `fn` for every metric that has a value: "group.nack.retries_per_request". */
void doc_group_walk(const struct doc_run *run, const struct doc_region *region,
                    struct doc_level level, const char *component, doc_stat_fn *fn, void *ctx);

/** What the metrics' file is called in the run directory. */
#define DOC_GROUPS "monitor/groups.csv"

/** Writes every metric of every region, card, station and the machine; one without a value has an
 *  empty one. */
void doc_write_groups(const struct doc_run *run, FILE *out);

#endif

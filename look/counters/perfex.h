/*
 * Counts of a processor's event counters as IRIX's perfex shows them (docs/r10000.md).
 */
#ifndef LOOK_COUNTERS_PERFEX_H
#define LOOK_COUNTERS_PERFEX_H

#include "look/counters/costs.h"
#include "procard/procard.h"

#include <stdio.h>

/** What was counted, by IRIX's numbers. */
struct look_perfex {
    enum r10k_chip chip;
    const struct nm_params *machine;
    const struct look_costs *costs; /**< NULL: no times are asked for, and no statistics */
    uint32_t counted;               /**< bit n: event n was */
    bool scaled;                    /**< counts were multiplexed, and are scaled up */
    bool truth;                     /**< show the true counts beside */
    double count[R10K_IRIX_EVENTS];
    uint64_t exact[R10K_IRIX_EVENTS]; /**< the true counts */
};

/** What of a processor is counted in some modes (R10K_COUNT_ALL). @param event  IRIX's number */
uint64_t look_perfex_total(enum r10k_chip chip, unsigned event, unsigned modes,
                           const struct r10k_signals *signals);

/** Adds the counts of one processor to those of all. */
void look_perfex_add(struct look_perfex *sum, const struct look_perfex *part);

/** The line above the columns of times. */
void look_perfex_clock(const struct look_perfex *p, FILE *out);

/** The table of events, with times and statistics where they are asked for. */
void look_perfex_print(const struct look_perfex *p, FILE *out);

/** Statistics that these counts are enough for; each is told with its title and value. */
typedef void look_statistic_fn(void *ctx, const char *title, double value);
void look_perfex_statistics(const struct look_perfex *p, look_statistic_fn *told, void *ctx);

#endif

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
    uint64_t ran;                   /**< [PCycles] that threads had the processor, or processors, */
    uint64_t during[R10K_IRIX_EVENTS]; /**< ... while the event was counted, */
    uint64_t known[R10K_IRIX_EVENTS];  /**< and of processors that counted it at all */
    uint64_t turns[R10K_IRIX_EVENTS];  /**< clock ticks of that */
    uint32_t missing;                  /**< of `counted`: not counted for long enough */
    double count[R10K_IRIX_EVENTS];
    uint64_t exact[R10K_IRIX_EVENTS]; /**< the true counts */
};

/** What of a processor is counted in some modes (R10K_COUNT_ALL). @param event  IRIX's number */
uint64_t look_perfex_total(enum r10k_chip chip, unsigned event, unsigned modes,
                           const struct r10k_signals *signals);

/** [s] What an event's count cost. @param which  LOOK_COST_TYPICAL ... */
double look_perfex_time(const struct look_perfex *p, unsigned event, unsigned which);

/** Adds the counts of one processor to those of all. */
void look_perfex_add(struct look_perfex *sum, const struct look_perfex *part);

/** When all are added: an event is counted if it was all the time, or had two turns at least and a
 * quarter of its share of the time, on processors that had nine tenths of it. It is scaled up from
 * these to all; any other is missing. */
void look_perfex_settle(struct look_perfex *sum);

/** The line above the columns of times. */
void look_perfex_clock(const struct look_perfex *p, FILE *out);

/** The table of events, with times and statistics where they are asked for. */
void look_perfex_print(const struct look_perfex *p, FILE *out);

/** All of it for programs: one document. What was not counted is null, with the reason beside it.
 *  @param each  [count] processors, looked at one by one, @param card  [count] and their numbers */
void look_perfex_json(const struct look_perfex *all, const struct look_perfex *each,
                      const unsigned *card, size_t count, FILE *out);

/** Why an event that is missing was not counted. */
const char *look_perfex_reason(const struct look_perfex *p, unsigned event);

/** Statistics that these counts are enough for; each is told with its title and value. */
typedef void look_statistic_fn(void *ctx, const char *title, double value);
void look_perfex_statistics(const struct look_perfex *p, look_statistic_fn *told, void *ctx);

#endif

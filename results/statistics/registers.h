/*
 * What the cards' own counter units show at the end of a run, however they were programmed: by the
 * experiment's file, by the program or by another card.
 */
#ifndef RES_STATISTICS_REGISTERS_H
#define RES_STATISTICS_REGISTERS_H

#include "results/statistics/stats.h"

/** One card's counter unit, read when the run has ended. */
struct res_registers {
    struct mon_reading counter[MON_COUNTERS_MAX]; /**< [counters of the unit] */
    struct mon_memory memory;                     /**< all 0: the unit has none */
};

/** Whether any counter of any card was programmed. */
bool res_registers_used(const struct res_run *run);

/** Calls `fn` for every programmed counter: "machine.station[0].card[1].counter[2]", value. */
void res_registers_walk(const struct res_run *run, res_stat_fn *fn, void *ctx);

/** What the file is called in the run directory. */
#define RES_COUNTERS "monitor/counters.csv"

void res_write_counters(const struct res_run *run, FILE *out);

/** The counters of all cards, a line for each, for people. */
void res_table_counters(const struct res_run *run, FILE *out);

#endif

/*
 * What the cards' own counter units show at the end of a run, however they were programmed: by the
 * experiment's file, by the program or by another card.
 */
#ifndef REP_REGISTERS_H
#define REP_REGISTERS_H

#include "report/stats.h"

/** One card's counter unit, read when the run has ended. */
struct rep_registers {
    struct mon_reading counter[MON_COUNTERS_MAX]; /**< [counters of the unit] */
    struct mon_memory memory;                     /**< all 0: the unit has none */
};

/** Whether any counter of any card was programmed. */
bool rep_registers_used(const struct rep_run *run);

/** Calls `fn` for every programmed counter: "machine.station[0].card[1].counter[2]", value. */
void rep_registers_walk(const struct rep_run *run, rep_stat_fn *fn, void *ctx);

/** What the file is called in the run directory. */
#define REP_COUNTERS "monitor/counters.csv"

void rep_write_counters(const struct rep_run *run, FILE *out);

/** The counters of all cards, a line for each, for people. */
void rep_table_counters(const struct rep_run *run, FILE *out);

#endif

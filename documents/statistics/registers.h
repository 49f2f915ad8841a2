/*
 * What the cards' own counter units show at the end of a run, however they were programmed: by the
 * experiment's file, by the program or by another card.
 */
#ifndef DOC_STATISTICS_REGISTERS_H
#define DOC_STATISTICS_REGISTERS_H

#include "documents/statistics/stats.h"

/** One card's counter unit, read when the run has ended. */
struct doc_registers {
    struct mon_reading counter[MON_COUNTERS_MAX]; /**< [counters of the unit] */
    struct mon_memory memory;                     /**< all 0: the unit has none */
};

/** Whether any counter of any card was programmed. */
bool doc_registers_used(const struct doc_run *run);

/** Calls `fn` for every programmed counter: "machine.station[0].card[1].counter[2]", value. */
void doc_registers_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx);

/** What the file is called in the run directory. */
#define DOC_COUNTERS "monitor/counters.csv"

void doc_write_counters(const struct doc_run *run, FILE *out);

/** The counters of all cards, a line for each, for people. */
void doc_table_counters(const struct doc_run *run, FILE *out);

#endif

/*
 * What the monitoring cards' own registers show at the end of a run, however they were programmed:
 * by the experiment's file, by the program or by another card.
 */
#ifndef REP_REGISTERS_H
#define REP_REGISTERS_H

#include "monitor/board.h"
#include "report/stats.h"

/** One card's registers, read when the run has ended. */
struct rep_registers {
    uint32_t control[MON_COUNTERS], value[MON_COUNTERS]; /**< CONTROLk, COUNTERk */
    uint64_t counted[MON_COUNTERS]; /**< since the counter was last loaded; no register has it */
    uint32_t overflow;              /**< OVERFLOW: bit k, counter k has wrapped */
    uint32_t sram_control;          /**< SRAM_CONTROL: its source is what the words mean */
    bool doubled;                   /**< OPTIONS.DOUBLE_TIME */
    uint64_t lost;                  /**< events the SRAM was too slow for */
    uint64_t longest; /**< [cycles] greatest service time it counted; no register has it */
    const struct mon_writer *writer; /**< [writers] increments by processors; the machine's own */
    unsigned writers;
    const uint32_t *sram; /**< [MON_SRAM_WORDS] the machine's own; NULL: never used */
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

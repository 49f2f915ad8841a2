/*
 * The processor's own event counters (monitor/r10000/counters.h) in their place: what coprocessor 0
 * reads and writes, and the interrupt of an overflow at the exact PCycle. A card has them if its
 * core has signals (pc_core_ops.signals).
 *
 * As long as no counter interrupts, all this costs nothing.
 */
#ifndef PC_COUNTERS_H
#define PC_COUNTERS_H

#include "base/timer.h"
#include "machine/params.h"
#include "monitor/own.h"
#include "monitor/r10000/counters.h"

struct pc_card;

struct pc_counters {
    struct r10k_counters unit;
    struct sim_timer look[2]; /**< the events in which they are looked at: one that only matters if
                                   something else happens, and one that matters by itself */
    unsigned idle;            /**< events of the first kind, old ones included */
    unsigned raised;          /**< counters that have interrupted and still do */
    sim_tick woken;           /**< where the processor stood when it was last given to its thread */
};

void pc_counters_init(struct pc_card *card);

/** Totals of the core's signals at exactly tick `at`, which its processor may have passed as in
 *  pc_card_taps: all 0 of a core without. Cycles of all modes add up to `at`. */
void pc_counters_signals(const struct pc_card *card, sim_tick at, struct r10k_signals *out);

/** The processor is given to its thread. */
void pc_counters_woken(struct pc_card *card);

/** From here on time passes in another way: what was to be looked at will be asked for again. */
void pc_counters_leave(struct pc_card *card);
/** The card goes on, timed, from tick `at` on. Its counters have not been looked at meanwhile. */
void pc_counters_go_on(struct pc_card *card, sim_tick at);

/** Whether the card's processor has the counters of an R10000 or R12000. */
bool pc_counters_are(const struct pc_card *card);

#endif

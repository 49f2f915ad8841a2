/*
 * The monitoring card in its place: what the agent, the caches and the bus tell the board, register
 * accesses, and the events that make overflow interrupts come at the exact cycle.
 *
 * As long as no board is programmed, all this costs one test of `wants` or `hears` where something
 * passes. Listening never changes a simulated cycle; what a guest sees of it are register values
 * and interrupts.
 */
#ifndef PC_MONITOR_H
#define PC_MONITOR_H

#include "base/timer.h"
#include "machine/packet.h"
#include "monitor/board.h"

#include <stdbool.h>

struct pc_card;

struct pc_monitor {
    struct mon_board board;
    unsigned wants;       /**< mon_board_wants; 0: nobody listens */
    uint64_t hears;       /**< mon_board_hears */
    struct nm_timer look; /**< the event in which the counters are looked at */
    unsigned idle;   /**< of these events, old ones included, those that only matter if something
                          else happens: they do not keep an idle machine going */
    nm_tick leash;   /**< [ticks] the processor may run ahead: no farther than the interrupt its
                          own accesses may cause */
    unsigned raised; /**< interrupts on their way or delivered whose flags are still up */
};

void pc_monitor_init(struct pc_card *card);
void pc_monitor_free(struct pc_card *card);

/** All totals the board sees at tick `now`: pc_card_taps, the station's, and the board's own. */
void pc_monitor_taps(const struct pc_card *card, nm_tick now, struct mon_taps *out);

/** Brings `wants` up to date when the board was changed by hand (its log). */
void pc_monitor_refresh(struct pc_card *card, nm_tick now);

/* ---- what passes; called only when `wants` has the bit --------------------------------------- */

/** A packet tap that the board hears has grown by `amount`. */
void pc_monitor_packet(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                       const struct nm_packet *p, bool out, nm_tick now);
/** A request is put out for the first time. MON_WANTS_ISSUES */
void pc_monitor_issue(struct pc_card *card, nm_tick now);
/** The response `in` completes the card's request (RD, RDEXCL, UPGD). MON_WANTS_TRANSACTIONS */
void pc_monitor_complete(struct pc_card *card, const struct nm_packet *in, nm_tick now);
/** The secondary cache is accessed at `pa` of the data half or the other. MON_WANTS_ACCESSES; or
 *  MON_WANTS_INVALIDATES, of kind 0 */
void pc_monitor_access(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                       nm_tick at);
/** ... at all quadwords of a line or a part of one, `apart` ticks apart. MON_WANTS_ACCESSES */
void pc_monitor_words(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                      uint64_t bytes, nm_tick at, nm_tick apart);

#endif

/*
 * The counter unit in its place: what the agent, the caches and the bus tell it, register accesses,
 * and the events that make overflow interrupts come at the exact cycle. Which unit it is, the kind
 * of card says (machine/card.h).
 *
 * As long as no unit is programmed, all this costs one test of `wants` or `hears` where something
 * passes. Listening never changes a simulated cycle; what a guest sees of it are register values
 * and interrupts.
 */
#ifndef PC_MONITOR_H
#define PC_MONITOR_H

#include "base/timer.h"
#include "machine/packet.h"
#include "monitor/taps.h"
#include "monitor/unit.h"

#include <stdbool.h>

struct pc_card;
struct pc_request;

struct pc_monitor {
    struct mon_unit *unit;
    struct mon_comparator comparator;
    unsigned wants;        /**< the unit's; 0: it listens to none */
    uint64_t hears;        /**< the unit's */
    struct sim_timer look; /**< the event in which the counters are looked at */
    unsigned idle;   /**< of these events, old ones included, those that only matter if something
                          else happens: they do not keep an idle machine going */
    sim_tick leash;  /**< [ticks] the processor may run ahead: no farther than the interrupt its
                         own accesses may cause */
    unsigned raised; /**< interrupts on their way or delivered whose flags are still up */
};

/** @param kind  of the unit */
void pc_monitor_init(struct pc_card *card, const struct mon_unit_ops *kind);
void pc_monitor_free(struct pc_card *card);

/** All totals the unit sees at tick `now`: pc_card_taps, the station's, and the unit's own. */
void pc_monitor_taps(const struct pc_card *card, sim_tick now, struct mon_taps *out);

/** The host's or a processor's access to the unit's registers; as mon_unit_ops. */
uint32_t pc_monitor_read(struct pc_card *card, uint32_t offset, sim_tick now);
unsigned pc_monitor_write(struct pc_card *card, unsigned writer, uint32_t offset, uint32_t value,
                          sim_tick now);
/** A write to a register beside the unit was refused. @param reason  as mon_unit_ops.write */
void pc_monitor_refuse(struct pc_card *card, uint32_t offset, unsigned reason);

/* ---- what passes; called only when `wants` has the bit --------------------------------------- */

/** A packet tap that the unit hears has grown by `amount`. */
void pc_monitor_packet(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                       const struct nm_packet *p, bool out, sim_tick now);
/** A request is put out for the first time. MON_WANTS_ISSUES */
void pc_monitor_issue(struct pc_card *card, sim_tick now);
/** The response `in` completes a request (RD, RDEXCL, UPGD). MON_WANTS_TRANSACTIONS */
void pc_monitor_complete(struct pc_card *card, const struct pc_request *r,
                         const struct nm_packet *in, sim_tick now);
/** The secondary cache is accessed at `pa` of the data half or the other. MON_WANTS_ACCESSES; or
 *  MON_WANTS_INVALIDATES, of kind 0 */
void pc_monitor_access(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                       sim_tick at);
/** ... at all quadwords of a line or a part of one, `apart` ticks apart. MON_WANTS_ACCESSES */
void pc_monitor_words(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                      uint64_t bytes, sim_tick at, sim_tick apart);

#endif

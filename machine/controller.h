/*
 * The master controller of a directory: what the memory card and the network cache have in common.
 * It takes a message, runs the directory's row of the protocol table, and sends what that asks for
 * once the DRAM has answered.
 */
#ifndef NM_CONTROLLER_H
#define NM_CONTROLLER_H

#include "base/queue.h"
#include "machine/backing.h"
#include "machine/bus.h"
#include "machine/hear.h"
#include "machine/protocol.h"

/** Within so many slowest accesses (nm_params_slowest) a refused request comes again, through any
 * queues; the rule for run.watchdog has room for them. */
enum { NM_TURN = 4 };

/** Nonsinkable messages are taken up to so many answers under way (several lines may be fetched at
 *  once). Sinkable ones are always taken; the protocol bounds how many answers they can add. */
enum { NM_STAGE = 16 };

/** [ticks] A bank of DRAM with its directory, timing as in params.def. */
struct nm_dram_timing {
    sim_tick directory, dram, recovery;
    sim_tick refresh, refresh_time; /**< each bank's period, 0: never; and what a refresh takes */
    unsigned banks;
};

/** An answer and the tick at which its data are there. */
struct nm_answer {
    struct nm_packet packet;
    sim_tick ready;
    uint64_t
        behind; /**< nonsinkable: leaves after this many sinkable ones, counted from the start */
};

/**
 * The oldest request a directory has refused, if it was refused directory.patience times. Until it
 * comes again, younger messages that could be in its way are refused.
 */
struct nm_refused {
    uint64_t rank;  /**< as in struct nm_packet */
    sim_tick until; /**< the turn is kept for it; it may never come again */
    bool for_room; /**< the controller could not have sent what it asks for: everybody is in its way
                    */
    bool from_network;
    uint8_t card;     /**< NM_NO_CARD when it came from the network */
    uint16_t station; /**< its requester's */
    uint64_t line;
};

/** Accesses to the directory in one state: [message][it came over the rings]. */
typedef uint64_t nm_seen[NM_MSG__COUNT][2];

struct nm_controller {
    enum nm_agent agent;
    const struct nm_table *table; /**< of the agent; nm_controller_init sets it */
    struct nm_place place;        /**< `home` is set per message */
    struct nm_refusals *refusals; /**< [states]; none in checking mode */
    uint8_t module;               /**< its bus position */
    unsigned copy;                /**< checking mode: holder id of its data (check.h) */
    unsigned line_shift;
    uint64_t places;   /**< lines that share a place differ by a multiple of so many lines */
    unsigned patience; /**< directory.patience */
    bool plain;        /**< checking mode: without short ways */
    sim_tick turn;     /**< [ticks] a turn is kept no longer: NM_TURN slowest accesses */
    struct nm_refused oldest;
    struct nm_dram_timing timing;
    sim_tick cycle; /**< [ticks] of the station bus */
    struct nm_check *check;
    struct nm_stale *stale;
    const struct nm_ear *ear; /**< NULL: nobody listens */
    struct nm_bus *bus;
    const struct nm_port *port; /**< on it, of the card */
    void *owner;
    /** The way of what has a route. False: no room yet. NULL: that goes to the bus, too */
    bool (*to_ring)(void *owner, const struct nm_packet *p, sim_tick now);

    sim_tick *bank_free;
    uint64_t *bank_refreshed;          /**< number of its last refresh */
    sim_tick bank_busy[2], banks_busy; /**< [ticks] the first two banks, and both at once; accesses
                                           begun or waiting, whole */
    sim_tick free_at;                  /**< takes the next message */
    sim_tick last_out;
    sim_tick due; /**< before it nothing more can be sent; if it is past, something waits for room;
                     SIM_NEVER: nothing is to be sent */
    sim_tick busy_until, busy; /**< [ticks] of work begun, the present one whole */
    struct nm_answer *stage;   /**< sinkable answers, in order */
    struct sim_queue staged;
    uint64_t actions;       /**< of the last transition; 0: the message was refused */
    uint64_t sent;          /**< sinkable ones that have left */
    struct nm_answer *late; /**< interventions and requests that wait for room */
    unsigned late_count, late_size;
    nm_seen *seen; /**< monitor, per state found: of lines in `selects` */
    struct {
        uint64_t from, length;
    } selects;         /**< memory.histogram_from, memory.histogram_length */
    uint64_t accesses; /**< times the directory was looked at */
    uint64_t combined; /**< requests of cards NACKed because the line was already on its way
                          (combining effect); retries count again */
    uint64_t refused;  /**< messages refused without looking */
    uint64_t no_room;  /**< ... of these, for lack of room or of a place */
};

/** Fills in the fields that are the same for every controller of a machine, and the objects that it
 *  works with. Set before: agent, place, module, copy, places, timing but for the refresh, cycle,
 * bus, port, owner, to_ring. */
void nm_controller_init(struct nm_controller *c, const struct nm_params *p,
                        const struct nm_backing *contents);
/** Gives back memory that has grown: the objects it works with are in contents->parts. */
void nm_controller_release(struct nm_controller *c);

/** May it take a message of that class now? */
static inline bool nm_controller_may_take(const struct nm_controller *c, enum nm_class class,
                                          sim_tick now)
{
    return now >= c->free_at &&
           (class == NM_SINKABLE || c->staged.count + NM_SENDS_MAX <= NM_STAGE);
}

/**
 * Takes a message for the entry `line`.
 * @return false when the protocol has no cell (already reported to the check)
 */
bool nm_controller_take(struct nm_controller *c, struct nm_dir_line *line,
                        const struct nm_packet *in, bool from_network, sim_tick now);

/** Whether a request has been refused so often that a turn may be kept for it. */
static inline bool nm_controller_impatient(const struct nm_controller *c,
                                           const struct nm_packet *in)
{
    return in->age >= c->patience && c->patience;
}

/** Whether all that nm_controller_take would do with a request of a card here is
 *  nm_controller_nack: the state of its line refuses it, and there is nothing else to be done. */
static inline bool nm_controller_nacks(const struct nm_controller *c,
                                       const struct nm_dir_line *line, const struct nm_packet *in)
{
    return c->refusals[line->state].all >> in->message & 1 && !nm_controller_impatient(c, in) &&
           !c->late_count && !c->ear && !sim_queue_full(&c->staged);
}

void nm_controller_nack(struct nm_controller *c, const struct nm_dir_line *line,
                        const struct nm_packet *in, sim_tick now);

/** The same without time, for warming: nothing is counted, and what it sends is the caller's.
 *  @param[out] sends  complete messages, as they go to the bus */
void nm_controller_at_once(struct nm_controller *c, struct nm_dir_line *line,
                           const struct nm_packet *in, bool from_network, struct nm_sends *sends);

/** A network cache entry for `address` makes room, without time: it is not locked. */
void nm_controller_eject_at_once(struct nm_controller *c, struct nm_dir_line *line,
                                 uint64_t address, struct nm_sends *sends);

/** A network cache entry for `address` makes room. False: it is locked. */
bool nm_controller_eject(struct nm_controller *c, struct nm_dir_line *line, uint64_t address,
                         sim_tick now);

/** Why a message is refused without a look at its line. */
enum nm_refusal {
    NM_NO_ROOM,  /**< what it asks for might have to wait, and what waits already has the place */
    NM_NO_PLACE, /**< none for its line: another one there is locked */
    NM_NO_TURN   /**< the next turn is an older one's (directory.patience) */
};

/** An answer outside the table: a NACK to a request, or an INTV_NACK to an intervention. */
void nm_controller_refuse(struct nm_controller *c, const struct nm_packet *in, bool from_network,
                          enum nm_refusal why, sim_tick now);

/** Whether a message goes before the request that the turn is kept for, or is not in its way. */
bool nm_controller_goes_first(struct nm_controller *c, const struct nm_packet *in,
                              bool from_network);

/** Whether no older request goes first. */
static inline bool nm_controller_has_turn(struct nm_controller *c, const struct nm_packet *in,
                                          bool from_network, sim_tick now)
{
    return now >= c->oldest.until || nm_controller_goes_first(c, in, from_network);
}

/** The same. @return false: it has been refused */
static inline bool nm_controller_admits(struct nm_controller *c, const struct nm_packet *in,
                                        bool from_network, sim_tick now)
{
    const bool admits = nm_controller_has_turn(c, in, from_network, now);
    if (!admits)
        nm_controller_refuse(c, in, from_network, NM_NO_TURN, now);
    return admits;
}

/** Sends a message of the card's own, in order behind the sinkable answers. */
void nm_controller_send(struct nm_controller *c, struct nm_packet *p, sim_tick ready);

/** Answers the card that sent `in`, here or on another station, in order behind the sinkable
 * answers before it. `in` gives all but the message and the way. */
void nm_controller_answer(struct nm_controller *c, const struct nm_packet *in,
                          enum nm_message message, sim_tick ready);

/** An access to the DRAM for a message that is not the table's. @return when the data are there */
sim_tick nm_controller_access(struct nm_controller *c, uint64_t line, sim_tick now);

/** Whether anything is still to be sent. */
static inline bool nm_controller_holds(const struct nm_controller *c)
{
    return c->due != SIM_NEVER;
}

/** Puts a packet of a class into the card's outgoing FIFO. @return false: there is no room */
static inline bool nm_controller_to_bus(const struct nm_controller *c, const struct nm_packet *p,
                                        enum nm_class class)
{
    const bool room = nm_fifo_room(&c->port->out[class], 1);
    if (room)
        nm_bus_send(c->bus, c->module, p);
    return room;
}

/** Slow parts of the functions below. */
void nm_controller_send_ready(struct nm_controller *c, sim_tick now);
sim_tick nm_controller_ready_after(const struct nm_controller *c, sim_tick now);

/** Sends what is ready and finds room. */
static inline void nm_controller_drain(struct nm_controller *c, sim_tick now)
{
    if (c->due <= now)
        nm_controller_send_ready(c, now);
}

/** Whether something is still to be sent at `now`: behind nm_controller_drain, for want of room. */
static inline bool nm_controller_stuck(const struct nm_controller *c, sim_tick now)
{
    return c->due <= now;
}

/** When an answer becomes ready after `now`; SIM_NEVER: nothing is being fetched. */
static inline sim_tick nm_controller_next(const struct nm_controller *c, sim_tick now)
{
    return c->due > now ? c->due : nm_controller_ready_after(c, now);
}

/** [bus cycles] worked on a message up to `now`. */
uint64_t nm_controller_busy(const struct nm_controller *c, sim_tick now);

/** [bus cycles] the first two DRAM banks were busy up to `now`, and both at once. */
struct nm_banks_busy {
    uint64_t first, second, both;
};
struct nm_banks_busy nm_controller_banks_busy(const struct nm_controller *c, sim_tick now);

#endif

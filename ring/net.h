/* Inside of the ring network; for the files of ring/ only. Times here are ring cycles unless a name
 * says ticks. */
#ifndef RING_NET_H
#define RING_NET_H

#include "base/queue.h"
#include "ring/ring.h"

enum { RING_NODES_MAX = RING_FAN_MAX + 1 };

/** No packet in flight. */
#define RING_NONE UINT32_MAX

/** A slot in use: the nodes of this ring it has to reach after the one it goes to, what it is,
 *  where it goes on the rings ahead, and the tag (index of the packet's flight). */
typedef uint64_t ring_slot;

#define SLOT_TARGETS     0x0001ffffu
#define SLOT_UNSEQUENCED 0x00020000u /**< a multicast on its way to the sequencing point */
#define SLOT_HEADER      0x00040000u
#define SLOT_LAST        0x00080000u
#define SLOT_SINKABLE    0x00100000u
#define SLOT_TO_ONE      0x00200000u /**< for one other station: its nodes are in it */

enum { SLOT_NODES_SHIFT = 22, SLOT_NODE_BITS = 5, SLOT_FLIGHT_SHIFT = 42, SLOT_FLIGHT_BITS = 22 };

static inline uint32_t ring_slot_flight(ring_slot s)
{
    return (uint32_t)(s >> SLOT_FLIGHT_SHIFT);
}

/** Where a slot has to go on a ring depends on where it enters: stations and interfaces to rings
 *  below send it up if it must, the interface to the ring above never does. */
enum { RING_UP, RING_DOWN };

#define RING_WAY(side, level) (2 * (level) + (side))

/** Where a slot for one station has the node to which it goes from an inter-ring interface. None
 * enters the central ring from above, so four places are enough. */
#define SLOT_NODE_SHIFT(side, level) \
    (SLOT_NODES_SHIFT + SLOT_NODE_BITS * ((level) + ((side) == RING_UP)))

/** A packet between its first slot's insertion and its last slot's last reception. */
struct ring_flight {
    ring_slot slot;                /**< bits that all of its slots have, but for its tag */
    uint32_t way[2 * RING_LEVELS]; /**< bits of its slots that enter a ring: by RING_WAY; not of
                                        those with SLOT_TO_ONE */
    uint32_t receivers; /**< stations that have yet to get its last slot; or the next free flight */
    uint8_t level;      /**< highest ring level it needs */
    uint8_t class, data_slots;
};

struct ring_queued {
    uint64_t ready; /**< first cycle in which it may leave */
    ring_slot slot;
};

/** A FIFO of slots, fed by a node of a ring. */
struct ring_fifo {
    struct ring_queued *at; /**< power-of-two array */
    uint64_t head, tail;    /**< slots that ever left it, and ever came */
    uint32_t wrap;
    uint32_t delay; /**< cycles from entering to leaving at the earliest */
    uint32_t high;  /**< a slot that makes it so full calls for a closer look, */
    uint32_t low;   /**< and so does one whose leaving makes it so empty (cycle.c) */
    uint32_t deepest;
    bool raised;     /**< nearly full: feeder halted or held back */
    uint64_t filled; /**< [slots x cycles]: cycles of those that left minus cycles in which they
                        came, modulo 2^64; add slots x now */
    struct ring_depth limit;
    uint32_t feeder_bit;              /**< its node there */
    struct ring_ring *feeder, *drain; /**< drain: the ring whose cycle empties it */
    uint32_t *drain_mask;
    uint32_t drain_node;               /**< its bit in *drain_mask is set while it is not empty */
    uint32_t shift;                    /**< SLOT_NODE_SHIFT of what is let into the drain */
    uint8_t hops[1 << SLOT_NODE_BITS]; /**< from there to each of its nodes */
};

/** More moves than a slot makes before a node looks at it; a power of two. */
enum { RING_MOVES = 32 };

struct ring_node {
    struct ring_fifo *in;         /**< what the ring feeds here */
    struct ring_fifo *out;        /**< what is let into the ring here; NULL at a station */
    struct ring_station *station; /**< NULL at an inter-ring interface */
    uint64_t alarm;  /**< if pending but neither awake nor wanting: cycle to look at it */
    uint64_t since;  /**< cycle since which its next slot waits; SIM_NEVER if not yet */
    uint64_t copies; /**< slots copied here while the original went on */
    uint64_t own;    /**< slots let in here for this node alone: never on the ring */
    uint64_t way;    /**< RING_WAY of what enters here */
};

/** What a move brings. */
struct ring_arrivals {
    uint32_t due;                     /**< nodes that have a slot coming */
    ring_slot coming[RING_NODES_MAX]; /**< to each of them */
};

/**
 * A ring. Slots are not kept where they are but where and when a node has to look at them: by the
 * move that brings them. So a slot that moves costs nothing, and a ring that stands still does not
 * count moves.
 */
struct ring_ring {
    uint64_t next; /**< no earlier cycle has work for it */
    uint32_t nodes;
    uint32_t all;      /**< a bit per node */
    uint32_t moves;    /**< modulo 2^32 */
    uint32_t occupied; /**< nodes whose slot is in use */
    uint32_t wanting;  /**< nodes that have something to let in and may, and wait for a free slot */
    uint32_t starving; /**< of these: have waited so long that the others hold back */
    bool held_back;    /**< the up FIFO is: what would go up is not let in */
    uint32_t
        parent; /**< bit of the node of the interface to the ring above; 0 on the central ring */
    union {
        struct {
            uint32_t halting; /**< nodes whose FIFO is nearly full, so that it stands still */
            uint32_t fed;     /**< stations whose input FIFO is not empty */
        };
        uint64_t halting_or_fed;
    };
    uint32_t at_once;   /**< stations where a slot can be handled as it arrives (cycle.c) */
    uint64_t attend;    /**< no earlier cycle has anything to do but to move and let in */
    uint64_t wrapped;   /**< slots in use moved from the last node to node 0 */
    uint32_t pending;   /**< nodes that have something to let in */
    uint32_t awake;     /**< of these: whether they may let a slot in has to be looked at */
    uint64_t alarm;     /**< no node's alarm is earlier */
    uint64_t impatient; /**< before this cycle no node starves that does not starve now */
    uint32_t sequencer; /**< node of the sequencing point */
    uint32_t level, index;
    struct ring_arrivals arrivals[RING_MOVES];
    uint64_t halted, halted_since, held, held_since;
    struct ring_node node[RING_NODES_MAX];
};

/** A place of an output FIFO; after the packet has left it remembers when. */
struct ring_outgoing {
    struct ring_packet packet;
    sim_tick sent;  /**< [ticks] */
    uint64_t ready; /**< through the packet generator */
    sim_tick freed; /**< [ticks] */
    uint8_t level;
    bool to_itself; /**< its sender is among the targets */
};

struct ring_outbox {
    struct ring_outgoing *at; /**< power-of-two array of more than `depth` places: one that travels
                            alone has left long before it goes */
    struct ring_outgoing *first; /**< place of the packet that goes next */
    uint64_t wrap;
    uint64_t sent, gone; /**< packets ever handed over, and ever let into the ring */
    uint32_t depth;
    uint32_t deepest;
    uint64_t integral;
};

struct ring_station {
    /* Being sent: its slots follow one another through the ring's free slots. */
    uint32_t flight, class;
    uint64_t chosen;   /**< cycle in which `class` was chosen last */
    uint32_t left;     /**< data slots that have yet to enter the ring */
    ring_slot slot;    /**< what all of them have */
    uint32_t to, hops; /**< if they have SLOT_TO_ONE: node to which they go there, so far away */
    struct ring_outbox out[RING_CLASSES];
    /* Nonsinkable messages out, and when those taken at their targets are to be forgotten. */
    uint32_t nonsinkable_out, returning;
    uint64_t *returns;
    /* Sinkable queue towards the station: packets put in, packets taken, and when. */
    uint64_t delivered, taken, taken_wrap;
    sim_tick *taken_at;
    /* Nonsinkable queue: senders of what is in it, and takes not yet told to them. */
    uint16_t *askers;
    struct sim_queue asked;
    sim_tick *takes;
    uint32_t takes_count, takes_size;
    ring_mask own; /**< its routing mask */
    struct ring_ring *ring;
    uint32_t node;
    struct ring_fifo input;
    uint64_t sent_header;
    uint64_t sent_data; /**< those `left` included */
    uint64_t received_header, received_data;
    uint32_t reassembly, reassembly_max;
};

/** A packet that has the rings for itself (alone.c). */
struct ring_uncontended {
    bool active;
    uint32_t station;
    struct ring_station *target;
    uint64_t begin; /**< cycle in which its header enters the ring */
    uint64_t end;   /**< cycle in which its last slot is handled at its target */
    struct ring_flight flight;
    ring_mask mask;
    /* Its way: on each ring from node to node, and when that ring has something to do for it. */
    struct {
        struct ring_ring *r;
        uint32_t from, to;
        uint64_t first, last;
    } hop[2 * RING_LEVELS - 1];
    uint32_t hops;
};

struct ring_net {
    struct ring_shape shape;
    struct ring_timing timing;
    struct sim_clock clock; /**< a ring cycle */
    sim_tick window, reach; /**< ring_window, ring_reach */
    ring_deliver_fn *deliver;
    void *ctx;
    unsigned stations, rings;
    unsigned base[RING_LEVELS]; /**< first ring of a level; ring 0 is the central ring */
    struct ring_ring *ring;
    uint64_t soonest; /**< no ring has work in an earlier cycle */
    uint64_t now;     /**< all cycles before this one are done */
    sim_tick until;   /**< [ticks] stations have been simulated up to here */
    struct ring_station *station;
    struct ring_fifo *between;  /**< two per ring but the top: [2r] up, [2r+1] down */
    struct ring_flight *flight; /**< what the rings look at, */
    struct ring_packet *packet; /**< and what they only carry */
    uint32_t flights, free_flight;
    struct ring_uncontended alone; /**< while active, the rings stand before its first cycle */
    bool shared;                   /**< ring_share: it never is */
    ring_mask everybody;
    bool any_touched;
    uint64_t touched[RING_STATIONS_MAX / 64]; /**< stations that sent or took since the last run */
};

static inline uint32_t ring_fifo_held(const struct ring_fifo *f)
{
    return (uint32_t)(f->tail - f->head);
}

/** The ring has work in `cycle`. */
static inline void ring_wake(struct ring_net *net, struct ring_ring *r, uint64_t cycle)
{
    if (cycle < r->next)
        r->next = cycle;
    if (cycle < net->soonest)
        net->soonest = cycle;
}

/** Another packet is first in one of the station's output FIFOs. */
static inline void ring_station_heads(struct ring_station *st)
{
    const uint32_t bit = 1u << st->node;
    bool some = false, to_itself = false;
    for (unsigned class = 0; class < RING_CLASSES; class ++) {
        const struct ring_outbox *out = &st->out[class];
        some |= out->gone != out->sent;
        to_itself |= out->gone != out->sent && out->first->to_itself;
    }
    st->ring->pending = some ? st->ring->pending | bit : st->ring->pending & ~bit;
    st->ring->at_once = to_itself ? st->ring->at_once & ~bit : st->ring->at_once | bit;
}

/** Has the ring look at a node in `cycle`. One that is awake or wanting is looked at without, and
 *  one that is not pending has nothing to be looked at. */
static inline void ring_alarm(struct ring_net *net, struct ring_ring *r, uint32_t node,
                              uint64_t cycle)
{
    if (!((r->pending & ~(r->awake | r->wanting)) >> node & 1))
        return;
    if (cycle < r->node[node].alarm)
        r->node[node].alarm = cycle;
    if (cycle < r->alarm)
        r->alarm = cycle;
    if (cycle < r->attend)
        r->attend = cycle;
    ring_wake(net, r, cycle);
}

/** From a node of a ring to another one; all around to itself. */
static inline uint32_t ring_hops(const struct ring_ring *r, uint32_t node, uint32_t to)
{
    return to > node ? to - node : to + r->nodes - node;
}

/** First cycle at or after a tick. */
static inline uint64_t ring_cycle_at(const struct ring_net *net, sim_tick tick)
{
    return sim_clock_cycles(&net->clock, tick + net->timing.cycle - 1);
}

/** Least of a station's `returns`. (net.c) */
uint64_t ring_least_return(const struct ring_station *st);

/** Earliest cycle in which a station's next packet of a class could start, were the ring free and
 *  not held; SIM_NEVER if it has none, or none before some other station takes a message. */
static inline uint64_t ring_class_ready(const struct ring_net *net, const struct ring_station *st,
                                        unsigned class)
{
    const struct ring_outbox *out = &st->out[class];
    if (out->gone == out->sent)
        return SIM_NEVER;
    const uint64_t ready = out->first->ready;
    if (class == RING_SINKABLE || st->nonsinkable_out < net->timing.nonsinkable_limit)
        return ready;
    const uint64_t allowed = ring_least_return(st);
    return allowed > ready ? allowed : ready;
}

/** What the rings look at in a packet. */
void ring_flight_of(const struct ring_net *net, const struct ring_outgoing *o,
                    struct ring_flight *f);

/** The head of an output FIFO leaves in cycle `c`. (cycle.c) */
void ring_outbox_leave(const struct ring_net *net, struct ring_outbox *out, uint64_t c);

/** Whether the sinkable queue towards a station has room for one more in cycle `c`: what was taken
 * later still fills its place. (cycle.c) */
bool ring_sinkable_room(const struct ring_net *net, const struct ring_station *st, uint64_t c);

/** A packet's last slot was handled at its target in cycle `c`. (cycle.c) */
void ring_complete(struct ring_net *net, struct ring_station *st, const struct ring_packet *p,
                   uint64_t c);

/** The rings are empty and this station has sent: does it send a single packet that will meet
 *  nothing? Then net->alone takes it. (alone.c) */
bool ring_uncontended_begins(struct ring_net *net, unsigned station);
/** Its station has sent nothing after it. */
bool ring_uncontended_remains(const struct ring_net *net);
/** First cycle at or after `c` in which a slot of it would move. */
uint64_t ring_uncontended_next(const struct ring_net *net, uint64_t c);
void ring_uncontended_arrives(struct ring_net *net);
void ring_uncontended_ends(struct ring_net *net);

/** Moves the slots that have been left standing, for a look at them. (cycle.c) */
void ring_settle(const struct ring_net *looked_at);

/** Ends the process if something is not as net.h says. (invariants.c) */
void ring_invariants(const struct ring_net *net);

/** Tells what the stations did since the last run to the rings. (net.c) */
void ring_absorb(struct ring_net *net);

#endif

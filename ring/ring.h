/*
 * The network between stations: a hierarchy of slotted unidirectional rings.
 *
 * What is simulated. A ring of n nodes has n slots; all slots of all rings move one node further
 * in every ring cycle. A node is a station's ring interface or one side of an inter-ring interface.
 * A message is one header slot and then its data slots; they carry a tag and need not be adjacent.
 * Slots of one message stay in order, because there is one path between two points and every queue
 * on it is a FIFO of slots; so a message is complete when its last slot has been handled.
 *
 *   station -> packet generator -> output FIFO (sinkable, nonsinkable) -> free slot of the ring
 *   ring -> input FIFO -> packet handler, reassembly by tag -> queue (sinkable, nonsinkable)
 *
 * Inter-ring interfaces cut through: an up FIFO and a down FIFO of slots, nothing else.
 *
 * Latency of a packet that meets no other, in ring cycles after the first ring cycle at or after
 * `at` (the tick of ring_send):
 *
 *   generator + data slots + sum of hops + handler + (up + down) per ring level climbed
 *
 * The header enters the ring in the cycle the generator is through with it, the k-th data slot k
 * cycles later; hops between node i and node j of n nodes are (j - i) mod n (so none from a node to
 * itself). Children of a ring are nodes 0 .. fan-1; the interface to the ring above is node `fan`.
 * Example, 4 stations per ring, 4 rings, station 1 to station 6 (ring 1, node 2), 8 data slots:
 * generator + 8 + 3 (node 1 to 4) + up + 1 (ring 0 to 1) + down + 3 (node 4 to 2 of 5) + handler.
 *
 * Multicast. It travels unsequenced to the highest ring it needs and on that ring to the sequencing
 * point: the interface to the ring above, or node 0 of the central ring. When its slot passes there
 * (or enters the ring there) it becomes sequenced in its place: the slot gets its targets and goes
 * round once from that point; each target copies it, the last one empties the slot. Copies that go
 * down are sequenced already and go round their ring once, starting at the interface they came
 * from, which is that ring's own sequencing point. Hence
 * - all multicasts arrive at all stations in one common order;
 * - unicasts of one class between two stations stay in order;
 * - a unicast sinkable and then a multicast from the same station arrive in that order;
 * - when X has received M and then sends a sinkable P to Y, Y receives M before P (if M covers Y).
 * A sinkable unicast sent after a multicast, but before the sender received that multicast itself,
 * may overtake it.
 *
 * Flow control. Station input FIFOs and down FIFOs that are nearly full halt the ring that feeds
 * them, all its slots at once, until they have drained below the restart threshold; other rings run
 * on. A nearly full up FIFO does not halt the ring below: two rings could then wait for each other
 * for ever, each halted by the FIFO the other should drain. It holds the stations (or interfaces)
 * of that ring back from inserting slots that would go up; the slots under way find room in what
 * the FIFO has above the threshold (at least the nodes of the ring).
 *
 * Why nothing can stand still for ever. Nonsinkable queues cannot fill: a station has at most
 * `nonsinkable_limit` nonsinkable messages out. One counts from the cycle its header enters the
 * ring until its target takes it out of its nonsinkable queue (ring_take), and the sender knows
 * ring_window() later. So an input FIFO waits only for room in the sinkable queue, which a station
 * must empty without sending anything. Then local rings always move again, so down FIFOs drain, so
 * the rings above move again, so up FIFOs drain: no cycle of waits. And no node starves: one that
 * has waited `patience` cycles for a free slot makes the other nodes of its ring hold back.
 *
 * Time. The rings run after the stations, window by window: stations first run through [T, T+W),
 * then ring_run(T+W) moves the slots of that window. ring_window_end() says how long a window may
 * be; results do not depend on where windows end. ring_send, ring_take and ring_room touch only
 * what belongs to their station: different stations may call them from different threads.
 *
 * How soon one station can notice another, in ring cycles:
 *
 * - The rings move a slot (in, along or out): after `handler`. A packet is complete, or room seen.
 * - A station sends a packet: after `generator` + `handler`. First its header enters the ring.
 * - It takes a nonsinkable packet: after twice `handler`. Its sender knows of it, and lets in a
 *   packet that has been through the generator before.
 * - It takes a sinkable packet: after `handler`. But only one that waited in an input FIFO goes on,
 *   and while one is there the rings move.
 *
 * So a window ends `handler` after the rings first move, and `handler` + min(`generator`,
 * `handler`) after a station first does something.
 *
 * Errors: preconditions are assertions. ring_check says what is wrong with a shape or timing.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "base/time.h"
#include "ring/mask.h"

#include <stdbool.h>
#include <stdio.h>

enum ring_class { RING_SINKABLE, RING_NONSINKABLE, RING_CLASSES };

enum { RING_PAYLOAD = 48, RING_DATA_MAX = 255 };

struct ring_packet {
    ring_mask mask;     /**< targets; one station unless multicast */
    uint64_t serial;    /**< for traces */
    uint16_t source;    /**< the sending station */
    uint8_t class;      /**< enum ring_class; multicasts are sinkable */
    uint8_t data_slots; /**< after the header slot */
    bool multicast;     /**< ordered at the sequencing point of the highest ring it needs, then to
                             every station covered, the source included if covered */
    unsigned char payload[RING_PAYLOAD]; /**< not looked at */
};

/** A FIFO of slots. */
struct ring_depth {
    uint32_t depth;     /**< [slots] near_full + 2, or near_full + nodes of the ring for up */
    uint32_t near_full; /**< [slots] from this many on, the feeder is stopped; >= 1 */
    uint32_t restart;   /**< [slots] below this many it runs again; 1 .. near_full */
};

struct ring_timing {
    uint32_t cycle;                /**< [ticks] one ring cycle; >= 1 */
    uint32_t generator;            /**< [ring cycles] station to head of the output FIFO; >= 0 */
    uint32_t handler;              /**< [ring cycles] last slot handled to delivery; >= 1 */
    uint32_t up, down;             /**< [ring cycles] through an inter-ring interface; >= 1 */
    uint32_t output[RING_CLASSES]; /**< [packets] output FIFOs; >= 1 */
    uint32_t queue;                /**< [packets] sinkable queue towards the station; >= 1 */
    struct ring_depth input;       /**< of station interfaces */
    struct ring_depth up_fifo, down_fifo;
    uint32_t nonsinkable_limit; /**< nonsinkable messages out per station; 1..64 */
    uint32_t patience;          /**< [ring cycles] a node waits for a free slot before others must
                                     hold back; >= 1 */
};

/** What is wrong with a shape and timing, as a clause for a message; NULL if nothing. */
const char *ring_check(const struct ring_shape *shape, const struct ring_timing *timing);

/**
 * A packet is complete at a station.
 * @param at      [ticks] when it is at the end of its queue there; never before the `until` of the
 *                ring_run that calls
 * @param packet  valid during the call
 */
typedef void ring_deliver_fn(void *ctx, unsigned station, sim_tick at,
                             const struct ring_packet *packet);

struct ring_net;

/** Builds an empty network at tick 0; `shape` and `timing` are copied and must pass ring_check.
 *  Ownership: caller, ring_net_free. */
struct ring_net *ring_net_new(const struct ring_shape *shape, const struct ring_timing *timing,
                              ring_deliver_fn *deliver, void *ctx);
void ring_net_free(struct ring_net *net);

/* ---- the station's side ---------------------------------------------------------------------- */

/** May the station hand over a packet of this class at tick `at`? Room that a packet leaves behind
 *  when its last slot enters the ring is seen ring_window() later. */
bool ring_room(const struct ring_net *net, unsigned station, unsigned class, sim_tick at);

/** Hands a packet to the packet generator. Precondition: ring_room; `at` not before the end of the
 *  last window nor before the station's previous send of this class. */
void ring_send(struct ring_net *net, unsigned station, sim_tick at,
               const struct ring_packet *packet);

/** The station took the oldest delivered packet of `class` out of its queue at tick `at`: its room
 *  returns (and, for a nonsinkable one, its sender's count goes down). Preconditions as for
 *  ring_send; the packet was delivered. */
void ring_take(struct ring_net *net, unsigned station, sim_tick at, unsigned class);

/** Whether the rings would do anything once the station's oldest nonsinkable packet is taken: its
 *  sender had something to send when they last ran. */
bool ring_awaits(const struct ring_net *net, unsigned station);

/* ---- running --------------------------------------------------------------------------------- */

/** From now on stations may send, take and look at a time, each from one host thread, between two
 *  calls of ring_run. No packet is taken out of the rings to travel alone then: looking would have
 *  to put it back. */
void ring_share(struct ring_net *net);

/** Earliest tick at which anything can move; SIM_NEVER when the network is empty. */
sim_tick ring_next(const struct ring_net *net);

/** The same at or after tick `from`, as if the rings had run up to it; the begin of a ring cycle.
 *  Precondition: `from` is not after ring_quiet(). */
sim_tick ring_next_from(const struct ring_net *net, sim_tick from);

/** Up to this tick the rings could run without a station hearing of it. */
sim_tick ring_quiet(const struct ring_net *net);

/** Simulates all ring cycles before `until`. Precondition: ring_window_end() allows it, beginning
 *  where the last run ended or anywhere up to ring_quiet(). */
void ring_run(struct ring_net *net, sim_tick until);

/** [ticks] from what the rings do to what a station can notice of it: the packet handler. */
sim_tick ring_window(const struct ring_net *net);

/** [ticks] from what a station does to what another can notice of it, if the rings stand still. */
sim_tick ring_reach(const struct ring_net *net);

/** The last tick at which a window may end.
 *  @param moving  ring_next_from(where it begins)
 *  @param speaks  before this tick no station sends or takes anything; SIM_NEVER: none will */
static inline sim_tick ring_window_end(const struct ring_net *net, sim_tick moving, sim_tick speaks)
{
    const sim_tick heard = speaks == SIM_NEVER ? SIM_NEVER : speaks + ring_reach(net);
    const sim_tick moved = moving == SIM_NEVER ? SIM_NEVER : moving + ring_window(net);
    return heard < moved ? heard : moved;
}

/* ---- looking ---------------------------------------------------------------------------------
 * All counts are totals since tick 0, exact for all cycles simulated so far. */

/** A FIFO's history. The mean depth is integral / elapsed cycles. */
struct ring_fifo_count {
    uint32_t depth;    /**< now */
    uint32_t deepest;  /**< most at once */
    uint64_t integral; /**< depth summed over time: [slots x ring cycles], or [packets x ticks] for
                            output FIFOs */
};

struct ring_link_count {
    uint64_t busy;   /**< [ring cycles] a slot in use moved over it; also: slots moved */
    uint64_t halted; /**< [ring cycles] its ring stood still */
};

struct ring_interface_count {
    uint64_t sent_header, sent_data;         /**< slots let into the ring */
    uint64_t received_header, received_data; /**< slots out of the input FIFO */
    uint64_t copies;                         /**< slots copied while the original went on */
    uint32_t nonsinkable_out;                /**< now counted against the limit */
    uint32_t reassembly, reassembly_max;     /**< messages partly received: now, most at once */
    struct ring_fifo_count input, output[RING_CLASSES];
};

/** An inter-ring interface, named by the ring below it. */
struct ring_between_count {
    uint64_t up, down; /**< slots passed */
    uint64_t copies;   /**< slots copied downwards while the original went on above */
    uint64_t held;     /**< [ring cycles] its up FIFO held the ring below back from going up */
    struct ring_fifo_count up_fifo, down_fifo;
};

/** Conservation: sent + copies == received + inside, at any moment. */
struct ring_total {
    uint64_t sent, received, copies; /**< slots */
    uint64_t inside;                 /**< slots in rings and FIFOs now */
    uint64_t hops;                   /**< slots in use moved over all links */
};

/** Rings of a level are numbered from 0 in the order of their stations. Rings: level 0 is local. */
unsigned ring_net_rings(const struct ring_net *net, unsigned level);

/** The link from node `node` to the next one. */
struct ring_link_count ring_net_link(const struct ring_net *net, unsigned level, unsigned ring,
                                     unsigned node);
struct ring_interface_count ring_net_interface(const struct ring_net *net, unsigned station);
/** The interface above ring `ring` of `level`. Precondition: it is not the central ring. */
struct ring_between_count ring_net_between(const struct ring_net *net, unsigned level,
                                           unsigned ring);
struct ring_total ring_net_total(const struct ring_net *net);

/** [ring cycles] simulated so far, idle ones included. */
uint64_t ring_net_cycles(const struct ring_net *net);

/** Names every queue that is not empty and every ring that is halted or held, for people. */
void ring_net_dump(const struct ring_net *net, FILE *file);

#endif

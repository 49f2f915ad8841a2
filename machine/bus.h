/*
 * The station bus: split transactions, one packet at a time, round-robin arbitration, and between
 * each module and the bus a pair of FIFOs per direction, one for each class of message.
 */
#ifndef NM_BUS_H
#define NM_BUS_H

#include "base/kernel.h"
#include "base/room.h"
#include "machine/packet.h"

struct mon_taps;
struct nm_params;

/** A bounded queue of packets. */
struct nm_fifo {
    struct nm_packet *slot; /**< power-of-two array of at least `depth` */
    unsigned depth, wrap, head, count;
    unsigned reserved; /**< slots promised to packets on their way */
    unsigned deepest;  /**< most packets at once */
    uint64_t filled;   /**< [packets x ticks] they stayed: ticks of those that left minus ticks at
                            which they came, modulo 2^64; add count x now */
};

static inline bool nm_fifo_room(const struct nm_fifo *f, unsigned n)
{
    return f->count + f->reserved + n <= f->depth;
}

/** The i-th packet from the head. Precondition: i < count. */
static inline struct nm_packet *nm_fifo_at(const struct nm_fifo *f, unsigned i)
{
    return &f->slot[(f->head + i) & f->wrap];
}

/** Takes the head, which stays where it is until the next one is appended. Precondition: not empty.
 */
static inline const struct nm_packet *nm_fifo_pop(struct nm_fifo *f, sim_tick now)
{
    const struct nm_packet *p = nm_fifo_at(f, 0);
    /* an empty one begins where the host's cache has it, unless a packet is on its way there */
    f->head = --f->count | f->reserved ? f->head + 1 : 0;
    f->filled += now;
    return p;
}

/** Told of every packet of a port with its data cycles, after the taps. */
typedef void nm_port_heard_fn(void *module, sim_tick now, const struct nm_packet *p, bool out,
                              unsigned data);

/** A module's connection to the bus. The module fills `out`, the bus fills `in`. */
struct nm_port {
    struct nm_fifo in[NM_CLASSES], out[NM_CLASSES];
    struct sim_clock clock; /**< the bus's */
    uint32_t sends;         /**< packets ever put into `out` */
    sim_tick
        ready_at; /**< since when the head of `out` asks for the bus; SIM_NEVER: nothing does */
    sim_tick kept_since[NM_CLASSES]; /**< of each class's head, if it was passed over */
    const uint64_t *crowd;           /**< the bus's: 0 as long as no FIFO is full */
    sim_tick grant_wait;             /**< asked but not granted, finished waits; whole bus cycles */
    struct mon_taps *taps;           /**< the card's taps, or NULL (memory) */
    nm_port_heard_fn *heard;         /**< see nm_bus_hear */
    void *module;
    void (*arrived)(void *module, sim_tick now); /**< a packet was put into `in` */
    void (*sent)(void *module, sim_tick now); /**< a packet left `out`: told only if `awaits_room`,
                                                 or if something nonsinkable is in `in` */
    bool awaits_room;                         /**< the module's */
};

struct nm_bus;

/** Checking mode's ear: every packet as it is delivered. */
typedef void nm_bus_listener(void *ctx, sim_tick now, const struct nm_packet *p);

/** A recorder's ear: a module has been given the bus, at `now`, for so many bus cycles. */
typedef void nm_bus_tenure_fn(void *ctx, unsigned station, sim_tick now, unsigned cycles,
                              const struct nm_packet *p);

/** @param room  for it and its modules' FIFOs; outlives it */
struct nm_bus *nm_bus_new(struct sim_kernel *k, const struct nm_params *p, struct sim_room *room);

/** Connects a module: fills in its FIFOs and its clock.
 *  @param position  module number on the station */
void nm_bus_attach(struct nm_bus *bus, unsigned position, struct nm_port *port);

/** The place of a port's next packet of a class, to be written. Precondition: there is room. */
static inline struct nm_packet *nm_bus_next(const struct nm_port *port, enum nm_class class)
{
    return nm_fifo_at(&port->out[class], port->out[class].count);
}

/** What has been written there is sent: it is in the FIFO, and asks for the bus. */
void nm_bus_send_next(struct nm_bus *bus, unsigned position, enum nm_class class);

/** The same of a packet that lies elsewhere. */
void nm_bus_send(struct nm_bus *bus, unsigned position, const struct nm_packet *p);

/** Slow part of the function below. */
void nm_bus_has_room(struct nm_bus *bus, sim_tick now);

/** A module took something out of its incoming FIFO: a module that waited for that room may go.
 *  Nothing has changed for anybody unless a FIFO was full. */
static inline void nm_bus_drained(struct nm_bus *bus, const struct nm_port *port, sim_tick now)
{
    if (*port->crowd)
        nm_bus_has_room(bus, now);
}

/** [ticks] one bus cycle. */
sim_tick nm_bus_cycle(const struct nm_bus *bus);

/** [bus cycles] the bus has been busy up to `now`. */
uint64_t nm_bus_busy(const struct nm_bus *bus, sim_tick now);

/** [bus cycles] a port has waited for grants up to `now`, the present wait included. */
uint64_t nm_bus_waited(const struct nm_bus *bus, unsigned position, sim_tick now);

/** Packets anywhere between modules: queued or in transfer. For the checker and the dump. */
void nm_bus_listen(struct nm_bus *bus, nm_bus_listener *listener, void *ctx);

/** Has `heard` called for what passes a port from now on. NULL: its monitoring card does not
 * listen. */
void nm_bus_hear(struct nm_bus *bus, unsigned position, nm_port_heard_fn *heard);

/** Has `told` called for every tenure from now on. NULL: no longer.
 *  @param station  handed to it */
void nm_bus_watch(struct nm_bus *bus, unsigned station, nm_bus_tenure_fn *told, void *ctx);

const struct nm_port *nm_bus_port(const struct nm_bus *bus, unsigned position);

#endif

/*
 * The station bus of machine/bus.h once more, as plainly as it can be put: every bus cycle is
 * looked at, and every count is made where the thing counted happens. Nothing is fast, and nothing
 * is shared with machine/bus.c but the packets.
 */
#ifndef BUS_PLAIN_H
#define BUS_PLAIN_H

#include "base/time.h"
#include "machine/packet.h"

enum { BUS_PLAIN_DEPTH = 16 /**< [packets] most of a FIFO */ };

struct bus_plain_rule {
    sim_tick cycle;
    unsigned arbitration, depth, line, word; /**< [cycles], [packets], [data cycles] */
};

/** A FIFO: packets in the order in which they came. */
struct bus_plain_fifo {
    struct nm_packet packet[BUS_PLAIN_DEPTH];
    unsigned count, deepest, promised; /**< `promised`: places of packets on their way */
    uint64_t filled;                   /**< [packets x ticks] */
};

struct bus_plain_port {
    struct bus_plain_fifo in[NM_CLASSES], out[NM_CLASSES];
    bool asks;
    sim_tick asks_since;             /**< an edge */
    bool kept[NM_CLASSES];           /**< the first of this class was kept by a full FIFO, ... */
    sim_tick kept_since[NM_CLASSES]; /**< ... having asked since */
    unsigned sends;
    uint64_t waited; /**< [cycles] */
    uint64_t headers_out, headers_in, data_out, data_in, nacked;
};

/** What happened: a module got the bus for so many cycles (its packet's header being the first), or
 * took a packet. */
struct bus_plain_event {
    sim_tick at;
    unsigned module, cycles; /**< `cycles` 0: the module took it */
    uint64_t line;
};

typedef void bus_plain_fn(void *ctx, struct bus_plain_event event);

struct bus_plain {
    struct bus_plain_rule rule;
    struct bus_plain_port port[NM_MODULES];
    unsigned last;  /**< module that had the bus last */
    sim_tick until; /**< tick at which the bus is free */
    bool moves;     /**< a packet is on it */
    struct nm_packet moving;
    unsigned held, holder; /**< cards whose next places are for a sinkable packet of `holder` */
    uint64_t busy;         /**< [cycles] that have begun */
    bus_plain_fn *tell;
    void *ctx;
};

/** Whether the module may put a packet of this class into its outgoing FIFO. */
bool bus_plain_room(const struct bus_plain *b, unsigned module, enum nm_class class);
void bus_plain_send(struct bus_plain *b, unsigned module, sim_tick now, const struct nm_packet *p);
/** Takes the first packet out of an incoming FIFO. Precondition: there is one. */
struct nm_packet bus_plain_take(struct bus_plain *b, unsigned module, enum nm_class class);

/** A tick in two halves: first what arrives at it; then, after all that modules do at it, who gets
 * the bus. */
void bus_plain_arrive(struct bus_plain *b, sim_tick now);
void bus_plain_decide(struct bus_plain *b, sim_tick now);

#endif

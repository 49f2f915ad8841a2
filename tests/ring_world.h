/*
 * A world of simple stations around the rings, for the tests: each sends what its scenario asks
 * for, answers nonsinkable packets with sinkable ones, takes what arrives when its dice say so, and
 * everything the network promises is checked at every delivery. Times in ticks.
 */
#ifndef RING_WORLD_H
#define RING_WORLD_H

#include "ring/ring.h"

struct scenario {
    const char *name;
    struct ring_shape shape;
    struct ring_timing timing;
    unsigned packets;     /* that each station starts by itself */
    unsigned nonsinkable; /* of 100 of them */
    unsigned multicast;   /* of 100 sinkable ones */
    unsigned data_max;    /* data slots, 0 .. this */
    unsigned eager;       /* of 100 ticks in which a station tries to send */
    unsigned taking;      /* of 100 ticks in which it takes what has arrived */
    unsigned hot;         /* of 100 unicasts that go to station 0 */
    unsigned naps;        /* [ticks] stations do nothing for so long, again and again; 0: never */
    uint64_t seed;
    sim_tick limit; /* it must be over by then */
};

struct outcome {
    uint64_t hash;             /* of every station's deliveries and their ticks */
    uint64_t delivered;        /* packets */
    sim_tick end;              /* when everything had been taken */
    sim_tick slowest, fastest; /* station to have sent all its own packets */
    struct ring_total total;
    unsigned deepest_nonsinkable; /* most packets in one nonsinkable queue */
    uint64_t halted, held;
};

/**
 * Runs a scenario until nothing is left.
 * @param windows  seed of the lengths of the windows; 0: always the longest
 * @return NULL, or what promise was broken (static text); a dump is then on stderr
 */
const char *world_run(const struct scenario *scenario, uint64_t windows, struct outcome *out);

/* Small and usual timing. */
#define RING_DEPTH(d, n, r)                            \
    {                                                  \
        .depth = (d), .near_full = (n), .restart = (r) \
    }
#define TIMING_USUAL                                                                    \
    {                                                                                   \
        .cycle = 3, .generator = 2, .handler = 4, .up = 2, .down = 2, .output = {8, 8}, \
        .queue = 8, .input = RING_DEPTH(32, 24, 16), .up_fifo = RING_DEPTH(64, 32, 16), \
        .down_fifo = RING_DEPTH(64, 48, 32), .nonsinkable_limit = 16, .patience = 64    \
    }
#define TIMING_TINY                                                                     \
    {                                                                                   \
        .cycle = 3, .generator = 0, .handler = 1, .up = 1, .down = 1, .output = {1, 1}, \
        .queue = 1, .input = RING_DEPTH(3, 1, 1), .up_fifo = RING_DEPTH(18, 1, 1),      \
        .down_fifo = RING_DEPTH(3, 1, 1), .nonsinkable_limit = 16, .patience = 8        \
    }

#endif

/*
 * Contention-free latencies of the rings, to the tick, against counts done by hand from the formula
 * in ring/ring.h. With the usual timing: 3 ticks per cycle, generator 2, handler 4, up 2, down 2.
 */
#include "ring_world.h"

#include <criterion/criterion.h>

#define GENERATOR 2
#define HANDLER   4
#define UP        2
#define DOWN      2

enum { ARRIVALS = 4 };

struct row {
    int line;
    struct ring_shape shape;
    unsigned from, data;
    sim_tick at;
    bool multicast;
    unsigned mask_of[ARRIVALS]; /* stations whose masks are or-ed, up to a 9999 */
    struct {
        unsigned station;
        unsigned cycles; /* after the first ring cycle at or after `at` */
    } arrival[ARRIVALS]; /* in order of time, up to cycles 0 */
};

#define LOCAL                     \
    {                             \
        .levels = 1, .fan = { 4 } \
    }
#define TWO                          \
    {                                \
        .levels = 2, .fan = { 4, 4 } \
    }
#define THREE                           \
    {                                   \
        .levels = 3, .fan = { 4, 4, 4 } \
    }
#define UNI(s, f, t, d, a, c)                   \
    {                                           \
        __LINE__, s, f, d, a, false, {t, 9999}, \
        {                                       \
            {                                   \
                t, c                            \
            }                                   \
        }                                       \
    }
#define END 9999

static const struct row rows[] = {
    /* One ring of 4 nodes: the hops are (to - from) mod 4. */
    UNI(LOCAL, 1, 3, 0, 0, GENERATOR + 2 + HANDLER),
    UNI(LOCAL, 3, 1, 8, 0, GENERATOR + 8 + 2 + HANDLER),
    UNI(LOCAL, 1, 3, 0, 1, GENERATOR + 2 + HANDLER),
    UNI(LOCAL, 2, 2, 1, 0, GENERATOR + 1 + HANDLER),
    /* Rings of 5 nodes under a ring of 4: same ring, the short and the long way. */
    UNI(TWO, 1, 2, 0, 0, GENERATOR + 1 + HANDLER),
    UNI(TWO, 2, 1, 8, 0, GENERATOR + 8 + 4 + HANDLER),
    /* 1 -> 6: ring 0 node 1 to 4, central ring 0 to 1, ring 1 node 4 to 2. */
    UNI(TWO, 1, 6, 8, 0, GENERATOR + 8 + 3 + UP + 1 + DOWN + 3 + HANDLER),
    /* 6 -> 1: ring 1 node 2 to 4, central ring 1 to 0, ring 0 node 4 to 1. */
    UNI(TWO, 6, 1, 0, 0, GENERATOR + 2 + UP + 3 + DOWN + 2 + HANDLER),
    /* 1 -> 14 = (2, 3, 0): two levels of three; then 1 -> 46 = (2, 3, 2): all three. */
    UNI(THREE, 1, 14, 0, 0, GENERATOR + 3 + UP + 3 + DOWN + 3 + HANDLER),
    UNI(THREE, 1, 46, 8, 0, GENERATOR + 8 + 3 + UP + 4 + UP + 2 + DOWN + 4 + DOWN + 3 + HANDLER),
    /* Multicasts on one ring: to node 0, then round. From node 0: sequenced on entry. */
    {__LINE__,
     LOCAL,
     1,
     0,
     0,
     true,
     {1, 2, 3, END},
     {{1, GENERATOR + 3 + 1 + HANDLER},
      {2, GENERATOR + 3 + 2 + HANDLER},
      {3, GENERATOR + 3 + 3 + HANDLER}}},
    {__LINE__,
     LOCAL,
     0,
     2,
     0,
     true,
     {0, 1, 2, 3},
     {{0, GENERATOR + 2 + HANDLER},
      {1, GENERATOR + 2 + 1 + HANDLER},
      {2, GENERATOR + 2 + 2 + HANDLER},
      {3, GENERATOR + 2 + 3 + HANDLER}}},
    /* Within ring 0 of two levels: to its interface (node 4), then round. */
    {__LINE__,
     TWO,
     1,
     0,
     0,
     true,
     {1, 2, END},
     {{1, GENERATOR + 3 + 2 + HANDLER}, {2, GENERATOR + 3 + 3 + HANDLER}}},
    /* From 5 (ring 1) to 1 and 5: up, central ring 1 to 0, sequenced there; down to ring 0 at once,
     * to ring 1 one hop later. */
    {__LINE__,
     TWO,
     5,
     0,
     0,
     true,
     {1, 5, END},
     {{1, GENERATOR + 3 + UP + 3 + DOWN + 2 + HANDLER},
      {5, GENERATOR + 3 + UP + 3 + 1 + DOWN + 2 + HANDLER}}},
};

struct log {
    unsigned count;
    struct {
        unsigned station;
        sim_tick at;
    } entry[ARRIVALS];
};

static void note(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct log *log = ctx;
    (void)packet;
    cr_assert_lt(log->count, (unsigned)ARRIVALS);
    log->entry[log->count].station = station;
    log->entry[log->count++].at = at;
}

static void run(const struct row *row, struct log *log)
{
    const struct ring_timing timing = TIMING_USUAL;
    struct ring_net *net = ring_net_new(&row->shape, &timing, note, log);
    struct ring_packet packet = {.source = (uint16_t)row->from,
                                 .data_slots = (uint8_t)row->data,
                                 .multicast = row->multicast};
    for (unsigned i = 0; i < ARRIVALS && row->mask_of[i] != END; i++)
        packet.mask = ring_mask_or(packet.mask, ring_mask_station(&row->shape, row->mask_of[i]));
    ring_send(net, row->from, row->at, &packet);
    for (sim_tick t = 0; ring_next(net) != SIM_NEVER; t += ring_window(net))
        ring_run(net, t + ring_window(net));
    ring_net_free(net);
}

Test(ring_latency, as_counted_by_hand)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct log log = {0};
        sim_tick first = (rows[i].at + 2) / 3 * 3;
        run(&rows[i], &log);
        for (unsigned a = 0; a < ARRIVALS; a++) {
            if (!rows[i].arrival[a].cycles) {
                cr_assert_eq(log.count, a, "row at line %d: %u arrivals", rows[i].line, log.count);
                break;
            }
            cr_assert_eq(log.entry[a].station, rows[i].arrival[a].station, "row at line %d",
                         rows[i].line);
            cr_assert_eq(log.entry[a].at, first + 3 * rows[i].arrival[a].cycles,
                         "row at line %d: %llu ticks", rows[i].line,
                         (unsigned long long)(log.entry[a].at - first));
        }
    }
}

/* The same in plain ticks, so that a slip in the macros above cannot hide. */
Test(ring_latency, three_numbers_in_ticks)
{
    struct log log = {0};
    run(&rows[0], &log);
    cr_assert_eq(log.entry[0].at, 24);
    log.count = 0;
    run(&rows[6], &log);
    cr_assert_eq(log.entry[0].at, 75);
    log.count = 0;
    run(&rows[9], &log);
    cr_assert_eq(log.entry[0].at, 114);
}

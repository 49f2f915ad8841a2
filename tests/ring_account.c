/*
 * The rings' books: links, interfaces, FIFOs and halts against arithmetic done by hand, the limit
 * of nonsinkable messages, and a node between two others that talk all the time.
 */
#include "ring_world.h"

#include <criterion/criterion.h>

struct seen {
    unsigned count[RING_CLASSES];
    sim_tick last, last_of[RING_CLASSES];
};

static void note(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct seen *seen = ctx;
    seen[station].count[packet->class]++;
    seen[station].last = seen[station].last_of[packet->class] = at;
}

static void send(struct ring_net *net, const struct ring_shape *shape, unsigned from, unsigned to,
                 unsigned class, unsigned data, sim_tick at)
{
    struct ring_packet packet = {.mask = ring_mask_station(shape, to),
                                 .source = (uint16_t)from,
                                 .class = (uint8_t) class,
                                 .data_slots = (uint8_t)data};
    ring_send(net, from, at, &packet);
}

static void drain(struct ring_net *net)
{
    for (sim_tick t = ring_net_cycles(net) * 3; ring_next(net) != SIM_NEVER;)
        ring_run(net, t += ring_window(net));
}

Test(ring_account, one_packet_through_two_levels)
{
    const struct ring_shape shape = {.levels = 2, .fan = {4, 4}};
    const struct ring_timing timing = TIMING_USUAL;
    struct seen seen[16] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    send(net, &shape, 1, 6, RING_SINKABLE, 8, 0);
    drain(net);
    /* 9 slots: ring 0 nodes 1 to 4, central ring 0 to 1, ring 1 nodes 4 to 2. */
    static const unsigned busy[3][5] = {{0, 9, 9, 9, 0}, {9, 9, 0, 0, 9}, {9, 0, 0, 0, 0}};
    for (unsigned n = 0; n < 5; n++) {
        cr_assert_eq(ring_net_link(net, 0, 0, n).busy, busy[0][n]);
        cr_assert_eq(ring_net_link(net, 0, 1, n).busy, busy[1][n]);
        if (n < 4)
            cr_assert_eq(ring_net_link(net, 1, 0, n).busy, busy[2][n]);
    }
    struct ring_total total = ring_net_total(net);
    cr_assert_eq(total.hops, 9 * (3 + 1 + 3));
    cr_assert_eq(total.sent, 9);
    cr_assert_eq(total.received, 9);
    cr_assert_eq(total.copies, 0);
    cr_assert_eq(ring_net_interface(net, 1).sent_header, 1);
    cr_assert_eq(ring_net_interface(net, 1).sent_data, 8);
    cr_assert_eq(ring_net_interface(net, 6).received_header, 1);
    cr_assert_eq(ring_net_interface(net, 6).received_data, 8);
    struct ring_between_count above0 = ring_net_between(net, 0, 0),
                              above1 = ring_net_between(net, 0, 1);
    cr_assert_eq(above0.up, 9);
    cr_assert_eq(above0.down, 0);
    cr_assert_eq(above1.up, 0);
    cr_assert_eq(above1.down, 9);
    /* A slot a cycle goes in and each stays 2 cycles: at most 2 or 3 at once, 18 slot cycles. */
    cr_assert_eq(above0.up_fifo.integral, 18);
    cr_assert_eq(above1.down_fifo.integral, 18);
    ring_net_free(net);
}

Test(ring_account, multicast_copies)
{
    const struct ring_shape shape = {.levels = 2, .fan = {4, 4}};
    const struct ring_timing timing = TIMING_USUAL;
    struct seen seen[16] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    struct ring_packet packet = {.source = 5, .multicast = true, .data_slots = 1};
    for (unsigned s = 0; s < 16; s++)
        packet.mask |= ring_mask_station(&shape, s);
    ring_send(net, 5, 0, &packet);
    drain(net);
    /* 2 slots; 3 more of each on the central ring, 3 more of each on every local ring. */
    struct ring_total total = ring_net_total(net);
    cr_assert_eq(total.sent, 2);
    cr_assert_eq(total.received, 32);
    cr_assert_eq(total.copies, 30);
    cr_assert_eq(ring_net_between(net, 0, 0).copies, 2);
    cr_assert_eq(ring_net_between(net, 0, 3).copies, 0);
    /* Ring 1: 1 to 4, then 4 to 3; central: 1 to 0, then 0 to 3; the others: 4 to 3. */
    cr_assert_eq(total.hops, 2 * ((3 + 4) + (3 + 3) + 3 * 4));
    ring_net_free(net);
}

Test(ring_account, busy_share_under_a_known_load)
{
    /* Every 10 ring cycles 2 slots from node 1 to node 3: its two links are busy 20 %. */
    const struct ring_shape shape = {.levels = 1, .fan = {4}};
    const struct ring_timing timing = TIMING_USUAL;
    struct seen seen[4] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    sim_tick now = 0;
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned half = 0; half < 3; half++, now += 10) {
            if (!half)
                send(net, &shape, 1, 3, RING_SINKABLE, 1, now);
            for (; half == 0 && seen[3].count[0]; seen[3].count[0]--)
                ring_take(net, 3, now, RING_SINKABLE);
            ring_run(net, now + 10);
        }
    cr_assert_eq(ring_net_cycles(net), 10000);
    cr_assert_eq(ring_net_link(net, 0, 0, 0).busy, 0);
    cr_assert_eq(ring_net_link(net, 0, 0, 1).busy, 2000);
    cr_assert_eq(ring_net_link(net, 0, 0, 2).busy, 2000);
    cr_assert_eq(ring_net_link(net, 0, 0, 3).busy, 0);
    /* Each packet is in the output FIFO for 2 + 1 cycles of 3 ticks; slots are handled at once. */
    struct ring_interface_count from = ring_net_interface(net, 1), to = ring_net_interface(net, 3);
    cr_assert_eq(from.output[RING_SINKABLE].integral, 9000);
    cr_assert_eq(from.output[RING_SINKABLE].deepest, 1);
    cr_assert_eq(to.input.integral, 0);
    cr_assert_eq(to.input.deepest, 1);
    cr_assert_eq(to.reassembly_max, 1);
    ring_net_free(net);
}

Test(ring_account, halted_cycles)
{
    /* Two nodes, all queues of one. Three packets go 0 -> 1. The first is delivered at tick 6. The
     * second comes in cycle 2 and has no room; the ring stands still from cycle 3 to cycle 20, in
     * which the handler sees that the first was taken at tick 60. The third comes in cycle 21 and
     * halts the ring from cycle 22 to 30 (second taken at tick 90). */
    const struct ring_shape shape = {.levels = 1, .fan = {2}};
    const struct ring_timing timing = TIMING_TINY;
    struct seen seen[2] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    for (sim_tick now = 0; now < 120; now += 3) {
        if (now <= 6) {
            cr_assert(ring_room(net, 0, RING_SINKABLE, now));
            send(net, &shape, 0, 1, RING_SINKABLE, 0, now);
        }
        if (now == 60 || now == 90)
            ring_take(net, 1, now, RING_SINKABLE);
        ring_run(net, now + 3);
    }
    cr_assert_eq(ring_net_link(net, 0, 0, 0).halted, 18 + 9);
    cr_assert_eq(seen[1].count[RING_SINKABLE], 3);
    cr_assert_eq(seen[1].last, 31 * 3);
    ring_net_free(net);
}

/* Station 0 takes no nonsinkable packet: the others get 16 each through to it, and sinkable ones
 * pass all the same. */
Test(ring_account, nonsinkable_limit_does_not_block_sinkable)
{
    const struct ring_shape shape = {.levels = 2, .fan = {2, 2}};
    const struct ring_timing timing = TIMING_TINY;
    struct seen seen[4] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    unsigned sinkable = 0, taken = 0;
    sim_tick now = 0;
    for (; now < 6000; now += 3) {
        for (unsigned s = 1; s < 4; s++)
            for (unsigned class = 0; class < RING_CLASSES; class ++)
                if (ring_room(net, s, class, now) && (class || now < 5000)) {
                    send(net, &shape, s, 0, class, class ? 0 : 4, now);
                    sinkable += !class;
                }
        for (; taken < seen[0].count[RING_SINKABLE] && seen[0].last <= now; taken++)
            ring_take(net, 0, now, RING_SINKABLE);
        ring_run(net, now + 3);
    }
    cr_assert_eq(seen[0].count[RING_NONSINKABLE], 3 * 16);
    cr_assert_eq(seen[0].count[RING_SINKABLE], sinkable);
    cr_assert_gt(sinkable, 300 - 3 * 16); /* one gives way to each nonsinkable one at most */
    for (unsigned s = 1; s < 4; s++)
        cr_assert_eq(ring_net_interface(net, s).nonsinkable_out, 16);
    ring_take(net, 0, now, RING_NONSINKABLE); /* the oldest; its sender may let one more go */
    for (sim_tick end = now + 300; now < end; now += 3)
        ring_run(net, now + 3);
    cr_assert_eq(seen[0].count[RING_NONSINKABLE], 3 * 16 + 1);
    ring_net_free(net);
}

/* Node 0 fills every slot with messages for node 2; node 1 between them is served all the same. */
Test(ring_account, no_node_starves)
{
    const struct ring_shape shape = {.levels = 1, .fan = {4}};
    struct ring_timing timing = TIMING_USUAL;
    struct seen seen[4] = {0};
    timing.patience = 20;
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    unsigned taken = 0;
    for (sim_tick now = 0; now < 3000; now += 3) {
        if (ring_room(net, 0, RING_SINKABLE, now))
            send(net, &shape, 0, 2, RING_SINKABLE, 8, now);
        if (now == 300)
            send(net, &shape, 1, 3, RING_SINKABLE, 0, now);
        for (; taken < seen[2].count[RING_SINKABLE] && seen[2].last <= now; taken++)
            ring_take(net, 2, now, RING_SINKABLE);
        ring_run(net, now + 3);
    }
    cr_assert_eq(seen[3].count[RING_SINKABLE], 1);
    /* 20 cycles of patience, the slot free 1 cycle later, 2 hops; generator 2 and handler 4. */
    cr_assert_leq(seen[3].last, 300 + 3 * (2 + 20 + 1 + 2 + 4));
    ring_net_free(net);
}

/* Node 1 waits for a free slot with a nonsinkable message; a sinkable one that comes later, but
 * before there is a free slot, goes after it: answers cannot keep a request back for ever. */
Test(ring_account, older_goes_first)
{
    const struct ring_shape shape = {.levels = 1, .fan = {4}};
    const struct ring_timing timing = TIMING_USUAL;
    struct seen seen[4] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    send(net, &shape, 0, 2, RING_SINKABLE, 20, 0); /* passes node 1 in cycles 3 to 23 */
    send(net, &shape, 1, 3, RING_NONSINKABLE, 0, 3);
    send(net, &shape, 1, 3, RING_SINKABLE, 2, 30);
    drain(net);
    cr_assert_eq(seen[3].last_of[RING_NONSINKABLE], 3 * (24 + 2 + 4));
    cr_assert_eq(seen[3].last_of[RING_SINKABLE], 3 * (25 + 2 + 2 + 4));
    ring_net_free(net);
}

/* Idle time costs nothing and counts. */
Test(ring_account, idle_time_is_jumped)
{
    const struct ring_shape shape = {.levels = 1, .fan = {4}};
    const struct ring_timing timing = TIMING_USUAL;
    struct seen seen[4] = {0};
    struct ring_net *net = ring_net_new(&shape, &timing, note, seen);
    cr_assert_eq(ring_next(net), SIM_NEVER);
    ring_run(net, 3000000000ull);
    cr_assert_eq(ring_net_cycles(net), 1000000000ull);
    send(net, &shape, 0, 1, RING_SINKABLE, 0, 3000000000ull);
    cr_assert_eq(ring_next(net), 3000000000ull + 2 * 3);
    ring_run(net, 3000000012ull);
    ring_run(net, 3000000024ull);
    cr_assert_eq(seen[1].last, 3000000000ull + 3 * (2 + 1 + 4));
    cr_assert_eq(ring_next(net), SIM_NEVER);
    ring_net_free(net);
}

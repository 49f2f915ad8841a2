/*
 * The rings against the plain rule, slot by slot (ring_plain.h): thousands of machines drawn by
 * lot, of one to three levels and mostly with tiny FIFOs, with traffic drawn by lot. Both are told
 * the same; every answer, every delivery with its tick and every counter must be the same. And
 * nothing may happen before the tick that ring_next has named, nor be heard before ring_quiet.
 */
#include "ring_plain.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#ifndef LOTS
#define LOTS 1500
#endif

enum { STATIONS = 64, HEARD = 4096 };

struct heard {
    unsigned station;
    sim_tick at;
    struct ring_packet packet;
};

/* What one of the two has delivered in the present window. */
struct ear {
    struct heard heard[HEARD];
    unsigned count;
};

struct traffic {
    unsigned packets, nonsinkable, multicast, data_max, eager, taking, hot; /* ring_world.h */
    unsigned looking; /* of 100 windows after which the counters are compared */
    bool ragged;      /* windows of any length, not the longest */
    bool sparing;     /* stations do nothing while the rings say they need nobody */
};

struct place {
    unsigned left;
    sim_tick waiting[RING_CLASSES][HEARD]; /* when packets arrive that it has not taken */
    unsigned arrived[RING_CLASSES], taken[RING_CLASSES];
};

struct both {
    uint64_t seed, dice;
    struct ring_shape shape;
    struct ring_timing timing;
    struct traffic traffic;
    unsigned stations;
    struct ring_net *net;
    struct plain *plain;
    struct ear ear[2]; /* of net and plain */
    struct place place[STATIONS];
    uint64_t serial;
};

static unsigned draw(uint64_t *dice, unsigned from, unsigned to)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return from + (unsigned)(*dice >> 33) % (to - from + 1);
}

static bool chance(struct both *b, unsigned percent)
{
    return draw(&b->dice, 0, 99) < percent;
}

static void hear(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct ear *ear = ctx;
    cr_assert_lt(ear->count, HEARD);
    ear->heard[ear->count++] = (struct heard){station, at, *packet};
}

/* ---- what is drawn -----------------------------------------------------------------------------
 */

static struct ring_depth draw_depth(uint64_t *dice, unsigned margin)
{
    const unsigned near_full = draw(dice, 1, draw(dice, 0, 3) ? 6 : 24);
    return (struct ring_depth){.depth = near_full + margin + draw(dice, 0, 2),
                               .near_full = near_full,
                               .restart = draw(dice, 1, near_full)};
}

static void draw_machine(struct both *b)
{
    static const unsigned most[] = {16, 6, 4};
    uint64_t *dice = &b->dice;
    b->shape.levels = draw(dice, 1, 3);
    for (unsigned l = 0; l < b->shape.levels; l++)
        b->shape.fan[l] = draw(dice, 1, most[b->shape.levels - 1]);
    b->timing = (struct ring_timing){
        .cycle = draw(dice, 1, 4),
        .generator = draw(dice, 0, draw(dice, 0, 3) ? 3 : 30),
        .handler = draw(dice, 1, 6),
        .up = draw(dice, 1, 4),
        .down = draw(dice, 1, 4),
        .output = {draw(dice, 1, 5), draw(dice, 1, 5)},
        .queue = draw(dice, 1, 5),
        .input = draw_depth(dice, 2),
        .up_fifo = draw_depth(dice, RING_FAN_MAX + 1),
        .down_fifo = draw_depth(dice, 2),
        .nonsinkable_limit = draw(dice, 1, 16),
        .patience = draw(dice, 1, draw(dice, 0, 1) ? 8 : 40),
    };
}

static void draw_traffic(struct both *b)
{
    static const unsigned often[] = {1, 3, 20, 100}, some[] = {0, 10, 40, 100};
    static const unsigned taking[] = {5, 60, 100}, looking[] = {0, 5, 100};
    uint64_t *dice = &b->dice;
    b->traffic = (struct traffic){
        .packets = 1 + 240 / b->stations / draw(dice, 1, 4),
        .nonsinkable = some[draw(dice, 0, 3)],
        .multicast = some[draw(dice, 0, 3)],
        .data_max = draw(dice, 0, 1) ? 8 : draw(dice, 0, 40),
        .eager = often[draw(dice, 0, 3)],
        .taking = taking[draw(dice, 0, 2)],
        .hot = draw(dice, 0, 3) ? 0 : 80,
        .looking = looking[draw(dice, 0, 2)],
        .ragged = draw(dice, 0, 1),
        .sparing = draw(dice, 0, 1),
    };
}

/* ---- the stations ------------------------------------------------------------------------------
 */

static void send(struct both *b, unsigned from, sim_tick at, unsigned class)
{
    unsigned to = chance(b, b->traffic.hot) ? 0 : draw(&b->dice, 0, b->stations - 1);
    struct ring_packet packet = {
        .mask = ring_mask_station(&b->shape, to),
        .serial = b->serial++,
        .source = (uint16_t)from,
        .class = (uint8_t) class,
        .data_slots = (uint8_t)draw(&b->dice, 0, b->traffic.data_max),
        .multicast = class == RING_SINKABLE && chance(b, b->traffic.multicast),
    };
    for (unsigned n = packet.multicast ? draw(&b->dice, 0, 3) : 0; n; n--) {
        to = draw(&b->dice, 0, b->stations - 1);
        packet.mask = ring_mask_or(packet.mask, ring_mask_station(&b->shape, to));
    }
    ring_send(b->net, from, at, &packet);
    plain_send(b->plain, from, at, &packet);
}

static void station_tick(struct both *b, unsigned s, sim_tick t)
{
    struct place *place = &b->place[s];
    for (unsigned class = 0; class < RING_CLASSES; class ++) {
        const unsigned next = place->taken[class];
        if (next == place->arrived[class] || place->waiting[class][next] > t ||
            !chance(b, b->traffic.taking))
            continue;
        place->taken[class]++;
        ring_take(b->net, s, t, class);
        plain_take(b->plain, s, t, class);
    }
    if (!place->left || !chance(b, b->traffic.eager))
        return;
    const unsigned class = chance(b, b->traffic.nonsinkable) ? RING_NONSINKABLE : RING_SINKABLE;
    const bool room = ring_room(b->net, s, class, t);
    cr_assert_eq(room, plain_room(b->plain, s, class, t), "seed %" PRIu64 ": room", b->seed);
    if (room) {
        place->left--;
        send(b, s, t, class);
    }
}

/* ---- comparing ---------------------------------------------------------------------------------
 */

#define SAME(b, what, x, y)                                                                        \
    cr_assert_eq(x, y,                                                                             \
                 "seed %" PRIu64 ", cycle %" PRIu64 ": " what ": %" PRIu64 " instead of %" PRIu64, \
                 (b)->seed, ring_net_cycles((b)->net), (uint64_t)(x), (uint64_t)(y))

static void compare_fifo(const struct both *b, struct ring_fifo_count x, struct ring_fifo_count y)
{
    SAME(b, "depth", x.depth, y.depth);
    SAME(b, "deepest", x.deepest, y.deepest);
    SAME(b, "integral", x.integral, y.integral);
}

static void compare_interface(const struct both *b, unsigned s)
{
    const struct ring_interface_count x = ring_net_interface(b->net, s),
                                      y = plain_interface(b->plain, s);
    SAME(b, "headers sent", x.sent_header, y.sent_header);
    SAME(b, "data sent", x.sent_data, y.sent_data);
    SAME(b, "headers received", x.received_header, y.received_header);
    SAME(b, "data received", x.received_data, y.received_data);
    SAME(b, "copies", x.copies, y.copies);
    SAME(b, "nonsinkable out", x.nonsinkable_out, y.nonsinkable_out);
    SAME(b, "reassembly", x.reassembly, y.reassembly);
    SAME(b, "most reassembly", x.reassembly_max, y.reassembly_max);
    compare_fifo(b, x.input, y.input);
    compare_fifo(b, x.output[0], y.output[0]);
    compare_fifo(b, x.output[1], y.output[1]);
}

static void compare_between(const struct both *b, unsigned level, unsigned ring)
{
    const struct ring_between_count x = ring_net_between(b->net, level, ring),
                                    y = plain_between(b->plain, level, ring);
    SAME(b, "up", x.up, y.up);
    SAME(b, "down", x.down, y.down);
    SAME(b, "copies down", x.copies, y.copies);
    SAME(b, "held", x.held, y.held);
    compare_fifo(b, x.up_fifo, y.up_fifo);
    compare_fifo(b, x.down_fifo, y.down_fifo);
}

static void compare_counts(const struct both *b)
{
    for (unsigned s = 0; s < b->stations; s++)
        compare_interface(b, s);
    for (unsigned l = 0; l < b->shape.levels; l++)
        for (unsigned r = 0; r < ring_net_rings(b->net, l); r++) {
            const bool top = l + 1 == b->shape.levels;
            for (unsigned n = 0; n < b->shape.fan[l] + !top; n++) {
                const struct ring_link_count x = ring_net_link(b->net, l, r, n),
                                             y = plain_link(b->plain, l, r, n);
                SAME(b, "busy", x.busy, y.busy);
                SAME(b, "halted", x.halted, y.halted);
            }
            if (!top)
                compare_between(b, l, r);
        }
    const struct ring_total x = ring_net_total(b->net), y = plain_total(b->plain);
    SAME(b, "all sent", x.sent, y.sent);
    SAME(b, "all received", x.received, y.received);
    SAME(b, "all copies", x.copies, y.copies);
    SAME(b, "inside", x.inside, y.inside);
    SAME(b, "hops", x.hops, y.hops);
}

static int by_station(const void *x, const void *y)
{
    const struct heard *a = x, *b = y;
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    return a->at == b->at ? 0 : a->at < b->at ? -1 : 1; /* one delivery a cycle at most */
}

/* Stations hear nothing of one another within a window: only each one's own order counts. */
static void compare_heard(struct both *b)
{
    SAME(b, "deliveries", b->ear[0].count, b->ear[1].count);
    for (unsigned i = 0; i < 2; i++)
        qsort(b->ear[i].heard, b->ear[i].count, sizeof *b->ear[i].heard, by_station);
    for (unsigned i = 0; i < b->ear[0].count; i++) {
        const struct heard *x = &b->ear[0].heard[i], *y = &b->ear[1].heard[i];
        struct place *place = &b->place[x->station];
        SAME(b, "station", x->station, y->station);
        SAME(b, "tick", x->at, y->at);
        SAME(b, "packet", x->packet.serial, y->packet.serial);
        place->waiting[x->packet.class][place->arrived[x->packet.class]++] = x->at;
    }
    b->ear[0].count = b->ear[1].count = 0;
}

/* ---- the run -----------------------------------------------------------------------------------
 */

static bool finished(const struct both *b)
{
    for (unsigned s = 0; s < b->stations; s++)
        if (b->place[s].left || b->place[s].taken[0] < b->place[s].arrived[0] ||
            b->place[s].taken[1] < b->place[s].arrived[1])
            return false;
    return ring_next(b->net) == SIM_NEVER;
}

/* End of the window that begins at `now`. Stations that send nothing need not be asked while the
 * rings move nothing, or nothing that a station could hear of. */
static sim_tick window_end(struct both *b, sim_tick now, bool *asleep)
{
    const sim_tick longest = ring_window(b->net), quiet = ring_quiet(b->net);
    *asleep = b->traffic.sparing && quiet != SIM_NEVER && quiet > now && chance(b, 50);
    if (!*asleep)
        return now + (b->traffic.ragged ? 1 + draw(&b->dice, 0, (unsigned)longest - 1) : longest);
    const sim_tick next = ring_next_from(b->net, quiet);
    cr_assert_neq(next, SIM_NEVER);
    return (next > now ? next : now) + longest;
}

static void run_window(struct both *b, sim_tick now, sim_tick *end)
{
    bool asleep;
    const sim_tick quiet = ring_quiet(b->net);
    *end = window_end(b, now, &asleep);
    for (unsigned s = 0; !asleep && s < b->stations; s++)
        for (sim_tick t = now; t < *end; t++)
            station_tick(b, s, t);
    const sim_tick next = ring_next_from(b->net, now);
    plain_still(b->plain);
    ring_run(b->net, *end);
    plain_run(b->plain, *end);
    cr_assert_geq(plain_stirred(b->plain), next, "seed %" PRIu64 ": next", b->seed);
    for (unsigned i = 0; asleep && i < b->ear[1].count; i++)
        cr_assert_geq(b->ear[1].heard[i].at, quiet + ring_window(b->net));
    compare_heard(b);
    if (chance(b, b->traffic.looking))
        compare_counts(b);
}

static void run(uint64_t seed)
{
    struct both *b = calloc(1, sizeof *b);
    b->seed = seed;
    b->dice = seed * 0x9e3779b97f4a7c15ull;
    draw_machine(b);
    b->stations = ring_shape_stations(&b->shape);
    draw_traffic(b);
    b->net = ring_net_new(&b->shape, &b->timing, hear, &b->ear[0]);
    b->plain = plain_new(&b->shape, &b->timing, hear, &b->ear[1]);
    for (unsigned s = 0; s < b->stations; s++)
        b->place[s].left = b->traffic.packets;
    sim_tick now = 0;
    while (!finished(b)) {
        cr_assert_lt(now, 4000000, "seed %" PRIu64 ": no end", seed);
        run_window(b, now, &now);
    }
    compare_counts(b);
    ring_net_free(b->net);
    plain_free(b->plain);
    free(b);
}

Test(ring_rule, as_slot_by_slot)
{
    for (uint64_t seed = 1; seed <= LOTS; seed++)
        run(seed);
}

/*
 * Random and saturating traffic on many shapes of rings, mostly with FIFOs of one or two packets:
 * every packet arrives exactly once where it should, in order, and nothing stands still; the same
 * for any sequence of window lengths (ring_world.h).
 */
#include "ring_world.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#ifndef LOTS
#define LOTS 30
#endif

#define SHAPE(l, a, b, c)               \
    {                                   \
        .levels = l, .fan = { a, b, c } \
    }

static const struct ring_timing usual = TIMING_USUAL, tiny = TIMING_TINY;

static const struct ring_shape shapes[] = {
    SHAPE(1, 1, 0, 0), SHAPE(1, 2, 0, 0),  SHAPE(1, 4, 0, 0),  SHAPE(1, 16, 0, 0),
    SHAPE(2, 1, 1, 0), SHAPE(2, 1, 4, 0),  SHAPE(2, 4, 1, 0),  SHAPE(2, 2, 2, 0),
    SHAPE(2, 4, 4, 0), SHAPE(2, 3, 5, 0),  SHAPE(2, 16, 2, 0), SHAPE(2, 2, 16, 0),
    SHAPE(3, 1, 1, 1), SHAPE(3, 2, 2, 2),  SHAPE(3, 1, 2, 3),  SHAPE(3, 3, 2, 2),
    SHAPE(3, 4, 4, 4), SHAPE(3, 2, 16, 2),
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct kind {
    const char *name;
    unsigned packets, nonsinkable, multicast, data_max, eager, taking, hot;
};

static const struct kind kinds[] = {
    {"mixed", 60, 40, 40, 8, 20, 60, 0},
    {"all to all", 100, 80, 10, 8, 100, 100, 0},
    {"requests only", 100, 100, 0, 8, 100, 100, 0},
    {"hot spot", 60, 70, 10, 8, 100, 50, 80},
    {"everyone flushes", 60, 0, 0, 8, 100, 100, 100},
    {"multicasts only", 60, 0, 100, 2, 100, 100, 0},
    {"slow stations", 30, 50, 30, 8, 100, 5, 20},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct scenario make(const struct ring_shape *shape, const struct kind *k, bool small,
                            uint64_t seed)
{
    return (struct scenario){.name = k->name,
                             .shape = *shape,
                             .timing = small ? tiny : usual,
                             .packets = k->packets,
                             .nonsinkable = k->nonsinkable,
                             .multicast = k->multicast,
                             .data_max = k->data_max,
                             .eager = k->eager,
                             .taking = k->taking,
                             .hot = k->hot,
                             .seed = seed,
                             .limit = 4000000};
}

static void run(const struct ring_shape *shape, const struct kind *k, bool small, uint64_t seed,
                uint64_t windows, struct outcome *out)
{
    struct scenario s = make(shape, k, small, seed);
    const char *broken = world_run(&s, windows, out);
    cr_assert_null(broken, "%s on %ux%ux%u (%u levels), %s FIFOs, seed %" PRIu64 ": %s", k->name,
                   shape->fan[0], shape->fan[1], shape->fan[2], shape->levels,
                   small ? "tiny" : "usual", seed, broken);
}

Test(ring_traffic, every_packet_once_in_order_everywhere)
{
    for (unsigned i = 0; i < SHAPES; i++)
        for (unsigned k = 0; k < KINDS; k++)
            for (unsigned small = 0; small < 2; small++) {
                struct outcome out;
                run(&shapes[i], &kinds[k], small, 1 + i, 0, &out);
                cr_assert_leq(out.deepest_nonsinkable, 16 * ring_shape_stations(&shapes[i]));
            }
}

Test(ring_traffic, same_for_any_window_lengths)
{
    for (unsigned i = 0; i < SHAPES; i++)
        for (unsigned k = 0; k < KINDS; k += 3) {
            struct outcome longest, random;
            run(&shapes[i], &kinds[k], i & 1, 7, 0, &longest);
            for (uint64_t windows = 1; windows < 3; windows++) {
                run(&shapes[i], &kinds[k], i & 1, 7, windows, &random);
                cr_assert_eq(longest.hash, random.hash, "%s, shape %u", kinds[k].name, i);
                cr_assert_eq(longest.delivered, random.delivered);
                cr_assert_eq(longest.total.hops, random.total.hops);
                cr_assert_eq(longest.total.copies, random.total.copies);
                cr_assert_eq(longest.slowest, random.slowest);
            }
        }
}

static uint64_t draw(uint64_t *dice, uint64_t from, uint64_t to)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return from + (*dice >> 33) % (to - from + 1);
}

static struct ring_depth draw_depth(uint64_t *dice, uint32_t margin)
{
    uint32_t near_full = (uint32_t)draw(dice, 1, 8);
    return (struct ring_depth){.depth = near_full + margin + (uint32_t)draw(dice, 0, 2),
                               .near_full = near_full,
                               .restart = (uint32_t)draw(dice, 1, near_full)};
}

/* Shape, timing and traffic all drawn by lot. */
static struct scenario draw_scenario(uint64_t seed)
{
    static const unsigned most[] = {16, 8, 4};
    uint64_t dice = seed * 7919;
    struct kind kind = kinds[draw(&dice, 0, KINDS - 1)];
    struct ring_shape shape = {.levels = (unsigned)draw(&dice, 1, 3)};
    for (unsigned l = 0; l < shape.levels; l++)
        shape.fan[l] = (unsigned)draw(&dice, 1, most[shape.levels - 1]);
    struct scenario s = make(&shape, &kind, true, seed);
    s.packets /= 2;
    s.timing = (struct ring_timing){
        .cycle = (uint32_t)draw(&dice, 1, 4),
        .generator = (uint32_t)draw(&dice, 0, draw(&dice, 0, 1) ? 3 : 30),
        .handler = (uint32_t)draw(&dice, 1, 5),
        .up = (uint32_t)draw(&dice, 1, 4),
        .down = (uint32_t)draw(&dice, 1, 4),
        .output = {(uint32_t)draw(&dice, 1, 5), (uint32_t)draw(&dice, 1, 5)},
        .queue = (uint32_t)draw(&dice, 1, 5),
        .input = draw_depth(&dice, 2),
        .up_fifo = draw_depth(&dice, RING_FAN_MAX + 1),
        .down_fifo = draw_depth(&dice, 2),
        .nonsinkable_limit = (uint32_t)draw(&dice, 1, 16),
        .patience = (uint32_t)draw(&dice, 1, 40),
    };
    if (draw(&dice, 0, 1))
        s.naps = (unsigned)draw(&dice, 1, 100);
    if (draw(&dice, 0, 2) == 0)
        s.timing.nonsinkable_limit = 1;
    return s;
}

Test(ring_traffic, everything_drawn_by_lot)
{
    for (uint64_t seed = 1; seed <= LOTS; seed++) {
        struct scenario s = draw_scenario(seed);
        struct outcome longest, random;
        const char *broken = world_run(&s, 0, &longest);
        cr_assert_null(broken, "seed %" PRIu64 ", %s: %s", seed, s.name, broken);
        broken = world_run(&s, seed, &random);
        cr_assert_null(broken, "seed %" PRIu64 ", %s: %s", seed, s.name, broken);
        cr_assert_eq(longest.hash, random.hash, "seed %" PRIu64, seed);
        cr_assert_eq(longest.halted, random.halted, "seed %" PRIu64, seed);
        cr_assert_eq(longest.held, random.held, "seed %" PRIu64, seed);
        cr_assert_eq(longest.total.hops, random.total.hops, "seed %" PRIu64, seed);
    }
}

Test(ring_traffic, halting_and_holding_happen)
{
    struct outcome out;
    run(&shapes[16], &kinds[3], true, 3, 0, &out);
    cr_assert_gt(out.halted, 0);
    cr_assert_gt(out.held, 0);
}

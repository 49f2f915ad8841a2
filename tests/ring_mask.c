/* Routing masks: one station exactly, groups imprecisely, and the level a packet needs. */
#include "ring/ring.h"

#include <criterion/criterion.h>

static const struct ring_shape shape = {.levels = 3, .fan = {4, 3, 2}};

static ring_mask of(unsigned station)
{
    return ring_mask_station(&shape, station);
}

Test(ring_mask, one_station_is_exact)
{
    cr_assert_eq(ring_shape_stations(&shape), 24);
    for (unsigned a = 0; a < 24; a++) {
        cr_assert_eq(ring_mask_count(&shape, of(a)), 1);
        for (unsigned b = 0; b < 24; b++)
            cr_assert_eq(ring_mask_covers(&shape, of(a), b), a == b);
    }
}

Test(ring_mask, groups_are_products)
{
    uint16_t list[24];
    ring_mask mask = ring_mask_or(of(1), of(6)); /* (1,0,0) and (2,1,0): also (2,0,0), (1,1,0) */
    cr_assert_eq(ring_mask_stations(&shape, mask, NULL), 4);
    cr_assert_eq(ring_mask_stations(&shape, mask, list), 4);
    static const uint16_t expect[] = {1, 2, 5, 6};
    cr_assert_arr_eq(list, expect, sizeof expect);
}

Test(ring_mask, level_is_the_highest_ring_needed)
{
    cr_assert_eq(ring_mask_level(&shape, 1, of(1)), 0);
    cr_assert_eq(ring_mask_level(&shape, 1, of(3)), 0);
    cr_assert_eq(ring_mask_level(&shape, 1, of(5)), 1);
    cr_assert_eq(ring_mask_level(&shape, 1, of(13)), 2);
    cr_assert_eq(ring_mask_level(&shape, 1, ring_mask_or(of(2), of(9))), 1);
}

Test(ring_mask, bad_shapes_and_timings_are_told)
{
    static const struct ring_depth good = {.depth = 8, .near_full = 2, .restart = 1};
    struct ring_timing t = {.cycle = 3,
                            .handler = 1,
                            .up = 1,
                            .down = 1,
                            .output = {1, 1},
                            .queue = 1,
                            .input = good,
                            .up_fifo = good,
                            .down_fifo = good,
                            .nonsinkable_limit = 16,
                            .patience = 1};
    struct ring_shape bad = {.levels = 2, .fan = {17, 2}};
    cr_assert_null(ring_check(&shape, &t));
    cr_assert_not_null(ring_check(&bad, &t));
    bad.levels = 4;
    cr_assert_not_null(ring_check(&bad, &t));
    t.up_fifo.depth = 6; /* 2 and 5 nodes need 7 */
    cr_assert_not_null(ring_check(&shape, &t));
    t.up_fifo = good;
    t.input.restart = 3;
    cr_assert_not_null(ring_check(&shape, &t));
    t.input = good;
    t.nonsinkable_limit = 0;
    cr_assert_not_null(ring_check(&shape, &t));
}

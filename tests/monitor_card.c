/* The card's four counters on totals made up by hand. */
#include "monitor/board/board.h"

#include "monitor/taps.h"

#include <criterion/criterion.h>

Test(monitor_card, counts_from_its_load_and_reading_does_not_clear)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    t.v[MON_TAP_NACKS] = 100;
    mon_card_reset(&card);
    cr_assert(mon_select(&card, 1, MON_EV_nacks, &t));
    cr_expect_eq(mon_load(&card, 1, 0, &t), 0, "a reset has no dead time");
    t.v[MON_TAP_NACKS] = 107;
    cr_expect_eq(mon_read(&card, 1, &t), 7);
    cr_expect_eq(mon_read(&card, 1, &t), 7);
    cr_expect_eq(mon_read(&card, 0, &t), 0, "nothing is counted after a reset");
}

Test(monitor_card, a_group_is_the_sum_of_its_states)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    mon_card_reset(&card);
    mon_select(&card, 0, MON_EV_branches, &t);
    mon_load(&card, 0, 0, &t);
    t.v[MON_TAP_ST_BR_TAKEN] = 3;
    t.v[MON_TAP_ST_BR_UNTAKEN] = 4;
    t.v[MON_TAP_ST_LOAD] = 50;
    cr_expect_eq(mon_read(&card, 0, &t), 7);
}

Test(monitor_card, refuses_a_counter_without_a_path)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    mon_card_reset(&card);
    cr_expect(!mon_select(&card, 3, MON_EV_invalidate_hits, &t));
    cr_expect_eq(card.counter[3].event, MON_EV_nothing);
    cr_expect(mon_select(&card, 0, MON_EV_invalidate_hits, &t));
}

Test(monitor_card, wraps_with_a_sticky_flag)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    mon_card_reset(&card);
    mon_select(&card, 2, MON_EV_time, &t);
    cr_expect_eq(mon_load(&card, 2, UINT32_MAX, &t), MON_LOAD_DEAD);
    t.v[MON_TAP_CYCLES] = MON_LOAD_DEAD;
    mon_settle(&card, &t);
    cr_expect_eq(mon_read(&card, 2, &t), UINT32_MAX);
    cr_expect(!mon_overflowed(&card, 2, &t));
    t.v[MON_TAP_CYCLES] += 3;
    cr_expect_eq(mon_read(&card, 2, &t), 2);
    cr_expect(mon_overflowed(&card, 2, &t));
    mon_select(&card, 2, MON_EV_nothing, &t);
    cr_expect_eq(mon_read(&card, 2, &t), 2, "another event, the same value");
    cr_expect(mon_overflowed(&card, 2, &t), "and the same flag");
    mon_clear_overflow(&card, 2, &t);
    cr_expect(!mon_overflowed(&card, 2, &t));
    cr_expect_eq(mon_read(&card, 2, &t), 2);
}

Test(monitor_card, loses_what_happens_in_the_dead_time)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    mon_card_reset(&card);
    mon_select(&card, 0, MON_EV_nacks, &t);
    mon_load(&card, 0, 1000, &t);
    t.v[MON_TAP_NACKS] = 1;
    t.v[MON_TAP_CYCLES] = MON_LOAD_DEAD - 1;
    mon_settle(&card, &t);
    cr_expect_eq(mon_read(&card, 0, &t), 1000, "still dead");
    t.v[MON_TAP_NACKS] = 2;
    t.v[MON_TAP_CYCLES] = MON_LOAD_DEAD;
    mon_settle(&card, &t);
    t.v[MON_TAP_NACKS] = 5;
    t.v[MON_TAP_CYCLES] += 10;
    mon_settle(&card, &t);
    cr_expect_eq(mon_read(&card, 0, &t), 1003);
}

Test(monitor_card, loads_all_counters_at_once)
{
    struct mon_card card;
    struct mon_taps t = {{0}};
    mon_card_reset(&card);
    cr_expect_eq(mon_load_all(&card, 42, &t), MON_LOAD_DEAD);
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        cr_expect_eq(mon_read(&card, k, &t), 42);
}

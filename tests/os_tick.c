/*
 * The clock interrupts: when they come, to whom, and how long they take.
 */
#include "programs/linux/threads/threads.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct nm_params par;
static struct prog_spec spec;
static struct prog_run run = {.par = &par, .spec = &spec};
static struct lx_prog prog = {.par = &par, .run = &run};

static void set_up(void)
{
    nm_params_default(&par);
    spec.seed = 1;
}

TestSuite(tick, .init = set_up);

static int by_value(const void *a, const void *b)
{
    const sim_tick x = *(const sim_tick *)a, y = *(const sim_tick *)b;

    return (x > y) - (x < y);
}

/* Every card's first one, sorted. */
static const sim_tick *firsts(void)
{
    static sim_tick first[CARDS_MAX];

    for (unsigned c = 0; c < CARDS_MAX; c++)
        first[c] = lx_tick_after(&prog, c, 0);
    qsort(first, CARDS_MAX, sizeof *first, by_value);
    return first;
}

Test(tick, no_two_cards_together)
{
    const sim_tick periods[] = {10000, 10007, 1500000, 1000000000000};

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        const sim_tick *first;
        par.os_tick = periods[i];
        first = firsts();
        cr_expect_geq(first[0], periods[i]);
        cr_expect_lt(first[CARDS_MAX - 1], 2 * periods[i]);
        for (unsigned c = 1; c < CARDS_MAX; c++)
            cr_expect_gt(first[c], first[c - 1], "two at %lu", (unsigned long)first[c]);
    }
}

/* On a machine of any size they are spread over the period. */
Test(tick, spread)
{
    for (unsigned cards = 2; cards <= CARDS_MAX; cards *= 2) {
        bool part[CARDS_MAX] = {false};
        for (unsigned c = 0; c < cards; c++) {
            const sim_tick place = lx_tick_after(&prog, c, 0) - par.os_tick;
            part[(place * cards + cards - 1) / par.os_tick] = true;
        }
        for (unsigned c = 0; c < cards; c++)
            cr_expect(part[c], "%u cards: none in part %u", cards, c);
    }
}

Test(tick, period)
{
    for (unsigned c = 0; c < CARDS_MAX; c += 31) {
        sim_tick at = 0, next;
        for (unsigned n = 0; n < 20; n++, at = next) {
            next = lx_tick_after(&prog, c, at);
            cr_expect_eq(lx_tick_after(&prog, c, next - 1), next);
            cr_expect_gt(next, at);
            cr_expect(n == 0 || next - at == par.os_tick);
        }
    }
}

Test(tick, together_or_never)
{
    const sim_tick *first;

    par.os_tick_phase = NM_TICK_TOGETHER;
    first = firsts();
    cr_expect_eq(first[0], par.os_tick);
    cr_expect_eq(first[CARDS_MAX - 1], par.os_tick);
    par.os_tick = 0;
    cr_expect_eq(lx_tick_after(&prog, 5, 123), SIM_NEVER);
}

Test(tick, cost)
{
    const sim_tick costs[] = {1, 2, 1000, 1000000};
    enum { TICKS = 4000 };

    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        uint64_t sum = 0, same = 0;
        par.os_tick_cost = costs[i];
        par.os_tick = 10000000;
        for (unsigned n = 0; n < TICKS; n++) {
            const unsigned card = n % 7;
            const sim_tick at = lx_tick_after(&prog, card, n * par.os_tick);
            const sim_tick cost = lx_tick_cost(&prog, card, at);
            cr_expect(cost >= costs[i] / 2 && cost <= costs[i] / 2 + costs[i]);
            sum += cost;
            spec.seed = 2;
            same += lx_tick_cost(&prog, card, at) == cost;
            spec.seed = 1;
            same += lx_tick_cost(&prog, card + 1, at) == cost;
        }
        cr_expect_lt(same, costs[i] < 10 ? 2 * TICKS : TICKS / 50);
        cr_expect(costs[i] < 10 ||
                  (sum > TICKS * costs[i] * 98 / 100 && sum < TICKS * costs[i] * 102 / 100));
    }
}

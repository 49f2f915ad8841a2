/*
 * The totals of the 15 status states at any tick, against the Status pins PCycle by PCycle.
 *
 * The hard idea is two runs of one machine. In the first all cards' pins are followed: one
 * instruction at a time, so that every PCycle has its state. The second runs as ever, whole blocks
 * ahead, and is asked for totals in the middle of what its processors have already gone through.
 */
#include "machine/values.h"
#include "procard/card.h"
#include "states_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 100000, CARDS = STATES_CARDS };

/* ---- the truth --------------------------------------------------------------------------------
 */

/* What the pins of one card showed: a state for each PCycle. */
struct shown {
    uint8_t state[TICKS + 8];
    sim_tick count;
};

static uint8_t state_of(unsigned code)
{
    unsigned state = 0;
    while (pc_status_codes[state] != code)
        cr_assert_lt(++state, PC_ST__COUNT, "code %#x", code);
    return (uint8_t)state;
}

static void note(void *ctx, sim_tick t, uint8_t status)
{
    struct shown *s = ctx;
    if (t > 2 && t - 3 < TICKS)
        s->state[t - 3] = state_of(status >> 4);
    if (t - 2 < TICKS)
        s->state[t - 2] = state_of(status & 15);
    s->count = t - 1;
}

static struct shown *watch_pins(const struct nm_params *p)
{
    struct shown *shown = calloc(CARDS, sizeof *shown);
    struct pc_pins pins[CARDS];
    struct states_rig rig;
    states_start(&rig, p, NULL, NULL);
    for (unsigned c = 0; c < CARDS; c++) {
        pc_follow_pins(rig.m, c, &pins[c], note, &shown[c]);
    }
    states_go_to(&rig, TICKS + 1000);
    for (unsigned c = 0; c < CARDS; c++)
        cr_assert_geq(shown[c].count, TICKS);
    states_end(&rig);
    return shown;
}

/* ---- asking -----------------------------------------------------------------------------------
 */

struct asker {
    const struct shown *shown;
    const struct pc_card *card[CARDS];
    unsigned processors;                  /* on a station */
    sim_tick at[CARDS];                   /* up to which the pins are counted in ... */
    uint64_t states[CARDS][PC_ST__COUNT]; /* ... here */
    uint64_t random;
    unsigned asked;
};

static void compare(struct asker *a, unsigned card, sim_tick at, const struct mon_taps *taps)
{
    while (a->at[card] < at)
        a->states[card][a->shown[card].state[a->at[card]++]]++;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        cr_assert_eq(taps->v[s], a->states[card][s], "card %u, tick %lu: %s is %lu, not %lu", card,
                     (unsigned long)at, mon_tap_rows()[s].name, (unsigned long)taps->v[s],
                     (unsigned long)a->states[card][s]);
    a->asked++;
}

/* An event in the midst of everything: asks for all cards of the station whose first is this. */
static void ask(void *self, sim_tick now, uint64_t first)
{
    struct asker *a = self;
    for (unsigned c = (unsigned)first; c < first + a->processors; c++) {
        struct mon_taps taps;
        pc_card_taps(a->card[c], now, &taps);
        compare(a, c, now, &taps);
    }
    a->random = a->random * 6364136223846793005ull + 1442695040888963407ull;
    const sim_tick next = now + 1 + (a->random >> 33) % 60;
    if (next < TICKS)
        sim_post(a->card[first]->k, next, SIM_RANK_LOOK, 0, ask, a, first);
}

static void ask_at_every_tick(const struct nm_params *p, const struct shown *shown)
{
    struct asker a = {.shown = shown};
    struct states_rig rig;
    states_start(&rig, p, NULL, NULL);
    for (sim_tick t = 1; t < TICKS; t++) {
        states_go_to(&rig, t);
        for (unsigned c = 0; c < CARDS; c++) {
            struct mon_taps taps;
            nm_card_taps(rig.m, c, &taps);
            compare(&a, c, t, &taps);
        }
    }
    states_end(&rig);
}

static void ask_in_events(const struct nm_params *p, const struct shown *shown)
{
    struct asker a = {.shown = shown, .random = 7, .processors = (unsigned)p->processors};
    struct states_rig rig;
    states_start(&rig, p, NULL, NULL);
    for (unsigned c = 0; c < CARDS; c++)
        a.card[c] = pc_cpu_at(rig.m, c)->card;
    for (unsigned c = 0; c < CARDS; c += a.processors)
        sim_post(a.card[c]->k, 1, SIM_RANK_LOOK, 0, ask, &a, c);
    states_go_to(&rig, TICKS);
    cr_assert_gt(a.asked, 2 * TICKS / 30);
    states_end(&rig);
}

static void check(const struct nm_params *p)
{
    struct shown *shown = watch_pins(p);
    uint64_t times[PC_ST__COUNT] = {0};
    for (unsigned c = 0; c < CARDS; c++)
        for (sim_tick t = 0; t < TICKS; t++)
            times[shown[c].state[t]]++;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        cr_expect_gt(times[s], 0, "there is no %s", mon_tap_rows()[s].name);
    ask_at_every_tick(p, shown);
    ask_in_events(p, shown);
    free(shown);
}

Test(monitor_states, totals_at_any_tick_are_what_the_pins_showed)
{
    const struct nm_params p = states_machine(2);
    check(&p);
}

Test(monitor_states, with_exceptions_and_misses_in_the_middle)
{
    const struct nm_params p = states_cramped();
    check(&p);
}

/* A processor may still be held by one when the next three have come. */
Test(monitor_states, with_external_requests_close_together)
{
    struct nm_params p = states_machine(4);
    p.agent_external = 64;
    check(&p);
}

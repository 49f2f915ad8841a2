/*
 * A machine that changes its mode in the middle of a run, again and again: processors add to shared
 * words by LL and SC and write to lines of their own, and nothing is lost; the books add up; the
 * same changes give the same run.
 */
#include "actors.h"

#include "machine/values.h"

#include <criterion/criterion.h>

enum { MODES = 3, WORDS = 6, TIMES = 300, OWN = 0x10000, OWN_LINES = 40, LINE = 64, CARDS = 8 };

/* One processor: chooses a word, adds to it, writes to its own line, and so on. */
struct adder {
    uint64_t random, found, done;
    unsigned step, card;
    uint64_t word, last; /* last: what was written to the own line */
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct adder *a = self;
    (void)now;
    if (a->done == TIMES)
        return;
    switch (a->step) {
    case 0:
        a->word = actors_draw(&a->random, WORDS) * 8;
        *out = actors_reference(PC_REFERENCE_LOAD_LINKED, a->word);
        return;
    case 1:
        *out = actors_reference(PC_REFERENCE_STORE_CONDITIONAL, a->word);
        out->value = a->found + 1;
        return;
    case 2:
        *out = actors_reference(PC_REFERENCE_STORE,
                                OWN + (card * OWN_LINES + a->done % OWN_LINES) * LINE);
        out->value = a->done + 1;
        return;
    default:
        *out = actors_reference(PC_REFERENCE_LOAD,
                                OWN + (card * OWN_LINES + a->done % OWN_LINES) * LINE);
        out->ticks = actors_draw(&a->random, 60);
    }
}

static void done(void *self, unsigned card, const struct pc_reference *r,
                 const struct pc_result *result)
{
    struct adder *a = self;
    (void)r;
    a->found = result->value;
    a->step += result->failed ? -1u : 1;
    if (a->step < 4)
        return;
    cr_assert_eq(result->value, a->done + 1, "card %u reads what it has written", card);
    a->step = 0;
    a->done++;
}

static const struct pc_driver_source source = {.next = next, .done = done};

static struct nm_machine *machine(void)
{
    struct nm_params p;
    actors_plain_params(&p);
    p.processors = 2;
    p.ring_stations = 2;
    p.ring_locals = 2;
    p.ring_groups = 1;
    p.memory_size = 1 << 20;
    return actors_machine(&p);
}

/* Runs to tick `until`, or until the machine rests. @return how many cards have ended */
static unsigned run(struct nm_machine *m, sim_tick until, bool resting)
{
    unsigned ended = 0;
    while (nm_machine_now(m) < until && !(resting && nm_machine_rests(m))) {
        struct nm_trap trap;
        const sim_tick soon = nm_machine_now(m) + 32;
        const enum nm_run why = nm_machine_run(m, resting && soon < until ? soon : until, &trap);
        cr_assert(why == NM_RUN_UNTIL || why == NM_RUN_TRAP, "%s", nm_machine_error(m));
        if (why == NM_RUN_TRAP) {
            nm_card_take(m, trap.card);
            ended++;
        }
    }
    return ended;
}

/* @param most  [ticks] of a stretch in one mode; 0: the mode stays. @return of all that happened */
static uint64_t play(uint64_t seed, uint64_t most)
{
    struct nm_machine *m = machine();
    struct adder adder[CARDS];
    uint64_t log = 0, sum = 0, random = seed, changes = 0;
    unsigned left = CARDS;
    for (unsigned i = 0; i < CARDS; i++) {
        adder[i] = (struct adder){.random = seed * 100 + i, .card = i};
        pc_drive(m, i, &source, &adder[i], i);
    }
    while (left) {
        left -= run(m, nm_machine_now(m) + 1 + (most ? actors_draw(&random, most) : 100000), false);
        if (!most || !left)
            continue;
        if (nm_machine_mode(m) == NM_MODE_TIMED) {
            nm_machine_freeze(m);
            left -= run(m, SIM_NEVER, true);
        }
        nm_machine_set_mode(m, (nm_machine_mode(m) + 1 + actors_draw(&random, 2)) % MODES);
        changes++;
    }
    cr_assert(!most || changes > 2, "%lu changes", (unsigned long)changes);
    for (unsigned w = 0; w < WORDS; w++)
        sum += nm_machine_image(m)[w * 8 + 7] + 256u * nm_machine_image(m)[w * 8 + 6];
    cr_expect_eq(sum, CARDS * TIMES, "seed %lu, stretches of %lu: %lu", (unsigned long)seed,
                 (unsigned long)most, (unsigned long)sum);
    for (unsigned i = 0; i < CARDS; i++) {
        const struct pc_cpu *cpu = pc_cpu_at(m, i);
        uint64_t states = 0;
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            states += cpu->states[s];
        cr_expect_eq(states, cpu->now, "card %u", i);
        log = (log ^ cpu->now ^ cpu->instructions << 24) * UINT64_C(0x9e3779b97f4a7c15);
    }
    nm_machine_free(m);
    return log;
}

Test(mode, changes_lose_nothing_and_are_the_same_again)
{
    static const uint64_t stretches[] = {0, 50, 700, 5000};
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (unsigned i = 0; i < sizeof stretches / sizeof *stretches; i++)
            cr_expect_eq(play(seed, stretches[i]), play(seed, stretches[i]), "seed %lu, %lu",
                         (unsigned long)seed, (unsigned long)stretches[i]);
}

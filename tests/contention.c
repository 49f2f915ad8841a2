/*
 * All 64 cards of the default machine want the same thing: add to a word, hold a lock, hold a lock
 * that gives out tickets. Everybody must finish, and how long a card waits for each is printed,
 * with and without what makes LL/SC and refused requests come to an end (docs/saturation.md).
 *
 * An actor is a small program: a list of instructions that go on to the next or back to another.
 */
#include "actors.h"
#include "machine/values.h"
#include "monitor/board/board.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TIMES
#define TIMES 10 /* each has it so often; 20 in docs/saturation.md (contention_long) */
#endif

enum { CARDS = 64, WORD = 0x1000, SERVED = 0x2000, DATA = 0x3000, WAIT = 10 };

enum op {
    BEGIN,  /* wants it from here on */
    LINK,   /* value = [WORD], linked */
    BUSY,   /* value is not 0: back */
    ADD,    /* [WORD] = value + 1, if still linked; else back */
    SPIN,   /* [SERVED] is not the ticket: back */
    GOT,    /* has it */
    WORK,   /* a store inside, another line */
    UNLOCK, /* [WORD] = 0 */
    SERVE,  /* [SERVED] = ticket + 1 */
    PAUSE,  /* does something else, then back to the beginning */
};

struct step {
    enum op op;
    unsigned back; /* to this step */
};

struct program {
    const char *name;
    struct step step[8];
};

static const struct program programs[] = {
    {"one word", {{BEGIN, 0}, {LINK, 0}, {ADD, 1}, {GOT, 0}, {PAUSE, 0}}},
    {"one lock",
     {{BEGIN, 0}, {LINK, 0}, {BUSY, 1}, {ADD, 1}, {GOT, 0}, {WORK, 0}, {UNLOCK, 0}, {PAUSE, 0}}},
    {"one ticket",
     {{BEGIN, 0}, {LINK, 0}, {ADD, 1}, {SPIN, 3}, {GOT, 0}, {WORK, 0}, {SERVE, 0}, {PAUSE, 0}}},
};

struct actor {
    const struct program *program;
    unsigned at, left;
    uint64_t value; /* read; its ticket */
    sim_tick began, longest, waited;
    unsigned times;
};

static void got(struct actor *a, sim_tick now)
{
    const sim_tick wait = now - a->began;
    a->longest = wait > a->longest ? wait : a->longest;
    a->waited += wait;
    a->times++;
    a->left--;
}

static struct pc_reference storing(uint64_t address, uint64_t value)
{
    struct pc_reference r = actors_reference(PC_REFERENCE_STORE, address);
    r.value = value;
    return r;
}

/* A step that is no reference takes a PCycle, too. */
static struct pc_reference reference_of(const struct actor *a, enum op op, unsigned card)
{
    struct pc_reference r = actors_pause(1);
    switch (op) {
    case LINK:
        return actors_reference(PC_REFERENCE_LOAD_LINKED, WORD);
    case ADD:
        r = storing(WORD, a->value + 1);
        r.kind = PC_REFERENCE_STORE_CONDITIONAL;
        return r;
    case SPIN:
        return actors_reference(PC_REFERENCE_LOAD, SERVED);
    case WORK:
        return storing(DATA, card);
    case UNLOCK:
        return storing(WORD, 0);
    case SERVE:
        return storing(SERVED, a->value + 1);
    default:
        return r;
    }
}

static void go_on(struct actor *a, bool back)
{
    a->at = back ? a->program->step[a->at].back : a->at + 1;
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    const enum op op = a->program->step[a->at].op;
    if (!a->left && op == BEGIN)
        return;
    if (op == BEGIN)
        a->began = now;
    if (op == GOT)
        got(a, now);
    *out = reference_of(a, op, card);
    out->ticks = op == PAUSE || op == WORK ? WAIT : 1;
    if (out->kind == PC_REFERENCE_COMPUTE)
        go_on(a, op == PAUSE || (op == BUSY && a->value));
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    (void)card;
    if (reference->kind == PC_REFERENCE_LOAD_LINKED)
        a->value = result->value;
    go_on(a, result->failed || (reference->kind == PC_REFERENCE_LOAD && result->value != a->value));
}

static const struct pc_driver_source source = {.next = next, .done = done};

static void run(struct nm_machine *m, const char *name)
{
    for (unsigned done = 0; done < nm_machine_cards(m); done++) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        cr_assert_eq(why, NM_RUN_TRAP, "%s: stopped with %d: %s", name, (int)why,
                     nm_machine_error(m));
        nm_card_take(m, trap.card);
    }
}

static void print(const struct actor *actor, const struct program *program, const char *rules,
                  const struct nm_machine *m)
{
    sim_tick longest = 0, kindest = SIM_NEVER, mean_least = SIM_NEVER, mean_most = 0, all = 0;
    unsigned times = 0;
    for (unsigned i = 0; i < CARDS; i++) {
        const sim_tick mean = actor[i].waited / actor[i].times;
        longest = actor[i].longest > longest ? actor[i].longest : longest;
        kindest = actor[i].longest < kindest ? actor[i].longest : kindest;
        mean_least = mean < mean_least ? mean : mean_least;
        mean_most = mean > mean_most ? mean : mean_most;
        all += actor[i].waited;
        times += actor[i].times;
    }
    fprintf(stderr,
            "# %-10s %-20s: mean wait %6lu (by card %6lu to %6lu), longest %7lu (by card from "
            "%6lu), all done at %8lu\n",
            program->name, rules, (unsigned long)(all / times), (unsigned long)mean_least,
            (unsigned long)mean_most, (unsigned long)longest, (unsigned long)kindest,
            (unsigned long)nm_machine_now(m));
}

/* Every request started has been completed or given up, and its time and NACKs are in one place;
 * what the mask is asked for requests that go out is all of them. */
static uint64_t books(struct nm_machine *m)
{
    uint64_t abandoned = 0, nacks_of_the_abandoned = 0, refused = 0;
    for (unsigned c = 0; c < CARDS; c++) {
        struct nm_truth t;
        struct mon_taps taps;
        nm_card_truth(m, c, &t);
        nm_card_taps(m, c, &taps);
        cr_expect_eq(t.requests, taps.v[MON_TAP_READS] + t.requests_abandoned, "card %u", c);
        cr_expect_geq(t.l2_misses + t.upgrades, t.requests, "some SCs give up before they ask");
        cr_expect_leq(t.abandoned_nacks, taps.v[MON_TAP_NACKS]);
        cr_expect_leq(t.requests_abandoned, t.abandoned_nacks);
        cr_expect_leq(t.refused_time, taps.v[MON_TAP_READ_LATENCY]);
        cr_expect_geq(t.refused_time + t.abandoned_time, taps.v[MON_TAP_NACK_TIME]);
        cr_expect_eq(nm_card_register_read(m, c, MON_REG_COUNTER1),
                     taps.v[MON_TAP_NACKED_REQUESTS]);
        cr_expect_eq(nm_card_register_read(m, c, MON_REG_COUNTER2), taps.v[MON_TAP_NACK_TIME]);
        abandoned += t.requests_abandoned;
        nacks_of_the_abandoned += t.abandoned_nacks;
        refused += t.refused_time;
    }
    cr_expect_geq(nacks_of_the_abandoned, abandoned);
    cr_expect_gt(refused, 0);
    return abandoned;
}

static void program_cards(struct nm_machine *m)
{
    const uint32_t masked = MON_PUT(1, CONTROL0_MASK);
    for (unsigned c = 0; c < CARDS; c++) {
        nm_card_register_write(m, c, MON_REG_CONTROL1, MON_EV_requests_nacked | masked);
        nm_card_register_write(m, c, MON_REG_CONTROL2, MON_EV_nack_time | masked);
        nm_card_register_write(m, c, MON_REG_MASK, MON_PUT(1, MASK_DIRECTION));
    }
}

static uint64_t contend(const struct program *program, unsigned times, uint64_t hold,
                        uint64_t patience, const char *rules)
{
    struct nm_params p;
    struct actor actor[CARDS];
    actors_plain_params(&p);
    p.memory_size = 1 << 20;
    p.check = true;
    p.agent_link_hold = hold;
    p.directory_patience = patience;
    struct nm_machine *m = actors_machine(&p);
    for (unsigned i = 0; i < CARDS; i++) {
        actor[i] = (struct actor){.program = program, .left = times};
        pc_drive(m, i, &source, &actor[i], i);
    }
    program_cards(m);
    run(m, program->name);
    print(actor, program, rules, m);
    const uint64_t abandoned = books(m);
    nm_machine_free(m);
    return abandoned;
}

Test(contention, everybody_gets_it)
{
    struct nm_params p;
    actors_plain_params(&p);
    const uint64_t hold = p.agent_link_hold, patience = p.directory_patience;
    uint64_t abandoned = 0;
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        abandoned += contend(&programs[i], TIMES, hold, patience, "as shipped");
        abandoned += contend(&programs[i], TIMES, 0, patience, "agent.link_hold 0");
        abandoned += contend(&programs[i], TIMES, hold, 0, "directory.patience 0");
        abandoned += contend(&programs[i], TIMES, 0, 0, "neither");
    }
    cr_expect_gt(abandoned, 100);
}

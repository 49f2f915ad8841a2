/*
 * Litmus tests of the protocol itself: are the values that loads find sequentially consistent?
 *
 * No acknowledgements of invalidations are collected on this machine: a writer goes on while some
 * stale copies are still readable, and only the order in which messages reach every card keeps the
 * illusion of one memory. That order is what is on trial; checking mode sees to it that what a load
 * finds is what caches and packets carried.
 *
 * Every iteration takes fresh lines at random homes, lets random cards share and own them first,
 * then runs the test's threads on random cards with random delays, while the other cards make
 * noise. Each test runs on each machine in each protocol.
 */
#include "actors.h"
#include "experiments/guests/litmus.h"
#include "machine/check.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ITERATIONS
#define ITERATIONS 10 /* per test, machine and protocol */
#endif

enum { CARDS_MAX = 64, NOISE_LINES = 24, STEPS = 8 };
enum phase { PREPARE, TEST, FINAL, OVER };

struct shape {
    const char *name;
    unsigned processors, fifo, l1, l2;
    unsigned stations, locals, groups, netcache; /* [lines] */
    unsigned dram;                               /* [bus cycles] of the home memories */
    unsigned noise; /* per thousand: how often an idle card makes a reference */
};

struct step {
    enum { NONE, LOAD, STORE, SHARE, OWN } op;
    uint64_t address, value;
    unsigned *result; /* of a load; of OWN: the value found */
};

struct actor {
    struct step step[STEPS];
    unsigned steps, at;
    bool delayed;
    struct step noise;
};

/* One machine trying one litmus test. */
struct trial {
    const struct shape *shape;
    const struct nm_params *p;
    struct litmus litmus;
    uint64_t random;
    const uint8_t *image; /**< the machine's memory */
    unsigned cards, busy, iteration, forbidden;
    unsigned old; /* loads that returned less than the newest value there was */
    enum phase phase;
    struct actor actor[CARDS_MAX];
    struct litmus_outcome outcome;
    unsigned card_of[LITMUS_THREADS];
    uint64_t address[LITMUS_VARS];
    unsigned *count; /* [LITMUS_OUTCOMES] */
};

static uint64_t draw(struct trial *t, uint64_t below)
{
    return actors_draw(&t->random, below);
}

/* ---- iterations ------------------------------------------------------------------------------ */

static void add(struct trial *t, unsigned card, struct step step)
{
    struct actor *a = &t->actor[card];
    if (a->at == a->steps)
        t->busy++;
    a->step[a->steps++] = step;
}

static void place_threads(struct trial *t)
{
    for (unsigned i = 0; i < t->litmus.threads; i++) {
        bool taken;
        do {
            t->card_of[i] = (unsigned)draw(t, t->cards);
            taken = false;
            for (unsigned j = 0; j < i; j++)
                taken |= t->card_of[j] == t->card_of[i];
        } while (taken);
    }
}

/* Half the homes are stations of the test's own threads. */
static uint64_t draw_home(struct trial *t)
{
    return draw(t, 2) ? draw(t, nm_params_stations(t->p))
                      : t->card_of[draw(t, t->litmus.threads)] / t->p->processors;
}

/* Lines never used before; now and then all variables in one. */
static void place_variables(struct trial *t)
{
    const uint64_t line = t->p->l2_line;
    const bool together = !draw(t, 8);
    for (unsigned v = 0; v < LITMUS_VARS; v++)
        t->address[v] = together && v ? t->address[0] + 8 * v
                                      : draw_home(t) * t->p->memory_size +
                                            (NOISE_LINES + t->iteration * LITMUS_VARS + v) * line;
}

/* The thread that stores to a variable first. */
static unsigned writer_of(const struct litmus *l, unsigned var)
{
    for (unsigned i = 0; i < l->threads; i++)
        for (unsigned j = 0; j < l->ops[i]; j++)
            if (l->op[i][j].store && l->op[i][j].var == var)
                return i;
    return 0;
}

/* A variable that all threads share, or that its writer owns: where a stale copy lives longest, and
 * where a store is over soonest. */
static void prepare_sharply(struct trial *t, unsigned v)
{
    struct step step = {.op = SHARE, .address = t->address[v]};
    if (draw(t, 2)) {
        step.op = STORE;
        add(t, t->card_of[writer_of(&t->litmus, v)], step);
        return;
    }
    for (unsigned i = 0; i < t->litmus.threads; i++)
        add(t, t->card_of[i], step);
}

/* A variable that some cards share or own one after the other, of the test and others. */
static void prepare_anyhow(struct trial *t, unsigned v)
{
    for (unsigned n = (unsigned)draw(t, 5); n > 0; n--) {
        unsigned card = (unsigned)draw(t, 4) ? t->card_of[draw(t, t->litmus.threads)]
                                             : (unsigned)draw(t, t->cards);
        struct step step = {.op = draw(t, 4) ? SHARE : STORE, .address = t->address[v]};
        if (t->actor[card].steps < STEPS)
            add(t, card, step);
    }
}

static void prepare(struct trial *t)
{
    place_threads(t);
    place_variables(t);
    memset(&t->outcome, 0, sizeof t->outcome);
    const bool sharply = draw(t, 2);
    for (unsigned v = 0; v < t->litmus.vars; v++)
        if (sharply)
            prepare_sharply(t, v);
        else
            prepare_anyhow(t, v);
}

static void begin_test(struct trial *t)
{
    const struct litmus *l = &t->litmus;
    for (unsigned i = 0; i < l->threads; i++)
        for (unsigned j = 0; j < l->ops[i]; j++) {
            const struct litmus_op *op = &l->op[i][j];
            add(t, t->card_of[i],
                (struct step){.op = op->store ? STORE : LOAD,
                              .address = t->address[op->var],
                              .value = op->value,
                              .result = op->store ? NULL : &t->outcome.loaded[op->value]});
        }
}

/* The last values, read by a card that first becomes each line's owner. */
static void begin_final(struct trial *t)
{
    unsigned card = (unsigned)draw(t, t->cards);
    for (unsigned v = 0; v < t->litmus.vars; v++)
        add(t, card,
            (struct step){.op = OWN, .address = t->address[v], .result = &t->outcome.last[v]});
}

static void judge(struct trial *t)
{
    unsigned code = litmus_code(&t->outcome);
    char text[32];
    t->count[code]++;
    if (t->litmus.allowed[code])
        return;
    litmus_text(&t->litmus, code, text);
    if (!t->forbidden++) {
        printf("# %s, %s, %s, iteration %u: %s; threads on cards", t->shape->name,
               nm_protocols[t->p->protocol].name, t->litmus.name, t->iteration, text);
        for (unsigned i = 0; i < t->litmus.threads; i++)
            printf(" %u", t->card_of[i]);
        printf("; variables at");
        for (unsigned v = 0; v < t->litmus.vars; v++)
            printf(" %#lx (station %lu)", (unsigned long)t->address[v],
                   (unsigned long)(t->address[v] / t->p->memory_size));
        printf("\n");
    }
}

/* Everybody is done with the phase: on to the next that has something to do. */
static void advance(struct trial *t)
{
    while (!t->busy && t->phase != OVER) {
        for (unsigned i = 0; i < t->cards; i++)
            t->actor[i].at = t->actor[i].steps = 0;
        switch (t->phase) {
        case PREPARE:
            t->phase = TEST;
            begin_test(t);
            break;
        case TEST:
            t->phase = FINAL;
            begin_final(t);
            break;
        default:
            judge(t);
            t->phase = ++t->iteration < ITERATIONS ? PREPARE : OVER;
            if (t->phase == PREPARE)
                prepare(t);
        }
    }
}

/* ---- the processors -------------------------------------------------------------------------- */

/* What the memory image holds: what the last store made of it. */
static uint64_t newest(const struct trial *t, uint64_t address)
{
    uint64_t value;
    memcpy(&value, t->image + address, sizeof value);
    return be64toh(value);
}

static struct pc_reference reference_of(const struct step *s)
{
    const bool store = s->op == STORE || s->op == OWN;
    struct pc_reference r =
        actors_reference(store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD,
                         s->op == OWN ? s->address | 32 : s->address); /* beside the variables */
    r.value = s->value;
    return r;
}

static void performed(struct trial *t, const struct step *s, const struct pc_reference *r,
                      uint64_t value)
{
    if (s->result)
        *s->result = (unsigned)(r->kind == PC_REFERENCE_STORE ? newest(t, s->address) : value);
    if (s->op == LOAD && s->result)
        t->old += value != newest(t, s->address);
}

static unsigned delay(struct trial *t)
{
    static const unsigned longest[] = {1, 4, 40, 400, 1500};
    return (unsigned)draw(t, longest[draw(t, sizeof longest / sizeof *longest)]);
}

static void decide_noise(struct trial *t, struct step *s)
{
    if (draw(t, 1000) >= t->shape->noise)
        return;
    uint64_t station = draw(t, nm_params_stations(t->p));
    s->op = draw(t, 3) ? LOAD : STORE;
    s->address = station * t->p->memory_size + draw(t, NOISE_LINES) * t->p->l2_line;
}

/* A reference, or some PCycles of nothing. */
static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct trial *t = self;
    struct actor *a = &t->actor[card];
    (void)now;
    if (a->noise.op) {
        *out = reference_of(&a->noise);
    } else if (t->phase == OVER) {
        return;
    } else if (a->at == a->steps) {
        decide_noise(t, &a->noise);
        *out = actors_pause(a->noise.op ? 1 : 11 + draw(t, 30));
    } else if (!a->delayed) {
        a->delayed = true;
        *out = actors_pause(2 + delay(t));
    } else {
        *out = reference_of(&a->step[a->at]);
    }
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct trial *t = self;
    struct actor *a = &t->actor[card];
    if (a->noise.op) {
        performed(t, &a->noise, reference, result->value);
        a->noise.op = NONE;
        return;
    }
    performed(t, &a->step[a->at], reference, result->value);
    a->delayed = false;
    if (++a->at == a->steps && !--t->busy)
        advance(t);
}

static const struct pc_driver_source source = {.next = next, .done = done};

/* ---- machines -------------------------------------------------------------------------------- */

static void set_up(const struct shape *s, struct nm_params *p)
{
    actors_params(p, s->processors, s->stations, s->locals, s->groups);
    actors_queues(p, s->fifo);
    p->l1d_size = p->l1i_size = s->l1;
    p->l2_size = s->l2;
    p->memory_size = 4 << 20;
    p->netcache_size = s->netcache * p->l2_line;
    p->memory_dram = s->dram;
    p->watchdog = 3000000;
    p->check = true;
}

static void run(struct nm_machine *m, const struct trial *t)
{
    for (unsigned done = 0; done < nm_machine_cards(m);) {
        struct nm_trap trap;
        enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        if (why != NM_RUN_TRAP) {
            nm_machine_dump(m, stderr);
            cr_assert_fail("%s, %s, %s, iteration %u: stopped with %d: %s", t->shape->name,
                           nm_protocols[t->p->protocol].name, t->litmus.name, t->iteration,
                           (int)why, nm_machine_error(m));
        }
        nm_card_take(m, trap.card);
        done++;
    }
}

static void report(const struct trial *t)
{
    char text[32];
    fprintf(stderr, "# %s, %s, %s, %u old:", t->shape->name, nm_protocols[t->p->protocol].name,
            t->litmus.name, t->old);
    for (unsigned code = 0; code < LITMUS_OUTCOMES; code++) {
        if (!t->count[code])
            continue;
        litmus_text(&t->litmus, code, text);
        fprintf(stderr, " [%s]%s %u", text, t->litmus.allowed[code] ? "" : " FORBIDDEN",
                t->count[code]);
    }
    fprintf(stderr, "\n");
}

/* Returns how many iterations had a forbidden outcome. */
static unsigned try_test(const struct shape *s, const struct litmus_row *row,
                         enum nm_protocol_id protocol, uint64_t seed)
{
    struct nm_params p;
    struct trial *t = calloc(1, sizeof *t);
    set_up(s, &p);
    p.protocol = protocol;
    struct nm_machine *m = actors_machine(&p);
    t->shape = s;
    t->p = &p;
    t->image = nm_machine_image(m);
    t->random = seed;
    t->cards = nm_machine_cards(m);
    t->count = calloc(LITMUS_OUTCOMES, sizeof *t->count);
    litmus_read(&t->litmus, row);
    prepare(t);
    advance(t);
    for (unsigned i = 0; i < t->cards; i++)
        pc_drive(m, i, &source, t, i);
    run(m, t);
    if (t->forbidden)
        report(t);
    unsigned forbidden = t->forbidden;
    nm_machine_free(m);
    free(t->count);
    free(t);
    return forbidden;
}

Test(litmus, protocol)
{
    static const struct shape shapes[] = {
        /* name              cards fifo  l1    l2     rings    nc dram noise */
        {"one station", 4, 16, 16384, 1 << 20, 1, 1, 1, 64, 10, 20},
        {"one station, tiny", 4, 1, 64, 256, 1, 1, 1, 64, 10, 200},
        {"one ring", 2, 16, 16384, 1 << 20, 4, 1, 1, 64, 10, 20},
        {"one ring, quiet", 1, 16, 16384, 1 << 20, 4, 1, 1, 64, 10, 0},
        {"one ring, tiny", 2, 1, 64, 256, 4, 1, 1, 8, 10, 200},
        {"slow memory", 4, 16, 64, 256, 3, 1, 1, 64, 64, 900},
        {"two levels", 2, 16, 16384, 1 << 20, 2, 2, 1, 64, 10, 20},
        {"two levels, tiny", 2, 1, 64, 256, 2, 2, 1, 4, 10, 300},
        {"two levels, busy", 4, 4, 16384, 1 << 20, 2, 2, 1, 64, 10, 300},
        {"two levels, slow", 4, 4, 64, 256, 2, 2, 1, 64, 64, 500},
        {"three levels", 1, 2, 64, 512, 2, 2, 2, 16, 10, 100},
        {"prototype", 4, 16, 16384, 1 << 20, 4, 4, 1, 64, 10, 20},
    };
    unsigned forbidden = 0;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned j = 0; j < LITMUS_ROWS; j++)
            for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
                forbidden += try_test(&shapes[i], &litmus_rows[j], protocol,
                                      (i * 100 + j) * NM_PROTOCOLS + protocol + 1);
    cr_assert_eq(forbidden, 0, "%u outcomes that sequential consistency forbids", forbidden);
}

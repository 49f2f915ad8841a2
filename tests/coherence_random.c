/*
 * Random coherence tester: processors that do nothing but load, store and LL/SC at random places in
 * a few lines, on machines with FIFOs of one entry and caches of two lines, in checking mode.
 *
 * Every processor counts its successful LL/SC increments of one shared word; at the end the word
 * must hold their sum. One reference in some fifteen is outside coherence; of these each processor
 * has an uncached doubleword of its own, which must always have its last value. A failure prints
 * the protocol's own story and the seed that repeats it.
 */
#include "actors.h"
#include "machine/statistics.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REFERENCES
#define REFERENCES 24000 /* per shape */
#endif

enum { CARDS_MAX = 64, WORDS_PER_LINE = 8, FUNCTIONS = 6, PREFETCH = 5 };
enum { BARRIER = 16 /* [bytes] of registers that a barrier has, and a window */ };

struct shape {
    const char *name;
    unsigned processors, fifo, l1, l2, lines, banks, split, ways;
    unsigned store_percent, line;
    unsigned stations, locals, groups; /* rings */
    unsigned netcache;                 /* [lines] */
    unsigned other; /* every second card has caches so many times as large, joint, of two ways; 0:
                       none has */
};

/* What one processor is doing. */
struct actor {
    const struct shape *shape;
    const struct nm_params *p;
    uint64_t random;
    uint64_t left;       /* references still to make */
    uint64_t increments; /* successful SCs */
    enum {
        PLAIN_LOAD,
        PLAIN_STORE,
        LINKED,
        CONDITIONAL,
        FETCH,
        NONCOHERENT_LOAD,
        NONCOHERENT_STORE
    } op;
    uint64_t address;
    uint64_t linked;  /* what the last LL read */
    uint64_t mine;    /* an uncached doubleword that nobody else writes, */
    uint64_t stored;  /* and its last value */
    uint64_t outside; /* references that were not coherent */
    unsigned number;  /* of its card */
    unsigned arrives; /* the store is an arrival, by the window of this number less one */
    uint64_t arrivals[2];
    bool decided;      /* op and address stand; a miss repeats them */
    unsigned function; /* special function asked for; 0: none */
    unsigned lines;    /* of it */
    bool out;          /* it is under way */
    uint64_t done[FUNCTIONS + 1];
};

static uint64_t draw(struct actor *a, uint64_t below)
{
    return actors_draw(&a->random, below);
}

static const uint64_t COUNTER = 0; /* the word LL/SC fight for */

/* Lines of pages that are uncached or not coherent are their own, far from the others. */
enum { OUTSIDE = 1 << 19, SRAM = 0x40000 };

/* Windows of every card: to everybody, and to its own station. */
enum { ALL, HERE };

/* An arrival at a barrier of everybody or of the own station, which only count. */
static void arrive(struct actor *a)
{
    const unsigned window = (unsigned)draw(a, 2);
    a->op = NONCOHERENT_STORE;
    a->address = NM_REGISTERS + (uint64_t)a->number * NM_REGISTER_SPACE + PC_WINDOW +
                 window * PC_WINDOW_SPAN + PC_SYNC_ARRIVE0 + window * BARRIER;
    a->arrives = 1 + window;
}

/* Now and then something outside coherence: the own doubleword, a part of anybody's, a line of a
 * non-coherent page, a register of any card, an arrival. */
static bool decide_noncoherent(struct actor *a)
{
    const uint64_t there = draw(a, nm_params_stations(a->p)) * a->p->memory_size + OUTSIDE;
    a->arrives = 0;
    if (a->op == LINKED || draw(a, 15))
        return false;
    a->outside++;
    a->op = draw(a, 2) ? NONCOHERENT_LOAD : NONCOHERENT_STORE;
    switch (draw(a, 5)) {
    case 0:
        a->address = UNCACHED | a->mine;
        break;
    case 1:
        a->address = UNCACHED | (there + 8 * (1 + draw(a, 64)));
        break;
    case 2:
        a->address = NONCOHERENT | (there + 0x10000 + draw(a, 8) * a->p->l2_line);
        break;
    case 3:
        arrive(a);
        break;
    default:
        a->address = NM_REGISTERS + draw(a, nm_params_cards(a->p)) * NM_REGISTER_SPACE + SRAM;
        break;
    }
    return true;
}

static void decide(struct actor *a)
{
    if (decide_noncoherent(a)) {
        a->decided = true;
        return;
    }
    const uint64_t kind = draw(a, 100), which = draw(a, a->shape->lines);
    const uint64_t stations = nm_params_stations(a->p), line = a->p->l2_line;
    a->decided = true;
    /* neighbouring lines have different homes */
    a->address =
        which % stations * a->p->memory_size + which / stations * line + draw(a, line / 8) * 8;
    if (a->op == LINKED) { /* an LL is followed by its SC, sometimes not at once */
        a->op = draw(a, 4) ? CONDITIONAL : PLAIN_LOAD;
        if (a->op == CONDITIONAL)
            a->address = COUNTER;
        return;
    }
    if (kind < a->shape->store_percent && a->address != COUNTER)
        a->op = PLAIN_STORE;
    else if (kind < a->shape->store_percent + 10) {
        a->op = LINKED;
        a->address = COUNTER;
    } else
        a->op = kind > 95 ? FETCH : PLAIN_LOAD;
}

/* Now and then a special function instead of a reference, on a few neighbouring lines. */
static bool wants_function(struct actor *a)
{
    if (a->decided || a->out || a->op == LINKED || draw(a, 30))
        return false;
    decide(a);
    a->decided = false;
    if (a->address & ~(UNCACHED - 1) || a->address >= NM_REGISTERS)
        a->address = COUNTER;
    a->op = PLAIN_LOAD;
    a->function = 1 + (unsigned)draw(a, FUNCTIONS);
    a->lines = 1 + (unsigned)draw(a, 3);
    return true;
}

static enum pc_reference_kind kind_of(const struct actor *a)
{
    static const enum pc_reference_kind kinds[] = {
        [PLAIN_LOAD] = PC_REFERENCE_LOAD,
        [PLAIN_STORE] = PC_REFERENCE_STORE,
        [LINKED] = PC_REFERENCE_LOAD_LINKED,
        [CONDITIONAL] = PC_REFERENCE_STORE_CONDITIONAL,
        [FETCH] = PC_REFERENCE_FETCH,
        [NONCOHERENT_LOAD] = PC_REFERENCE_LOAD,
        [NONCOHERENT_STORE] = PC_REFERENCE_STORE,
    };
    return kinds[a->op];
}

static bool is_noncoherent(const struct actor *a)
{
    return a->op == NONCOHERENT_LOAD || a->op == NONCOHERENT_STORE;
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->left || wants_function(a))
        return;
    decide(a);
    *out = actors_reference(kind_of(a), a->address);
    out->size = is_noncoherent(a) && a->address < UNCACHED ? 4 : 8;
    out->value = a->op == CONDITIONAL                       ? a->linked + 1
                 : a->op == NONCOHERENT_STORE && a->arrives ? 1
                                                            : a->random;
    out->ticks = 1 + draw(a, 4);
    a->left--;
}

static void done_noncoherent(struct actor *a, const struct pc_result *result)
{
    const bool own = a->address == (UNCACHED | a->mine);
    if (a->arrives) {
        a->arrivals[a->arrives - 1]++;
        a->arrives = 0;
    } else if (a->op == NONCOHERENT_STORE) {
        a->stored = own ? result->value : a->stored;
    } else if (own)
        cr_assert_eq(result->value, a->stored, "card %u: its own doubleword is lost", a->number);
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    (void)card, (void)reference;
    a->decided = false;
    if (a->op == LINKED)
        a->linked = result->value;
    if (a->op == CONDITIONAL)
        a->increments += !result->failed;
    if (is_noncoherent(a))
        done_noncoherent(a, result);
}

static const struct pc_driver_source source = {.next = next, .done = done};

static void set_up(const struct shape *s, enum nm_protocol_id protocol, struct nm_params *p)
{
    actors_params(p, s->processors, s->stations, s->locals, s->groups);
    actors_queues(p, s->fifo);
    p->l1d_size = p->l1i_size = s->l1;
    p->l2_size = s->l2;
    p->l2_line = s->line;
    p->l2_split = s->split;
    p->l2_ways = s->ways;
    p->memory_banks = s->banks;
    p->memory_size = 1 << 20;
    p->netcache_size = s->netcache * s->line;
    p->watchdog = 3000000;
    p->check = true;
    p->protocol = protocol;
}

/* The cards' caches: those of an R4400 and of an R10000 side by side, if the shape wants it. */
static struct nm_machine *machine(const struct shape *s, const struct nm_params *p)
{
    struct nm_params other = *p;
    if (!s->other)
        return actors_machine(p);
    other.l1d_size *= s->other;
    other.l1i_size *= s->other;
    other.l2_size *= s->other;
    other.l2_split = false;
    other.l2_ways = 2;
    struct nm_machine *m = actors_mixture(p, &other);
    cr_assert(nm_card_params(m, 0)->l2_ways != nm_card_params(m, 1)->l2_ways);
    return m;
}

/* Every NACK has one reason. */
static void check_nacks(struct nm_machine *m, struct nm_truth *sum, const char *shape)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct mon_taps taps;
        struct nm_truth t;
        nm_card_taps(m, i, &taps);
        nm_card_truth(m, i, &t);
        cr_assert_eq(taps.v[MON_TAP_NACKS], t.nacks_locked + t.nacks_no_room + t.nacks_no_turn,
                     "%s: card %u", shape, i);
        sum->nacks_locked += t.nacks_locked;
        sum->nacks_no_room += t.nacks_no_room;
        sum->nacks_no_turn += t.nacks_no_turn;
    }
}

static void check_books(struct nm_machine *m, const char *shape)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct mon_taps taps;
        uint64_t sum = 0;
        nm_card_taps(m, i, &taps);
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            sum += taps.v[s];
        cr_assert_eq(sum, nm_machine_now(m), "%s: card %u: states add up to %lu at tick %lu", shape,
                     i, (unsigned long)sum, (unsigned long)nm_machine_now(m));
    }
}

/* A processor traps: it wants a special function, or (false) is done. */
static bool begin_function(struct nm_machine *m, struct actor *a, const struct nm_trap *trap)
{
    if (!a->function) {
        nm_card_take(m, trap->card);
        return false;
    }
    a->out = nm_card_special(m, trap->card, a->function, a->address, a->lines, nm_machine_now(m));
    a->done[a->function] += a->out;
    a->function = 0;
    nm_card_resume(m, trap->card, nm_machine_now(m));
    return true;
}

/* Runs until every processor has made its references; samples the books on the way. */
static void run(struct nm_machine *m, const struct shape *s, uint64_t seed, struct actor *actor)
{
    unsigned done = 0;
    sim_tick until = 777;
    while (done < nm_machine_cards(m)) {
        struct nm_trap trap;
        enum nm_run why = nm_machine_run(m, until, &trap);
        if (why == NM_RUN_UNTIL) {
            check_books(m, s->name);
            until += 7777;
        } else if (why == NM_RUN_INTERRUPT) {
            actor[trap.card].out = false;
            actor[trap.card].done[0]++;
        } else if (why == NM_RUN_TRAP) {
            done += !begin_function(m, &actor[trap.card], &trap);
        } else {
            nm_machine_dump(m, stderr);
            cr_assert_fail("shape '%s', seed %lu: stopped with %d: %s", s->name,
                           (unsigned long)seed, (int)why, nm_machine_error(m));
        }
    }
    check_books(m, s->name);
}

/* What is still under way reaches its end: no invalidation is left over. */
static void come_to_rest(struct nm_machine *m, const struct shape *s, struct actor *actor)
{
    struct nm_trap trap;
    enum nm_run why;
    while ((why = nm_machine_run(m, SIM_NEVER, &trap)) == NM_RUN_INTERRUPT) {
        actor[trap.card].out = false;
        actor[trap.card].done[0]++;
    }
    cr_assert_eq(why, NM_RUN_IDLE, "%s: %s", s->name, nm_machine_error(m));
}

static void set_windows(struct nm_machine *m, unsigned card)
{
    const struct ring_shape shape = nm_ring_shape(nm_machine_params(m));
    const unsigned per_station = nm_machine_cards(m) / nm_machine_stations(m);
    const ring_mask here = ring_mask_station(&shape, card / per_station);
    for (unsigned window = ALL; window <= HERE; window++) {
        const uint32_t to = PC_SYNC_TO_CARDS0 + window * BARRIER;
        nm_card_register_write(m, card, to, UINT32_MAX);
        for (unsigned l = 0; l < RING_LEVELS; l++)
            nm_card_register_write(m, card, to + 4 + 4 * l,
                                   window == ALL ? UINT32_MAX : ring_mask_field(here, l));
    }
}

/* Every card has had every arrival that was for it, once. */
static void check_arrivals(struct nm_machine *m, const struct actor *actor, const struct shape *s)
{
    const unsigned cards = nm_machine_cards(m), per_station = cards / nm_machine_stations(m);
    for (unsigned i = 0; i < cards; i++) {
        uint64_t all = 0, here = 0;
        for (unsigned j = 0; j < cards; j++) {
            all += actor[j].arrivals[ALL];
            here += j / per_station == i / per_station ? actor[j].arrivals[HERE] : 0;
        }
        cr_assert_eq(nm_card_register_read(m, i, PC_SYNC_ARRIVED0), all, "%s: card %u", s->name, i);
        cr_assert_eq(nm_card_register_read(m, i, PC_SYNC_ARRIVED0 + BARRIER), here, "%s: card %u",
                     s->name, i);
        cr_assert(all && here, "%s: nobody ever arrives", s->name);
    }
}

/* Every special function came to its end but those under way; every kind was used. */
static void check_functions(const struct actor *actor, unsigned cards, const struct shape *s)
{
    uint64_t done[FUNCTIONS + 1] = {0}, out = 0, begun = 0;
    for (unsigned i = 0; i < cards; i++) {
        out += actor[i].out;
        for (unsigned f = 0; f <= FUNCTIONS; f++)
            done[f] += actor[i].done[f];
    }
    for (unsigned f = 1; f <= FUNCTIONS; f++)
        begun += done[f];
    cr_assert_eq(begun, done[0] + out, "%s: special functions lost", s->name);
    for (unsigned f = 1; f <= FUNCTIONS; f++)
        cr_assert(done[f] || f == PREFETCH, "%s: function %u never", s->name, f);
}

static void try_shape(const struct shape *s, enum nm_protocol_id protocol, uint64_t seed,
                      struct nm_truth *nacks)
{
    struct nm_params p;
    struct actor actor[CARDS_MAX] = {0};
    set_up(s, protocol, &p);
    struct nm_machine *m = machine(s, &p);
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        actor[i] = (struct actor){.shape = s,
                                  .p = &p,
                                  .random = seed * 1000003 + i,
                                  .number = i,
                                  .left = REFERENCES / nm_machine_cards(m),
                                  .mine = i % nm_params_stations(&p) * p.memory_size + OUTSIDE +
                                          8192 + 8 * i};
        set_windows(m, i);
        pc_drive(m, i, &source, &actor[i], i);
    }
    run(m, s, seed, actor);
    come_to_rest(m, s, actor);
    uint64_t counter, sum = 0;
    memcpy(&counter, nm_machine_image(m) + COUNTER, sizeof counter);
    counter = be64toh(counter);
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        sum += actor[i].increments;
    cr_assert_eq(counter, sum, "%s: LL/SC lost increments: %lu of %lu", s->name,
                 (unsigned long)counter, (unsigned long)sum);
    check_nacks(m, nacks, s->name);
    check_functions(actor, nm_machine_cards(m), s);
    check_arrivals(m, actor, s);
    cr_assert_gt(sum, 0, "%s: no LL/SC ever succeeded", s->name);
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        cr_assert_gt(actor[i].outside, 0, "%s: nothing outside coherence", s->name);
    nm_machine_free(m);
}

Test(coherence, random_references)
{
    static const struct shape shapes[] = {
        /* name            cards fifo  l1    l2  lines banks split ways store% line rings    nc,
           other */
        {"plain", 4, 16, 16384, 1 << 20, 16, 2, 1, 1, 30, 64, 1, 1, 1, 64, 0},
        {"one line", 4, 16, 16384, 1 << 20, 1, 2, 1, 1, 30, 64, 1, 1, 1, 64, 0},
        {"tiny caches", 4, 16, 64, 256, 12, 2, 1, 1, 30, 64, 1, 1, 1, 64, 0},
        {"tiny FIFOs", 4, 1, 16384, 1 << 20, 6, 2, 1, 1, 40, 64, 1, 1, 1, 64, 0},
        {"tiny everything", 4, 1, 64, 256, 7, 1, 1, 1, 40, 64, 1, 1, 1, 64, 0},
        {"joint cache", 4, 1, 64, 128, 5, 1, 0, 1, 40, 64, 1, 1, 1, 64, 0},
        {"two ways", 4, 1, 64, 256, 9, 1, 0, 2, 40, 64, 1, 1, 1, 64, 0},
        {"two ways, ring", 2, 1, 64, 128, 8, 1, 0, 2, 40, 64, 4, 1, 1, 2, 0},
        {"small lines", 3, 2, 64, 256, 9, 1, 1, 1, 50, 32, 1, 1, 1, 64, 0},
        {"large lines", 2, 1, 64, 512, 9, 4, 1, 1, 50, 128, 1, 1, 1, 64, 0},
        {"alone", 1, 1, 64, 256, 9, 1, 1, 1, 50, 64, 1, 1, 1, 64, 0},
        {"many writers", 4, 2, 64, 256, 3, 2, 1, 1, 80, 64, 1, 1, 1, 64, 0},
        {"two stations", 1, 16, 16384, 1 << 20, 2, 2, 1, 1, 30, 64, 2, 1, 1, 64, 0},
        {"ring", 2, 16, 16384, 1 << 20, 8, 2, 1, 1, 30, 64, 4, 1, 1, 64, 0},
        {"ring, tiny", 2, 1, 64, 256, 8, 1, 1, 1, 40, 64, 4, 1, 1, 2, 0},
        {"two rings", 2, 4, 64, 256, 12, 2, 1, 1, 40, 64, 2, 2, 1, 4, 0},
        {"two rings, tiny", 4, 1, 64, 256, 12, 1, 1, 1, 40, 64, 2, 2, 1, 1, 0},
        {"prototype", 4, 16, 16384, 1 << 20, 32, 2, 1, 1, 30, 64, 4, 4, 1, 64, 0},
        {"prototype, tiny", 4, 1, 64, 256, 32, 1, 1, 1, 40, 64, 4, 4, 1, 2, 0},
        {"one hot line", 4, 2, 64, 256, 1, 2, 1, 1, 60, 64, 4, 4, 1, 4, 0},
        {"three levels", 1, 2, 64, 256, 20, 1, 1, 1, 40, 64, 2, 2, 2, 2, 0},
        {"three levels, big", 2, 4, 64, 512, 40, 1, 1, 1, 30, 64, 3, 2, 3, 4, 0},
        {"mixed", 4, 2, 64, 256, 9, 1, 1, 1, 40, 64, 1, 1, 1, 64, 2},
        {"mixed, ring", 2, 4, 64, 256, 12, 1, 1, 1, 40, 64, 4, 1, 1, 4, 4},
        {"mixed, one hot line", 4, 2, 64, 256, 1, 2, 1, 1, 60, 64, 2, 1, 1, 4, 2},
    };
    struct nm_truth nacks = {0};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            try_shape(&shapes[i], (i + seed) % NM_PROTOCOLS, seed, &nacks);
    cr_expect(nacks.nacks_locked && nacks.nacks_no_room && nacks.nacks_no_turn, "%lu, %lu, %lu",
              (unsigned long)nacks.nacks_locked, (unsigned long)nacks.nacks_no_room,
              (unsigned long)nacks.nacks_no_turn);
}

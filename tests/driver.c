/*
 * The driver core (procard/driver/): what a source hears, what the books say, and that neither
 * depends on where runs are cut.
 */
#include "actors.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CARDS = 4, REFERENCES = 400, LINES = 12, LINE = 64 };

static struct nm_machine *make(void)
{
    struct nm_params p;
    actors_plain_params(&p);
    p.processors = 2;
    p.ring_stations = 2;
    p.ring_locals = p.ring_groups = 1;
    p.memory_size = 1 << 20;
    p.check = true;
    return actors_machine(&p);
}

/* ---- random references ----------------------------------------------------------------------- */

struct actor {
    uint64_t random, log;
    uint64_t left;
    /* as this test counts */
    uint64_t loads, stores, failed, instructions;
    sim_tick last;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card;
    if (!a->left--)
        return;
    out->kind = (enum pc_reference_kind)(1 + actors_draw(&a->random, PC_REFERENCE_SYNC));
    out->size = 1u << actors_draw(&a->random, 4);
    out->address = actors_draw(&a->random, LINES) * LINE;
    out->value = a->random;
    out->at = actors_draw(&a->random, 3) ? 0 : now + actors_draw(&a->random, 200);
    out->ticks = actors_draw(&a->random, 5);
    out->state = (enum pc_status)actors_draw(&a->random, PC_ST__COUNT);
    if (out->kind == PC_REFERENCE_STORE && !actors_draw(&a->random, 4))
        out->address |= UNCACHED | 1 << 19;
    if (out->kind != PC_REFERENCE_COMPUTE || pc_status_completes(out->state))
        a->instructions += out->ticks ? out->ticks : 1;
}

static void done(void *self, unsigned card, const struct pc_reference *r,
                 const struct pc_result *result)
{
    struct actor *a = self;
    const bool sc = r->kind == PC_REFERENCE_STORE_CONDITIONAL;
    cr_assert_geq(result->began, a->last, "card %u: in order", card);
    cr_assert_geq(result->began, r->at, "card %u: not before its tick", card);
    cr_assert_geq(result->done, result->began);
    cr_assert(sc || !result->failed);
    a->last = result->done + 1;
    a->loads += r->kind == PC_REFERENCE_LOAD || r->kind == PC_REFERENCE_LOAD_LINKED;
    a->stores += r->kind == PC_REFERENCE_STORE || sc;
    a->failed += result->failed;
    a->log = (a->log ^ result->began ^ result->done << 20 ^ result->value ^ result->failed) *
             UINT64_C(0x9e3779b97f4a7c15);
}

static const struct pc_driver_source source = {.next = next, .done = done};

static void play(struct actor actor[CARDS], sim_tick step)
{
    struct nm_machine *m = make();
    for (unsigned i = 0; i < CARDS; i++) {
        actor[i] = (struct actor){.random = i, .left = REFERENCES};
        pc_drive(m, i, &source, &actor[i], i);
    }
    for (unsigned left = CARDS; left;) {
        struct nm_trap trap;
        const enum nm_run why =
            nm_machine_run(m, step == SIM_NEVER ? SIM_NEVER : nm_machine_now(m) + step, &trap);
        if (why == NM_RUN_UNTIL)
            continue;
        cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(m));
        cr_assert_eq(pc_cpu_at(m, trap.card)->exc, PC_EXC_SYS);
        nm_card_take(m, trap.card);
        left--;
    }
    for (unsigned i = 0; i < CARDS; i++) {
        const struct pc_cpu *cpu = pc_cpu_at(m, i);
        uint64_t sum = 0;
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            sum += cpu->states[s];
        cr_expect_eq(sum, cpu->now, "card %u", i);
        cr_expect_eq(cpu->scs_failed, actor[i].failed, "card %u", i);
        cr_expect_eq(cpu->instructions, actor[i].instructions, "card %u: %lu, %lu", i,
                     (unsigned long)cpu->instructions, (unsigned long)actor[i].instructions);
        cr_expect_geq(cpu->states[PC_ST_LOAD], actor[i].loads, "card %u", i);
        cr_expect_geq(cpu->states[PC_ST_STORE], actor[i].stores, "card %u", i);
        cr_expect_gt(actor[i].loads * actor[i].stores * actor[i].failed, 0);
    }
    nm_machine_free(m);
}

Test(driver, books_are_the_sources_and_cuts_do_not_matter)
{
    static const sim_tick steps[] = {1, 7, 100, 5000};
    struct actor whole[CARDS], cut[CARDS];
    play(whole, SIM_NEVER);
    for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++) {
        play(cut, steps[s]);
        cr_expect_eq(memcmp(whole, cut, sizeof whole), 0, "steps of %lu", (unsigned long)steps[s]);
    }
}

/* ---- one thing at a time --------------------------------------------------------------------- */

struct list {
    const struct pc_reference *next;
    unsigned left;
    uint64_t value; /* of the last */
};

static void take(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct list *l = self;
    (void)card, (void)now;
    if (!l->left)
        return;
    *out = *l->next++;
    l->left--;
}

static void keep(void *self, unsigned card, const struct pc_reference *r,
                 const struct pc_result *result)
{
    struct list *l = self;
    (void)card, (void)r;
    l->value = result->value;
}

static const struct pc_driver_source lists = {.next = take, .done = keep};

static struct nm_trap until_trap(struct nm_machine *m)
{
    struct nm_trap trap;
    const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(m));
    return trap;
}

Test(driver, values_are_big_endian)
{
    static const struct {
        unsigned size, offset;
        uint64_t value;
    } rows[] = {{8, 0, 0x0123456789abcdef},
                {4, 0, 0x01234567},
                {4, 4, 0x89abcdef},
                {2, 2, 0x4567},
                {1, 7, 0xef},
                {1, 0, 0x01}};
    struct nm_machine *m = make();
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pc_reference pair[] = {
            {.kind = PC_REFERENCE_STORE, .size = 8, .value = rows[0].value},
            {.kind = PC_REFERENCE_LOAD, .size = rows[i].size, .address = rows[i].offset}};
        struct list l = {pair, 2, 0};
        pc_drive(m, 0, &lists, &l, nm_machine_now(m));
        nm_card_take(m, until_trap(m).card);
        cr_expect_eq(l.value, rows[i].value, "row %u: %lx", i, (unsigned long)l.value);
    }
    nm_machine_free(m);
}

/* An exception leaves the reference: it is made again when the card goes on, unless it has another
 * source by then. */
Test(driver, an_exception_is_no_reference_done)
{
    static const struct pc_reference wrong = {.kind = PC_REFERENCE_LOAD, .size = 8, .address = 4};
    struct nm_machine *m = make();
    struct list l = {&wrong, 1, 77}, none = {&wrong, 0, 0};
    pc_drive(m, 0, &lists, &l, 0);
    for (unsigned i = 0; i < 2; i++) {
        until_trap(m);
        cr_expect_eq(pc_cpu_at(m, 0)->exc, PC_EXC_ADEL);
        cr_expect_eq(pc_cpu_at(m, 0)->badvaddr, 4);
        nm_card_resume(m, 0, nm_machine_now(m));
    }
    until_trap(m);
    pc_drive(m, 0, &lists, &none, nm_machine_now(m));
    until_trap(m);
    cr_expect_eq(pc_cpu_at(m, 0)->exc, PC_EXC_SYS);
    cr_expect_eq(l.value, 77, "it has never been done");
    nm_machine_free(m);
}

/* Long work, in one piece or stopped in the middle. */
Test(driver, computing_can_be_stopped_at_any_pcycle)
{
    enum { LONG = 200000 };
    static const struct pc_reference work = {
        .kind = PC_REFERENCE_COMPUTE, .ticks = LONG, .state = PC_ST_FP};
    for (sim_tick stop = 1; stop < LONG; stop = 3 * stop + 1) {
        struct nm_machine *m = make();
        struct list l = {&work, 1, 0};
        pc_drive(m, 0, &lists, &l, 0);
        nm_card_preempt(m, 0, stop);
        struct nm_trap trap = until_trap(m);
        cr_expect(trap.preempted);
        cr_expect_eq(pc_cpu_at(m, 0)->states[PC_ST_FP], stop);
        nm_card_resume(m, 0, nm_machine_now(m));
        trap = until_trap(m);
        cr_expect_not(trap.preempted);
        cr_expect_eq(pc_cpu_at(m, 0)->states[PC_ST_FP], LONG);
        nm_machine_free(m);
    }
}

/* ---- packed references, and waits ------------------------------------------------------------ */

enum { ROUNDS = 20, PACKED = 90, FLAGS = 0x8000, SHIFTS = 4, SEEDS = 12, SMALL = 1024 };

/* A card of a ring, each of which waits in each round for the one before it. */
struct runner {
    uint64_t random;
    bool packed;  /* references are handed over many at once */
    unsigned own; /* of so many references one is to a shared line */
    struct pc_packed many[PACKED];
    unsigned count, taken, round, step;
    uint64_t log;
};

static uint64_t flag_of(unsigned card)
{
    return FLAGS + card % CARDS * LINE;
}

/* Private lines and shared ones; some references are followed by work, some by a lot of it. */
static void draw_many(struct runner *r, unsigned card)
{
    static const uint32_t works[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 7, 40, 300};
    r->count = (unsigned)actors_draw(&r->random, PACKED + 1);
    r->taken = 0;
    for (unsigned i = 0; i < r->count; i++) {
        const unsigned shift = (unsigned)actors_draw(&r->random, SHIFTS);
        const uint64_t line = actors_draw(&r->random, r->own)
                                  ? LINES + card * 4 + actors_draw(&r->random, 4)
                                  : actors_draw(&r->random, LINES);
        const enum pc_reference_kind kind =
            (enum pc_reference_kind)(PC_REFERENCE_COMPUTE + actors_draw(&r->random, 3));
        r->many[i] = (struct pc_packed){
            .what = pc_pack(kind, shift,
                            line * LINE + (actors_draw(&r->random, LINE) >> shift << shift)),
            .ticks = works[actors_draw(&r->random, sizeof works / sizeof *works)],
            .value = (uint32_t)r->random};
    }
}

static size_t many(void *self, unsigned card, sim_tick now, const struct pc_packed **first)
{
    struct runner *r = self;
    (void)card, (void)now;
    const unsigned count = r->packed ? r->count - r->taken : 0;
    *first = r->many + r->taken;
    r->taken += count;
    return count;
}

static void after(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct runner *r = self;
    (void)now;
    if (r->taken < r->count) {
        const struct pc_packed *p = &r->many[r->taken++];
        *out =
            (struct pc_reference){.kind = (enum pc_reference_kind)(p->what >> (PC_PACKED_BITS + 8)),
                                  .size = 1u << (p->what >> PC_PACKED_BITS & 3),
                                  .address = p->what & 0xffffffff,
                                  .value = p->value,
                                  .ticks = p->ticks,
                                  .state = PC_ST_INT};
        return;
    }
    if (r->round == ROUNDS)
        return;
    const bool first = card == 0;
    if (r->step++ == first) /* card 0 calls, and waits; the others wait, and call */
        *out = (struct pc_reference){.kind = PC_REFERENCE_WAIT,
                                     .size = r->round & 1 ? 4 : 8,
                                     .relation = r->round & 2 ? PC_AT_LEAST : PC_IS_NOT,
                                     .address = flag_of(card) + (r->round & 1 ? 4 : 0),
                                     .value = r->round & 2 ? r->round + 1 : r->round,
                                     .ticks = 1 + r->round % 5};
    else
        *out = (struct pc_reference){.kind = PC_REFERENCE_STORE,
                                     .size = 8,
                                     .address = flag_of(card + 1),
                                     .value = r->round + 1};
}

static void noted(void *self, unsigned card, const struct pc_reference *reference,
                  const struct pc_result *result)
{
    struct runner *r = self;
    if (reference->address < FLAGS)
        return;
    r->log = (r->log ^ result->began ^ result->done << 20 ^ result->value) *
             UINT64_C(0x9e3779b97f4a7c15);
    if (r->step < 2)
        return;
    r->step = 0;
    r->round++;
    draw_many(r, card);
}

/* The second is near, and has no PC_REFERENCE_END behind what it hands over. */
static const struct pc_driver_source runners[] = {
    {.next = after, .done = noted, .more = many},
    {.next = after, .done = noted, .more = many, .near = true}};

/* @param check  no line is shown to a core: it has no short way, and foresees nothing */
static uint64_t run_ring(uint64_t seed, bool packed, bool check, bool near, sim_tick step)
{
    struct nm_params p;
    struct runner runner[CARDS];
    uint64_t log = 0;
    actors_plain_params(&p);
    p.processors = 2;
    p.ring_stations = 2;
    p.ring_locals = p.ring_groups = 1;
    p.memory_size = 1 << 20;
    p.check = check;
    if (seed & 1)
        p.l1d_size = SMALL / 2, p.l2_size = SMALL;
    struct nm_machine *m = actors_machine(&p);
    for (unsigned i = 0; i < CARDS; i++) {
        runner[i] =
            (struct runner){.random = seed << 8 | i, .packed = packed, .own = seed & 2 ? 2 : 8};
        pc_drive(m, i, &runners[near], &runner[i], 1 + i);
    }
    for (unsigned left = CARDS; left;) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, nm_machine_now(m) + step, &trap);
        cr_assert(why == NM_RUN_UNTIL || why == NM_RUN_TRAP, "%s", nm_machine_error(m));
        left -= why == NM_RUN_TRAP;
        if (why == NM_RUN_TRAP)
            nm_card_take(m, trap.card);
    }
    for (unsigned i = 0; i < CARDS; i++) {
        const struct pc_cpu *cpu = pc_cpu_at(m, i);
        cr_assert_eq(runner[i].round, ROUNDS);
        log = (log ^ runner[i].log ^ cpu->now ^ cpu->instructions << 20) *
              UINT64_C(0x9e3779b97f4a7c15);
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            log = (log ^ cpu->states[s]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    nm_machine_free(m);
    return log;
}

Test(driver, short_ways_give_what_the_plain_one_does)
{
    static const sim_tick steps[] = {1 << 20, 997};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const uint64_t plain = run_ring(seed, false, true, false, steps[0]);
        for (unsigned i = 0; i < 16; i++)
            cr_expect_eq(run_ring(seed, i & 1, i & 2, i & 4, steps[i >> 3]), plain,
                         "seed %lu, packed %u, checked %u, near %u, steps of %lu",
                         (unsigned long)seed, i & 1, i >> 1 & 1, i >> 2 & 1,
                         (unsigned long)steps[i >> 3]);
    }
}

/* ---- what it foresees ------------------------------------------------------------------------ */

enum { LOADS = 20, WORK = 50 };

static size_t loads(void *self, unsigned card, sim_tick now, const struct pc_packed **first)
{
    struct runner *r = self;
    (void)card, (void)now;
    const unsigned count = r->count;
    *first = r->many;
    r->count = 0;
    return count;
}

static void nothing(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    (void)self, (void)card, (void)now, (void)out;
}

/* Loads that hit are foreseen, up to the one that misses; until the line is taken away. */
Test(driver, what_it_foresees_ends_where_a_line_is_missing_or_lost)
{
    static const struct pc_driver_source only_loads = {.next = nothing, .more = loads};
    static const struct pc_reference store = {.kind = PC_REFERENCE_STORE, .size = 8};
    struct runner r = {.count = LOADS};
    struct list l = {&store, 1, 0};
    struct nm_params p;
    struct nm_trap trap;
    actors_plain_params(&p);
    for (unsigned i = 0; i < LOADS; i++)
        r.many[i] = (struct pc_packed){
            .what = pc_pack(PC_REFERENCE_LOAD, 3, i + 1 < LOADS ? 0 : p.l2_line), .ticks = WORK};
    struct nm_machine *m = actors_machine(&p);
    pc_drive(m, 0, &only_loads, &r, 0);
    struct pc_cpu *cpu = pc_cpu_at(m, 0);
    cr_assert_eq(nm_machine_run(m, 300, &trap), NM_RUN_UNTIL);
    const uint64_t left = LOADS - 1 - cpu->states[PC_ST_LOAD];
    cr_expect_eq(cpu->states[PC_ST_INT], cpu->instructions - cpu->states[PC_ST_LOAD]);
    cr_assert(left >= LOADS / 2 && left < LOADS, "there is something to foresee");
    cr_expect_geq(pc_foreseen(cpu), cpu->now + (left - 1) * WORK);
    cr_expect_lt(pc_foreseen(cpu), cpu->now + (left + 1) * WORK, "the last one misses");
    pc_drive(m, 1, &lists, &l, nm_machine_now(m));
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP);
    cr_expect_eq(trap.card, 1, "its store is done");
    cr_expect_leq(pc_foreseen(cpu), cpu->now, "it has the line no more");
    nm_machine_free(m);
}

/*
 * Contention-free latencies of whole accesses, to the tick, against the hand counts of
 * docs/latency.md.
 *
 * That document writes an access as a list of steps ("miss cmd mem+ line agent fill") and gives
 * each step's time as a formula of the parameters. Here the lists are read from the document, the
 * formulas are written down a second time (latency_count.c), and the sum is compared with the real
 * machine: one access at a time, everything else idle.
 */
#include "actors.h"
#include "latency_count.h"
#include "machine/looking.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { QUIET = 20000 };  /* [ticks] after which nothing is under way any more */
enum { SRAM = 0x40000 }; /* where in a register space a word can be read and written */

#define LD(role, card, line)                 \
    {                                        \
        role, card, false, line, true, false \
    }
#define ST(role, card, line)                \
    {                                       \
        role, card, true, line, true, false \
    }
#define ST2(role, card, line)              \
    {                                      \
        role, card, true, line, true, true \
    }

static const struct scenario scenarios[] = {
    {"read in the secondary cache", R, LD(R, 0, A), {LD(R, 0, A), LD(R, 0, P)}, false},
    {"read, home here", R, LD(R, 0, A), {{0}}, false},
    {"write, home here", R, ST(R, 0, A), {{0}}, false},
    {"write, home here, copy in another card", R, ST(R, 0, A), {LD(R, 1, A)}, false},
    {"upgrade, home here", R, ST(R, 0, A), {LD(R, 0, A)}, false},
    {"upgrade, home here, copy in another card", R, ST(R, 0, A), {LD(R, 1, A), LD(R, 0, A)}, false},
    {"read, home here, dirty in another card", R, LD(R, 0, A), {ST(R, 1, A)}, false},
    {"write, home here, dirty in another card", R, ST(R, 0, A), {ST(R, 1, A)}, false},
    {"read, home here, putting out a dirty line of here", R, LD(R, 0, B), {ST(R, 0, A)}, false},
    {"read again what was put out, home here", R, LD(R, 0, A), {ST(R, 0, A), LD(R, 0, B)}, false},

    {"read in the network cache", H, LD(R, 0, A), {LD(R, 1, A)}, false},
    {"read, dirty in another card here, home away", H, LD(R, 0, A), {ST(R, 1, A)}, false},
    {"write, dirty in another card here, home away", H, ST(R, 0, A), {ST(R, 1, A)}, false},
    {"upgrade on the owner station, home away", H, ST(R, 0, A), {ST(R, 1, A), LD(R, 0, A)}, false},
    {"read, home here, putting out a dirty line of away", H, LD(R, 0, L), {ST(R, 0, A)}, false},
    {"read again what was put out, home away", H, LD(R, 0, A), {ST(R, 0, A), LD(R, 0, L)}, false},

    {"uncached read, home here", R, LD(R, 0, U), {{0}}, false},
    {"uncached write, acknowledged, home here", R, ST2(R, 0, U), {{0}}, false},
    {"own register", R, LD(R, 1, G), {{0}}, false},
    {"register of another card here", R, LD(R, 0, G), {{0}}, false},
    {"register of a card here, through a window", R, ST(R, 0, W), {{0}}, false},
    {"non-coherent read, home here", R, LD(R, 0, N), {{0}}, false},
    {"non-coherent read, putting out a dirty line", R, LD(R, 0, N), {ST(R, 0, B)}, false},

    {"uncached read", H, LD(R, 0, U), {{0}}, false},
    {"uncached write, acknowledged", H, ST2(R, 0, U), {{0}}, false},
    {"register of a card away", H, LD(R, 0, G), {{0}}, false},
    {"register of a card away, written, acknowledged", H, ST2(R, 0, G), {{0}}, false},
    {"non-coherent read", H, LD(R, 0, N), {{0}}, false},
    {"register of a card away, through a window", H, ST(R, 0, W), {{0}}, false},
    {"own register, through a window that goes away too", H, ST(R, 0, V), {{0}}, false},

    {"read", H, LD(R, 0, A), {{0}}, false},
    {"write", H, ST(R, 0, A), {{0}}, false},
    {"read, putting a line of the station out of the network cache",
     H,
     LD(R, 2, C),
     {ST(R, 1, A), LD(R, 0, A)},
     false},
    {"write, copy in a card of the home", H, ST(R, 0, A), {LD(H, 0, A)}, false},
    {"upgrade", H, ST(R, 0, A), {LD(R, 0, A)}, false},
    {"upgrade, home here, shared away", R, ST(R, 0, A), {LD(O, 0, A), LD(R, 0, A)}, false},
    {"write, home here, shared away", R, ST(R, 0, A), {LD(O, 0, A)}, false},
    {"write, shared by a third station", H, ST(R, 0, A), {LD(O, 0, A)}, false},
    {"read, dirty in a card of the home", H, LD(R, 0, A), {ST(H, 0, A)}, false},
    {"write, dirty in a card of the home", H, ST(R, 0, A), {ST(H, 0, A)}, false},
    {"read, home here, dirty away", R, LD(R, 0, A), {ST(O, 0, A)}, false},
    {"write, home here, dirty away", R, ST(R, 0, A), {ST(O, 0, A)}, false},
    {"read, dirty at a third station", H, LD(R, 0, A), {ST(O, 0, A)}, false},
    {"write, dirty at a third station", H, ST(R, 0, A), {ST(O, 0, A)}, false},
    {"false remote read, owner asked first", H, LD(R, 1, A), {ST(R, 0, A), LD(R, 3, C)}, false},
    {"false remote read, owner asked third", H, LD(R, 0, A), {ST(R, 2, A), LD(R, 3, C)}, false},
    {"false remote write, owner asked first", H, ST(R, 1, A), {ST(R, 0, A), LD(R, 3, C)}, false},

    {"flat: read", H, LD(R, 0, A), {{0}}, true},
    {"flat: write", H, ST(R, 0, A), {{0}}, true},
    {"flat: read of what another card here has read", H, LD(R, 0, A), {LD(R, 1, A)}, true},
    {"flat: read again what was put out", H, LD(R, 0, A), {ST(R, 0, A), LD(R, 0, B)}, true},
    {"flat: upgrade", H, ST(R, 0, A), {LD(R, 0, A)}, true},
    {"flat: write, shared by a third station", H, ST(R, 0, A), {LD(O, 0, A)}, true},
    {"flat: read, dirty in a card of the home", H, LD(R, 0, A), {ST(H, 0, A)}, true},
    {"flat: write, dirty in a card of the home", H, ST(R, 0, A), {ST(H, 0, A)}, true},
    {"flat: read, home here, dirty away", R, LD(R, 0, A), {ST(O, 0, A)}, true},
    {"flat: write, home here, dirty away", R, ST(R, 0, A), {ST(O, 0, A)}, true},
    {"flat: read, dirty at a third station", H, LD(R, 0, A), {ST(O, 0, A)}, true},
    {"flat: write, dirty at a third station", H, ST(R, 0, A), {ST(O, 0, A)}, true},
    {"flat: read, dirty in another card here", H, LD(R, 1, A), {ST(R, 0, A)}, true},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* The columns of the document's second table: numachine-64 twice, numachine-1024. */
static const struct world documented[] = {
    {"same ring", {4, 4, 1}, {1, 2, 3}},
    {"other ring", {4, 4, 1}, {1, 6, 11}},
    {"three levels", {4, 8, 8}, {1, 42, 79}},
};

static const struct world elsewhere[] = {
    {"one ring", {4, 1, 1}, {3, 0, 2}},
    {"one ring, home at node 3", {4, 1, 1}, {0, 3, 1}},
    {"two stations and one to spare", {3, 1, 1}, {2, 1, 0}},
    {"a ring of two levels, backwards", {4, 4, 1}, {11, 9, 8}},
    {"other ring, backwards", {4, 4, 1}, {14, 1, 7}},
    {"other ring, home on ring 0", {4, 3, 1}, {4, 3, 8}},
    {"owner far, home near", {4, 4, 1}, {1, 2, 9}},
    {"home far, owner near", {4, 4, 1}, {1, 14, 2}},
    {"three levels, backwards", {2, 2, 3}, {11, 0, 5}},
    {"three levels, within a group", {2, 3, 2}, {6, 11, 8}},
};

/* ---- the machine ---- */

/* What a processor is to do, and when it had done it. */
struct order {
    uint64_t address;
    unsigned size, times;
    bool store;
    bool lingers; /* not back: the processor goes on without accesses until this is taken back */
    nm_tick over;
};

/* One access or the same twice, then back to the operating system. */
static void next(void *self, unsigned card, nm_tick now, struct pc_reference *out)
{
    struct order *o = self;
    (void)card, (void)now;
    if (o->times)
        *out = (struct pc_reference){.kind = o->store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD,
                                     .address = o->address,
                                     .size = o->size,
                                     .value = 1};
    else if (o->lingers)
        *out = actors_pause(1);
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct order *o = self;
    (void)card, (void)reference;
    o->times--;
    o->over = result->done;
}

static const struct pc_driver_source source = {next, done};

static uint64_t address_of(const struct world *w, const struct scenario *s,
                           const struct nm_params *p, enum line line)
{
    const uint64_t away[G] = {
        [B] = p->l2_size / 2, /* it is split */
        [C] = p->netcache_size, [P] = p->l1d_size, [U] = UNCACHED, [N] = NONCOHERENT,
    };
    unsigned home = line == L ? w->station[R] : w->station[s->home];
    if (line >= W)
        return UNCACHED + NM_REGISTERS + w->station[R] * p->processors * NM_REGISTER_SPACE +
               PC_WINDOW + PC_SYNC_ARRIVE0;
    if (line == G)
        return UNCACHED + NM_REGISTERS + (home * p->processors + 1) * NM_REGISTER_SPACE + SRAM;
    return home * p->memory_size + 5 * p->l2_line + away[line];
}

static void run_quiet(struct nm_machine *m)
{
    struct nm_trap trap;
    enum nm_run why = nm_machine_run(m, nm_machine_now(m) + QUIET, &trap);
    cr_assert_eq(why, NM_RUN_UNTIL, "%s", nm_machine_error(m));
}

static uint32_t field_of(const struct nm_machine *m, unsigned a, unsigned b, unsigned level)
{
    const struct ring_shape shape = nm_ring_shape(nm_machine_params(m));
    return ring_mask_field(ring_mask_or(ring_mask_station(&shape, a), ring_mask_station(&shape, b)),
                           level);
}

/* Until a store through a window has changed the register it is for; returns when. */
static nm_tick watch(struct nm_machine *m, const struct world *w, const struct scenario *s,
                     unsigned card)
{
    const unsigned processors = (unsigned)nm_machine_params(m)->processors;
    const bool home = s->measured.line == W;
    const unsigned target = home ? w->station[s->home] * processors + 1 : card;
    struct nm_trap trap;
    nm_card_register_write(m, card, PC_SYNC_TO_CARDS0, home ? 2 : 1);
    for (unsigned level = 0; level < RING_LEVELS; level++)
        nm_card_register_write(m, card, PC_SYNC_TO_STATIONS0 + 4 * level,
                               field_of(m, w->station[R], w->station[s->home], level));
    while (!nm_card_register_read(m, target, PC_SYNC_ARRIVED0))
        cr_assert_eq(nm_machine_run(m, nm_machine_now(m) + 1, &trap), NM_RUN_UNTIL, "%s",
                     nm_machine_error(m));
    return nm_machine_now(m) - 1;
}

/* Has a card make one access that starts at `at`; returns when it was over. */
static nm_tick perform(struct nm_machine *m, const struct world *w, const struct scenario *s,
                       const struct access *a, nm_tick at)
{
    const struct nm_params *p = nm_machine_params(m);
    struct order order = {.address = address_of(w, s, p, a->line),
                          .store = a->store,
                          .size = a->line >= G ? 4 : 8,
                          .lingers = a->line >= W,
                          .times = 1 + a->twice};
    unsigned card = w->station[a->role] * (unsigned)p->processors + a->card;
    struct nm_trap trap;
    pc_drive(m, card, &source, &order, at);
    const nm_tick seen = order.lingers ? watch(m, w, s, card) : 0;
    const bool lingered = order.lingers;
    order.lingers = false;
    enum nm_run why = nm_machine_run(m, NM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_TRAP, "%s, %s: stopped with %d: %s", w->name, s->name, (int)why,
                 nm_machine_error(m));
    nm_card_take(m, card);
    run_quiet(m);
    return lingered ? seen : order.over;
}

static nm_tick quiet_tick(const struct nm_machine *m, unsigned phase)
{
    const struct nm_params *p = nm_machine_params(m);
    nm_tick both = p->cpu_clock / p->bus_clock * (p->cpu_clock / p->ring_clock);
    return up_to(nm_machine_now(m) + 1, both) + phase;
}

/* Simulates the scenario on a new machine; its measured access starts `phase` ticks after an edge
 * of both clocks. */
static nm_tick measure(const struct world *w, const struct scenario *s, const struct nm_params *p,
                       unsigned phase, nm_tick *start)
{
    struct nm_params chosen = *p;
    if (s->flat)
        chosen.protocol = NM_PROTOCOL_flat;
    struct nm_machine *m = actors_machine(&chosen);
    for (unsigned i = 0; i < PREPARATIONS && s->before[i].given; i++)
        perform(m, w, s, &s->before[i], quiet_tick(m, 0));
    *start = quiet_tick(m, phase);
    nm_tick over = perform(m, w, s, &s->measured, *start);
    nm_machine_free(m);
    return over;
}

/* ---- comparing ---- */

/* Defaults of the parameter table (in the hostile build too) but for sizes, so that machines are
 * quickly made. */
static void set_up(const struct world *w, struct nm_params *p)
{
    actors_plain_params(p);
    p->ring_stations = w->fan[0];
    p->ring_locals = w->fan[1];
    p->ring_groups = w->fan[2];
    p->memory_size = 1 << 20;
    p->netcache_size = 1 << 16;
    p->l2_size = 1 << 13;
    p->l1d_size = p->l1i_size = 1 << 10;
}

static void compare(const struct world *w, const struct scenario *s, const struct nm_params *p,
                    const struct recipe *r, unsigned phase)
{
    nm_tick start, over = measure(w, s, p, phase, &start);
    nm_tick hand = count_by_hand(w, s, p, r, start);
    cr_expect_eq(over, hand, "%s, '%s', begun %u ticks after an edge%s: %lu ticks, by hand %lu",
                 w->name, s->name, phase, p->check ? ", checked" : "",
                 (unsigned long)(over - start), (unsigned long)(hand - start));
}

/* Every number in the document, from its steps and from the machine. */
Test(latency, documented_numbers)
{
    struct document d;
    read_document(&d);
    cr_assert_eq(d.count, SCENARIOS, "docs/latency.md has %u rows, %d are tested", d.count,
                 SCENARIOS);
    for (unsigned i = 0; i < SCENARIOS; i++)
        for (unsigned level = 0; level < LEVELS; level++) {
            const struct world *w = &documented[level];
            const struct recipe *r = recipe_of(&d, scenarios[i].name);
            struct nm_params p;
            set_up(w, &p);
            cr_expect_eq(count_by_hand(w, &scenarios[i], &p, r, 0),
                         r->ticks[r->columns == 1 ? 0 : level], "%s, '%s': its steps make %lu",
                         w->name, r->name,
                         (unsigned long)count_by_hand(w, &scenarios[i], &p, r, 0));
            compare(w, &scenarios[i], &p, r, 0);
        }
}

/* A row "| from | component | what | cycles | `step` | until |" of a worked example. */
struct moment {
    unsigned from, until;
    char step[16];
};

static bool read_moment(const char *text, struct moment *m)
{
    const char *step = NULL;
    for (const char *at = text; (at = strstr(at, "| `")); at++)
        step = at;
    return sscanf(text, "| %u |", &m->from) == 1 && step &&
           sscanf(step, "| `%15[^`]` | %u |", m->step, &m->until) == 2;
}

/* A worked example as far as it has been read: the steps so far, and where the last one ends. */
struct example {
    struct count c;
    char steps[160], last[16];
    unsigned until;
};

/* The step read last is complete. */
static void close_step(struct example *e)
{
    if (!*e->last)
        return;
    cr_assert(count_step(&e->c, e->last), "no step '%s'", e->last);
    cr_expect_eq(e->c.t, e->until, "'%s' %s ends at %lu, not at %u", e->steps, e->last,
                 (unsigned long)e->c.t, e->until);
    size_t length = strlen(e->steps);
    snprintf(e->steps + length, sizeof e->steps - length, "%s%s", length ? " " : "", e->last);
}

static void add_moment(struct example *e, const struct moment *m)
{
    cr_expect_eq(m->from, e->until, "a step begins at %u, the one before ends at %u", m->from,
                 e->until);
    if (strcmp(m->step, e->last))
        close_step(e);
    strcpy(e->last, m->step);
    e->until = m->until;
}

static struct example example_of(const struct scenario *s)
{
    struct nm_params p;
    struct example e = {.until = 0};
    set_up(&documented[0], &p);
    e.c = count_begin(&documented[0], s, &p, 0);
    return e;
}

static const struct scenario *scenario_of(const char *name)
{
    for (unsigned i = 0; i < SCENARIOS; i++)
        if (!strcmp(scenarios[i].name, name))
            return &scenarios[i];
    return NULL;
}

/* Ends an example: its steps must be those of its row. */
static void close_example(const struct document *d, struct example *e)
{
    close_step(e);
    cr_expect_str_eq(e->steps, recipe_of(d, e->c.s->name)->steps);
}

/* The worked examples, moment by moment. */
Test(latency, worked_examples)
{
    static const char *const names[] = {"read", "upgrade", "read, dirty at a third station"};
    enum { EXAMPLES = sizeof names / sizeof *names };
    char text[512];
    struct document d;
    struct moment m;
    struct example e;
    unsigned begun = 0;
    read_document(&d);
    FILE *file = fopen(LATENCY_DOCUMENT, "r");
    while (fgets(text, sizeof text, file)) {
        if (!read_moment(text, &m))
            continue;
        if (m.from == 0) {
            if (begun)
                close_example(&d, &e);
            cr_assert_lt(begun, (unsigned)EXAMPLES);
            e = example_of(scenario_of(names[begun++]));
        }
        add_moment(&e, &m);
    }
    fclose(file);
    cr_assert_eq(begun, (unsigned)EXAMPLES);
    close_example(&d, &e);
}

static void compare_all(const struct document *d, const struct world *w, const struct nm_params *p,
                        unsigned phase)
{
    const char *key;
    char why[200];
    cr_assert(nm_params_check(p, &key, why, sizeof why), "%s", why);
    for (unsigned i = 0; i < SCENARIOS; i++)
        compare(w, &scenarios[i], p, recipe_of(d, scenarios[i].name), phase);
}

Test(latency, anywhere_on_the_rings)
{
    struct document d;
    read_document(&d);
    for (unsigned i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        struct nm_params p;
        set_up(&elsewhere[i], &p);
        compare_all(&d, &elsewhere[i], &p, i % 3);
    }
}

/* The formulas, not one number: each row changes some parameters. */
static const struct {
    struct {
        size_t field;
        uint64_t value;
    } change[4];
} variations[] = {
#define SET(field, value)                        \
    {                                            \
        offsetof(struct nm_params, field), value \
    }
    {{SET(bus_clock, 75000000)}},
    {{SET(ring_clock, 75000000)}},
    {{SET(ring_clock, 30000000), SET(bus_clock, 75000000)}},
    {{SET(bus_clock, 150000000), SET(ring_clock, 50000000)}},
    {{SET(l2_line, 128)}},
    {{SET(l2_line, 32), SET(l1d_line, 16)}},
    {{SET(bus_width, 16), SET(ring_width, 4)}},
    {{SET(bus_arbitration, 3)}},
    {{SET(bus_arbitration, 11)}},
    {{SET(memory_dram, 11), SET(netcache_dram, 9)}},
    {{SET(memory_directory, 9), SET(netcache_directory, 7)}},
    {{SET(memory_recovery, 0), SET(memory_dram, 1)}},
    {{SET(agent_request, 5), SET(agent_response, 3), SET(agent_external, 26)}},
    {{SET(agent_register, 1), SET(agent_request, 1), SET(bus_width, 4), SET(ring_width, 4)}},
    {{SET(l2_lookup, 11), SET(l2_refill, 7), SET(agent_external, 7)}},
    {{SET(ring_generator, 5), SET(ring_handler, 7), SET(ring_up, 3), SET(ring_down, 1)}},
#undef SET
};

Test(latency, formulas)
{
    struct document d;
    read_document(&d);
    for (unsigned i = 0; i < sizeof variations / sizeof *variations; i++) {
        const struct world *w = &documented[i % 2];
        struct nm_params p;
        set_up(w, &p);
        for (unsigned c = 0; c < 4 && variations[i].change[c].field; c++)
            memcpy((char *)&p + variations[i].change[c].field, &variations[i].change[c].value,
                   sizeof variations[i].change[c].value);
        compare_all(&d, w, &p, i % 5);
    }
}

/* The same with all timing drawn at random. */
static const struct {
    size_t field;
    uint64_t most; /* drawn from 1 to this */
} drawn[] = {
#define DRAW(field, most)                       \
    {                                           \
        offsetof(struct nm_params, field), most \
    }
    DRAW(ring_generator, 9),    DRAW(ring_handler, 12),    DRAW(ring_up, 9),
    DRAW(ring_down, 9),         DRAW(netcache_dram, 20),   DRAW(netcache_directory, 12),
    DRAW(netcache_recovery, 9), DRAW(bus_arbitration, 12), DRAW(memory_dram, 20),
    DRAW(memory_directory, 12), DRAW(memory_recovery, 9),  DRAW(l2_lookup, 20),
    DRAW(l2_refill, 12),        DRAW(agent_request, 9),    DRAW(agent_response, 9),
    DRAW(agent_external, 30),   DRAW(agent_register, 12),
#undef DRAW
};

static uint64_t draw(uint64_t *random, uint64_t most)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return (*random >> 33) % most + 1;
}

static void draw_all(struct nm_params *p, uint64_t *random)
{
    for (unsigned i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        uint64_t value = draw(random, drawn[i].most);
        memcpy((char *)p + drawn[i].field, &value, sizeof value);
    }
    p->ring_handler += p->ring_handler == 1;
    p->bus_clock = p->cpu_clock / draw(random, 6);
    p->ring_clock = p->cpu_clock / draw(random, 6);
    p->l2_line = 16ull << draw(random, 3);
    p->l1d_line = 8ull << draw(random, 2);
    p->bus_width = 2ull << draw(random, 3);
    p->ring_width = 2ull << draw(random, 3);
}

Test(latency, any_timing)
{
    enum { DRAWS = 40 };
    struct document d;
    uint64_t random = 1;
    read_document(&d);
    for (unsigned i = 0; i < DRAWS; i++) {
        const struct world *w = &elsewhere[i % (sizeof elsewhere / sizeof *elsewhere)];
        struct nm_params p;
        set_up(w, &p);
        draw_all(&p, &random);
        compare_all(&d, w, &p, i % 7);
    }
}

/* Checking mode looks and does not touch. */
Test(latency, unchanged_by_checking)
{
    struct document d;
    read_document(&d);
    for (unsigned level = 0; level < 2; level++) {
        struct nm_params p;
        set_up(&documented[level], &p);
        p.check = true;
        compare_all(&d, &documented[level], &p, level);
    }
}

/* With clean exclusive grants a line that was only read is taken from its reader as a dirty one is
 * from its writer, and the reader's store asks nobody. */
Test(latency, clean_exclusive)
{
    struct document d;
    unsigned taken = 0, upgrades = 0;
    read_document(&d);
    for (unsigned i = 0; i < SCENARIOS; i++)
        for (unsigned level = 0; level < LEVELS && !scenarios[i].flat; level++) {
            const struct world *w = &documented[level];
            struct scenario s = scenarios[i];
            struct nm_params p;
            set_up(w, &p);
            p.protocol = NM_PROTOCOL_numachine_ce;
            if (strstr(s.name, ", dirty ") && !s.before[1].given) {
                s.before[0].store = false;
                compare(w, &s, &p, recipe_of(&d, s.name), 0);
                taken++;
            } else if (!strncmp(s.name, "upgrade", 7) && !s.before[1].given) {
                nm_tick start, over = measure(w, &s, &p, 0, &start);
                cr_expect_eq(over, start, "%s, '%s': %lu", w->name, s.name,
                             (unsigned long)(over - start));
                upgrades++;
            }
        }
    cr_expect_eq(taken, 10u * LEVELS, "%u", taken);
    cr_expect_eq(upgrades, 2u * LEVELS, "%u", upgrades);
}

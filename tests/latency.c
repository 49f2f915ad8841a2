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
#include "machine/protocol.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The columns of the document's second table: numachine-64 twice, numachine-1024. */
static const struct world documented[] = {
    {"same ring", {4, 4, 1}, {1, 2, 3}},
    {"other ring", {4, 4, 1}, {1, 6, 11}},
    {"three levels", {4, 8, 8}, {1, 38, 75}},
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

/* ---- comparing ---- */

/* Defaults of the parameter table but for sizes, so that machines are
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

static struct driven_latency measure(const struct world *w, const struct driven_scenario *s,
                                     const struct nm_params *p, unsigned phase)
{
    const struct driven_latency l = driven_measure(p, s, w->station, phase);
    cr_assert_str_empty(l.error, "%s, %s: %s", w->name, s->name, l.error);
    return l;
}

static void compare(const struct world *w, const struct driven_scenario *s,
                    const struct nm_params *p, const struct recipe *r, unsigned phase)
{
    const struct driven_latency l = measure(w, s, p, phase);
    const sim_tick hand = count_by_hand(w, s, p, r, l.start);
    cr_expect_eq(l.over, hand,
                 "%s, '%s' in %s, begun %u ticks after an edge%s: %lu ticks, by hand %lu", w->name,
                 s->name, nm_protocols[p->protocol].name, phase, p->check ? ", checked" : "",
                 (unsigned long)(l.over - l.start), (unsigned long)(hand - l.start));
}

/* In the protocols that it is about. */
static void compare_in_all(const struct world *w, const struct driven_scenario *s,
                           const struct nm_params *p, const struct recipe *r, unsigned phase)
{
    const unsigned protocols[] = {NM_PROTOCOL_numachine, NM_PROTOCOL_flat};
    struct nm_params chosen = *p;
    for (unsigned i = 0; i < 2; i++) {
        chosen.protocol = protocols[i];
        if (driven_applies(s, protocols[i]))
            compare(w, s, &chosen, r, phase);
    }
}

/* Every number in the document, from its steps and from the machine. */
Test(latency, documented_numbers)
{
    struct document d;
    read_document(&d);
    cr_assert_null(driven_scenario(d.count), "docs/latency.md has only %u rows", d.count);
    cr_assert(driven_scenario(d.count - 1), "docs/latency.md has %u rows", d.count);
    for (unsigned i = 0; driven_scenario(i); i++)
        for (unsigned level = 0; level < LEVELS; level++) {
            const struct world *w = &documented[level];
            const struct recipe *r = recipe_of(&d, driven_scenario(i)->name);
            struct nm_params p;
            set_up(w, &p);
            cr_expect_eq(count_by_hand(w, driven_scenario(i), &p, r, 0),
                         r->ticks[r->columns == 1 ? 0 : level], "%s, '%s': its steps make %lu",
                         w->name, r->name,
                         (unsigned long)count_by_hand(w, driven_scenario(i), &p, r, 0));
            compare_in_all(w, driven_scenario(i), &p, r, 0);
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

static struct example example_of(const struct driven_scenario *s)
{
    struct nm_params p;
    struct example e = {.until = 0};
    set_up(&documented[0], &p);
    e.c = count_begin(&documented[0], s, &p, 0);
    return e;
}

static const struct driven_scenario *scenario_of(const char *name)
{
    const struct driven_scenario *s;
    for (unsigned i = 0; (s = driven_scenario(i)) && strcmp(s->name, name);)
        i++;
    return s;
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
    for (unsigned i = 0; driven_scenario(i); i++)
        compare_in_all(w, driven_scenario(i), p, recipe_of(d, driven_scenario(i)->name), phase);
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
    for (unsigned i = 0; driven_scenario(i); i++)
        for (unsigned level = 0; level < LEVELS && driven_scenario(i)->kind != DRIVEN_FLAT;
             level++) {
            const struct world *w = &documented[level];
            struct driven_scenario s = *driven_scenario(i);
            struct nm_params p;
            set_up(w, &p);
            p.protocol = NM_PROTOCOL_numachine_ce;
            if (strstr(s.name, ", dirty ") && !s.before[1].given) {
                s.before[0].store = false;
                compare(w, &s, &p, recipe_of(&d, s.name), 0);
                taken++;
            } else if (!strncmp(s.name, "upgrade", 7) && !s.before[1].given) {
                const struct driven_latency l = measure(w, &s, &p, 0);
                cr_expect_eq(l.over, l.start, "%s, '%s': %lu", w->name, s.name,
                             (unsigned long)(l.over - l.start));
                upgrades++;
            }
        }
    cr_expect_eq(taken, 10u * LEVELS, "%u", taken);
    cr_expect_eq(upgrades, 2u * LEVELS, "%u", upgrades);
}

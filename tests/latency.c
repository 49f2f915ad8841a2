/*
 * Contention-free latencies of whole accesses, to the tick, against the hand counts of
 * docs/latency.md.
 *
 * That document writes an access as a list of steps ("miss cmd mem+ line agent fill") and gives
 * each step's time as a formula of the parameters. Here the lists are read from the document, the
 * formulas are written down a second time (`step_...` below), and the sum is compared with the real
 * machine: one access at a time, everything else idle. The card is the real one; only the
 * instruction interpreter is replaced (pc_run below).
 *
 * Nothing here looks at the machine's own idea of time, least of all at the rings' (paths are
 * counted from station numbers); so an agreement is one between two independent counts.
 */
#include "machine/machine.h"
#include "procard/card.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREPARATIONS = 4, LEVELS = 3, RECIPES_MAX = 64, QUIET = 20000 };

/* ---- who does what ------------------------------------------------------------------------------
 */

/* Three stations: R requests, H is the home, O is another. */
enum { R, H, O, ROLES };

/* Lines of one set of the secondary cache. A is the line measured; B has the same home and L2 place
 * as A; C the same home and network cache place; L the same L2 place and its home on station R. */
enum line { A, B, C, L };

struct access {
    unsigned role, card;
    bool store;
    enum line line;
    bool given;
};

#define LD(role, card, line)             \
    {                                    \
        role, card, false, line, true \
    }
#define ST(role, card, line)            \
    {                                   \
        role, card, true, line, true \
    }

struct scenario {
    const char *name;
    unsigned home;
    struct access measured, before[PREPARATIONS];
};

static const struct scenario scenarios[] = {
    {"read, home here", R, LD(R, 0, A), {{0}}},
    {"write, home here", R, ST(R, 0, A), {{0}}},
    {"write, home here, copy in another card", R, ST(R, 0, A), {LD(R, 1, A)}},
    {"upgrade, home here", R, ST(R, 0, A), {LD(R, 0, A)}},
    {"upgrade, home here, copy in another card", R, ST(R, 0, A), {LD(R, 1, A), LD(R, 0, A)}},
    {"read, home here, dirty in another card", R, LD(R, 0, A), {ST(R, 1, A)}},
    {"write, home here, dirty in another card", R, ST(R, 0, A), {ST(R, 1, A)}},
    {"read, home here, putting out a dirty line of here", R, LD(R, 0, B), {ST(R, 0, A)}},
    {"read again what was put out, home here", R, LD(R, 0, A), {ST(R, 0, A), LD(R, 0, B)}},

    {"read in the network cache", H, LD(R, 0, A), {LD(R, 1, A)}},
    {"read, dirty in another card here, home away", H, LD(R, 0, A), {ST(R, 1, A)}},
    {"write, dirty in another card here, home away", H, ST(R, 0, A), {ST(R, 1, A)}},
    {"upgrade on the owner station, home away", H, ST(R, 0, A), {ST(R, 1, A), LD(R, 0, A)}},
    {"read, home here, putting out a dirty line of away", H, LD(R, 0, L), {ST(R, 0, A)}},
    {"read again what was put out, home away", H, LD(R, 0, A), {ST(R, 0, A), LD(R, 0, L)}},

    {"read", H, LD(R, 0, A), {{0}}},
    {"write", H, ST(R, 0, A), {{0}}},
    {"write, copy in a card of the home", H, ST(R, 0, A), {LD(H, 0, A)}},
    {"upgrade", H, ST(R, 0, A), {LD(R, 0, A)}},
    {"upgrade, home here, shared away", R, ST(R, 0, A), {LD(O, 0, A), LD(R, 0, A)}},
    {"write, home here, shared away", R, ST(R, 0, A), {LD(O, 0, A)}},
    {"write, shared by a third station", H, ST(R, 0, A), {LD(O, 0, A)}},
    {"read, dirty in a card of the home", H, LD(R, 0, A), {ST(H, 0, A)}},
    {"write, dirty in a card of the home", H, ST(R, 0, A), {ST(H, 0, A)}},
    {"read, home here, dirty away", R, LD(R, 0, A), {ST(O, 0, A)}},
    {"write, home here, dirty away", R, ST(R, 0, A), {ST(O, 0, A)}},
    {"read, dirty at a third station", H, LD(R, 0, A), {ST(O, 0, A)}},
    {"write, dirty at a third station", H, ST(R, 0, A), {ST(O, 0, A)}},
    {"false remote read, owner asked first", H, LD(R, 1, A), {ST(R, 0, A), LD(R, 3, C)}},
    {"false remote read, owner asked third", H, LD(R, 0, A), {ST(R, 2, A), LD(R, 3, C)}},
    {"false remote write, owner asked first", H, ST(R, 1, A), {ST(R, 0, A), LD(R, 3, C)}},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* A machine and where in it the three stations are. */
struct world {
    const char *name;
    unsigned fan[LEVELS];
    unsigned station[ROLES];
};

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

/* ---- the hand count: one function per step of docs/latency.md -----------------------------------
 */

struct count {
    const struct world *w;
    const struct scenario *s;
    struct nm_params p;
    nm_tick bus, ring; /* [ticks] one cycle */
    nm_tick t;
    nm_tick put_out; /* a write-back was put into the FIFO at that tick */
};

static nm_tick up_to(nm_tick t, nm_tick cycle)
{
    return (t + cycle - 1) / cycle * cycle;
}

static nm_tick larger(nm_tick a, nm_tick b)
{
    return a > b ? a : b;
}

static nm_tick bus_data(const struct count *c)
{
    return (c->p.l2_line + c->p.bus_width - 1) / c->p.bus_width;
}

static void step_miss(struct count *c)
{
    c->t = up_to(c->t + c->p.l2_lookup, c->bus) + c->p.agent_request * c->bus;
}

static void step_cmd(struct count *c)
{
    c->t = up_to(c->t, c->bus) + (c->p.bus_arbitration + 1) * c->bus;
}

static void step_line(struct count *c)
{
    c->t = up_to(c->t, c->bus) + (c->p.bus_arbitration + 1 + bus_data(c)) * c->bus;
}

/* A command behind the same card's write-back: arbitration overlaps the write-back's tenure. */
static void step_wb_cmd(struct count *c)
{
    c->put_out = c->t;
    nm_tick tenure = larger(1 + bus_data(c), 1 + c->p.bus_arbitration);
    c->t += (c->p.bus_arbitration + tenure + 1) * c->bus;
}

static void step_mem(struct count *c)
{
    c->t += c->p.memory_directory * c->bus;
}

static void step_mem_dram(struct count *c)
{
    c->t += larger(c->p.memory_directory, c->p.memory_dram) * c->bus;
}

/* Behind the write-back of a line of the same bank: it has both directory and bank. */
static void step_mem_behind(struct count *c)
{
    nm_tick came = c->put_out + (c->p.bus_arbitration + 1 + bus_data(c)) * c->bus;
    nm_tick taken = larger(c->t, came + c->p.memory_directory * c->bus);
    nm_tick bank = larger(taken, came + (c->p.memory_dram + c->p.memory_recovery) * c->bus);
    c->t = larger(taken + c->p.memory_directory * c->bus, bank + c->p.memory_dram * c->bus);
}

static void step_nc(struct count *c)
{
    c->t += c->p.netcache_directory * c->bus;
}

static void step_nc_dram(struct count *c)
{
    c->t += larger(c->p.netcache_directory, c->p.netcache_dram) * c->bus;
}

static void step_agent(struct count *c)
{
    c->t += c->p.agent_response * c->bus;
}

static void step_caches(struct count *c)
{
    c->t = up_to(c->t + c->p.agent_external, c->bus);
}

static void step_fill(struct count *c)
{
    c->t += c->p.l2_refill * (c->p.l1d_line / 16);
}

static const struct {
    const char *name;
    void (*count)(struct count *c);
} steps[] = {
    {"miss", step_miss},     {"cmd", step_cmd},       {"line", step_line},
    {"wb-cmd", step_wb_cmd}, {"mem", step_mem},       {"mem+", step_mem_dram},
    {"wb-mem+", step_mem_behind}, {"nc", step_nc},    {"nc+", step_nc_dram},
    {"agent", step_agent},   {"caches", step_caches}, {"fill", step_fill},
};

/* Position of a station on the ring of that level that it is below. */
static unsigned position(const struct world *w, unsigned station, unsigned level)
{
    for (unsigned l = 0; l < level; l++)
        station /= w->fan[l];
    return station % w->fan[level];
}

static unsigned top(const struct world *w)
{
    return w->fan[2] > 1 ? 2 : w->fan[1] > 1 ? 1 : 0;
}

/* Level of the highest ring on the way. */
static unsigned highest(const struct world *w, unsigned from, unsigned to)
{
    unsigned level = 0;
    for (unsigned l = 1; l < LEVELS; l++)
        if (position(w, from, l) != position(w, to, l))
            level = l;
    return level;
}

static unsigned hops(const struct world *w, unsigned level, unsigned from, unsigned to)
{
    unsigned nodes = w->fan[level] + (level < top(w));
    return (to + nodes - from) % nodes;
}

/* Ring cycles from a station's ring interface to another's, over a ring of that level; a multicast
 * visits the sequencing point of that ring. */
static nm_tick path(const struct count *c, unsigned from, unsigned to, unsigned level,
                    bool multicast)
{
    const struct world *w = c->w;
    nm_tick cycles = level * (c->p.ring_up + c->p.ring_down);
    for (unsigned l = 0; l < level; l++)
        cycles += hops(w, l, position(w, from, l), w->fan[l]) +
                  hops(w, l, w->fan[l], position(w, to, l));
    unsigned a = position(w, from, level), b = position(w, to, level);
    unsigned point = level < top(w) ? w->fan[level] : 0;
    return cycles + (multicast ? hops(w, level, a, point) + hops(w, level, point, b)
                               : hops(w, level, a, b));
}

/* An invalidation goes to the home and to whoever had the line before. */
static unsigned multicast_level(const struct count *c, unsigned from)
{
    unsigned level = highest(c->w, from, c->w->station[c->s->home]);
    for (unsigned i = 0; i < PREPARATIONS && c->s->before[i].given; i++)
        level = (unsigned)larger(level, highest(c->w, from, c->w->station[c->s->before[i].role]));
    return level;
}

/* "R-H", "H=R", "O>=R", "H*R": a message over the rings. */
static bool step_ring(struct count *c, const char *word)
{
    static const char roles[] = "RHO";
    const char *a = strchr(roles, word[0]), *b = strchr(roles, word[strlen(word) - 1]);
    if (!a || !b || !strpbrk(word, "-=*"))
        return false;
    unsigned from = c->w->station[a - roles], to = c->w->station[b - roles];
    bool multicast = strchr(word, '*'), data = strchr(word, '='), behind = strchr(word, '>');
    unsigned level = multicast ? multicast_level(c, from) : highest(c->w, from, to);
    nm_tick slots = data ? (c->p.l2_line + c->p.ring_width - 1) / c->p.ring_width : 0;
    nm_tick cycles = c->p.ring_generator + behind + slots + path(c, from, to, level, multicast) +
                     c->p.ring_handler;
    c->t = up_to(c->t, c->ring) + cycles * c->ring;
    return true;
}

static bool step(struct count *c, const char *word)
{
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!strcmp(steps[i].name, word)) {
            steps[i].count(c);
            return true;
        }
    return step_ring(c, word);
}

/* ---- the document -------------------------------------------------------------------------------
 */

/* A row "| name | `steps` | ticks | ...". */
struct recipe {
    char name[64], steps[160];
    unsigned ticks[LEVELS], columns;
};

struct document {
    struct recipe recipe[RECIPES_MAX];
    unsigned count;
};

static bool read_row(char *text, struct recipe *r)
{
    if (sscanf(text, "| %63[^|`]| `%159[^`]` |", r->name, r->steps) != 2)
        return false;
    for (size_t n = strlen(r->name); n && isspace((unsigned char)r->name[n - 1]);)
        r->name[--n] = '\0';
    text = strstr(text, "` |");
    r->columns = 0;
    for (char *end; text && r->columns < LEVELS; text = end) {
        text += strcspn(text, "0123456789");
        unsigned long ticks = strtoul(text, &end, 10);
        if (end == text)
            break;
        r->ticks[r->columns++] = (unsigned)ticks;
    }
    return r->columns == 1 || r->columns == LEVELS;
}

static void read_document(struct document *d)
{
    char text[512];
    FILE *file = fopen(LATENCY_DOCUMENT, "r");
    cr_assert(file, "no %s", LATENCY_DOCUMENT);
    d->count = 0;
    while (fgets(text, sizeof text, file))
        if (d->count < RECIPES_MAX && read_row(text, &d->recipe[d->count]))
            d->count++;
    fclose(file);
}

static const struct recipe *recipe_of(const struct document *d, const char *name)
{
    for (unsigned i = 0; i < d->count; i++)
        if (!strcmp(d->recipe[i].name, name))
            return &d->recipe[i];
    cr_assert_fail("docs/latency.md has no row '%s'", name);
    return NULL;
}

/* The tick at which an access that begins at `start` is over, by the document. */
static nm_tick count_by_hand(const struct world *w, const struct scenario *s,
                             const struct nm_params *p, const struct recipe *r, nm_tick start)
{
    struct count c = {.w = w,
                      .s = s,
                      .p = *p,
                      .bus = p->cpu_clock / p->bus_clock,
                      .ring = p->cpu_clock / p->ring_clock,
                      .t = start};
    char text[sizeof r->steps], *rest = NULL;
    strcpy(text, r->steps);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        cr_assert(step(&c, word), "docs/latency.md, '%s': no step '%s'", r->name, word);
    return c.t;
}

/* ---- the machine --------------------------------------------------------------------------------
 */

/* What a processor is to do, and when it had done it. */
struct order {
    uint64_t address;
    bool store;
    nm_tick over;
};

/* Stands in for the interpreter: one access, then back to the operating system. */
enum pc_stop pc_run(struct pc_cpu *cpu, nm_tick horizon)
{
    struct order *o;
    enum pc_stop stop;
    memcpy(&o, &cpu->r.gpr[1], sizeof o);
    cpu->horizon = horizon;
    uint8_t *host = o->store ? pc_store(cpu, o->address, 8, cpu->now, &stop)
                             : pc_load(cpu, o->address, 8, cpu->now, &stop);
    if (!host)
        return stop;
    if (o->store)
        memset(host, 1, 8);
    o->over = cpu->now;
    cpu->exc = PC_EXC_SYS;
    return PC_STOP_TRAP;
}

static enum nm_xlate identity(void *ctx, unsigned card, uint64_t va, enum pc_access access,
                              uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va;
    return NM_XLATE_OK;
}

static uint64_t address_of(const struct world *w, const struct scenario *s,
                           const struct nm_params *p, enum line line)
{
    const uint64_t away[] = {
        [A] = 0, [B] = p->l2_size / 2, [C] = p->netcache_size, [L] = 0}; /* split secondary cache */
    unsigned home = line == L ? w->station[R] : w->station[s->home];
    return home * p->memory_size + 5 * p->l2_line + away[line];
}

static void run_quiet(struct nm_machine *m)
{
    struct nm_trap trap;
    enum nm_run why = nm_machine_run(m, nm_machine_now(m) + QUIET, &trap);
    cr_assert_eq(why, NM_RUN_UNTIL, "%s", nm_machine_error(m));
}

/* Has a card make one access that starts at `at`; returns when it was over. */
static nm_tick perform(struct nm_machine *m, const struct world *w, const struct scenario *s,
                       const struct access *a, nm_tick at)
{
    const struct nm_params *p = nm_machine_params(m);
    struct order order = {.address = address_of(w, s, p, a->line), .store = a->store}, *o = &order;
    unsigned card = w->station[a->role] * (unsigned)p->processors + a->card;
    struct pc_regs regs = {.pc = 0};
    struct nm_trap trap;
    memcpy(&regs.gpr[1], &o, sizeof o);
    nm_card_resume(m, card, &regs, at);
    enum nm_run why = nm_machine_run(m, NM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_TRAP, "%s, %s: stopped with %d: %s", w->name, s->name, (int)why,
                 nm_machine_error(m));
    nm_card_take(m, card, &regs);
    run_quiet(m);
    return order.over;
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
    struct nm_machine *m = nm_machine_new(p);
    struct nm_space space = {.translate = identity};
    nm_machine_set_space(m, &space);
    for (unsigned i = 0; i < PREPARATIONS && s->before[i].given; i++)
        perform(m, w, s, &s->before[i], quiet_tick(m, 0));
    *start = quiet_tick(m, phase);
    nm_tick over = perform(m, w, s, &s->measured, *start);
    nm_machine_free(m);
    return over;
}

/* ---- comparing ----------------------------------------------------------------------------------
 */

/* Defaults of the parameter table (in the hostile build too) but for sizes, so that machines are
 * quickly made. */
static void set_up(const struct world *w, struct nm_params *p)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    for (size_t i = 0; i < rows; i++)
        nm_param_set(p, &row[i], row[i].def);
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
#define SET(field, value)                         \
    {                                             \
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

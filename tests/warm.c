/*
 * Warming against a timed machine: processors make references one at a time, each when the one
 * before is over and nothing is under way any more. Then a timed machine has no choice but to do
 * what a warmed one does at once, and caches, network caches and directories must be the same after
 * each reference, line by line and bit by bit; and what has been loaded, of uncached data and of
 * lines that are not coherent, too. A machine that is warmed and timed in turn, as in samples, is
 * no other.
 */
#include "actors.h"

#include "machine/assembly.h"
#include "machine/values.h"

#include <criterion/criterion.h>

enum { LINE = 64, MEMORY = 1 << 16, REFERENCES = 400, PLENTY = 20000 /* [PCycles] */ };

/* Lines of each memory, by number: so many that are coherent, then some that are not, and one that
 * is in no cache. */
enum { COHERENT = 6, IN_CACHES = 9, LINES = IN_CACHES + 1 };

static uint64_t line_at(uint64_t home, uint64_t i)
{
    return home * MEMORY + i * LINE * (i & 1 ? 8 : 1);
}

/* One reference, and no more. */
struct once {
    struct pc_reference r;
    bool done;
    uint64_t got;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct once *o = self;
    (void)card, (void)now;
    if (!o->done)
        *out = o->r;
    o->done = true;
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct once *o = self;
    (void)card;
    if (reference->kind == PC_REFERENCE_LOAD)
        o->got = result->value;
}

static const struct pc_driver_source source = {.next = next, .done = done};

static struct nm_machine *machine(unsigned protocol, unsigned shape)
{
    static const struct {
        unsigned processors, stations, locals, groups;
    } shapes[] = {{4, 1, 1, 1}, {2, 4, 1, 1}, {3, 2, 3, 1}, {2, 2, 2, 2}};
    struct nm_params p;
    actors_plain_params(&p);
    p.processors = shapes[shape].processors;
    p.ring_stations = shapes[shape].stations;
    p.ring_locals = shapes[shape].locals;
    p.ring_groups = shapes[shape].groups;
    p.protocol = protocol;
    p.memory_size = MEMORY;
    p.page_size = 4096;
    p.l2_line = p.l1d_line = p.l1i_line = LINE;
    p.l1d_size = p.l1i_size = 4 * LINE;
    p.l2_size = 8 * LINE;
    p.netcache_size = 8 * LINE;
    p.agent_link_failures = 1;
    return actors_machine(&p);
}

/* The card does the reference, and the machine comes to rest. @return what was loaded */
static uint64_t play(struct nm_machine *m, unsigned card, const struct pc_reference *r)
{
    struct once once = {.r = *r};
    struct nm_trap trap;
    pc_drive(m, card, &source, &once, nm_machine_now(m) + nm_machine_ahead(m));
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP, "%s", nm_machine_error(m));
    nm_card_take(m, card);
    cr_assert_eq(nm_machine_run(m, nm_machine_now(m) + PLENTY, &trap), NM_RUN_UNTIL, "%s",
                 nm_machine_error(m));
    return once.got;
}

static bool same_entry(const struct nm_dir_line *a, const struct nm_dir_line *b, bool locked)
{
    return a->state == b->state && a->stations == b->stations && a->cards == b->cards &&
           a->loose == b->loose && !locked;
}

static void compare_directories(struct nm_machine *a, struct nm_machine *b, uint64_t line,
                                unsigned step)
{
    const unsigned home = (unsigned)(line / MEMORY);
    for (unsigned s = 0; s < a->stations; s++) {
        if (s != home && !nm_netcache_keeps(a->protocol))
            continue;
        const enum nm_agent agent = s == home ? NM_AGENT_HOME : NM_AGENT_NC;
        const struct nm_dir_line x = s == home ? nm_memory_line(a->station[s].memory, line)
                                               : nm_netcache_line(
                                                     nm_network_cache(a->station[s].network), line),
                                 y = s == home ? nm_memory_line(b->station[s].memory, line)
                                               : nm_netcache_line(
                                                     nm_network_cache(b->station[s].network), line);
        const struct nm_table *t = a->protocol->agent[agent];
        cr_assert(same_entry(&x, &y, nm_locked(t, y.state)),
                  "reference %u, line %#lx, station %u: timed %s, cards %#x, stations %#lx, loose "
                  "%u; warmed %s, %#x, %#lx, %u",
                  step, (unsigned long)line, s, nm_state_name(t, x.state), x.cards,
                  (unsigned long)x.stations, x.loose, nm_state_name(t, y.state), y.cards,
                  (unsigned long)y.stations, y.loose);
    }
}

static void compare(struct nm_machine *a, struct nm_machine *b, unsigned step)
{
    for (uint64_t home = 0; home < a->stations; home++)
        for (uint64_t i = 0; i < LINES; i++) {
            const uint64_t line = line_at(home, i);
            compare_directories(a, b, line, step);
            for (unsigned c = 0; c < a->cards; c++) {
                const uint8_t x = pc_line_state(pc_card_of(a->card[c]), line),
                              y = pc_line_state(pc_card_of(b->card[c]), line);
                cr_assert_eq(x, y, "reference %u, line %#lx, card %u: timed %u, warmed %u", step,
                             (unsigned long)line, c, x, y);
            }
        }
}

static struct pc_reference draw(uint64_t *random, unsigned stations, uint64_t value)
{
    static const enum pc_reference_kind kinds[] = {
        PC_REFERENCE_LOAD,  PC_REFERENCE_LOAD,        PC_REFERENCE_STORE,
        PC_REFERENCE_FETCH, PC_REFERENCE_LOAD_LINKED, PC_REFERENCE_STORE_CONDITIONAL};
    const uint64_t i = actors_draw(random, LINES), home = actors_draw(random, stations);
    /* Outside coherence there are neither LL and SC, nor, of what is in no cache, instructions. */
    const uint64_t some = i < COHERENT ? sizeof kinds / sizeof *kinds : i < IN_CACHES ? 4 : 3;
    struct pc_reference r = actors_reference(kinds[actors_draw(random, some)], line_at(home, i));
    r.address += 8 * actors_draw(random, 2);
    if (i >= COHERENT)
        r.address |= i < IN_CACHES ? NONCOHERENT : UNCACHED;
    r.value = value;
    if (r.kind == PC_REFERENCE_FETCH)
        r.size = 4;
    return r;
}

static void turn(struct nm_machine *m, bool timed)
{
    if (!timed)
        nm_machine_freeze(m);
    cr_assert(timed || nm_machine_rests(m));
    nm_machine_set_mode(m, timed ? NM_MODE_TIMED : NM_MODE_WARM);
}

/* @param turns  references from one change of the warmed machine's mode to the next; 0: none */
static void both(unsigned protocol, unsigned shape, uint64_t seed, unsigned turns)
{
    struct nm_machine *timed = machine(protocol, shape), *warmed = machine(protocol, shape);
    uint64_t random = seed;
    nm_machine_freeze(warmed);
    nm_machine_set_mode(warmed, NM_MODE_WARM);
    for (unsigned i = 0; i < REFERENCES; i++) {
        const struct pc_reference r = draw(&random, timed->stations, i);
        const unsigned card = (unsigned)actors_draw(&random, timed->cards);
        if (turns && i && i % turns == 0)
            turn(warmed, i / turns % 2);
        const uint64_t one = play(timed, card, &r), other = play(warmed, card, &r);
        cr_assert_eq(one, other, "reference %u, card %u, %#lx: %#lx, warmed %#lx", i, card,
                     (unsigned long)r.address, (unsigned long)one, (unsigned long)other);
        compare(timed, warmed, i);
    }
    cr_assert(!memcmp(nm_machine_image(timed), nm_machine_image(warmed), timed->image_bytes));
    nm_machine_free(timed);
    nm_machine_free(warmed);
}

Test(warm, does_at_once_what_a_timed_machine_does)
{
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
        for (unsigned shape = 0; shape < 4; shape++)
            for (uint64_t seed = 1; seed <= 6; seed++)
                both(protocol, shape, seed, 7 * (seed % 3));
}

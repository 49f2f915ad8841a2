/*
 * The measurement of one access. The hard idea is that every access is a run of its own on the same
 * machine: a workload of one thread that makes it and is done, and then a pause until nothing is
 * under way any more.
 *
 * What a store through a window changes is a register of a card, which no processor waits for; so
 * while its processor goes on without accesses, the register is looked at after every tick.
 */
#include "programs/driven/latency.h"

#include "machine/protocol.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "procard/sync.h"

#include <assert.h>
#include <stdio.h>

enum {
    QUIET = 20000,  /**< [ticks] at a time that the machine is left alone */
    SRAM = 0x40000, /**< where in a register space a word can be read and written */
    LINE = 5        /**< A is this line of its home's memory */
};

/* ---- the table ------------------------------------------------------------------------------- */

#define LATENCY(title, station, protocols, access, ...) \
    {.name = title,                                     \
     .home = DRIVEN_##station,                          \
     .kind = DRIVEN_##protocols,                        \
     .measured = access,                                \
     .before = {__VA_ARGS__}},
#define ACCESS(station, number, stores, name, again)                                      \
    {                                                                                     \
        .role = DRIVEN_##station, .card = number, .store = stores, .line = DRIVEN_##name, \
        .given = true, .twice = again                                                     \
    }
#define LD(role, card, line)  ACCESS(role, card, false, line, false)
#define ST(role, card, line)  ACCESS(role, card, true, line, false)
#define ST2(role, card, line) ACCESS(role, card, true, line, true)
#define LLSC(station, number, name)                                                     \
    {                                                                                   \
        .role = DRIVEN_##station, .card = number, .line = DRIVEN_##name, .given = true, \
        .linked = true                                                                  \
    }
#define LATER(ticks, stores, station, number, name)                                       \
    {                                                                                     \
        .role = DRIVEN_##station, .card = number, .store = stores, .line = DRIVEN_##name, \
        .given = true, .late = ticks                                                      \
    }
#define LATER_LD(ticks, role, card, line) LATER(ticks, false, role, card, line)
#define LATER_ST(ticks, role, card, line) LATER(ticks, true, role, card, line)
#define NONE           \
    {                  \
        .given = false \
    }

static const struct driven_scenario rows[] = {
#include "programs/driven/latency.def"
};

const struct driven_scenario *driven_scenario(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

#define TOGETHER(...) \
    {                 \
        __VA_ARGS__   \
    }
#define AFTER(...)  \
    {               \
        __VA_ARGS__ \
    }
#define SCENE(title, station, protocols, says, access, together, prepared) \
    {.name = title,                                                        \
     .home = DRIVEN_##station,                                             \
     .kind = DRIVEN_##protocols,                                           \
     .measured = access,                                                   \
     .others = together,                                                   \
     .before = prepared,                                                   \
     .sentence = says},
static const struct driven_scenario scenes[] = {
#include "programs/driven/scenes.def"
};

const struct driven_scenario *driven_scene(size_t i)
{
    return i < sizeof scenes / sizeof *scenes ? &scenes[i] : NULL;
}

bool driven_applies(const struct driven_scenario *s, uint64_t protocol)
{
    return s->kind == DRIVEN_ANY || (s->kind == DRIVEN_FLAT) == nm_protocols[protocol].direct;
}

/** Accesses that are measured, made at once, the first one first; NULL after the last. */
static const struct driven_access *measured_at(const struct driven_scenario *s, unsigned i)
{
    if (i == 0)
        return &s->measured;
    return i <= DRIVEN_OTHERS && s->others[i - 1].given ? &s->others[i - 1] : NULL;
}

static unsigned measured_count(const struct driven_scenario *s)
{
    unsigned count = 1;
    while (measured_at(s, count))
        count++;
    return count;
}

/** All accesses, the measured ones first; NULL after the last. */
static const struct driven_access *access_at(const struct driven_scenario *s, unsigned i)
{
    const unsigned measured = measured_count(s);
    if (i < measured)
        return measured_at(s, i);
    i -= measured;
    return i < DRIVEN_PREPARATIONS && s->before[i].given ? &s->before[i] : NULL;
}

/** A place that has a card of its own beside the requester. */
static bool needs_card_1(enum driven_line line)
{
    return line == DRIVEN_G || line == DRIVEN_W;
}

static enum driven_role last_role(const struct driven_scenario *s)
{
    assert(s);
    enum driven_role last = s->home;
    const struct driven_access *a;

    for (unsigned i = 0; (a = access_at(s, i)); i++)
        last = a->role > last ? a->role : last;
    return last;
}

bool driven_is_local(const struct driven_scenario *s)
{
    return last_role(s) == DRIVEN_R;
}

bool driven_fits(const struct driven_scenario *s, const struct nm_params *p, unsigned roles)
{
    const struct driven_access *a;
    unsigned cards = 1;

    for (unsigned i = 0; (a = access_at(s, i)); i++) {
        const unsigned needed = needs_card_1(a->line) && !a->card ? 2 : a->card + 1;
        cards = needed > cards ? needed : cards;
    }
    return cards <= p->processors && (unsigned)last_role(s) < roles;
}

unsigned driven_stations(const struct nm_params *p, unsigned level, unsigned station[DRIVEN_ROLES])
{
    const uint64_t fan[] = {p->ring_stations, p->ring_locals, p->ring_groups};
    assert(level < sizeof fan / sizeof *fan);
    const uint64_t apart = fan[level] < DRIVEN_ROLES ? fan[level] : DRIVEN_ROLES;

    for (unsigned role = 0; role < apart; role++) {
        uint64_t unit = 1;
        station[role] = 0;
        for (unsigned l = 0; l <= level; l++) {
            const uint64_t place = (role + (l == 0)) % fan[l]; /* station 0 is node 0: no ring's */
            station[role] += (unsigned)(place * unit);
            unit *= fan[l];
        }
    }
    return (unsigned)apart;
}

struct nm_params *driven_quiet(const struct nm_params *p)
{
    struct nm_params *quiet = nm_params_copy(p);

    quiet->mode = NM_MODE_TIMED;
    quiet->tlb_refill = quiet->memory_refresh = 0;
    return quiet;
}

/* ---- one access ------------------------------------------------------------------------------ */

struct rig;

/** A card that makes an access. */
struct maker {
    struct rig *rig;
    const struct driven_access *access;
    struct pc_reference reference;
    unsigned times, card;
    bool lingers; /**< its processor goes on without accesses until a register has changed */
    sim_tick over;
};

/** A measurement under way. */
struct rig {
    struct nm_machine *m;
    const struct nm_params *p;
    const struct driven_scenario *s;
    const unsigned *station;
    struct driven_latency *out;
    struct maker maker[1 + DRIVEN_OTHERS]; /**< of the accesses under way */
};

static void latency_next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    const struct maker *m = self;

    (void)card, (void)now;
    if (m->times)
        *out = m->reference;
    else if (m->lingers)
        *out = (struct pc_reference){.kind = PC_REFERENCE_COMPUTE, .ticks = 1, .state = PC_ST_INT};
}

/** Of a load linked, the store conditional follows; of one that has failed, the load once more. */
static void latency_linked(struct maker *m, const struct pc_result *result)
{
    const bool was_load = m->reference.kind == PC_REFERENCE_LOAD_LINKED;

    m->reference.kind = was_load ? PC_REFERENCE_STORE_CONDITIONAL : PC_REFERENCE_LOAD_LINKED;
    m->reference.at = 0;
    if (!was_load && !result->failed)
        m->times--;
}

static void latency_done(void *self, unsigned card, const struct pc_reference *reference,
                         const struct pc_result *result)
{
    struct maker *m = self;

    (void)card, (void)reference;
    if (m->access->linked)
        latency_linked(m, result);
    else
        m->times--;
    m->over = result->done;
}

static uint64_t register_of(const struct rig *r, unsigned station, unsigned card, uint64_t offset)
{
    return PC_FLAT_UNCACHED + NM_REGISTERS +
           (station * r->p->processors + card) * NM_REGISTER_SPACE + offset;
}

static uint64_t address_of(const struct rig *r, enum driven_line line)
{
    const struct nm_params *p = r->p;
    const uint64_t away[DRIVEN_G] = {
        [DRIVEN_B] = p->l2_size / 2, /* it is split */
        [DRIVEN_C] = p->netcache_size, [DRIVEN_P] = p->l1d_size,
        [DRIVEN_U] = PC_FLAT_UNCACHED, [DRIVEN_N] = PC_FLAT_NONCOHERENT,
    };
    const unsigned here = r->station[DRIVEN_R], home = r->station[r->s->home];

    if (line == DRIVEN_W || line == DRIVEN_V)
        return register_of(r, here, 0, PC_WINDOW + PC_SYNC_ARRIVE0);
    if (line == DRIVEN_G)
        return register_of(r, home, 1, SRAM);
    return (line == DRIVEN_L ? here : home) * p->memory_size + LINE * p->l2_line + away[line];
}

bool driven_address(const struct nm_params *p, const struct driven_scenario *s,
                    const unsigned station[DRIVEN_ROLES], uint64_t *pa)
{
    const struct rig r = {.p = p, .s = s, .station = station};

    *pa = address_of(&r, s->measured.line) & (PC_FLAT_UNCACHED - 1);
    return *pa < NM_REGISTERS;
}

static enum pc_reference_kind kind_of(const struct driven_access *a)
{
    if (a->linked)
        return PC_REFERENCE_LOAD_LINKED;
    return a->store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD;
}

static struct pc_reference reference_of(const struct rig *r, const struct driven_access *a,
                                        sim_tick at)
{
    return (struct pc_reference){.kind = kind_of(a),
                                 .address = address_of(r, a->line),
                                 .size = a->line >= DRIVEN_G ? 4 : 8,
                                 .value = 1,
                                 .at = at};
}

static void latency_failed(struct rig *r, const char *why)
{
    if (!*r->out->error)
        snprintf(r->out->error, sizeof r->out->error, "%s", why);
}

/** Lets the machine end what it has under way. */
static void latency_settle(struct rig *r)
{
    struct nm_trap trap;
    enum nm_run why = NM_RUN_UNTIL;

    do
        why = nm_machine_run(r->m, nm_machine_now(r->m) + QUIET, &trap);
    while (why == NM_RUN_UNTIL && !nm_machine_asleep(r->m));
    if (why != NM_RUN_UNTIL)
        latency_failed(r, nm_machine_error(r->m));
}

/* ---- through a window ------------------------------------------------------------------------ */

/** The window leads to card 1 of the home, and to the requester's station. */
static void latency_aim(struct rig *r, const struct driven_access *a)
{
    const struct ring_shape shape = nm_ring_shape(r->p);
    const ring_mask both = ring_mask_or(ring_mask_station(&shape, r->station[DRIVEN_R]),
                                        ring_mask_station(&shape, r->station[r->s->home]));

    nm_card_register_write(r->m, r->maker->card, PC_SYNC_TO_CARDS0, a->line == DRIVEN_W ? 2 : 1);
    for (unsigned level = 0; level < RING_LEVELS; level++)
        nm_card_register_write(r->m, r->maker->card, PC_SYNC_TO_STATIONS0 + 4 * level,
                               ring_mask_field(both, level));
}

/** Whether the register written has changed; called when every tick has happened. */
static sim_tick latency_look(void *ctx, sim_tick at)
{
    struct rig *r = ctx;
    const bool home = r->s->measured.line == DRIVEN_W;
    const unsigned target =
        home ? r->station[r->s->home] * (unsigned)r->p->processors + 1 : r->maker->card;

    if (!nm_card_register_read(r->m, target, PC_SYNC_ARRIVED0))
        return at + 1;
    r->maker->over = at - 1;
    r->maker->lingers = false;
    return SIM_NEVER;
}

/* ---- a measurement --------------------------------------------------------------------------- */

static bool is_window(const struct driven_access *a)
{
    return a->line == DRIVEN_W || a->line == DRIVEN_V;
}

/** A card will make an access that starts at `at`. */
static struct driven_thread latency_thread(struct rig *r, struct maker *m,
                                           const struct driven_access *a, sim_tick at)
{
    static const struct pc_driver_source source = {.next = latency_next, .done = latency_done};

    *m = (struct maker){.rig = r,
                        .access = a,
                        .reference = reference_of(r, a, at + a->late),
                        .times = 1 + a->twice,
                        .card = r->station[a->role] * (unsigned)r->p->processors + a->card,
                        .lingers = is_window(a)};
    return (struct driven_thread){
        .card = m->card, .source = &source, .self = m, .at = m->reference.at};
}

/** Has cards make accesses, the first of which starts at `at`. */
static void latency_perform(struct rig *r, const struct driven_access *const *access,
                            unsigned count, sim_tick at)
{
    struct driven_thread thread[1 + DRIVEN_OTHERS];
    const struct driven_work work = {thread, count};
    const bool window = is_window(*access);
    const struct prog_spec spec = {
        .workload = &driven_workload, .what = &work, .limit = SIM_NEVER, .moment = at};
    const struct prog_hooks hooks = {.ctx = r, .moment = window ? latency_look : NULL};
    struct prog_outcome outcome;

    for (unsigned i = 0; i < count; i++)
        thread[i] = latency_thread(r, &r->maker[i], access[i], at);
    if (window)
        latency_aim(r, *access);
    prog_run(r->m, &spec, &hooks, &outcome);
    if (outcome.end != PROG_EXITED)
        latency_failed(r, outcome.message);
    else
        latency_settle(r);
}

/** So long after the next edge of both clocks. */
static sim_tick latency_edge(const struct rig *r, unsigned phase)
{
    const sim_tick both = r->p->cpu_clock / r->p->bus_clock * (r->p->cpu_clock / r->p->ring_clock);

    return (nm_machine_now(r->m) / both + 1) * both + phase;
}

/** What is measured, at once. @return when the last of it was over */
static sim_tick latency_measured(struct rig *r, sim_tick start)
{
    const struct driven_access *access[1 + DRIVEN_OTHERS];
    const unsigned count = measured_count(r->s);
    sim_tick over = 0;

    for (unsigned i = 0; i < count; i++)
        access[i] = measured_at(r->s, i);
    latency_perform(r, access, count, start);
    for (unsigned i = 0; i < count; i++)
        over = sim_later(over, r->maker[i].over);
    return over;
}

struct driven_latency driven_witnessed(const struct nm_params *p, const struct driven_scenario *s,
                                       const unsigned station[DRIVEN_ROLES], unsigned phase,
                                       const struct driven_witness *witness)
{
    struct driven_latency out = {.error = ""};
    struct rig r = {
        .m = nm_machine_new(p, &pc_driver), .p = p, .s = s, .station = station, .out = &out};

    nm_machine_set_space(r.m, &pc_flat_space);
    for (unsigned i = 0; i < DRIVEN_PREPARATIONS && s->before[i].given && !*out.error; i++)
        latency_perform(&r, &(const struct driven_access *){&s->before[i]}, 1, latency_edge(&r, 0));
    out.start = latency_edge(&r, phase);
    if (witness && !*out.error)
        witness->begins(witness->ctx, r.m, out.start);
    if (!*out.error)
        out.over = latency_measured(&r, out.start);
    if (witness && !*out.error)
        witness->ends(witness->ctx, r.m);
    nm_machine_free(r.m);
    return out;
}

struct driven_latency driven_measure(const struct nm_params *p, const struct driven_scenario *s,
                                     const unsigned station[DRIVEN_ROLES], unsigned phase)
{
    return driven_witnessed(p, s, station, phase, NULL);
}

/* The event kernel: one total order, whatever the route an event took (wheel or heap). */
#include "base/kernel.h"

#include <criterion/criterion.h>

enum { EVENTS = 20000 };

struct record {
    sim_tick at;
    unsigned rank, component, sequence;
};

struct log {
    struct record fired[EVENTS];
    unsigned count;
};

static struct record posted[EVENTS];

static void fire(void *self, sim_tick now, uint64_t arg)
{
    struct log *log = self;
    cr_assert_eq(now, posted[arg].at, "event %lu fired at %lu, not %lu", (unsigned long)arg,
                 (unsigned long)now, (unsigned long)posted[arg].at);
    log->fired[log->count++] = posted[arg];
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (*state >> 33) % below;
}

/* 0 when a may come right before b */
static int out_of_order(const struct record *a, const struct record *b)
{
    if (a->at != b->at)
        return a->at > b->at;
    if (a->rank != b->rank)
        return a->rank > b->rank;
    if (a->component != b->component)
        return a->component > b->component;
    return a->sequence > b->sequence;
}

Test(kernel, total_order)
{
    static struct log log;
    struct sim_kernel *k = sim_kernel_new();
    uint64_t seed = 1;
    unsigned next = 0;
    while (next < EVENTS || sim_kernel_next(k) != SIM_NEVER) {
        for (unsigned burst = (unsigned)draw(&seed, 6); burst && next < EVENTS; burst--) {
            /* near, far and very far, several on one tick */
            sim_tick reach = draw(&seed, 3) ? 8 : draw(&seed, 2) ? 3000 : 1000000;
            posted[next] = (struct record){.at = sim_kernel_now(k) + 1 + draw(&seed, reach),
                                           .rank = (unsigned)draw(&seed, 4),
                                           .component = (unsigned)draw(&seed, 5),
                                           .sequence = next};
            sim_post(k, posted[next].at, posted[next].rank, posted[next].component, fire, &log,
                     next);
            next++;
        }
        if (sim_kernel_next(k) != SIM_NEVER)
            sim_kernel_step(k);
    }
    cr_assert_eq(log.count, EVENTS);
    for (unsigned i = 1; i < EVENTS; i++)
        cr_assert(!out_of_order(&log.fired[i - 1], &log.fired[i]), "events %u and %u", i - 1, i);
    sim_kernel_free(k);
}

Test(kernel, advance_keeps_far_events)
{
    static struct log log;
    struct sim_kernel *k = sim_kernel_new();
    posted[0] = (struct record){.at = 5000};
    posted[1] = (struct record){.at = 5001};
    sim_post(k, 5000, 0, 0, fire, &log, 0);
    sim_kernel_advance(k, 4999);
    sim_post(k, 5001, 0, 0, fire, &log, 1);
    cr_assert_eq(sim_kernel_next(k), 5000);
    sim_kernel_step(k);
    cr_assert_eq(sim_kernel_next(k), 5001);
    sim_kernel_step(k);
    cr_assert_eq(sim_kernel_next(k), SIM_NEVER);
    cr_assert_eq(sim_kernel_now(k), 5001);
    sim_kernel_free(k);
}

struct chain {
    struct sim_kernel *k;
    sim_tick answered; /* from then on others may answer what the event tells them; 0: nothing */
    unsigned passed, refused;
};

/* An event of its own is at 300: nothing before it is in the way, it and all behind it are. */
static void go_on(void *self, sim_tick now, uint64_t arg)
{
    struct chain *chain = self;
    (void)now;
    if (chain->answered)
        sim_kernel_told(chain->k, chain->answered);
    for (sim_tick at = arg; at < 400; at += 50) {
        const bool passed = sim_kernel_goes_on(chain->k, at, SIM_RANK_DELIVER, 0);
        cr_assert_eq(sim_kernel_now(chain->k), passed ? at : sim_kernel_now(chain->k));
        chain->passed += passed;
        chain->refused += !passed;
    }
}

static void nothing(void *self, sim_tick now, uint64_t arg)
{
    (void)self, (void)now, (void)arg;
}

static struct chain chain_up_to(sim_tick limit, sim_tick answered, bool alone)
{
    struct chain chain = {.k = sim_kernel_new(), .answered = answered};
    sim_post(chain.k, 300, 0, 0, nothing, NULL, 0);
    sim_post(chain.k, 10, 0, 0, go_on, &chain, 50);
    if (limit)
        sim_kernel_allow(chain.k, limit);
    chain.k->alone = alone;
    sim_kernel_step(chain.k);
    cr_expect_eq(chain.k->closes, alone ? answered : SIM_NEVER);
    cr_assert_eq(sim_kernel_next(chain.k), 300);
    cr_assert_eq(sim_kernel_now(chain.k),
                 10 + 40 * !!chain.passed + 50 * (chain.passed - !!chain.passed));
    sim_kernel_free(chain.k);
    return chain;
}

/** Time goes on in an event up to the next one, and not to what the island's owner has not allowed;
 * on an island that is awake alone, nor to where others may answer. */
Test(kernel, an_event_goes_on_only_to_what_is_next)
{
    static const struct {
        sim_tick limit;
        unsigned passed;
        sim_tick answered;
        bool alone;
    } rows[] = {{0, 0, 0, false},         {50, 0, 0, false},    {51, 1, 0, false},
                {200, 3, 0, false},       {201, 4, 0, false},   {300, 5, 0, false},
                {SIM_NEVER, 5, 0, false}, {300, 5, 120, false}, {300, 2, 120, true},
                {51, 1, 120, true}};
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct chain chain = chain_up_to(rows[n].limit, rows[n].answered, rows[n].alone);
        cr_expect_eq(chain.passed, rows[n].passed, "limit %lu", (unsigned long)rows[n].limit);
        cr_expect_eq(chain.passed + chain.refused, 7);
    }
}

/* ---- standing events ------------------------------------------------------------------------- */

enum { PENDING = 64 };

/* What should happen: a list that is searched for the first in order. */
struct waiting {
    sim_tick at;
    uint64_t sequence;
    uint32_t order;
    bool standing;
};

struct model {
    struct sim_kernel *k;
    struct waiting waiting[PENDING];
    unsigned count;
    uint64_t sequence, state;
    struct waiting fired;
};

static bool earlier(const struct waiting *a, const struct waiting *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->order != b->order)
        return a->order < b->order;
    if (a->standing != b->standing)
        return b->standing;
    return a->sequence < b->sequence;
}

static void stands(void *self, sim_tick now, uint64_t arg)
{
    struct model *m = self;
    (void)arg;
    m->fired = (struct waiting){.at = now, .standing = true};
}

static void passes(void *self, sim_tick now, uint64_t arg)
{
    stands(self, now, 0);
    ((struct model *)self)->fired.standing = false;
    ((struct model *)self)->fired.sequence = arg;
}

/* The same one twice on a tick is one. */
static void expect(struct model *m, const struct waiting *w)
{
    for (unsigned i = 0; w->standing && i < m->count; i++)
        if (m->waiting[i].standing && m->waiting[i].at == w->at && m->waiting[i].order == w->order)
            return;
    m->waiting[m->count++] = *w;
}

static void post_some(struct model *m)
{
    const sim_tick reach = draw(&m->state, 3) ? 4 : draw(&m->state, 2) ? 600 : 100000;
    const enum sim_rank rank = SIM_RANK_DELIVER + (enum sim_rank)draw(&m->state, 3);
    const uint32_t component = rank == SIM_RANK_MODULE ? (uint32_t)draw(&m->state, 4) : 0;
    const struct waiting w = {.at = sim_kernel_now(m->k) + draw(&m->state, reach),
                              .sequence = m->sequence++,
                              .order = (uint32_t)rank << 24 | component,
                              .standing = draw(&m->state, 2)};
    if (w.standing)
        sim_post_standing(m->k, w.at, rank, component);
    else
        sim_post(m->k, w.at, rank, component, passes, m, w.sequence);
    expect(m, &w);
}

/* The first that is expected, which is expected no more. */
static struct waiting take_first(struct model *m)
{
    unsigned first = 0;
    for (unsigned i = 1; i < m->count; i++)
        if (earlier(&m->waiting[i], &m->waiting[first]))
            first = i;
    const struct waiting w = m->waiting[first];
    m->waiting[first] = m->waiting[--m->count];
    return w;
}

/** Standing events and others, near and far, come in one order; a standing one once a tick, behind
 *  the others of its order. */
Test(kernel, standing_events_have_their_place)
{
    struct model m = {.k = sim_kernel_new(), .state = 7};
    sim_kernel_stand(m.k, SIM_RANK_DELIVER, 0, stands, &m);
    sim_kernel_stand(m.k, SIM_RANK_ARBITRATE, 0, stands, &m);
    for (uint32_t component = 0; component < 4; component++)
        sim_kernel_stand(m.k, SIM_RANK_MODULE, component, stands, &m);
    for (unsigned step = 0; step < EVENTS; step++) {
        for (uint64_t burst = draw(&m.state, 4); burst && m.count < PENDING; burst--)
            post_some(&m);
        if (!m.count)
            continue;
        cr_assert_geq(sim_kernel_count(m.k), m.count); /* far ones meet when they come near */
        const struct waiting want = take_first(&m);
        cr_assert_eq(sim_kernel_next(m.k), want.at);
        m.fired.order = sim_kernel_step(m.k);
        cr_assert(m.fired.at == want.at && m.fired.order == want.order &&
                      m.fired.standing == want.standing &&
                      (want.standing || m.fired.sequence == want.sequence),
                  "step %u: at %lu, order %#x, standing %d", step, (unsigned long)m.fired.at,
                  m.fired.order, m.fired.standing);
    }
    sim_kernel_free(m.k);
}

/*
 * A saturated machine: all 64 processors at once write one line, stream through each other's
 * memories, or push dirty lines out of every cache, in every protocol. Everybody must finish, and
 * how evenly the machine serves them is printed (docs/saturation.md; saturation_long has its
 * loads).
 */
#include "actors.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHARE
#define SHARE 2 /* 1: the loads of docs/saturation.md; quick: this part of them */
#endif

enum { CARDS_MAX = 64 };

struct load;

/* What one processor does and how it fares. */
struct actor {
    const struct load *load;
    const struct nm_params *p;
    uint64_t made; /* references */
    sim_tick last, longest, finished;
};

struct load {
    const char *name;
    uint64_t references; /* per processor */
    unsigned think;      /* PCycles from one reference to the next */
    bool (*next)(const struct actor *a, unsigned card, uint64_t *address); /* true: a store */
};

/* The same line for everyone: a counter that everyone increments. */
static bool one_line(const struct actor *a, unsigned card, uint64_t *address)
{
    (void)a, (void)card;
    *address = 0;
    return true;
}

/* A long walk through the memory of each other station in turn; every third reference a store. */
static bool streams(const struct actor *a, unsigned card, uint64_t *address)
{
    uint64_t stations = nm_params_stations(a->p), own = card / a->p->processors;
    uint64_t station = (own + 1 + a->made % (stations - 1)) % stations;
    uint64_t line = card * 64 + a->made / (stations - 1) % 64;
    *address = station * a->p->memory_size + line * a->p->l2_line;
    return a->made % 3 == 2;
}

/* Lines of its own, more than the caches hold, all at home opposite. */
static bool flush(const struct actor *a, unsigned card, uint64_t *address)
{
    uint64_t stations = nm_params_stations(a->p);
    uint64_t station = (card / a->p->processors + stations / 2) % stations;
    uint64_t lines = 2 * (a->p->l2_size + a->p->netcache_size) / a->p->l2_line;
    *address = station * a->p->memory_size + (card * lines + a->made % lines) * a->p->l2_line;
    return true;
}

static const struct load loads[] = {
    {"one line", 100 / SHARE, 200, one_line},
    {"streams", 900 / SHARE, 1, streams},
    {"flush", 900 / SHARE, 1, flush}, /* half of it is more than the caches hold, too */
};

static void made(struct actor *a, sim_tick now)
{
    if (now - a->last > a->longest)
        a->longest = now - a->last;
    a->last = now;
    if (++a->made == a->load->references)
        a->finished = now;
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    uint64_t address;
    (void)now;
    if (a->made == a->load->references)
        return;
    const bool store = a->load->next(a, card, &address);
    *out = actors_reference(store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD, address);
    out->ticks = a->load->think;
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    (void)card, (void)reference;
    made(self, result->done);
}

static const struct pc_driver_source source = {.next = next, .done = done};

/* Caches small enough to be flushed in a short run; hostile: queues of one entry besides. */
static void set_up(struct nm_params *p, bool hostile)
{
    nm_params_default(p);
    p->tlb_refill = 0;
    p->l1d_size = 64;
    p->l2_size = 4096;
    p->netcache_size = 8192;
    p->memory_size = 4 << 20;
    p->watchdog = 15000000;
    p->check = true;
    if (!hostile)
        return;
    p->l2_size = p->netcache_size = 512;
    actors_queues(p, 1);
    p->ring_limit = 1;
    p->agent_retry = p->agent_spread = 1;
}

/* What every processor had done when the first was done, and how it ended. */
struct fairness {
    uint64_t fewest; /* references */
    sim_tick first, last, longest;
    uint64_t nacks;
};

static void note_trap(struct nm_machine *m, const struct actor *actor, unsigned done,
                      struct fairness *f)
{
    if (done)
        return;
    f->fewest = UINT64_MAX;
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        f->fewest = actor[i].made < f->fewest ? actor[i].made : f->fewest;
}

static void note_end(struct nm_machine *m, const struct actor *actor, struct fairness *f)
{
    f->first = SIM_NEVER;
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct mon_taps taps;
        nm_card_taps(m, i, &taps);
        f->nacks += taps.v[MON_TAP_NACKS];
        f->first = actor[i].finished < f->first ? actor[i].finished : f->first;
        f->last = actor[i].finished > f->last ? actor[i].finished : f->last;
        f->longest = actor[i].longest > f->longest ? actor[i].longest : f->longest;
    }
}

static void run(struct nm_machine *m, const struct load *load, const struct actor *actor,
                struct fairness *f)
{
    for (unsigned done = 0; done < nm_machine_cards(m); done++) {
        struct nm_trap trap;
        enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        if (why != NM_RUN_TRAP) {
            nm_machine_dump(m, stderr);
            cr_assert_fail("%s: stopped with %d: %s", load->name, (int)why, nm_machine_error(m));
        }
        note_trap(m, actor, done, f);
        nm_card_take(m, trap.card);
    }
    note_end(m, actor, f);
}

static void saturate(const struct load *load, enum nm_protocol_id protocol, bool hostile)
{
    struct nm_params p;
    struct actor actor[CARDS_MAX] = {0};
    struct fairness f = {0};
    set_up(&p, hostile);
    p.protocol = protocol;
    struct nm_machine *m = actors_machine(&p);
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        actor[i] = (struct actor){.load = load, .p = &p};
        pc_drive(m, i, &source, &actor[i], i);
    }
    run(m, load, actor, &f);
    uint64_t all = load->references * nm_machine_cards(m);
    fprintf(stderr,
            "# %-8s %-7s %-12s: %8.1f references per 1000 bus cycles, %5.2f NACKs per reference, "
            "first done at %lu, last at %lu; the slowest had then done %lu of %lu; longest wait "
            "%lu\n",
            load->name, hostile ? "hostile" : "default", nm_protocols[protocol].name,
            3000.0 * (double)all / (double)f.last, (double)f.nacks / (double)all,
            (unsigned long)f.first, (unsigned long)f.last, (unsigned long)f.fewest,
            (unsigned long)load->references, (unsigned long)f.longest);
    nm_machine_free(m);
}

Test(saturation, everybody_finishes)
{
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
        for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
            for (unsigned hostile = 0; hostile < 2; hostile++)
                saturate(&loads[i], protocol, hostile);
}

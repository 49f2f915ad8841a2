/*
 * Constrained LL/SC loops end (docs/coherence.md): against processors that link, store or read the
 * same line without a pause, from any station, on every machine file, in every protocol.
 *
 * One to four cards, the hogs, never stop; they are on one station or on several. A card of every
 * station, one after the other, wants a few increments; the line is at home with a hog, with the
 * victim or elsewhere. Switched off (agent.link_hold 0), the same victims starve.
 */
#include "actors.h"
#include "input/experiment.h"
#include "input/home.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EVERY_PAIR
#define EVERY_PAIR                                                                 \
    0 /* 1: hogs on every station, not on the first, the last and one between, and \
       * every number of them in every loop in every protocol, not one half */
#endif

enum {
    INCREMENTS = 3, /* a victim wants */
    LENGTH = 16,    /* instructions of a constrained loop */
    BOUND = 400000, /* [ticks] for one increment: the stated bound */
};

enum step { LINK, COMPUTE, CONDITION, LOAD, STORE };

/* What a processor does over and over; a step takes a PCycle, COMPUTE the rest of a loop. */
struct loop {
    const char *name;
    unsigned steps;
    enum step step[3];
};

static const struct loop victim_loop = {"victim", 3, {LINK, COMPUTE, CONDITION}};

static const struct loop hog_loops[] = {
    {"link and store conditionally", 2, {LINK, CONDITION}},
    {"store", 1, {STORE}},
    {"link and store", 2, {LINK, STORE}},
    {"load and store", 2, {LOAD, STORE}},
    {"load", 1, {LOAD}},
};

enum { LOOPS = sizeof hog_loops / sizeof *hog_loops };

struct actor {
    const struct loop *loop;
    unsigned at; /* in it */
    uint64_t address, value;
    unsigned left; /* increments; hogs: until it is 0 */
    bool hog;
    unsigned failures, worst; /* of this increment, of all */
    sim_tick began, longest;
};

static void increment_done(struct actor *a, sim_tick now)
{
    if (a->hog)
        return;
    a->worst = a->failures > a->worst ? a->failures : a->worst;
    a->longest = now - a->began > a->longest ? now - a->began : a->longest;
    a->failures = 0;
    a->began = now;
    a->left--;
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    static const enum pc_reference_kind kinds[] = {[LINK] = PC_REFERENCE_LOAD_LINKED,
                                                   [COMPUTE] = PC_REFERENCE_COMPUTE,
                                                   [CONDITION] = PC_REFERENCE_STORE_CONDITIONAL,
                                                   [LOAD] = PC_REFERENCE_LOAD,
                                                   [STORE] = PC_REFERENCE_STORE};
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->left)
        return;
    const enum step step = a->loop->step[a->at];
    *out = actors_reference(kinds[step], a->address + (step == STORE ? 8 : 0)); /* another word */
    if (step == COMPUTE)
        *out = actors_pause(LENGTH - 2);
    out->value = a->value + 1;
    a->at = (a->at + 1) % a->loop->steps;
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    (void)card;
    if (reference->kind == PC_REFERENCE_LOAD_LINKED)
        a->value = result->value;
    if (reference->kind != PC_REFERENCE_STORE_CONDITIONAL)
        return;
    a->failures += result->failed;
    if (!result->failed)
        increment_done(a, result->done);
}

static const struct pc_driver_source source = {.next = next, .done = done};

/* ---- hogs and victims ------------------------------------------------------------------------ */

struct scene {
    const char *machine;
    struct nm_params p;
    const struct loop *loop;
    unsigned station, hogs; /* the first hog's station, how many */
    bool spread;            /* over all stations */
    struct actor hog[NM_CARDS_MAX];
    unsigned worst, starved, tried; /* of all victims */
    sim_tick longest;
};

static void park(struct nm_machine *m, unsigned card)
{
    nm_card_take(m, card);
}

static unsigned hog_card(const struct scene *s, unsigned i)
{
    const unsigned stations = (unsigned)nm_params_stations(&s->p),
                   cards = (unsigned)s->p.processors;
    return s->spread ? (s->station + i * stations / s->hogs) % stations * cards
                     : s->station * cards + i;
}

static bool is_hog(const struct scene *s, unsigned card)
{
    bool found = false;
    for (unsigned i = 0; i < s->hogs; i++)
        found |= hog_card(s, i) == card;
    return found;
}

/* Lets the victim have its increments. @return false: it had not in the time for all of them */
static bool endure(struct nm_machine *m, unsigned card, struct actor *victim)
{
    struct nm_trap trap;
    const sim_tick now = nm_machine_now(m);
    victim->began = now;
    pc_drive(m, card, &source, victim, now);
    const enum nm_run why = nm_machine_run(m, now + INCREMENTS * BOUND, &trap);
    if (why == NM_RUN_UNTIL) { /* as a program would be told to give up */
        victim->left = 0;
        victim->worst = victim->failures > victim->worst ? victim->failures : victim->worst;
        cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP);
        park(m, card);
        return false;
    }
    cr_assert_eq(why, NM_RUN_TRAP, "stopped with %d: %s", (int)why, nm_machine_error(m));
    park(m, card);
    return true;
}

/* One victim and one home of the line. */
static void try_victim(struct nm_machine *m, struct scene *s, unsigned card, unsigned home)
{
    struct actor victim = {
        .loop = &victim_loop, .address = home * s->p.memory_size + 0x1000, .left = INCREMENTS};
    for (unsigned i = 0; i < s->hogs; i++)
        s->hog[i].address = victim.address;
    const bool came = endure(m, card, &victim);
    s->tried++;
    s->starved += !came;
    s->worst = victim.worst > s->worst ? victim.worst : s->worst;
    s->longest = victim.longest > s->longest ? victim.longest : s->longest;
    if (came && victim.worst <= s->p.agent_link_failures && victim.longest <= BOUND)
        return;
    if (s->p.agent_link_hold)
        cr_expect_fail("%s, %s: %u hogs %s station %u (%s), victim card %u, home %u: %s, "
                       "%u failures",
                       s->machine, nm_protocols[s->p.protocol].name, s->hogs,
                       s->spread ? "from" : "on", s->station, s->loop->name, card, home,
                       came ? "came to an end" : "starved", victim.worst);
}

static void try_victims(struct nm_machine *m, struct scene *s)
{
    const unsigned stations = (unsigned)nm_params_stations(&s->p),
                   cards = (unsigned)s->p.processors;
    for (unsigned v = 0; v < stations; v++) {
        const unsigned victim = v * cards + cards - 1, third = (v + s->station + 1) % stations;
        if (is_hog(s, victim))
            continue;
        try_victim(m, s, victim, s->station);
        if (v != s->station)
            try_victim(m, s, victim, v);
        if (third != v && third != s->station)
            try_victim(m, s, victim, third);
    }
}

static void play(struct scene *s)
{
    struct nm_machine *m = actors_machine(&s->p);
    struct nm_trap trap;
    for (unsigned i = 0; i < s->hogs; i++) {
        s->hog[i] = (struct actor){.loop = s->loop, .left = 1, .hog = true};
        pc_drive(m, hog_card(s, i), &source, &s->hog[i], i);
    }
    try_victims(m, s);
    for (unsigned i = 0; i < s->hogs; i++)
        s->hog[i].left = 0;
    for (unsigned i = 0; i < s->hogs; i++) {
        cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP);
        park(m, trap.card);
    }
    nm_machine_free(m);
}

/* ---- machines -------------------------------------------------------------------------------- */

/* @param few  on so many stations, evenly apart */
static void play_from(struct scene *s, unsigned few)
{
    const unsigned stations = (unsigned)nm_params_stations(&s->p);
    for (unsigned i = 0; i < few && i < stations; i++) {
        s->station = i * (stations - 1) / (few > 1 ? few - 1 : 1);
        play(s);
    }
}

/* On the largest machine only single hogs are on every station. */
static void play_all(struct scene *s)
{
    const unsigned stations = (unsigned)nm_params_stations(&s->p);
    const bool small = EVERY_PAIR && stations <= 64;
    const unsigned step = small || s->p.processors < 3 ? 1 : (unsigned)s->p.processors - 1;
    for (unsigned l = 0; l < LOOPS; l++)
        for (s->hogs = 1; s->hogs <= s->p.processors; s->hogs += step)
            for (unsigned spread = 0; spread <= (s->hogs > 1 && s->hogs <= stations); spread++) {
                if (!EVERY_PAIR && (l + spread + s->p.protocol + (s->hogs > 1)) % 2)
                    continue;
                s->loop = &hog_loops[l];
                s->spread = spread;
                play_from(s, !EVERY_PAIR ? 3 : small || s->hogs == 1 ? stations : 16);
            }
}

static void load(struct scene *s, const char *path)
{
    struct in_machine mc;
    struct in_diag diag = {.out = stderr};
    cr_assert(in_machine_load(&mc, path, NULL, &diag), "%s", path);
    s->p = *mc.params;
    in_machine_free(&mc);
    s->machine = strrchr(path, '/') + 1;
    s->p.memory_size = 1 << 20;
}

static void try_file(const char *path, enum nm_protocol_id protocol)
{
    struct scene s = {0};
    load(&s, path);
    s.p.protocol = protocol;
    if ((!EVERY_PAIR && nm_params_stations(&s.p) > 64) || nm_params_cards(&s.p) < 2)
        return; /* nobody to be in the way */
    play_all(&s);
    fprintf(stderr,
            "# %-20s %-12s: %u victims, %u starved, at most %u failures, at most %lu ticks\n",
            s.machine, nm_protocols[protocol].name, s.tried, s.starved, s.worst,
            (unsigned long)s.longest);
}

Test(progress, every_victim_succeeds)
{
    glob_t files;
    char *pattern = in_home_path("configs/%s.yaml", "*");
    cr_assert_eq(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
            try_file(files.gl_pathv[i], protocol);
    globfree(&files);
    free(pattern);
}

/* What the rule is for. */
Test(progress, without_it_they_starve)
{
    char *path = in_home_path("configs/%s.yaml", "ring-16");
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++) {
        struct scene s = {.hogs = 1, .loop = &hog_loops[0]};
        load(&s, path);
        s.p.protocol = protocol;
        s.p.agent_link_hold = 0;
        play(&s);
        fprintf(stderr, "# %s, switched off: %u victims, %u starved, up to %u failures\n",
                nm_protocols[protocol].name, s.tried, s.starved, s.worst);
        cr_expect_gt(s.starved, 0, "%s", nm_protocols[protocol].name);
    }
    free(path);
}

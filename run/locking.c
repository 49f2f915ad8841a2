/*
 * Locks and waiting of a run that keeps a profile: calls (pc_profile_watch), sleeping threads
 * (prog_hooks.turn) and loops (pc_profile_spins) become struct doc_locks. What is heard is put
 * aside until the machine stands behind it, and then entered in the books by tick, then card, then
 * in the order of hearing.
 *
 * The hard idea: processors run ahead of each other, but whenever the machine stands at a tick, all
 * that happened before it has been heard.
 */
#include "run/locking_books.h"
#include "run/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4096 /**< events put aside before it is worth while to sort them */ };

static const struct run_lock_function functions[] = {
#define FUNCTION(name, kind, role) {name, DOC_LOCK_##kind, RUN_LOCK_##role},
#include "documents/rows/lock_functions.def"
#include "documents/rows/lock_runtimes.def"
#undef FUNCTION
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* No padding, it is hashed. */
struct locking_place_key {
    uint64_t path, pc;
};

/* Which instruction stands for another one. */
struct locking_place {
    struct locking_place_key key;
    uint64_t shown;
    UT_hash_handle hh;
};

struct locking {
    struct run_lock_event *event; /**< [events] that have not been entered */
    size_t events, room;
    uint64_t heard;
    struct run_lock_books books;
    sim_tick end; /* of the run; SIM_NEVER: it goes on */
    struct run_live *live;
    struct locking_place *places;
};

/* ---- where it happens ------------------------------------------------------------------------ */

static bool has_line(struct prog_names *names, uint64_t pc)
{
    struct prog_place place;
    return pc != PC_PROFILE_NOWHERE && names->at(names, pc, &place) && place.file && place.line;
}

/* The first instruction with a source line on the way out of one. */
static uint64_t line_above(const struct locking *l, uint32_t path, uint64_t pc)
{
    struct prog_names *names = run_names(l->live);
    const struct pc_profile_path *all;
    uint64_t at = pc;
    pc_profile_paths(l->live->profiled, &all);
    if (!names || !names->lines)
        return pc;
    while (!has_line(names, at)) {
        if (all[path].parent == path)
            return pc;
        at = all[path].call;
        path = all[path].parent;
    }
    return at;
}

/* What is in a library without lines happens where the program has called it. */
static uint64_t locking_shown(struct locking *l, uint32_t path, uint64_t pc)
{
    const struct locking_place_key key = {path, pc};
    struct locking_place *place;
    HASH_FIND(hh, l->places, &key, sizeof key, place);
    if (!place) {
        place = sim_alloc(1, sizeof *place);
        place->key = key;
        place->shown = line_above(l, path, pc);
        HASH_ADD(hh, l->places, key, sizeof place->key, place);
    }
    return place->shown;
}

/* Where a thread stands on its card; NOWHERE: not known. */
static uint64_t locking_stands(struct locking *l, unsigned card, uint32_t thread)
{
    uint32_t path;
    uint64_t pc;
    return pc_profile_stands(l->live->profiled, card, thread, &path, &pc)
               ? locking_shown(l, path, pc)
               : DOC_LOCKS_NOWHERE;
}

/* A loop is told of when its function goes on, or the run ends. */
static uint64_t spins_at(struct locking *l, const struct pc_spin *spin)
{
    uint32_t path;
    uint64_t pc;
    return pc_profile_stands(l->live->profiled, spin->card, spin->thread, &path, &pc)
               ? locking_shown(l, path, spin->pc)
               : spin->pc;
}

/* ---- putting aside --------------------------------------------------------------------------- */

static void put_aside(struct locking *l, const struct run_lock_event *e)
{
    if (l->events == l->room) {
        l->room = l->room ? 2 * l->room : PATIENCE;
        l->event = sim_grow(l->event, l->room, sizeof *l->event);
    }
    l->event[l->events] = *e;
    l->event[l->events++].number = l->heard++;
}

static int locking_by_time(const void *x, const void *y)
{
    const struct run_lock_event *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->card != b->card)
        return a->card < b->card ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Enters all that happened before `now`. */
static void enter_before(struct locking *l, sim_tick now)
{
    size_t done = 0;
    if (!l->events)
        return;
    qsort(l->event, l->events, sizeof *l->event, locking_by_time);
    while (done < l->events && l->event[done].at < now)
        run_lock_books_enter(&l->books, &l->event[done++]);
    l->events -= done;
    memmove(l->event, l->event + done, l->events * sizeof *l->event);
}

/* ---- what is heard --------------------------------------------------------------------------- */

static void on_crossing(void *ctx, const struct pc_crossing *c)
{
    static const uint8_t what[] = {[PC_CROSSED_ENTERED] = RUN_LOCK_ENTERED,
                                   [PC_CROSSED_RETURNED] = RUN_LOCK_RETURNED,
                                   [PC_CROSSED_LEFT] = RUN_LOCK_LEFT};
    struct locking *l = ctx;
    put_aside(ctx, &(struct run_lock_event){.at = c->at,
                                            .card = c->card,
                                            .what = what[c->what],
                                            .watch = c->watch,
                                            .function = &functions[c->watch],
                                            .thread = c->thread,
                                            .word = {c->argument[0], c->argument[1]},
                                            .pc = locking_shown(l, c->path, c->call),
                                            .result = c->result});
}

/* A loop that a thread is in when the run ends has not been ended by anybody. */
static void on_spin(void *ctx, const struct pc_spin *spin)
{
    struct locking *l = ctx;
    const bool open = l->end != SIM_NEVER && spin->open;
    put_aside(ctx,
              &(struct run_lock_event){.at = spin->at,
                                       .card = spin->card,
                                       .what = RUN_LOCK_SPUN_EVENT,
                                       .thread = spin->thread,
                                       .by = spin->lost > spin->from && !open ? spin->lost_to : 0,
                                       .word = {spin->va},
                                       .pc = spins_at(l, spin),
                                       .since = spin->from,
                                       .until = open ? l->end : spin->to,
                                       .released = spin->lost});
}

static void locking_turn(void *self, const struct prog_turn *turn)
{
    struct locking *l = self;
    const struct run_lock_event e = {.at = turn->at,
                                     .card = turn->card,
                                     .what = RUN_LOCK_TURN,
                                     .watch = turn->step,
                                     .thread = turn->thread,
                                     .by = turn->by,
                                     .word = {turn->word},
                                     .pc = turn->step == PROG_SLEEPS
                                               ? locking_stands(l, turn->card, turn->thread)
                                               : DOC_LOCKS_NOWHERE,
                                     .since = turn->since};
    if (l->events >= 2 * PATIENCE && turn->step != PROG_GOES_ON)
        enter_before(l, turn->at);
    if (turn->step == PROG_GOES_ON)
        put_aside(l, &(struct run_lock_event){.at = turn->since,
                                              .card = turn->card,
                                              .what = RUN_LOCK_RISES,
                                              .thread = turn->thread,
                                              .since = turn->rests});
    put_aside(l, &e);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* The address of a function of the program by name. @return false: it has none of that name */
static bool function_named(struct prog_names *names, const char *name, uint64_t *va)
{
    return names && names->function && names->function(names, name, va);
}

static enum run_begun locking_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct locking *l = self;
    uint64_t known[FUNCTIONS];
    (void)why, (void)size;
    run_lock_books_begin(&l->books, live->cards);
    l->end = SIM_NEVER;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        bool again = !function_named(run_names(live), functions[i].name, &known[i]);
        if (again)
            known[i] = 0;
        for (unsigned k = 0; k < i; k++)
            again |= known[k] == known[i];
        if (!again)
            pc_profile_watch(live->profiled, known[i], i, on_crossing, l);
    }
    pc_profile_spins(live->profiled, on_spin, l);
    l->live = live;
    return RUN_BEGUN;
}

static void locking_finish(void *self, sim_tick at)
{
    struct locking *l = self;
    l->end = at;
    pc_profile_spins_end(l->live->profiled, at);
    enter_before(l, at + 1);
    run_lock_books_close(&l->books, at);
    l->live->locks = &l->books.out;
}

static void locking_release(void *self)
{
    struct locking *l = self;
    struct locking_place *place, *next;
    HASH_ITER(hh, l->places, place, next) {
        HASH_DEL(l->places, place);
        free(place);
    }
    doc_locks_free(&l->books.out);
    run_lock_books_free(&l->books);
    free(l->event);
}

/* ---- what the cards have counted ------------------------------------------------------------- */

/* The time in which cards had nothing to do, because threads slept, must be what the cards show:
 * `waiting` of locks, `asleep` of the rest. */
static bool locking_adds_up(void *self, char *why, size_t size)
{
    const struct locking *l = self;
    const struct doc_locks *locks = &l->books.out;
    const struct doc_run *run = &l->live->run;
    static const char *const names[] = {"waiting", "asleep"};
    const struct doc_level all = {.count = run->cards};
    const uint64_t cards[] = {
        doc_truth(&run->region[0], all, offsetof(struct nm_truth, waiting)),
        doc_truth(&run->region[0], all, offsetof(struct nm_truth, asleep)),
    };
    uint64_t rested[2] = {0, 0};
    for (size_t i = 0; i < locks->sites; i++)
        rested[locks->lock[locks->site[i].lock].kind == DOC_LOCK_sleep] +=
            locks->site[i].v[DOC_LOCK_RESTED];
    for (int i = 0; i < 2; i++)
        if (rested[i] != cards[i]) {
            snprintf(why, size,
                     "locks account for %" PRIu64 " PCycles of %s, the cards for %" PRIu64,
                     rested[i], names[i], cards[i]);
            return false;
        }
    return true;
}

/* ---- the book -------------------------------------------------------------------------------- */

static bool locking_wanted(const struct run_live *live)
{
    return live->experiment->profile || live->experiment->truth;
}

static void locking_write(void *self, FILE *out)
{
    doc_locks_write(&((struct locking *)self)->books.out, out);
}

static const struct run_file locking_files[] = {{.name = DOC_LOCKS, .write = locking_write}, {0}};

const struct run_observer run_locks = {
    .size = sizeof(struct locking),
    .wants = locking_wanted,
    .begin = locking_begin,
    .turn = locking_turn,
    .finish = locking_finish,
    .adds_up = locking_adds_up,
    .file = locking_files,
    .release = locking_release,
};

/*
 * Listening to a run's locks: what is heard is put aside until the machine stands behind it, and
 * then entered in the books by tick, then card, then in the order of hearing.
 *
 * The hard idea: processors run ahead of each other, but whenever the machine stands at a tick, all
 * that happened before it has been heard.
 */
#include "run/locking.h"

#include "documents/totals.h"
#include "run/locking_books.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4096 /**< events put aside before it is worth while to sort them */ };

static const struct run_lock_function functions[] = {
#define FUNCTION(name, kind, role) {name, DOC_LOCK_##kind, RUN_LOCK_##role},
#include "documents/rows/lock_functions.def"
#undef FUNCTION
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct run_locking {
    struct run_lock_event *event; /**< [events] that have not been entered */
    size_t events, room;
    uint64_t heard;
    struct run_lock_books books;
    struct pc_profile *profile;
};

/* ---- putting aside --------------------------------------------------------------------------- */

static void put_aside(struct run_locking *l, const struct run_lock_event *e)
{
    if (l->events == l->room) {
        l->room = l->room ? 2 * l->room : PATIENCE;
        l->event = sim_grow(l->event, l->room, sizeof *l->event);
    }
    l->event[l->events] = *e;
    l->event[l->events++].number = l->heard++;
}

static int by_time(const void *x, const void *y)
{
    const struct run_lock_event *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->card != b->card)
        return a->card < b->card ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Enters all that happened before `now`. */
static void enter_before(struct run_locking *l, sim_tick now)
{
    size_t done = 0;
    if (l->events)
        qsort(l->event, l->events, sizeof *l->event, by_time);
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
    put_aside(ctx, &(struct run_lock_event){.at = c->at,
                                            .card = c->card,
                                            .what = what[c->what],
                                            .watch = c->watch,
                                            .function = &functions[c->watch],
                                            .thread = c->thread,
                                            .word = {c->argument[0], c->argument[1]},
                                            .pc = c->call,
                                            .result = c->result});
}

static void on_spin(void *ctx, const struct pc_spin *spin)
{
    put_aside(ctx, &(struct run_lock_event){.at = spin->at,
                                            .card = spin->card,
                                            .what = RUN_LOCK_SPUN_EVENT,
                                            .thread = spin->thread,
                                            .by = spin->lost > spin->from ? spin->lost_to : 0,
                                            .word = {spin->va},
                                            .pc = spin->pc,
                                            .since = spin->from,
                                            .until = spin->to,
                                            .released = spin->lost});
}

void run_locking_turn(struct run_locking *l, const struct prog_turn *turn)
{
    const struct run_lock_event e = {.at = turn->at,
                                     .card = turn->card,
                                     .what = RUN_LOCK_TURN,
                                     .watch = turn->step,
                                     .thread = turn->thread,
                                     .by = turn->by,
                                     .word = {turn->word},
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

struct run_locking *run_locking_begin(struct pc_profile *profile, unsigned cards,
                                      run_function_fn *function, void *ctx)
{
    struct run_locking *l = sim_alloc(1, sizeof *l);
    uint64_t known[FUNCTIONS];
    run_lock_books_begin(&l->books, cards);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        bool again = !function(ctx, functions[i].name, &known[i]);
        if (again)
            known[i] = 0;
        for (unsigned k = 0; k < i; k++)
            again |= known[k] == known[i];
        if (!again)
            pc_profile_watch(profile, known[i], i, on_crossing, l);
    }
    pc_profile_spins(profile, on_spin, l);
    l->profile = profile;
    return l;
}

void run_locking_free(struct run_locking *l)
{
    if (!l)
        return;
    doc_locks_free(&l->books.out);
    run_lock_books_free(&l->books);
    free(l->event);
    free(l);
}

struct doc_locks run_locking_take(struct run_locking *l, sim_tick at)
{
    pc_profile_spins_end(l->profile, at);
    enter_before(l, at + 1);
    run_lock_books_close(&l->books, at);
    const struct doc_locks out = l->books.out;
    l->books.out = (struct doc_locks){0};
    return out;
}

/* ---- what the cards have counted --------------------------------------------------------------
 */

bool run_locks_add_up(const struct doc_locks *locks, const struct doc_run *run, char *why,
                      size_t size)
{
    static const char *const names[] = {"waiting", "asleep"};
    uint64_t rested[2] = {0, 0}, cards[2] = {0, 0};
    for (size_t i = 0; i < locks->sites; i++)
        rested[locks->lock[locks->site[i].lock].kind == DOC_LOCK_sleep] +=
            locks->site[i].v[DOC_LOCK_RESTED];
    for (unsigned c = 0; c < run->cards; c++) {
        cards[0] += run->region[0].card[c].sum.truth.waiting;
        cards[1] += run->region[0].card[c].sum.truth.asleep;
    }
    for (int i = 0; i < 2; i++)
        if (rested[i] != cards[i]) {
            snprintf(why, size,
                     "locks account for %" PRIu64 " PCycles of %s, the cards for %" PRIu64,
                     rested[i], names[i], cards[i]);
            return false;
        }
    return true;
}

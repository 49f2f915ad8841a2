/*
 * Going backwards: the debugger, on snapshots of the run (programs/past.h).
 *
 * The hard idea: "backwards to the last stop" is "forwards from a snapshot, and remember the last
 * stop before here". A copy goes through the stretch from the newest snapshot on and only notes;
 * if it has noted nothing, another goes through the stretch before. Then a third one goes to what
 * was noted, and is asked from then on.
 */
#include "debug/past.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "base/sanitized.h"
#include "debug/scout.h"
#include "programs/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a copy that searches is told, and says. */
struct sought {
    struct dbg_point before;
    struct dbg_hit last;
};

struct dbg_past {
    struct prog_past *past;
    struct sought *sought; /* shared */
    sim_tick next;
};

static bool past_stops(void *ctx)
{
    return run_stop_asked(ctx);
}

/* With sanitizers its actors are threads (programs/simgrid.c). A machine that is not timed takes
 * turns that end where somebody stops it: what it would do the second time is not what it did. */
void dbg_past_begin(struct dbg *d)
{
    if (SIM_ADDRESSES_WATCHED || nm_machine_mode(d->live->machine) != NM_MODE_TIMED ||
        d->run->stages)
        return;
    struct dbg_past *p = d->past = sim_alloc(1, sizeof *p);
    p->sought = dbg_share(sizeof *p->sought);
    p->past = prog_past_begin(&prog_past_usual, past_stops, d->live);
    p->next = SIM_NEVER;
}

/* A copy that searches is where others stand. */
static void past_found(struct dbg_past *p)
{
    if (prog_past_is_copy(p->past) && prog_past_errand(p->past) == PROG_PAST_SEARCH &&
        !prog_past_travels(p->past))
        prog_past_found(p->past);
}

bool dbg_past_stands(struct dbg *d, sim_tick at)
{
    struct dbg_past *p = d->past;
    bool moved;
    p->next = prog_past_visit(p->past, at, &moved);
    past_found(p);
    if (!moved)
        return false;
    d->scouting = NULL;
    if (prog_past_errand(p->past) == PROG_PAST_TURN)
        return true;
    dbg_collect_begin(d, &p->sought->before, &p->sought->last);
    return false;
}

sim_tick dbg_past_next(const struct dbg *d)
{
    return d->past->next;
}

sim_tick dbg_past_edge(const struct dbg *d)
{
    const struct dbg_past *p = d->past;
    return prog_past_is_copy(p->past) ? prog_past_edge(p->past) : SIM_NEVER;
}

sim_tick dbg_past_earliest(const struct dbg *d)
{
    return prog_past_earliest(d->past->past);
}

/* Whether what a process stands for would stop it still: bytes perhaps by another name. */
static bool past_told(struct dbg_session *x, enum dbg_stopped why, struct dbg_hit *hit)
{
    if (why != DBG_STOP_HIT)
        return why == DBG_STOP_OVER;
    if (hit->what == DBG_AT_BREAK)
        return dbg_break_find(&x->conditions, hit->pc);
    const struct dbg_watch *watch =
        hit->what == DBG_AT_WATCH
            ? dbg_watch_hit(&x->conditions, dbg_hit_watched(hit), 1, hit->store)
            : NULL;
    if (watch)
        hit->watch = *watch;
    return watch;
}

/* The turn is this process's again, which stands where it stood. */
static void past_returns(struct dbg *d, const struct dbg_session *was, enum prog_past_back back)
{
    struct dbg_session *x = d->session;
    if (back == PROG_PAST_LOST)
        prog_say(d->run, "numachine: warning: the copy of the simulator that was in the past has "
                         "died; this is the present\n");
    const bool on = dbg_goes_to_tick(x) && x->until > d->now;
    x->target.on = false;
    x->hit = was->hit;
    x->why = past_told(x, was->why, &x->hit) ? was->why : DBG_STOP_EDGE;
    x->thread = was->thread;
    memcpy(x->told, was->told, sizeof x->told);
    memcpy(x->met, was->met, sizeof x->met);
    memcpy(x->ahead, was->ahead, sizeof x->ahead);
    x->aheads = was->aheads;
    if (back == PROG_PAST_OVER)
        x->going = DBG_KILLED;
    if (!on && x->going != DBG_DETACHED && x->going != DBG_KILLED)
        x->going = DBG_RETURNS;
}

bool dbg_past_go(struct dbg *d)
{
    const struct dbg_past *p = d->past;
    const struct dbg_session *x = d->session;
    if (prog_past_is_copy(p->past) && prog_past_errand(p->past) == PROG_PAST_SEARCH)
        prog_past_found(p->past);
    struct dbg_session *was = sim_alloc(1, sizeof *was);
    *was = *x;
    fflush(stdout);
    prog_past_stand(p->past, d->now);
    const enum prog_past_back back =
        prog_past_go(p->past, x->target.on ? x->target.point.at : SIM_NEVER);
    past_returns(d, was, back);
    free(was);
    return true;
}

bool dbg_past_last(struct dbg *d, const struct dbg_point *before, struct dbg_hit *out)
{
    struct dbg_past *p = d->past;
    struct sought *sought = p->sought;
    sim_tick to = before->at + 1; /* behind what others do in its own tick */
    prog_past_stand(p->past, d->now);
    sought->before = *before;
    sought->last = (struct dbg_hit){0};
    while (!sought->last.what && to && prog_past_search(p->past, to, &to))
        ;
    *out = sought->last;
    return out->what;
}

bool dbg_past_changes(struct dbg *d)
{
    struct dbg_past *p = d->past;
    if (prog_past_is_copy(p->past))
        return false;
    prog_past_forget(p->past);
    return true;
}

void dbg_past_describe(const struct dbg *d, FILE *out)
{
    struct prog_past *past = d->past->past;
    prog_past_stand(past, d->now);
    const unsigned snapshots = prog_past_snapshots(past);
    fprintf(out,
            "the run can be gone back to cycle %" PRIu64 "; %u snapshot%s together keep at most "
            "%" PRIu64 " MB; the run itself has been to cycle %" PRIu64 "\n",
            prog_past_earliest(past), snapshots, sim_plural(snapshots), prog_past_bytes(past) >> 20,
            prog_past_edge(past));
}

void dbg_past_end(struct dbg *d)
{
    struct dbg_past *p = d->past;
    if (!p)
        return;
    d->past = NULL;
    prog_past_end(p->past);
    dbg_unshare(p->sought, sizeof *p->sought);
    free(p);
}

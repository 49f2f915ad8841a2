/*
 * A run that is debugged, as an observer of it.
 *
 * The hard idea: the run loop calls at moments, and the answer is the next moment. While somebody
 * is asked what to do the call does not return, and the machine stands. To go on, a scout looks
 * where the first stop will be, and that is the next moment; between two moments the run is as any
 * other.
 */
#include "debug/debug.h"

#include "base/alloc.h"
#include "debug/agent.h"
#include "debug/past.h"
#include "debug/scout.h"
#include "debug/shown.h"
#include "procard/procard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_EVERY = 1 << 18, /* [ticks] between two looks whether somebody asks for a stop */
};

struct dbg *dbg_new(const struct dbg_front *front, dbg_connect_fn *connect, void *ctx)
{
    struct dbg *d = sim_alloc(1, sizeof *d);
    d->session = dbg_share(sizeof *d->session);
    d->session->fd = d->session->to = d->session->log = -1;
    d->session->until = SIM_NEVER;
    d->front = front;
    d->connect = connect;
    d->connect_ctx = ctx;
    return d;
}

void dbg_free(struct dbg *d)
{
    if (!d)
        return;
    dbg_forget(d);
    dbg_unshare(d->session, sizeof *d->session);
    free(d);
}

void dbg_to_end(struct dbg *d, dbg_arrive_fn *arrives, void *ctx)
{
    d->session->going = DBG_GOES;
    memset(d->session->passes, true, sizeof d->session->passes);
    d->arrives = arrives;
    d->arrives_ctx = ctx;
}

/* ---- threads --------------------------------------------------------------------------------- */

uint32_t dbg_thread(struct dbg *d)
{
    struct prog_inspected t;
    const uint32_t stopped = d->session->thread;
    if (stopped && d->inspect->thread(d->run->self, stopped, &t))
        return stopped;
    return d->inspect->next(d->run->self, 0, &t) ? t.number : 0;
}

uint64_t dbg_done(struct dbg *d, uint32_t thread)
{
    struct prog_inspected t;
    const bool on_card = d->inspect->thread(d->run->self, thread, &t) && t.on_card;
    return on_card ? pc_cpu_at(d->live->machine, t.card)->instructions : UINT64_MAX;
}

bool dbg_may_change(struct dbg *d)
{
    const bool may = !d->past || dbg_past_changes(d);
    d->changed |= may;
    return may;
}

/* ---- standing and going ---------------------------------------------------------------------- */

void dbg_go(struct dbg *d, const struct dbg_step *step)
{
    struct dbg_session *x = d->session;
    x->conditions.step = step ? *step : (struct dbg_step){0};
    x->conditions.alone = 0;
    x->steps = step;
    x->going = DBG_GOES;
    x->comes = false;
}

bool dbg_goes_to_tick(const struct dbg_session *x)
{
    return x->going == DBG_GOES && !x->steps && x->until != SIM_NEVER;
}

/* What was asked of the next time that the run goes on has had its turn. */
static void waits_end(struct dbg_session *x)
{
    if (!x->steps)
        x->until = SIM_NEVER;
    if (!x->steps || (x->why == DBG_STOP_HIT && x->hit.what == DBG_AT_LINE))
        x->conditions.lines = 0;
}

/* The run stands until somebody lets it go on. */
static void debug_stands(struct dbg *d, enum dbg_stopped why, uint32_t thread)
{
    struct dbg_session *x = d->session;
    x->why = why;
    x->thread = thread;
    x->comes = false;
    waits_end(x);
    x->conditions.step = (struct dbg_step){0};
    x->general = 0;
    do {
        x->going = DBG_STANDS;
        dbg_forget(d);
        d->front->serve(d);
    } while (x->going == DBG_RETURNS);
    dbg_forget(d);
}

/* Whether a breakpoint's condition holds, of a program whose scouts cannot tell. */
static bool debug_wants(struct dbg *d)
{
    struct dbg_session *x = d->session;
    const struct dbg_break *b = dbg_break_find(&x->conditions, x->hit.pc);
    prog_registers regs;
    if (x->hit.what != DBG_AT_BREAK || !b || b->code == b->code_to ||
        d->binary.isa == PROG_ISA_MIPS)
        return true;
    x->why = DBG_STOP_HIT;
    const bool wants = !dbg_registers(d, x->hit.thread, regs) ||
                       dbg_agent_any(d, x->conditions.code + b->code, b->code_to - b->code, regs);
    dbg_forget(d);
    return wants;
}

/* The machine has come to where a thread was shown, or has passed that: of the instruction there it
 * has been told. @return false: it has not */
static bool ahead_is_over(struct dbg *d, const struct dbg_hit *ahead)
{
    struct dbg_session *x = d->session;
    struct dbg_step *step = &x->conditions.step;
    const struct dbg_point *point = &ahead->point;
    if (d->now < point->at || (d->now == point->at && point->order))
        return false;
    const uint64_t done = pc_cpu_at(d->live->machine, point->card)->instructions;
    if (pc_stands_at(d->live->machine, point->card) != ahead->pc)
        return true;
    x->told[point->card] = done + 1;
    x->met[point->card] = ahead->what == DBG_AT_WATCH;
    if (step->thread == ahead->thread)
        step->done = done;
    return true;
}

static void debug_caught_up(struct dbg *d)
{
    struct dbg_session *x = d->session;
    for (unsigned i = x->aheads; i-- > 0;)
        if (ahead_is_over(d, &x->ahead[i]))
            x->ahead[i] = x->ahead[--x->aheads];
}

/* A thread is shown so from now on. */
static void ahead_put(struct dbg *d, const struct dbg_hit *hit)
{
    struct dbg_session *x = d->session;
    unsigned i = 0;
    while (i < x->aheads && x->ahead[i].point.card != hit->point.card)
        i++;
    if (i == x->aheads && x->aheads < DBG_AHEAD)
        x->aheads++;
    x->ahead[i < DBG_AHEAD ? i : 0] = *hit;
    debug_caught_up(d);
}

/* It has come to where a scout has seen something; or it has not, where one thread goes alone. */
static void debug_comes(struct dbg *d)
{
    struct dbg_session *x = d->session;
    const struct dbg_hit *hit = &x->hit;
    x->comes = false;
    if (hit->what != DBG_AT_LINE)
        ahead_put(d, hit);
    if (debug_wants(d))
        debug_stands(d, DBG_STOP_HIT, hit->thread);
}

/* Looks where the run will stop. @return the next moment */
static sim_tick debug_ahead(struct dbg *d)
{
    struct dbg_session *x = d->session;
    sim_tick to = sim_earlier(prog_next_date(d->run), sim_later_by(d->now, LOOK_EVERY));
    if (dbg_goes_to_tick(x))
        to = sim_earlier(to, x->until);
    if (d->past)
        to = sim_earlier(to, sim_earlier(dbg_past_next(d), dbg_past_edge(d)));
    const bool looks = !dbg_goes_to_tick(x) && !dbg_conditions_none(&x->conditions);
    if (!looks || to <= d->now)
        return to <= d->now ? d->now + 1 : to;
    const struct dbg_seen seen = dbg_scout(d, to);
    if (seen.interrupted)
        return d->now;
    if (seen.full) {
        x->conditions.alone = 0; /* the others go along, and stop it, too */
        return d->now;
    }
    x->comes = seen.hit.what;
    if (!x->comes)
        return sim_later(seen.to, d->now + 1);
    x->hit = seen.hit;
    return x->conditions.alone ? d->now : sim_later(seen.hit.point.at, d->now);
}

/* The run goes, and the machine stands at a moment. @return the next one */
static sim_tick debug_goes(struct dbg *d)
{
    struct dbg_session *x = d->session;
    sim_tick next = d->now;
    while (next == d->now && x->going == DBG_GOES) {
        debug_caught_up(d);
        if (x->comes && (x->hit.point.at <= d->now || x->conditions.alone))
            debug_comes(d);
        else if (dbg_goes_to_tick(x) && d->now >= x->until &&
                 !(d->now > x->until && dbg_back_to(d, x->until)))
            debug_stands(d, DBG_STOP_ARRIVED, x->thread);
        else if (d->past && d->now >= dbg_past_edge(d))
            dbg_past_go(d); /* who comes from there goes on */
        else if (d->front->asks && d->front->asks(d))
            debug_stands(d, DBG_STOP_ASKED, 0);
        else
            next = debug_ahead(d);
    }
    return next;
}

/* The tick to go back to is this one, or one at which a thread is shown ahead of the machine.
 * Behind an access a thread stands where it does. */
static void debug_stays(struct dbg *d)
{
    struct dbg_session *x = d->session;
    const struct dbg_hit *ahead = dbg_ahead(d, x->target.hit.thread);
    x->hit = x->target.hit;
    x->why = x->target.why;
    x->thread = x->target.hit.thread;
    x->going = DBG_RETURNS;
    if (x->hit.behind)
        x->hit.point = ahead ? ahead->point : (struct dbg_point){d->now, x->hit.point.card, 0};
    else if (x->why == DBG_STOP_HIT)
        ahead_put(d, &x->hit);
}

/* Somebody else takes over, if it is another tick. */
static bool debug_goes_back(struct dbg *d)
{
    struct dbg_session *x = d->session;
    x->conditions.step = (struct dbg_step){0};
    if (x->target.point.at >= d->now) {
        debug_stays(d);
        return true;
    }
    x->target.on = true;
    const bool gone = dbg_past_go(d);
    x->target.on = false;
    return gone;
}

bool dbg_back_to(struct dbg *d, sim_tick at)
{
    const sim_tick earliest = d->past ? dbg_past_earliest(d) : SIM_NEVER;
    if (earliest > d->now)
        return false;
    d->session->target =
        (struct dbg_target){.point.at = sim_later(at, earliest),
                            .why = at <= earliest ? DBG_STOP_BEGINNING : DBG_STOP_ARRIVED,
                            .hit.thread = d->session->thread};
    return debug_goes_back(d);
}

bool dbg_back(struct dbg *d, const struct dbg_step *step)
{
    struct dbg_session *x = d->session;
    struct prog_inspected t;
    struct dbg_point before = {.at = d->now};
    struct dbg_hit hit = {0};
    const struct dbg_hit *ahead = dbg_ahead(d, step ? step->thread : x->thread);
    x->until = SIM_NEVER; /* it is another way that one goes now */
    x->steps = false;
    if (x->why == DBG_STOP_HIT && x->hit.behind && !step)
        before = x->hit.maker;
    else if (ahead)
        before = ahead->point;
    else if (x->why == DBG_STOP_HIT && x->hit.point.at == d->now)
        before = x->hit.point;
    else if (step && d->inspect->thread(d->run->self, step->thread, &t))
        before.card = t.card;
    x->conditions.step = step ? *step : (struct dbg_step){0};
    x->conditions.alone = 0;
    const bool any = dbg_past_last(d, &before, &hit);
    x->conditions.step = (struct dbg_step){0};
    if (!any)
        return dbg_back_to(d, 0);
    if (hit.what == DBG_AT_WATCH) { /* gdb goes back over it, and compares */
        hit.behind = true;
        hit.maker = hit.point;
        hit.point = (struct dbg_point){hit.point.at + 1, hit.point.card, 0};
        hit.has_registers = false;
    }
    x->target = (struct dbg_target){.point = hit.point, .why = DBG_STOP_HIT, .hit = hit};
    return debug_goes_back(d);
}

/* What is known of the cards' instructions is another process's. */
static void told_anew(struct dbg *d, const struct dbg_hit *hit)
{
    struct dbg_session *x = d->session;
    memset(x->told, 0, sizeof x->told);
    x->aheads = 0;
    if (hit->what == DBG_AT_BREAK || hit->what == DBG_AT_STEP)
        ahead_put(d, hit);
}

/* Behind an access a thread stands when its instruction is over. */
static bool is_over(const struct dbg *d, const struct dbg_hit *hit)
{
    return !hit->behind || d->now + 1 >= dbg_past_edge(d) ||
           pc_stands_at(d->live->machine, hit->point.card) != hit->pc;
}

/* A process has taken over, at a moment of the past. @return the next moment */
static sim_tick debug_travels(struct dbg *d)
{
    struct dbg_session *x = d->session;
    const struct dbg_target target = x->target;
    if (d->now < target.point.at)
        return sim_earlier(target.point.at, dbg_past_next(d));
    if (!is_over(d, &target.hit))
        return d->now + 1;
    x->target.on = false;
    x->hit = target.hit;
    if (x->hit.behind)
        x->hit.point.at = d->now;
    told_anew(d, &x->hit);
    debug_stands(d, target.why, target.hit.thread);
    return d->now;
}

/* It has come to its end by itself (dbg_to_end). */
static void debug_arrives(struct dbg *d)
{
    memset(d->session->passes, false, sizeof d->session->passes);
    d->session->why = DBG_STOP_OVER;
    d->arrives(d->arrives_ctx, d);
    d->arrives = NULL;
}

/* Nobody asks any more. The run is that of the process that has been farthest. */
static void debug_leaves(struct dbg *d)
{
    if (d->past && dbg_past_edge(d) != SIM_NEVER)
        dbg_past_go(d);
    dbg_past_end(d);
    if (d->session->going == DBG_KILLED || d->arrives)
        prog_finish(d->run, PROG_INTERRUPTED, 0,
                    run_stop_asked(d->live) ? "interrupted" : "killed by the debugger");
}

static sim_tick debug_moment(void *self, sim_tick at)
{
    struct dbg *d = self;
    struct dbg_session *x = d->session;
    sim_tick next = at;
    d->now = at;
    if (!d->run)
        return SIM_NEVER;
    if (d->past && dbg_past_stands(d, at)) /* a copy does, whatever has become of who asked */
        dbg_forget(d);
    if (d->scouting) /* it only looks on, until it has come to where others stand */
        return dbg_past_next(d);
    if (x->target.on)
        next = debug_travels(d);
    if (next == at && x->going == DBG_STANDS)
        debug_stands(d, DBG_STOP_FIRST, 0);
    if (d->changed && x->going == DBG_GOES) { /* travel begins anew, here */
        d->changed = false;
        return at;
    }
    while (next == at && x->going == DBG_GOES) {
        next = debug_goes(d);
        if (x->going == DBG_RETURNS)
            debug_stands(d, x->why, x->thread);
    }
    if (x->going == DBG_KILLED || x->going == DBG_DETACHED)
        debug_leaves(d);
    return x->going == DBG_DETACHED || x->going == DBG_KILLED ? SIM_NEVER : next;
}

/* ---- the observer ---------------------------------------------------------------------------- */

static enum run_begun debug_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct dbg *d = self;
    d->live = live;
    d->inspect = live->workload->inspect;
    if (!d->inspect || live->cards > DBG_CARDS) {
        snprintf(why, size, "there is no program here that could be debugged");
        return RUN_REFUSED;
    }
    d->records = dbg_follow(d);
    if (!d->records) {
        snprintf(why, size,
                 "a run that is debugged cannot have a profile, nor record its references");
        return RUN_REFUSED;
    }
    const char *not = d->connect(d->connect_ctx, d);
    snprintf(why, size, "%s", not ? not : "");
    return not ? RUN_FAILED : RUN_BEGUN;
}

static sim_tick debug_first(void *self)
{
    (void)self;
    return 0;
}

static void debug_begun(void *self, struct prog_run *run)
{
    struct dbg *d = self;
    d->run = run;
    d->inspect->binary(run->self, &d->binary);
    dbg_past_begin(d);
}

/* A thread is about to act, and the machine stands. Whoever is on the way to a tick passes. */
static bool debug_listens(const struct dbg *d)
{
    const struct dbg_session *x = d->session;
    return d->run && x->going == DBG_GOES && !x->target.on && !dbg_goes_to_tick(x);
}

static void debug_now(struct dbg *d)
{
    d->now = nm_machine_now(d->live->machine);
}

static bool debug_signalled(void *self, uint32_t thread, int called)
{
    struct dbg *d = self;
    struct dbg_session *x = d->session;
    if (!debug_listens(d) || x->passes[called])
        return true;
    debug_now(d);
    x->signal = called;
    x->throws = false;
    debug_stands(d, DBG_STOP_SIGNAL, thread);
    if (x->going != DBG_GOES)
        debug_leaves(d);
    return !x->throws || !dbg_may_change(d);
}

static bool debug_catches(const struct dbg_session *x, uint64_t number)
{
    bool caught = x->catches_all;
    for (unsigned i = 0; i < x->catching && !caught; i++)
        caught = x->caught[i] == number;
    return x->catches && caught;
}

static void debug_called(void *self, uint32_t thread, uint64_t number, bool over)
{
    struct dbg *d = self;
    struct dbg_session *x = d->session;
    if (!debug_listens(d) || !debug_catches(x, number))
        return;
    debug_now(d);
    x->call = number;
    debug_stands(d, over ? DBG_STOP_CALLED : DBG_STOP_CALL, thread);
    if (x->going != DBG_GOES)
        debug_leaves(d);
}

/* Nobody steps at the end. Whoever waits to go back stands there still. */
static bool debug_goes_back_from_end(struct dbg *d)
{
    struct dbg_session *x = d->session;
    if (x->going != DBG_GOES || x->until >= d->now)
        return false;
    return x->steps || (dbg_back_to(d, x->until) && x->going == DBG_RETURNS);
}

static void debug_ended(void *self)
{
    struct dbg *d = self;
    struct dbg_session *x = d->session;
    debug_now(d);
    if (d->past && dbg_past_edge(d) != SIM_NEVER)
        dbg_past_go(d); /* a copy's end is not the run's */
    if (d->arrives)
        debug_arrives(d);
    if (x->going != DBG_DETACHED && x->going != DBG_KILLED) {
        x->target.on = false;
        do
            debug_stands(d, DBG_STOP_OVER, 0);
        while (debug_goes_back_from_end(d));
    }
    dbg_past_end(d);
    d->run = NULL;
}

static void debug_release(void *self)
{
    struct dbg *d = self;
    pc_record_end(d->records);
    d->records = NULL;
}

const struct run_observer dbg_observer = {
    .size = sizeof(struct dbg),
    .begin = debug_begin,
    .first = debug_first,
    .moment = debug_moment,
    .begun = debug_begun,
    .signalled = debug_signalled,
    .called = debug_called,
    .ended = debug_ended,
    .release = debug_release,
};

/* ---- for people ------------------------------------------------------------------------------ */

static void say_hit(struct dbg *d, FILE *out)
{
    static const char *const of_line[] = {[DBG_LINE_MISS] = "asks for the line of",
                                          [DBG_LINE_NACK] = "has been refused the line of",
                                          [DBG_LINE_INVALIDATE] =
                                              "has had its copy taken of the line of",
                                          [DBG_LINE_LOSS] = "has lost the line of"};
    const struct dbg_hit *hit = &d->session->hit;
    if (hit->what == DBG_AT_BREAK)
        fprintf(out, "thread %u is at pc 0x%" PRIx64, hit->thread, hit->pc);
    else if (hit->what == DBG_AT_WATCH)
        fprintf(out, "thread %u, at pc 0x%" PRIx64 ", %s 0x%" PRIx64, hit->thread, hit->pc,
                hit->behind  ? hit->store ? "has just written" : "has just read"
                : hit->store ? "is about to write"
                             : "is about to read",
                hit->va);
    else if (hit->what == DBG_AT_LINE)
        fprintf(out, "card %u %s 0x%" PRIx64, hit->point.card, of_line[hit->line], hit->va);
    else
        fprintf(out, "thread %u has made its step", hit->thread);
}

void dbg_say_why(struct dbg *d, FILE *out)
{
    const struct dbg_session *x = d->session;
    fprintf(out, "cycle %" PRIu64 ", ", d->now);
    switch (x->why) {
    case DBG_STOP_HIT:
        say_hit(d, out);
        break;
    case DBG_STOP_SIGNAL:
        fprintf(out, "thread %u is about to act on signal %d", x->thread, x->signal);
        break;
    case DBG_STOP_CALL:
        fprintf(out, "thread %u makes system call %" PRIu64, x->thread, x->call);
        break;
    case DBG_STOP_CALLED:
        fprintf(out, "thread %u has the result of system call %" PRIu64, x->thread, x->call);
        break;
    case DBG_STOP_BEGINNING:
        fputs("the beginning of what can be gone back to", out);
        break;
    case DBG_STOP_OVER:
        if (*d->run->out->message)
            fprintf(out, "the end: %s", d->run->out->message);
        else
            fprintf(out, "the end: the program exits with status %d", d->run->out->status);
        break;
    case DBG_STOP_EDGE:
        fputs("as far as the run has been", out);
        break;
    case DBG_STOP_FIRST:
        fputs("the beginning", out);
        break;
    case DBG_STOP_ARRIVED:
    case DBG_STOP_ASKED:
        fputs("as asked", out);
        break;
    }
}

/*
 * Timers, from the run loop's side: when the next one is due, and what happens then.
 *
 * The hard idea: a periodic timer is wound up again only when its notice is taken (the signal
 * delivered, the descriptor read), as in Linux. Until then it has no date, and what it missed is
 * counted by a division. So a period of a nanosecond costs no more turns than its program takes.
 *
 * A timer on a processor clock has no date of its own: with n threads on cards it cannot come due
 * before an n-th of what is left has passed. The machine stops there and looks again.
 */
#include "programs/timer.h"

#include "base/alloc.h"
#include "programs/signal.h"

#include <stdlib.h>
#include <utlist.h>

/* An ignored signal is never taken: such a timer goes on by itself, this often at most. */
enum { IGNORED_NS = 1000000 };

struct timer *timer_new(struct prog *p, enum timer_use use, enum timer_clock clock)
{
    struct timer *t = nm_alloc(1, sizeof *t);

    t->use = use;
    t->clock = clock;
    t->id = -1;
    t->at = NM_NEVER;
    DL_APPEND(p->timers, t);
    return t;
}

void timer_free(struct prog *p, struct timer *t)
{
    DL_DELETE(p->timers, t);
    free(t);
}

void timers_free(struct prog *p)
{
    while (p->timers)
        timer_free(p, p->timers);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

nm_tick thread_ran(const struct thread *t)
{
    nm_tick now = prog_now(t->p);

    return t->ran + (t->state == TH_RUNNING && now > t->since ? now - t->since : 0);
}

nm_tick process_ran(const struct prog *p)
{
    nm_tick sum = p->ran;

    for (const struct thread *t = p->threads; t; t = t->next)
        sum += thread_ran(t);
    return sum;
}

nm_tick timer_clock_now(const struct prog *p, const struct timer *t)
{
    const struct thread *of;

    if (t->clock == TIMER_WALL)
        return prog_now(p);
    if (t->clock == TIMER_PROCESS)
        return process_ran(p);
    of = thread_find((struct prog *)p, t->clock_tid);
    return of ? thread_ran(of) : 0;
}

/** Threads whose time counts on the timer's clock and passes now. */
static unsigned runners(const struct prog *p, const struct timer *t)
{
    const struct thread *i;
    unsigned n = 0;

    DL_FOREACH(p->threads, i)
    n += i->state == TH_RUNNING && (t->clock == TIMER_PROCESS || i->tid == t->clock_tid);
    return n;
}

/** The earliest tick at which it may come due; NM_NEVER: none in sight. */
static nm_tick earliest(const struct prog *p, const struct timer *t)
{
    nm_tick now = prog_now(p), read;
    unsigned n;

    if (t->at == NM_NEVER || t->fired || t->use == TIMER_SILENT)
        return NM_NEVER; /* or who tells nobody would stop the machine for nothing */
    if (t->clock == TIMER_WALL)
        return t->at;
    read = timer_clock_now(p, t);
    n = runners(p, t);
    if (t->at <= read)
        return now;
    return n ? now + (t->at - read + n - 1) / n : NM_NEVER;
}

nm_tick timers_date(const struct prog *p)
{
    nm_tick next = NM_NEVER;
    const struct timer *t;

    DL_FOREACH(p->timers, t)
    {
        nm_tick date = earliest(p, t);
        next = date < next ? date : next;
    }
    return next;
}

/* ---- firing ---------------------------------------------------------------------------------- */

nm_tick timer_left(const struct prog *p, const struct timer *t)
{
    nm_tick now = timer_clock_now(p, t);

    if (t->at == NM_NEVER)
        return 0;
    if (t->at > now)
        return t->at - now;
    if (!t->every)
        return t->use == TIMER_SILENT ? 0 : 1;
    return t->every - (now - t->at) % t->every;
}

void timer_set(struct timer *t, nm_tick at, nm_tick every)
{
    t->at = at;
    t->every = every;
    t->fired = false;
    t->missed = 0;
}

/** Winds it up again after its date. @return dates passed, at least 1 */
static uint64_t wind_up(const struct prog *p, struct timer *t)
{
    nm_tick now = timer_clock_now(p, t);
    uint64_t passed = t->every && now > t->at ? (now - t->at) / t->every + 1 : 1;

    t->at = t->every ? t->at + passed * t->every : NM_NEVER;
    t->fired = false;
    return passed;
}

uint64_t timer_passed(const struct prog *p, struct timer *t)
{
    return t->fired ? wind_up(p, t) : 0;
}

/** Nobody will take the notice: on to a date that is not too near. */
static void go_on(struct prog *p, struct timer *t)
{
    nm_tick rest = prog_ticks(p, IGNORED_NS);

    wind_up(p, t);
    if (t->at != NM_NEVER && t->every < rest)
        t->at += rest / t->every * t->every;
}

static void fire_signal(struct prog *p, struct timer *t)
{
    struct thread *to = t->tid ? thread_find(p, t->tid) : NULL;

    if ((t->tid && !to) || signal_dropped(p, to, t->info.signo)) {
        go_on(p, t);
        return;
    }
    t->fired = true;
    if (t->queued)
        return;
    t->queued = true;
    signal_post(p, to, &t->info);
}

static void fire(struct prog *p, struct timer *t)
{
    if (t->use == TIMER_SILENT) {
        wind_up(p, t);
        return;
    }
    if (t->use == TIMER_FILE) {
        t->fired = true;
        thread_wake_all(p, p->fds);
        return;
    }
    fire_signal(p, t);
}

void timers_ring(struct prog *p)
{
    struct timer *t;

    DL_FOREACH(p->timers, t)
    if (t->at != NM_NEVER && !t->fired && t->at <= timer_clock_now(p, t))
        fire(p, t);
}

/** Whether the signal is (or, setitimer's being no more than a number, could be) the timer's. */
static bool told_by(const struct timer *t, const struct siginfo *info)
{
    if (t->use == TIMER_INTERVAL)
        return info->signo == t->info.signo;
    return t->use == TIMER_SIGNAL && info->code == SI_TIMER_ && info->pid == (uint32_t)t->id;
}

void timer_taken(struct prog *p, struct siginfo *info)
{
    struct timer *t;

    DL_FOREACH(p->timers, t)
    {
        if (!told_by(t, info))
            continue;
        t->queued = false;
        if (t->fired)
            t->missed = wind_up(p, t) - 1;
        if (t->use == TIMER_SIGNAL)
            info->uid = t->missed > INT32_MAX ? INT32_MAX : (uint32_t)t->missed;
    }
}

void timers_dropped(struct prog *p, int signo)
{
    struct timer *t;

    DL_FOREACH(p->timers, t)
    if (t->info.signo == signo && t->queued) {
        t->queued = false;
        if (t->fired)
            go_on(p, t);
    }
}

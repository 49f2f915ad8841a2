/*
 * Timers: their clocks, and when the next one is due. What happens then is in signals/alarm.c.
 *
 * The hard idea: a periodic timer is wound up again only when its notice is taken (the signal
 * delivered, the descriptor read), as in Linux. Until then it has no date, and what it missed is
 * counted by a division. So a period of a nanosecond costs no more turns than its program takes.
 *
 * A timer on a processor clock has no date of its own: with n threads on cards it cannot come due
 * before an n-th of what is left has passed. The machine stops there and looks again.
 */
#include "programs/linux/time/timer.h"

#include "base/alloc.h"
#include "programs/linux/process/signo.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <utlist.h>

/* An ignored signal is never taken: such a timer goes on by itself, this often at most. */
enum { IGNORED_NS = 1000000 };

struct lx_timer *lx_timer_new(struct lx_prog *p, enum lx_timer_use use, enum lx_timer_clock clock)
{
    struct lx_timer *t = sim_alloc(1, sizeof *t);

    t->use = use;
    t->clock = clock;
    t->id = -1;
    t->at = SIM_NEVER;
    DL_APPEND(p->timers, t);
    return t;
}

void lx_timer_free(struct lx_prog *p, struct lx_timer *t)
{
    DL_DELETE(p->timers, t);
    free(t);
}

void lx_timers_free(struct lx_prog *p)
{
    while (p->timers)
        lx_timer_free(p, p->timers);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

sim_tick lx_thread_ran(const struct lx_thread *t)
{
    sim_tick now = lx_now(t->p);

    return t->ran + (t->state == TH_RUNNING && now > t->since ? now - t->since : 0);
}

sim_tick lx_process_ran(const struct lx_prog *p)
{
    sim_tick sum = p->ran;

    for (const struct lx_thread *t = p->threads; t; t = t->next)
        sum += lx_thread_ran(t);
    return sum;
}

sim_tick lx_timer_clock_now(const struct lx_prog *p, const struct lx_timer *t)
{
    const struct lx_thread *of;

    if (t->clock == TIMER_WALL)
        return lx_now(p);
    if (t->clock == TIMER_PROCESS)
        return lx_process_ran(p);
    of = lx_thread_named((struct lx_prog *)p, t->clock_tid);
    return of ? lx_thread_ran(of) : 0;
}

/** Threads whose time counts on the timer's clock and passes now. */
static unsigned timer_runners(const struct lx_prog *p, const struct lx_timer *t)
{
    const struct lx_thread *i;
    unsigned n = 0;

    DL_FOREACH(p->threads, i)
        n += i->state == TH_RUNNING && (t->clock == TIMER_PROCESS || i->tid == t->clock_tid);
    return n;
}

/** The earliest tick at which it may come due; SIM_NEVER: none in sight. */
static sim_tick timer_earliest(const struct lx_prog *p, const struct lx_timer *t)
{
    sim_tick now = lx_now(p), read;
    unsigned n;

    if (t->at == SIM_NEVER || t->fired || t->use == TIMER_SILENT)
        return SIM_NEVER; /* or who tells nobody would stop the machine for nothing */
    if (t->clock == TIMER_WALL)
        return t->at;
    read = lx_timer_clock_now(p, t);
    n = timer_runners(p, t);
    if (t->at <= read)
        return now;
    return n ? now + (t->at - read + n - 1) / n : SIM_NEVER;
}

sim_tick lx_timers_date(const struct lx_prog *p)
{
    sim_tick next = SIM_NEVER;
    const struct lx_timer *t;

    DL_FOREACH(p->timers, t) {
        sim_tick date = timer_earliest(p, t);
        next = date < next ? date : next;
    }
    return next;
}

/* ---- setting, and taking notice -------------------------------------------------------------- */

/** Whether it has expired and has no next date: it fires once, or not again before its signal is
 *  taken. (Others are taken for wound up: POSIX timers when they are looked at, processor clocks as
 *  soon as they fire.) */
static bool timer_stands(const struct lx_timer *t)
{
    if (t->every)
        return t->fired && t->use == TIMER_INTERVAL && t->clock == TIMER_WALL;
    return t->fired || t->use == TIMER_SILENT;
}

sim_tick lx_timer_left(const struct lx_prog *p, const struct lx_timer *t)
{
    sim_tick now = lx_timer_clock_now(p, t);

    if (t->at == SIM_NEVER)
        return 0;
    if (t->at > now)
        return t->at - now;
    if (timer_stands(t))
        return 0;
    return t->every ? t->every - (now - t->at) % t->every : 1; /* 1: it is about to fire */
}

void lx_timer_set(struct lx_timer *t, sim_tick at, sim_tick every)
{
    t->at = at;
    t->every = every;
    t->fired = false;
    t->missed = 0;
}

uint64_t lx_timer_wind_up(const struct lx_prog *p, struct lx_timer *t)
{
    sim_tick now = lx_timer_clock_now(p, t);
    uint64_t passed = t->every && now > t->at ? (now - t->at) / t->every + 1 : 1;

    t->at = t->every ? t->at + passed * t->every : SIM_NEVER;
    t->fired = false;
    return passed;
}

uint64_t lx_timer_passed(const struct lx_prog *p, struct lx_timer *t)
{
    return t->fired ? lx_timer_wind_up(p, t) : 0;
}

void lx_timer_go_on(struct lx_prog *p, struct lx_timer *t)
{
    sim_tick rest = lx_ticks(p, IGNORED_NS);

    lx_timer_wind_up(p, t);
    if (t->at != SIM_NEVER && t->every < rest)
        t->at += rest / t->every * t->every;
}

/** Whether the signal is (or, setitimer's being no more than a number, could be) the timer's. */
static bool told_by(const struct lx_timer *t, const struct lx_siginfo *info)
{
    if (t->use == TIMER_INTERVAL)
        return info->signo == t->info.signo;
    return t->use == TIMER_SIGNAL && info->code == SI_TIMER_ && info->pid == (uint32_t)t->id;
}

void lx_timer_taken(struct lx_prog *p, struct lx_siginfo *info)
{
    struct lx_timer *t;

    DL_FOREACH(p->timers, t) {
        if (!told_by(t, info))
            continue;
        t->queued = false;
        if (t->fired)
            t->missed = lx_timer_wind_up(p, t) - 1;
        if (t->use == TIMER_SIGNAL)
            info->uid = t->missed > INT32_MAX ? INT32_MAX : (uint32_t)t->missed;
    }
}

void lx_timers_dropped(struct lx_prog *p, int signo)
{
    struct lx_timer *t;

    DL_FOREACH(p->timers, t)
        if (t->info.signo == signo && t->queued) {
            t->queued = false;
            if (t->fired)
                lx_timer_go_on(p, t);
        }
}

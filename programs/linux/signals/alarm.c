/* Timers that are due: whom they tell, and how. */
#include "programs/linux/signals/signal.h"

#include "programs/linux/threads/threads.h"
#include "programs/linux/time/timer.h"

#include <utlist.h>

/** Whose time has made the timer expire, and who is told therefore: profilers count on it. Of the
 *  process's time all that run have their share, so they take turns. NULL: nobody in particular. */
static struct lx_thread *spender_of(struct lx_prog *p, struct lx_timer *t)
{
    struct lx_thread *i, *first = NULL, *next = NULL;

    if (t->clock != TIMER_PROCESS)
        return t->clock == TIMER_THREAD ? lx_thread_find(p, t->clock_tid) : NULL;
    DL_FOREACH(p->threads, i) {
        if (i->state != TH_RUNNING || lx_sigs_has(&i->mask, t->info.signo))
            continue;
        first = first ? first : i;
        next = next || i->tid <= t->spender ? next : i;
    }
    next = next ? next : first;
    t->spender = next ? next->tid : 0;
    return next;
}

static void fire_signal(struct lx_prog *p, struct lx_timer *t)
{
    struct lx_thread *to = t->tid ? lx_thread_find(p, t->tid) : NULL;

    if ((t->tid && !to) || lx_signal_dropped(p, to, t->info.signo)) {
        lx_timer_go_on(p, t);
        return;
    }
    t->fired = true;
    if (t->queued)
        return;
    t->queued = true;
    lx_signal_post_near(p, to, spender_of(p, t), &t->info);
}

static void fire(struct lx_prog *p, struct lx_timer *t)
{
    if (t->use == TIMER_SILENT) {
        lx_timer_wind_up(p, t);
        return;
    }
    if (t->use == TIMER_FILE) {
        t->fired = true;
        p->steps->told(p, t);
        lx_thread_wake_all(p, p->fds);
        return;
    }
    fire_signal(p, t);
}

void lx_timers_ring(struct lx_prog *p)
{
    struct lx_timer *t;

    DL_FOREACH(p->timers, t)
        if (t->at != SIM_NEVER && !t->fired && t->at <= lx_timer_clock_now(p, t))
            fire(p, t);
}

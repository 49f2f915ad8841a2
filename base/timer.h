/*
 * A timer: an event of which at most one counts, the earliest that was asked for.
 *
 * An event that has been posted cannot be taken back. One whose tick is no longer the timer's fires
 * all the same; its function begins with sim_timer_fires and finds that it has nothing to do.
 */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

#include "base/kernel.h"

/** When it is due [ticks]; SIM_NEVER: not set. */
struct sim_timer {
    sim_tick at;
};

/** Sets it to `at`, unless it is due by then. @return true: the caller posts its event for `at` */
static inline bool sim_timer_set(struct sim_timer *t, sim_tick at)
{
    if (at >= t->at)
        return false;
    t->at = at;
    return true;
}

/** In its event at `now`: whether that is the timer's. Then it is no longer set. */
static inline bool sim_timer_fires(struct sim_timer *t, sim_tick now)
{
    if (t->at != now)
        return false;
    t->at = SIM_NEVER;
    return true;
}

/** Instead of setting it to the current tick: whether its event, a standing one, would be the next.
 * Then the caller calls the event's function. */
static inline bool sim_timer_at_once(struct sim_timer *t, const struct sim_kernel *k, sim_tick now,
                                     enum sim_rank rank, uint32_t component)
{
    return sim_kernel_leads(k, now, rank, component) && sim_timer_set(t, now);
}

#endif

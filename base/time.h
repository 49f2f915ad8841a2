/*
 * Simulated time.
 *
 * Time is an integer. One tick is one period of the processor's pipeline clock (PClock, 150 MHz by
 * default); slower clocks tick every n-th tick (the 50 MHz bus every 3rd). Seconds are computed
 * only when something is printed.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

/** Simulated time in ticks (PClock periods). Simulated, NOT wall-clock time. */
typedef uint64_t sim_tick;

/** No such moment: later than any event. */
#define SIM_NEVER UINT64_MAX

/** The earlier of two moments. */
static inline sim_tick sim_earlier(sim_tick a, sim_tick b)
{
    return a < b ? a : b;
}

/** The later of two moments. */
static inline sim_tick sim_later(sim_tick a, sim_tick b)
{
    return a < b ? b : a;
}

/** The moment `by` ticks after `t`; SIM_NEVER stays. */
static inline sim_tick sim_later_by(sim_tick t, sim_tick by)
{
    return t == SIM_NEVER ? t : t + by;
}

/** A slower clock. Divides without a division: exact below 2^64 / cycle ticks. */
struct sim_clock {
    sim_tick cycle;   /**< [ticks] */
    uint64_t inverse; /**< 2^64 / cycle, rounded up; 0 for a cycle of one tick */
};

/** The clock whose cycle takes so many ticks, 1 or more. */
static inline struct sim_clock sim_clock_of(sim_tick cycle)
{
    return (struct sim_clock){.cycle = cycle, .inverse = cycle > 1 ? UINT64_MAX / cycle + 1 : 0};
}

/** Whole cycles in `ticks`. */
static inline uint64_t sim_clock_cycles(const struct sim_clock *c, sim_tick ticks)
{
    return c->inverse ? (uint64_t)((unsigned __int128)ticks * c->inverse >> 64) : ticks;
}

/** First edge of the clock at or after `t`. */
static inline sim_tick sim_clock_edge(const struct sim_clock *c, sim_tick t)
{
    return sim_clock_cycles(c, t + c->cycle - 1) * c->cycle;
}

#endif

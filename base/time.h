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
typedef uint64_t nm_tick;

/** No such moment: later than any event. */
#define NM_NEVER UINT64_MAX

/** A slower clock. Divides without a division: exact below 2^64 / cycle ticks. */
struct nm_clock {
    nm_tick cycle;    /**< [ticks] */
    uint64_t inverse; /**< 2^64 / cycle, rounded up; 0 for a cycle of one tick */
};

static inline struct nm_clock nm_clock_of(nm_tick cycle)
{
    return (struct nm_clock){.cycle = cycle, .inverse = cycle > 1 ? UINT64_MAX / cycle + 1 : 0};
}

/** Whole cycles in `ticks`. */
static inline uint64_t nm_clock_cycles(const struct nm_clock *c, nm_tick ticks)
{
    return c->inverse ? (uint64_t)((unsigned __int128)ticks * c->inverse >> 64) : ticks;
}

/** First edge of the clock at or after `t`. */
static inline nm_tick nm_clock_edge(const struct nm_clock *c, nm_tick t)
{
    return nm_clock_cycles(c, t + c->cycle - 1) * c->cycle;
}

#endif

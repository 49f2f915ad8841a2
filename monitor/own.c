/*
 * The events of a processor's own counters in the words of results (monitor/unit.h).
 */
#include "monitor/own.h"

uint64_t mon_own_total(const struct mon_own *own, unsigned event, const union mon_own_signals *now)
{
    uint64_t sum = 0;
    for (uint64_t left = own->signals[event - own->first]; left; left &= left - 1) {
        const unsigned signal = (unsigned)__builtin_ctzll(left);
        for (unsigned m = 0; m < own->modes; m++)
            sum += now->total[signal * own->modes + m];
    }
    return sum;
}

struct mon_shown mon_own_measure(const struct mon_own *own, unsigned event,
                                 const union mon_own_signals *from, const union mon_own_signals *to)
{
    const uint64_t grown = mon_own_total(own, event, to) - mon_own_total(own, event, from);
    return (struct mon_shown){(uint32_t)grown, grown >> 32};
}

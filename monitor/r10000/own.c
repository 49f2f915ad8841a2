/*
 * The events of a processor's own counters in the words of results (monitor/unit.h).
 */
#include "monitor/r10000/counters.h"
#include "monitor/unit.h"

uint64_t mon_own_total(const struct mon_own *own, unsigned event, const struct r10k_signals *now)
{
    return r10k_total(now, (enum r10k_signal)own->signal[event - own->first], R10K_COUNT_ALL);
}

struct mon_shown mon_own_measure(const struct mon_own *own, unsigned event,
                                 const struct r10k_signals *from, const struct r10k_signals *to)
{
    const uint64_t grown = mon_own_total(own, event, to) - mon_own_total(own, event, from);
    return (struct mon_shown){(uint32_t)grown, grown >> 32};
}

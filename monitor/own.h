/*
 * What a processor counts by itself beside the card's unit, whichever processor it is: totals, and
 * which of them make an event of the unit's rows (monitor/unit.h).
 */
#ifndef MON_OWN_H
#define MON_OWN_H

#include "monitor/arm11/signals.h"
#include "monitor/l2c/signals.h"
#include "monitor/r10000/signals.h"
#include "monitor/unit.h"

#pragma GCC visibility push(default)

/** Processors that count, with what counts beside them in their secondary cache's controller:
 *  processors.def. */
enum mon_processor {
#define PROCESSOR(id, name, core, controller) MON_##id,
#include "monitor/processors.def"
#undef PROCESSOR
    MON_PROCESSORS /**< one that does not count */
};

enum { MON_OWN_TOTALS = sizeof(struct r10k_signals) / sizeof(uint64_t) };

/** Totals of one processor's signals; which member, the processor says. */
union mon_own_signals {
    struct r10k_signals r10000;
    struct mon_arm11_signals {
        struct arm11_signals core;
        struct l2c_signals l2; /**< all 0 without such a controller */
    } arm11;
    uint64_t total[MON_OWN_TOTALS];
};
_Static_assert(sizeof(struct mon_arm11_signals) <= sizeof(struct r10k_signals),
               "all totals are in `total`");

/** What each of them counts beside a unit. */
extern const struct mon_own mon_processors[MON_PROCESSORS];

/** Total of one of the processor's own events, in every mode.
 *  @param own  which processor
 *  @param event  the event, from 0 on
 *  @param now  its totals */
uint64_t mon_own_total(const struct mon_own *own, unsigned event, const union mon_own_signals *now);

/** As mon_unit_ops.measure. */
struct mon_shown mon_own_measure(const struct mon_own *own, unsigned event,
                                 const union mon_own_signals *from,
                                 const union mon_own_signals *to);

#pragma GCC visibility pop

#endif

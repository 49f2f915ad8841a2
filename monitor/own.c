/*
 * The events of a processor's own counters beside a unit (monitor/unit.h): a list of the
 * processor's and one of its secondary cache's controller, as processors.def says.
 */
#include "monitor/own.h"
#include "monitor/lists.h"

#include <stddef.h>

_Static_assert(offsetof(struct mon_arm11_signals, l2) == ARM11_SIGNALS * sizeof(uint64_t),
               "totals of the controller follow the core's");

const struct mon_own_list mon_nothing = {0};

const struct mon_own mon_processors[MON_PROCESSORS] = {
#define PROCESSOR(id, name, core, controller) [MON_##id] = {name, {&mon_##core, &mon_##controller}},
#include "monitor/processors.def"
#undef PROCESSOR
};

/* ---- rows of both lists ---------------------------------------------------------------------- */

/* An event of one of the lists. */
struct own_at {
    const struct mon_own_list *list;
    const struct mon_own_event *event;
    unsigned before; /* counters of the lists before */
};

static struct own_at own_at(const struct mon_own *own, unsigned event)
{
    struct own_at at = {.list = own->list[0]};
    for (unsigned i = 1; i < MON_OWN_LISTS && event >= at.list->events; i++) {
        event -= at.list->events;
        at.before += at.list->counters;
        at.list = own->list[i];
    }
    at.event = &at.list->event[event];
    return at;
}

unsigned mon_own_events(const struct mon_own *own)
{
    unsigned sum = 0;
    for (unsigned i = 0; own && i < MON_OWN_LISTS; i++)
        sum += own->list[i]->events;
    return sum;
}

unsigned mon_own_counters(const struct mon_own *own)
{
    unsigned sum = 0;
    for (unsigned i = 0; own && i < MON_OWN_LISTS; i++)
        sum += own->list[i]->counters;
    return sum;
}

const struct mon_event *mon_own_event_at(const struct mon_own *own, unsigned event)
{
    return &own_at(own, event).event->event;
}

unsigned mon_own_event_counters(const struct mon_own *own, unsigned event)
{
    const struct own_at at = own_at(own, event);
    return at.event->event.counters << at.before;
}

/* ---- totals ---------------------------------------------------------------------------------- */

uint64_t mon_own_total(const struct mon_own *own, unsigned event, const union mon_own_signals *now)
{
    const struct own_at at = own_at(own, event);
    uint64_t sum = 0;
    for (uint64_t left = at.event->signals; left; left &= left - 1) {
        const unsigned signal = (unsigned)__builtin_ctzll(left);
        for (unsigned m = 0; m < at.list->modes; m++)
            sum += now->total[at.list->first + signal * at.list->modes + m];
    }
    return sum;
}

struct mon_shown mon_own_measure(const struct mon_own *own, unsigned event,
                                 const union mon_own_signals *from, const union mon_own_signals *to)
{
    const uint64_t grown = mon_own_total(own, event, to) - mon_own_total(own, event, from);
    return (struct mon_shown){(uint32_t)grown, grown >> 32};
}

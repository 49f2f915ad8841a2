/*
 * Which event goes on which counter, in which run of the card.
 *
 * Not every event fits every counter, so this is a matching between events and counters in which
 * each counter may be used once per run. The smallest number of runs is found by trying 1, 2, ...
 * with augmenting paths: an event takes a place on a counter, or makes an event that sits there
 * move elsewhere. When that fails, the counters that were tried are all taken by events that fit
 * nowhere else, and exactly those are named to the user.
 */
#include "monitor/unit.h"

#include <stdio.h>
#include <string.h>

struct matching {
    const struct mon_unit_ops *unit;
    const struct mon_choice *choice;
    unsigned runs;                    /* places on each counter */
    unsigned placed;                  /* events 0 .. placed-1 of the choice have a counter */
    unsigned counter[MON_EVENTS_MAX]; /* [position in the choice] */
    unsigned tried;                   /* bit k: the search for the last event came by counter k */
};

static unsigned plan_fits(const struct matching *m, unsigned i)
{
    return mon_event_counters(m->unit, m->choice->event[i]);
}

static unsigned used(const struct matching *m, unsigned k)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->placed; i++)
        n += m->counter[i] == k;
    return n;
}

/* Finds a counter for event i, moving others where they also fit; all or nothing. */
static bool plan_place(struct matching *m, unsigned i)
{
    for (unsigned k = 0; k < mon_unit_counters(m->unit); k++) {
        if (!(plan_fits(m, i) >> k & 1) || m->tried >> k & 1)
            continue;
        m->tried |= 1U << k;
        bool room = used(m, k) < m->runs;
        for (unsigned j = 0; j < m->placed && !room; j++)
            room = m->counter[j] == k && plan_place(m, j);
        if (room) {
            m->counter[i] = k;
            return true;
        }
    }
    return false;
}

static bool place_all(struct matching *m)
{
    for (m->placed = 0; m->placed < m->choice->count; m->placed++) {
        m->tried = 0;
        if (!plan_place(m, m->placed))
            return false;
    }
    return true;
}

static void plan_append(char *text, size_t size, const char *word)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", word);
}

/* Why m failed: the events that fit only the counters tried, and those counters. */
static void plan_explain(const struct matching *m, char *text, size_t size)
{
    const char *separator = "";
    text[0] = '\0';
    for (unsigned i = 0; i <= m->placed; i++)
        if (!(plan_fits(m, i) & ~m->tried)) {
            plan_append(text, size, separator);
            plan_append(text, size, mon_unit_event(m->unit, m->choice->event[i])->name);
            separator = ", ";
        }
    const bool own = m->tried >> m->unit->counters; /* no event fits counters of both */
    plan_append(text, size, own ? " fit only the processor's counter" : " fit only counter");
    plan_append(text, size, m->tried & (m->tried - 1) ? "s " : " ");
    separator = "";
    for (unsigned k = 0; k < mon_unit_counters(m->unit); k++)
        if (m->tried >> k & 1) {
            const unsigned number = own ? k - m->unit->counters : k;
            plan_append(text, size, separator);
            plan_append(text, size, (const char[2]){(char)('0' + number), '\0'});
            separator = ", ";
        }
}

void mon_plan_make(const struct mon_unit_ops *unit, struct mon_plan *plan,
                   const struct mon_choice *choice)
{
    const unsigned counters = mon_unit_counters(unit);
    struct matching m = {.unit = unit, .choice = choice};
    memset(plan, 0, sizeof *plan);
    if (!choice->count)
        return;
    for (m.runs = (choice->count + counters - 1) / counters; !place_all(&m); m.runs++)
        plan_explain(&m, plan->remark, sizeof plan->remark);
    plan->banks = m.runs;

    unsigned next[MON_COUNTERS_MAX + MON_OWN_MAX] = {0};
    for (unsigned i = 0; i < choice->count; i++) {
        plan->counter[i] = m.counter[i];
        plan->bank[i] = next[m.counter[i]]++;
    }
}

/*
 * Totals over the cards of a station or of the machine.
 *
 * The one hard idea: a sum is not always a total. Every card of a station sees the same bus, so bus
 * busy cycles are taken from one card of each station; the same goes for a local ring, and the
 * clock is the same for all.
 */
#include "documents/run.h"
#include "documents/totals.h"
#include "monitor/taps.h"
#include "procard/procard.h"

#include <stddef.h>

unsigned doc_per_ring(const struct doc_run *run)
{
    const unsigned stations = (unsigned)nm_value_ring_stations(run->experiment->machine.params);
    return run->per_station * (stations ? stations : 1);
}

/* Does card `c` add to a total over `level`? */
static bool total_adds(const struct doc_run *run, struct doc_level level, enum mon_scope scope,
                       unsigned c)
{
    switch (scope) {
    case MON_SCOPE_STATION:
        return c == level.first || c % run->per_station == 0;
    case MON_SCOPE_RING:
        return c == level.first || c % doc_per_ring(run) == 0;
    case MON_SCOPE_MACHINE:
        return c == level.first;
    default:
        return true;
    }
}

uint64_t doc_count(const struct doc_run *run, const struct doc_region *region,
                   struct doc_level level, unsigned i)
{
    enum mon_scope scope = mon_unit_event(run->unit, run->choice.event[i])->scope;
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        if (total_adds(run, level, scope, c))
            sum += region->card[c].counts[i];
    return sum;
}

bool doc_overflowed(const struct doc_region *region, struct doc_level level, unsigned i)
{
    for (unsigned c = level.first; c < level.first + level.count; c++)
        if (region->card[c].overflowed[i])
            return true;
    return false;
}

uint64_t doc_sum(const struct doc_run *run, const struct doc_region *region, struct doc_level level,
                 enum mon_scope scope, uint64_t taps)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        if (total_adds(run, level, scope, c))
            sum += mon_sum(taps, &region->card[c].sum.taps);
    return sum;
}

uint64_t doc_event_at(const struct doc_run *run, const struct doc_sample *now, unsigned card,
                      unsigned event)
{
    if (!mon_is_own(run->unit, event))
        return mon_event_total(&run->unit->events[event], &now->card[card].taps);
    return now->own ? mon_own_total(run->unit->own, event - run->unit->event_count, &now->own[card])
                    : 0;
}

static uint64_t own_event(const struct doc_run *run, const struct doc_region *region,
                          struct doc_level level, unsigned event)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; region->own && c < level.first + level.count; c++)
        sum += mon_own_total(run->unit->own, event - run->unit->event_count, &region->own[c].sum);
    return sum;
}

uint64_t doc_event(const struct doc_run *run, const struct doc_region *region,
                   struct doc_level level, unsigned event)
{
    const struct mon_event *row = mon_unit_event(run->unit, event);
    if (mon_is_own(run->unit, event))
        return own_event(run, region, level, event);
    return doc_sum(run, region, level, row->scope, row->taps);
}

bool doc_card_counts(const struct doc_run *run, unsigned card, unsigned event)
{
    return !mon_is_own(run->unit, event) ||
           (run->own &&
            pc_processor_of(in_card_params(&run->experiment->machine, card)) < MON_PROCESSORS);
}

bool doc_event_exists(const struct doc_run *run, unsigned event)
{
    const uint64_t taps = mon_unit_event(run->unit, event)->taps;
    if (taps & UINT64_C(1) << MON_TAP_UPPER_RING_BUSY)
        return run->rings > 1;
    return !(taps & UINT64_C(1) << MON_TAP_RING_BUSY) || run->rings > 0;
}

bool doc_had_thread(const struct doc_region *region, unsigned card)
{
    return region->card[card].sum.truth.idle < region->elapsed;
}

unsigned doc_cards(const struct doc_region *region, struct doc_level level)
{
    unsigned n = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        n += doc_had_thread(region, c);
    return n;
}

uint64_t doc_idle(const struct doc_region *region, struct doc_level level)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        if (doc_had_thread(region, c))
            sum += region->card[c].sum.truth.idle;
    return sum;
}

uint64_t doc_off(const struct doc_region *region, struct doc_level level)
{
    return region->elapsed * level.count -
           doc_truth(region, level, offsetof(struct nm_truth, running));
}

uint64_t doc_busiest(const struct doc_region *region, struct doc_level level)
{
    uint64_t most = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        if (region->card[c].sum.truth.running > most)
            most = region->card[c].sum.truth.running;
    return most;
}

uint64_t doc_tap(const struct doc_region *region, struct doc_level level, unsigned tap)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        sum += region->card[c].sum.taps.v[tap];
    return sum;
}

uint64_t doc_truth(const struct doc_region *region, struct doc_level level, size_t offset)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        sum += *(const uint64_t *)((const char *)&region->card[c].sum.truth + offset);
    return sum;
}

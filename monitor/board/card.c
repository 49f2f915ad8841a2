/*
 * The card's four general-purpose counters (N-2 .. N-13, N-55).
 *
 * The hard idea: a counter is never incremented. The hardware keeps free-running totals anyway, so
 * a counter remembers the total at which it was loaded, and its value at any moment is
 *
 *     load + (total now - total then)    modulo 2^32,
 *
 * its number of wraps the same sum divided by 2^32. Counting therefore costs nothing while time
 * passes and cannot disturb it.
 */
#include "monitor/board/card.h"

#include "monitor/taps.h"

static uint64_t total_of(const struct mon_counter *c, const struct mon_taps *now)
{
    return c->masked ? c->passed : mon_sum(c->taps, now) - mon_sum(c->minus, now);
}

uint64_t mon_read_wide(const struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    const struct mon_counter *c = &card->counter[k];
    const uint64_t counted = total_of(c, now) - c->base;
    /* In the middle of an instruction a state's total can be a few PCycles off; a counter does not
     * run backwards for that. */
    return c->settling || (int64_t)counted < 0 ? c->load : c->load + counted;
}

void mon_card_reset(struct mon_card *card)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        card->counter[k] = (struct mon_counter){.event = MON_EV_nothing};
}

void mon_rewire(struct mon_card *card, unsigned k, enum mon_event_id event, uint64_t taps,
                uint64_t minus, bool masked, const struct mon_taps *now)
{
    struct mon_counter *c = &card->counter[k];
    c->raised = mon_overflowed(card, k, now);
    c->load = mon_read(card, k, now);
    c->event = event;
    c->taps = taps;
    c->minus = minus;
    c->masked = masked;
    c->base = total_of(c, now);
    c->seen = 0;
}

bool mon_select(struct mon_card *card, unsigned k, enum mon_event_id event,
                const struct mon_taps *now)
{
    if (!(mon_board_events[event].counters >> k & 1))
        return false;
    mon_rewire(card, k, event, mon_board_events[event].taps, 0, false, now);
    return true;
}

void mon_put(struct mon_card *card, unsigned k, uint32_t value, unsigned dead,
             const struct mon_taps *now)
{
    struct mon_counter *c = &card->counter[k];
    c->raised = mon_overflowed(card, k, now);
    c->load = value;
    c->base = total_of(c, now);
    c->ready = now->v[MON_TAP_CYCLES] + dead;
    c->settling = dead > 0;
    c->seen = 0;
}

unsigned mon_load(struct mon_card *card, unsigned k, uint32_t value, const struct mon_taps *now)
{
    unsigned dead = value ? MON_LOAD_DEAD : MON_ZERO_DEAD;
    mon_put(card, k, value, dead, now);
    card->counter[k].raised = false;
    return dead;
}

unsigned mon_load_all(struct mon_card *card, uint32_t value, const struct mon_taps *now)
{
    unsigned dead = 0;
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        dead = mon_load(card, k, value, now);
    return dead;
}

void mon_settle(struct mon_card *card, const struct mon_taps *now)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++) {
        struct mon_counter *c = &card->counter[k];
        if (!c->settling || now->v[MON_TAP_CYCLES] < c->ready)
            continue;
        c->settling = false;
        c->base = total_of(c, now);
    }
}

uint32_t mon_read(const struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    return (uint32_t)mon_read_wide(card, k, now);
}

uint64_t mon_counted(const struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    return mon_read_wide(card, k, now) - card->counter[k].load;
}

bool mon_overflowed(const struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    const struct mon_counter *c = &card->counter[k];
    return c->raised || mon_read_wide(card, k, now) >> 32 > c->seen;
}

void mon_clear_overflow(struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    card->counter[k].raised = false;
    card->counter[k].seen = mon_read_wide(card, k, now) >> 32;
}

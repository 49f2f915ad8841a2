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
#include "monitor/monitor.h"

static uint64_t total_of(const struct mon_counter *c, const struct mon_taps *now)
{
    return mon_event_total(&mon_events()[c->event], now);
}

/** Value and, above bit 31, wraps since the load. */
static uint64_t wide(const struct mon_counter *c, const struct mon_taps *now)
{
    return c->settling ? c->load : c->load + (total_of(c, now) - c->base);
}

void mon_card_reset(struct mon_card *card)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        card->counter[k] = (struct mon_counter){.event = MON_EV_nothing};
}

bool mon_select(struct mon_card *card, unsigned k, enum mon_event_id event,
                const struct mon_taps *now)
{
    if (!(mon_events()[event].counters >> k & 1))
        return false;
    struct mon_counter *c = &card->counter[k];
    uint64_t value = wide(c, now);
    bool flag = mon_overflowed(card, k, now);
    c->event = event;
    c->load = (uint32_t)value;
    c->base = total_of(c, now);
    c->seen = 0;
    /* A raised flag survives the change: it shows as a wrap before the new base. */
    if (flag)
        c->base -= UINT64_C(1) << 32;
    return true;
}

unsigned mon_load(struct mon_card *card, unsigned k, uint32_t value, const struct mon_taps *now)
{
    struct mon_counter *c = &card->counter[k];
    unsigned dead = value ? MON_LOAD_DEAD : MON_ZERO_DEAD;
    c->load = value;
    c->base = total_of(c, now);
    c->ready = now->v[MON_TAP_CYCLES] + dead;
    c->settling = dead > 0;
    c->seen = 0;
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
    return (uint32_t)wide(&card->counter[k], now);
}

bool mon_overflowed(const struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    return wide(&card->counter[k], now) >> 32 > card->counter[k].seen;
}

void mon_clear_overflow(struct mon_card *card, unsigned k, const struct mon_taps *now)
{
    card->counter[k].seen = wide(&card->counter[k], now) >> 32;
}

/*
 * What all counter units share: finding rows, and the soonest moment at which a counter can
 * overflow that nobody increments.
 */
#include "monitor/unit.h"

#include "monitor/taps.h"

#include <string.h>

const struct mon_register_row *mon_unit_register(const struct mon_unit_ops *unit, uint32_t offset)
{
    for (const struct mon_register_row *r = unit->registers; r && r->name; r++)
        if (r->offset == offset)
            return r;
    return NULL;
}

const struct mon_register_row *mon_unit_register_named(const struct mon_unit_ops *unit,
                                                       const char *name)
{
    for (const struct mon_register_row *r = unit->registers; r && r->name; r++)
        if (!strcmp(r->name, name))
            return r;
    return NULL;
}

const char *mon_unit_reason(const struct mon_unit_ops *unit, unsigned reason)
{
    for (const struct mon_row *r = unit->reasons; r && r->name; r++)
        if (r->number == reason)
            return r->sentence;
    return "?";
}

/* Bit t: tap t is a status state; a PCycle is in one of them. */
static const uint64_t STATES = 0
#define STATE(name, code, group, sentence) | UINT64_C(1) << MON_TAP_ST_##name
#include "monitor/status.def"
#undef STATE
    ;

struct mon_look mon_look_ahead(uint64_t taps, uint64_t left)
{
    /* The ring's clock may be faster than the card's, and what is above a threshold be of any. */
    const uint64_t fast = STATES | (MON_UNIT_TAPS & ~(UINT64_C(1) << MON_TAP_INTERRUPT_TIME)) |
                          UINT64_C(1) << MON_TAP_RING_BUSY | UINT64_C(1) << MON_TAP_UPPER_RING_BUSY;
    const unsigned most = (unsigned)__builtin_popcountll(taps & ~STATES) + (taps & STATES ? 1 : 0);
    if (!taps || taps & MON_PACKET_TAPS)
        return (struct mon_look){.when = MON_LOOK_NEVER};
    return (struct mon_look){.when = taps & fast ? MON_LOOK_PCYCLES : MON_LOOK_CYCLES,
                             .count = (left + most - 1) / most,
                             .taps = taps};
}

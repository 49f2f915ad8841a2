/* The totals the card's monitor listens to; see taps.def. */
#ifndef MON_TAPS_H
#define MON_TAPS_H

#include <stdint.h>

/** A tap; index of struct mon_taps. */
enum mon_tap {
#define TAP(name, unit, sentence) MON_TAP_##name,
#include "monitor/taps.def"
#undef TAP
    MON_TAP__COUNT
};

_Static_assert(MON_TAP__COUNT <= 64, "a set of taps is a 64-bit mask");

/** Bit t: tap t is a PACKET_TAP, or a UNIT_TAP. */
#define TAP(name, unit, sentence)
#define UNIT_TAP(name, unit, sentence)
#define PACKET_TAP(name, unit, sentence) | UINT64_C(1) << MON_TAP_##name
static const uint64_t MON_PACKET_TAPS = 0
#include "monitor/taps.def"
    ;
#undef TAP
#define TAP(name, unit, sentence)
#define PACKET_TAP(name, unit, sentence)
#define UNIT_TAP(name, unit, sentence) | UINT64_C(1) << MON_TAP_##name
static const uint64_t MON_UNIT_TAPS = 0
#include "monitor/taps.def"
    ;
#undef TAP

/** One card's totals at one tick; index with enum mon_tap. */
struct mon_taps {
    uint64_t v[MON_TAP__COUNT];
};

#endif

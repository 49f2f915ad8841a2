/* The totals the card's monitor listens to; see taps.def. */
#ifndef MON_TAPS_H
#define MON_TAPS_H

#include <stdint.h>

enum mon_tap {
#define TAP(name, unit, sentence) MON_TAP_##name,
#include "monitor/taps.def"
#undef TAP
    MON_TAP__COUNT
};

/** One card's totals at one tick; index with enum mon_tap. */
struct mon_taps {
    uint64_t v[MON_TAP__COUNT];
};

#endif

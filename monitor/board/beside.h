/* What can be counted on a card whose processor has counters of its own: the board's rows, and the
 * processor's behind them. */
#ifndef MON_BESIDE_H
#define MON_BESIDE_H

#include "monitor/board/board.h"
#include "monitor/r10000/counters.h"

#define ONE(...)  +1
#define NONE(...) +0
enum {
#define R10K   ONE
#define R10K_2 ONE
#define R10K_3 NONE
#define R12K   NONE
    MON_BESIDE_REVISION2 = MON_EV__COUNT
#include "monitor/r10000/events.def"
    ,
#undef R10K_2
#undef R10K_3
#define R10K_2 NONE
#define R10K_3 ONE
    MON_BESIDE_REVISION3 = MON_EV__COUNT
#include "monitor/r10000/events.def"
    ,
#undef R10K
#undef R10K_3
#undef R12K
#define R10K   NONE
#define R10K_3 NONE
#define R12K   ONE
    MON_BESIDE_R12000 = MON_EV__COUNT
#include "monitor/r10000/events.def"
#undef R10K
#undef R10K_2
#undef R10K_3
#undef R12K
};
#undef ONE
#undef NONE

extern const struct mon_event mon_beside_revision2[MON_BESIDE_REVISION2];
extern const struct mon_event mon_beside_revision3[MON_BESIDE_REVISION3];
extern const struct mon_event mon_beside_r12000[MON_BESIDE_R12000];

/** By enum r10k_chip. */
extern const struct mon_own mon_beside_own[R10K_CHIPS];

#endif

/* What can be counted on a card whose processor has counters of its own: the board's rows, the
 * processor's behind them, and those of an L210 or L220 behind these. */
#ifndef MON_BESIDE_H
#define MON_BESIDE_H

#include "monitor/board/board.h"
#include "monitor/own.h"
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
    ,
#define ARM11(number, chips, ...) ARM11_##chips(number)
#define ARM11_ALL                 ONE
#define ARM11_MMU                 ONE
#define ARM11_ARM1156             NONE
#define ARM11_ARM1176             NONE
    MON_BESIDE_ARM1136 = MON_EV__COUNT
#include "monitor/arm11/events.def"
    ,
#undef ARM11_ARM1176
#define ARM11_ARM1176 ONE
    MON_BESIDE_ARM1176 = MON_EV__COUNT
#include "monitor/arm11/events.def"
    ,
#undef ARM11
#undef ARM11_ALL
#undef ARM11_MMU
#undef ARM11_ARM1156
#undef ARM11_ARM1176
#define L2C        ONE
#define L2C_210    ONE
#define L2C_220    NONE
#define L2C_SILENT NONE
    MON_BESIDE_L210 = 0
#include "monitor/l2c/events.def"
    ,
#undef L2C_210
#undef L2C_220
#define L2C_210 NONE
#define L2C_220 ONE
    MON_BESIDE_L220 = 0
#include "monitor/l2c/events.def"
#undef L2C
#undef L2C_210
#undef L2C_220
#undef L2C_SILENT
};
#undef ONE
#undef NONE

extern const struct mon_event mon_beside_revision2[MON_BESIDE_REVISION2];
extern const struct mon_event mon_beside_revision3[MON_BESIDE_REVISION3];
extern const struct mon_event mon_beside_r12000[MON_BESIDE_R12000];

/** Without a controller of the secondary cache, its events at the end are not the unit's. */
extern const struct mon_event mon_beside_arm1136_l210[MON_BESIDE_ARM1136 + MON_BESIDE_L210];
extern const struct mon_event mon_beside_arm1136_l220[MON_BESIDE_ARM1136 + MON_BESIDE_L220];
extern const struct mon_event mon_beside_arm1176_l210[MON_BESIDE_ARM1176 + MON_BESIDE_L210];
extern const struct mon_event mon_beside_arm1176_l220[MON_BESIDE_ARM1176 + MON_BESIDE_L220];

extern const struct mon_own mon_beside_own[MON_PROCESSORS];

#endif

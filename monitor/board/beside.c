/*
 * The board's rows followed by those of the processor beside it: what can be counted on a card
 * whose processor has counters of its own.
 *
 * The one thing to know: the board's events keep their places, so whatever knows them by number
 * need not know that there are more. The processor's counters are numbered on behind the board's.
 */
#include "monitor/board/beside.h"
#include "monitor/arm11/pmu.h"

#include <stddef.h>

#define NO            R10K_NO_EVENT
#define ON(k, number) ((number) == NO ? 0U : 1U << (MON_COUNTERS + (k)))
#define ROW(on0, on1, its, name, title, unit, sentence, source) \
    {#name,                                                     \
     "",                                                        \
     unit,                                                      \
     sentence,                                                  \
     (on0) == NO ? R10K_IRIX_EVENTS / 2 + (on1) : (on0),        \
     MON_SCOPE_CARD,                                            \
     ON(0, on0) | ON(1, on1),                                   \
     0},
#define SIGNAL_OF(on0, on1, its, ...) UINT64_C(1) << R10K_SIGNAL_##its,
#define NONE(...)

#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) \
    [MON_EV_##name] = {#name, ref, unit, sentence, number, MON_SCOPE_##scope, counters, taps},
#define ALIAS(alias, name)
#define SET(name, events, sentence)

/* Of an R10000 of revision 2.x, */
#define R10K_3 NONE
#define R12K   NONE
#define R10K   ROW
#define R10K_2 ROW
const struct mon_event mon_beside_revision2[MON_BESIDE_REVISION2] = {
#include "monitor/board/events.def"
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_2
#define R10K   SIGNAL_OF
#define R10K_2 SIGNAL_OF
static const uint64_t signals2[] = {
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_2
#undef R10K_3

/* of 3.x, */
#define R10K_2 NONE
#define R10K   ROW
#define R10K_3 ROW
const struct mon_event mon_beside_revision3[MON_BESIDE_REVISION3] = {
#include "monitor/board/events.def"
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_3
#define R10K   SIGNAL_OF
#define R10K_3 SIGNAL_OF
static const uint64_t signals3[] = {
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_2
#undef R10K_3
#undef R12K

/* and of an R12000. */
#define R10K              NONE
#define R10K_2            NONE
#define R10K_3            NONE
#define R12K(number, ...) ROW(number, number, __VA_ARGS__)
const struct mon_event mon_beside_r12000[MON_BESIDE_R12000] = {
#include "monitor/board/events.def"
#include "monitor/r10000/events.def"
};
#undef R12K
#define R12K(number, ...) SIGNAL_OF(number, number, __VA_ARGS__)
static const uint64_t signals12[] = {
#include "monitor/r10000/events.def"
};
_Static_assert((int)R10K_SIGNALS <= 64, "a set of signals is a word");

/* Of an ARM11: either event counter counts any event, and the cycle counter its own. Its signals
 * are followed by those of the secondary cache's controller. */
enum { OFF, NEVER, PMN = 3U << MON_COUNTERS, CCNT = 4U << MON_COUNTERS, BEHIND = ARM11_COUNTERS };
_Static_assert(ARM11_SIGNALS + L2C_SIGNALS <= 64, "a set of signals is a word");
_Static_assert(offsetof(struct mon_arm11_signals, l2) == ARM11_SIGNALS * sizeof(uint64_t),
               "they are numbered on");
#define ARM11_ROW(number, chips, its, bus, lines, name, unit, sentence, source) \
    {#name, "", unit, sentence, number, MON_SCOPE_CARD, PMN | ((number) == 0xff ? CCNT : 0), 0},
#define ARM11_SIGNALS_OF(number, chips, its, ...) its,
#define S(its)                                    UINT64_C(1) << ARM11_SIGNAL_##its
#define ARM11(number, chips, ...)                 ARM11_##chips(number, chips, __VA_ARGS__)
#define ARM11_ALL                                 ARM11_ROW
#define ARM11_MMU                                 ARM11_ROW
#define ARM11_ARM1156                             NONE
#define ARM11_ARM1176                             NONE
#define L2C_ROW(n, number, its, name, unit, sentence, source) \
    {#name,                                                   \
     "",                                                      \
     unit,                                                    \
     sentence,                                                \
     number,                                                  \
     MON_SCOPE_CARD,                                          \
     ((1U << (n)) - 1) << (MON_COUNTERS + BEHIND),            \
     0},
#define L2C(on210, on220, ...) L2C_210(on210, __VA_ARGS__)
#define L2C_210(on210, ...)    L2C_ROW(4, on210, __VA_ARGS__)
#define L2C_220                NONE
#define L2C_SILENT             NONE
const struct mon_event mon_beside_arm1136_l210[MON_BESIDE_ARM1136 + MON_BESIDE_L210] = {
#include "monitor/board/events.def"

#include "monitor/arm11/events.def"

#include "monitor/l2c/events.def"
};
#undef ARM11_ARM1176
#define ARM11_ARM1176 ARM11_ROW
const struct mon_event mon_beside_arm1176_l210[MON_BESIDE_ARM1176 + MON_BESIDE_L210] = {
#include "monitor/board/events.def"

#include "monitor/arm11/events.def"

#include "monitor/l2c/events.def"
};
#undef L2C
#undef L2C_210
#undef L2C_220
#define L2C(on210, on220, ...) L2C_220(on220, __VA_ARGS__)
#define L2C_210                NONE
#define L2C_220(on220, ...)    L2C_ROW(2, on220, __VA_ARGS__)
const struct mon_event mon_beside_arm1176_l220[MON_BESIDE_ARM1176 + MON_BESIDE_L220] = {
#include "monitor/board/events.def"

#include "monitor/arm11/events.def"

#include "monitor/l2c/events.def"
};
#undef ARM11_ARM1176
#define ARM11_ARM1176 NONE
const struct mon_event mon_beside_arm1136_l220[MON_BESIDE_ARM1136 + MON_BESIDE_L220] = {
#include "monitor/board/events.def"

#include "monitor/arm11/events.def"

#include "monitor/l2c/events.def"
};

/* The same rows' signals. */
#undef ARM11_ALL
#undef ARM11_MMU
#define ARM11_ALL ARM11_SIGNALS_OF
#define ARM11_MMU ARM11_SIGNALS_OF
#undef L2C
#undef L2C_220
#define L2C_SIGNALS_OF(number, its, ...) (its) << ARM11_SIGNALS,
#define L2C(on210, on220, ...)           L2C_SIGNALS_OF(on210, __VA_ARGS__)
#define L2C_220                          L2C_SIGNALS_OF
static const uint64_t signals1136_l220[] = {
#include "monitor/arm11/events.def"
#undef S
#define S(its) UINT64_C(1) << L2C_SIGNAL_##its
#include "monitor/l2c/events.def"
};
#undef ARM11_ARM1176
#define ARM11_ARM1176 ARM11_SIGNALS_OF
#undef S
#define S(its) UINT64_C(1) << ARM11_SIGNAL_##its
static const uint64_t signals1176_l220[] = {
#include "monitor/arm11/events.def"
#undef S
#define S(its) UINT64_C(1) << L2C_SIGNAL_##its
#include "monitor/l2c/events.def"
};
#undef L2C_210
#undef L2C_220
#define L2C_210 L2C_SIGNALS_OF
#define L2C_220 NONE
#undef S
#define S(its) UINT64_C(1) << ARM11_SIGNAL_##its
static const uint64_t signals1176_l210[] = {
#include "monitor/arm11/events.def"
#undef S
#define S(its) UINT64_C(1) << L2C_SIGNAL_##its
#include "monitor/l2c/events.def"
};
#undef ARM11_ARM1176
#define ARM11_ARM1176 NONE
#undef S
#define S(its) UINT64_C(1) << ARM11_SIGNAL_##its
static const uint64_t signals1136_l210[] = {
#include "monitor/arm11/events.def"
#undef S
#define S(its) UINT64_C(1) << L2C_SIGNAL_##its
#include "monitor/l2c/events.def"
};

_Static_assert((int)MON_BESIDE_REVISION2 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_REVISION3 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_R12000 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_ARM1176 + (int)MON_BESIDE_L210 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_ARM1176 + (int)MON_BESIDE_L220 <= (int)MON_EVENTS_MAX,
               "a choice has room for all");
_Static_assert((int)R10K_COUNTERS <= (int)MON_OWN_MAX && BEHIND + 4 <= (int)MON_OWN_MAX,
               "and a plan for their counters");
_Static_assert(MON_R12000 == (int)R10K_R12000, "R10000s come first, in their order");

#define OWN(processor, counters, signals, modes)           \
    {                                                      \
        processor, MON_EV__COUNT, counters, signals, modes \
    }
const struct mon_own mon_beside_own[MON_PROCESSORS] = {
    [MON_R10000_2] = OWN("R10000 2.x", R10K_COUNTERS, signals2, R10K_MODES),
    [MON_R10000_3] = OWN("R10000 3.x", R10K_COUNTERS, signals3, R10K_MODES),
    [MON_R12000] = OWN("R12000", R10K_COUNTERS, signals12, R10K_MODES),
    [MON_ARM1136] = OWN("ARM1136", BEHIND, signals1136_l210, 1),
    [MON_ARM1136_L210] = OWN("ARM1136 with an L210", BEHIND + 4, signals1136_l210, 1),
    [MON_ARM1136_L220] = OWN("ARM1136 with an L220", BEHIND + 2, signals1136_l220, 1),
    [MON_ARM1176] = OWN("ARM1176", BEHIND, signals1176_l210, 1),
    [MON_ARM1176_L210] = OWN("ARM1176 with an L210", BEHIND + 4, signals1176_l210, 1),
    [MON_ARM1176_L220] = OWN("ARM1176 with an L220", BEHIND + 2, signals1176_l220, 1),
};

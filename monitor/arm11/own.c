/*
 * The events of ARM11s as lists for the unit beside them. Either event counter counts any event,
 * and the cycle counter its own.
 */
#include "monitor/arm11/pmu.h"
#include "monitor/lists.h"

enum {
    PMN = 1 << ARM11_COUNTER_PMN0 | 1 << ARM11_COUNTER_PMN1,
    CCNT = 1 << ARM11_COUNTER_CCNT,
    CYCLES = 0xff /* the number of what the cycle counter counts */
};
#define S(its) (UINT64_C(1) << ARM11_SIGNAL_##its)
#define ROW(number, signals, bus, lines, name, unit, sentence, source)                          \
    {{#name, "", unit, sentence, number, MON_SCOPE_CARD, PMN | ((number) == CYCLES ? CCNT : 0), \
      0},                                                                                       \
     signals},
#define NONE(...)
#define ARM11(number, chips, ...) ARM11_##chips(number, __VA_ARGS__)
#define ARM11_ALL                 ROW
#define ARM11_MMU                 ROW
#define ARM11_ARM1156             NONE

#define ARM11_ARM1176 NONE
static const struct mon_own_event arm1136[] = {
#include "monitor/arm11/events.def"
};
#undef ARM11_ARM1176
#define ARM11_ARM1176 ROW
static const struct mon_own_event arm1176[] = {
#include "monitor/arm11/events.def"
};

MON_LIST_FITS(arm1136);
MON_LIST_FITS(arm1176);

#define LIST(rows)                                                            \
    {                                                                         \
        MON_LIST_OF(rows), .counters = ARM11_COUNTERS, .first = 0, .modes = 1 \
    }
const struct mon_own_list mon_arm1136 = LIST(arm1136);
const struct mon_own_list mon_arm1176 = LIST(arm1176);

/*
 * The events of an L210 and an L220 as lists for the unit beside them: any counter counts any
 * event. Totals of the controller follow those of its core (monitor/own.h).
 */
#include "monitor/own.h"
#include "monitor/l2c/monitor.h"
#include "monitor/lists.h"

#define S(its)        (UINT64_C(1) << L2C_SIGNAL_##its)
#define ALL(counters) ((1U << (counters)) - 1)
#define ROW(counters, number, signals, name, unit, sentence, source) \
    {{#name, "", unit, sentence, number, MON_SCOPE_CARD, ALL(counters), 0}, signals},
#define NONE(...)
#define L2C_SILENT NONE

#define L2C(on210, on220, ...) ROW(L2C_210_COUNTERS, on210, __VA_ARGS__)
#define L2C_210(on210, ...)    ROW(L2C_210_COUNTERS, on210, __VA_ARGS__)
#define L2C_220                NONE
static const struct mon_own_event l210[] = {
#include "monitor/l2c/events.def"
};
#undef L2C
#undef L2C_210
#undef L2C_220
#define L2C(on210, on220, ...) ROW(L2C_220_COUNTERS, on220, __VA_ARGS__)
#define L2C_210                NONE
#define L2C_220(on220, ...)    ROW(L2C_220_COUNTERS, on220, __VA_ARGS__)
static const struct mon_own_event l220[] = {
#include "monitor/l2c/events.def"
};

MON_LIST_FITS(l210);
MON_LIST_FITS(l220);

const struct mon_own_list mon_l210 = {MON_LIST_OF(l210), .counters = L2C_210_COUNTERS,
                                      .first = ARM11_SIGNALS, .modes = 1};
const struct mon_own_list mon_l220 = {MON_LIST_OF(l220), .counters = L2C_220_COUNTERS,
                                      .first = ARM11_SIGNALS, .modes = 1};

/*
 * The board's rows followed by those of the processor beside it: what can be counted on a card
 * whose processor has counters of its own.
 *
 * The one thing to know: the board's events keep their places, so whatever knows them by number
 * need not know that there are more. The processor's counters are numbered on behind the board's.
 */
#include "monitor/board/beside.h"

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
#define SIGNAL_OF(on0, on1, its, ...) R10K_SIGNAL_##its,
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
static const uint8_t signals2[] = {
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
static const uint8_t signals3[] = {
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
static const uint8_t signals12[] = {
#include "monitor/r10000/events.def"
};

_Static_assert((int)MON_BESIDE_REVISION2 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_REVISION3 <= (int)MON_EVENTS_MAX &&
                   (int)MON_BESIDE_R12000 <= (int)MON_EVENTS_MAX,
               "a choice has room for all");
_Static_assert((int)R10K_COUNTERS <= (int)MON_OWN_MAX, "and a plan for their counters");

const struct mon_own mon_beside_own[R10K_CHIPS] = {
    [R10K_R10000_2] = {"R10000 2.x", MON_EV__COUNT, R10K_COUNTERS, signals2},
    [R10K_R10000_3] = {"R10000 3.x", MON_EV__COUNT, R10K_COUNTERS, signals3},
    [R10K_R12000] = {"R12000", MON_EV__COUNT, R10K_COUNTERS, signals12},
};

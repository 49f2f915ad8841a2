/*
 * The events of R10000s and R12000s as lists for the unit beside them: a row of events.def on one
 * chip is an event of one signal, on the counters that can count it.
 */
#include "monitor/lists.h"
#include "monitor/r10000/counters.h"

#define NO R10K_NO_EVENT
#define ROW(on0, on1, its, name, title, unit, sentence, source)                      \
    {{#name, "", unit, sentence, (on0) == NO ? R10K_IRIX_EVENTS / 2 + (on1) : (on0), \
      MON_SCOPE_CARD, ((on0) == NO ? 0 : 1) | ((on1) == NO ? 0 : 2), 0},             \
     UINT64_C(1) << R10K_SIGNAL_##its},
#define ROW12(number, ...) ROW(number, number, __VA_ARGS__)
#define NONE(...)
_Static_assert((int)R10K_SIGNALS <= 64, "a set of signals is a word");
_Static_assert((int)R10K_COUNTERS == 2, "ROW knows both");

#define R10K   ROW
#define R10K_2 ROW
#define R10K_3 NONE
#define R12K   NONE
static const struct mon_own_event revision2[] = {
#include "monitor/r10000/events.def"
};
#undef R10K_2
#undef R10K_3
#define R10K_2 NONE
#define R10K_3 ROW
static const struct mon_own_event revision3[] = {
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_3
#undef R12K
#define R10K   NONE
#define R10K_3 NONE
#define R12K   ROW12
static const struct mon_own_event r12000[] = {
#include "monitor/r10000/events.def"
};

MON_LIST_FITS(revision2);
MON_LIST_FITS(revision3);
MON_LIST_FITS(r12000);

#define LIST(rows)                                                                    \
    {                                                                                 \
        MON_LIST_OF(rows), .counters = R10K_COUNTERS, .first = 0, .modes = R10K_MODES \
    }
const struct mon_own_list mon_r10000_2 = LIST(revision2);
const struct mon_own_list mon_r10000_3 = LIST(revision3);
const struct mon_own_list mon_r12000 = LIST(r12000);

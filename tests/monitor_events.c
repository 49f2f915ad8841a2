/* The table of events checks itself; names and placements are rows of tables. */
#include "monitor/board/board.h"
#include "monitor/taps.h"
#include "rows.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

/* packet_cycles adds packet headers, each of which is one cycle, to data cycles. */
static bool unit_may_differ(const struct mon_event *e)
{
    return strcmp(e->name, "packet_cycles") == 0;
}

Test(monitor_events, every_row_is_complete)
{
    for (int i = 0; i < MON_EV__COUNT; i++) {
        const struct mon_event *e = &mon_board_events[i];
        for (const char *c = e->name; *c; c++)
            cr_expect(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_',
                      "%s: names are lower case", e->name);
        cr_expect(*e->unit && *e->sentence, "%s has no unit or no sentence", e->name);
        cr_expect(!*e->ref || strncmp(e->ref, "N-", 2) == 0,
                  "%s: reference '%s' is neither a feature, N-43, nor \"\"", e->name, e->ref);
        cr_expect(e->counters && e->counters < 1U << MON_COUNTERS, "%s", e->name);
        cr_expect(e->taps || i == MON_EV_nothing, "%s has no taps", e->name);
        for (int t = 0; t < MON_TAP__COUNT; t++)
            if (e->taps >> t & 1 && !unit_may_differ(e))
                cr_expect_str_eq(e->unit, mon_tap_rows()[t].unit, "%s", e->name);
        cr_expect_eq(mon_event_find(&mon_numachine, e->name), i);
        cr_expect(!*e->ref || mon_event_find(&mon_numachine, e->ref) == i,
                  "%s: reference %s is another event's; one without a feature of its own has \"\"",
                  e->name, e->ref);
    }
}

Test(monitor_events, words_are_unique)
{
    for (size_t i = 0; mon_word(&mon_numachine, i); i++)
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(mon_word(&mon_numachine, i), mon_word(&mon_numachine, j));
}

Test(monitor_events, every_set_parses)
{
    size_t count;
    const struct mon_set *sets = mon_board_sets;
    count = ROWS(sets);
    for (size_t i = 0; i < count; i++) {
        struct mon_choice choice = {0};
        char why[256];
        cr_expect(mon_choice_add(&mon_numachine, &choice, sets[i].name, why, sizeof why), "%s: %s",
                  sets[i].name, why);
        cr_expect(choice.count > 1, "%s", sets[i].name);
    }
}

Test(monitor_events, status_states_partition_run_and_norun)
{
    uint64_t leaves = (UINT64_C(1) << 15) - 1;
    const struct mon_event *e = mon_board_events;
    cr_expect_eq(e[MON_EV_run].taps | e[MON_EV_norun].taps, leaves);
    cr_expect_eq(e[MON_EV_run].taps & e[MON_EV_norun].taps, 0);
    cr_expect_eq(e[MON_EV_stall].taps | e[MON_EV_killslip].taps, e[MON_EV_norun].taps);
    cr_expect_eq(e[MON_EV_killed].taps | e[MON_EV_slipped].taps, e[MON_EV_killslip].taps);
    struct mon_choice status = {0};
    char why[256];
    cr_assert(mon_choice_add(&mon_numachine, &status, "status", why, sizeof why));
    uint64_t sum = 0;
    for (unsigned i = 0; i < status.count; i++) {
        cr_expect_eq(sum & e[status.event[i]].taps, 0);
        sum |= e[status.event[i]].taps;
    }
    cr_expect_eq(sum, leaves);
}

Test(monitor_events, event_strings)
{
    static const struct {
        int line;
        const char *spec;
        unsigned count; /* 0: refused */
        const char *why;
    } rows[] = {
        {__LINE__, "nacks", 1, ""},
        {__LINE__, "nacks,nacks,n-43", 1, ""},
        {__LINE__, "latency,run", 2, ""},
        {__LINE__, "bus,nacks", 5, ""},
        {__LINE__, "status", 15, ""},
        {__LINE__, "", 0, ""},
        {__LINE__, "nakcs", 0, "did you mean 'nacks'"},
        {__LINE__, "run,,nacks", 0, "unknown event ''"},
        {__LINE__, "run,", 0, "unknown event ''"},
        {__LINE__, ",", 0, "unknown event ''"},
        {__LINE__, "run nacks", 0, "unknown event 'run nacks'"},
        {__LINE__, "N-67", 0, "unknown event"},
        {__LINE__, "RUN", 0, "unknown event"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_choice choice = {0};
        char why[256] = "";
        bool ok = mon_choice_add(&mon_numachine, &choice, rows[i].spec, why, sizeof why);
        cr_expect_eq(ok, !*rows[i].why, "row %d", rows[i].line);
        cr_expect(strstr(why, rows[i].why), "row %d: %s", rows[i].line, why);
        if (ok)
            cr_expect_eq(choice.count, rows[i].count, "row %d", rows[i].line);
    }
}

Test(monitor_events, placements)
{
    static const struct {
        int line;
        const char *spec;
        unsigned banks;
        const char *remark;
    } rows[] = {
        {__LINE__, "", 0, ""},
        {__LINE__, "run", 1, ""},
        {__LINE__, "nacks,requests_nacked,nack_time,read_latency", 1, ""},
        {__LINE__, "run,load,store,invalidate_hits", 1, ""},
        {__LINE__, "default", 2, ""},
        {__LINE__, "status", 4, ""},
        {__LINE__, "invalidate_hits,invalidates_done,requests_nacked", 2,
         "invalidate_hits, invalidates_done, requests_nacked fit only counters 0, 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_choice choice = {0};
        struct mon_plan plan;
        char why[256];
        cr_assert(mon_choice_add(&mon_numachine, &choice, rows[i].spec, why, sizeof why));
        mon_plan_make(&mon_numachine, &plan, &choice);
        cr_expect_eq(plan.banks, rows[i].banks, "row %d: %u banks", rows[i].line, plan.banks);
        cr_expect_str_eq(plan.remark, rows[i].remark, "row %d", rows[i].line);
    }
}

Test(monitor_events, a_place_is_used_once_and_only_where_wired)
{
    struct mon_choice choice = {0};
    struct mon_plan plan;
    for (unsigned e = 0; e < MON_EV__COUNT; e++)
        choice.event[choice.count++] = MON_EV__COUNT - 1 - e;
    mon_plan_make(&mon_numachine, &plan, &choice);
    for (unsigned i = 0; i < choice.count; i++) {
        cr_expect(mon_board_events[choice.event[i]].counters >> plan.counter[i] & 1);
        cr_expect(plan.bank[i] < plan.banks);
        for (unsigned j = 0; j < i; j++)
            cr_expect(plan.bank[i] != plan.bank[j] || plan.counter[i] != plan.counter[j]);
    }
}

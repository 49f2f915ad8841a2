/*
 * The events of a processor's own counters in results, beside the monitoring card's: words, places
 * on counters, regions, samples and groups, on a machine whose cores are scripts (script_core.h).
 */
#include "documents/statistics/group.h"
#include "documents/totals.h"
#include "input/group.h"
#include "input/tables.h"
#include "look/counters/perfex.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "run/regions.h"
#include "run/samples.h"
#include "script_core.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 2, BEGIN = 1500, END = 6000, AGAIN = 7100, OVER = 9000 };

struct world {
    struct nm_card_kind kind; /* scripts beside monitoring cards */
    struct in_experiment x;
    struct nm_params params;
    struct nm_machine *m;
    struct doc_totals card[CARDS];
    union mon_own_signals own[CARDS];
    struct nm_station_monitor station[CARDS];
    struct doc_sample now;
};

static const struct doc_sample *look(struct world *w)
{
    for (unsigned c = 0; c < CARDS; c++) {
        nm_card_taps(w->m, c, &w->card[c].taps);
        nm_card_truth(w->m, c, &w->card[c].truth);
        pc_own_signals(w->m, c, &w->own[c]);
    }
    w->now = (struct doc_sample){w->card, w->station, NULL, NULL, w->own};
    return &w->now;
}

enum { REVISION2, REVISION3, R12000 };

static void of_revision(struct nm_params *p, unsigned revision)
{
    p->core = revision == R12000 ? NM_CORE_R12000 : NM_CORE_R10000;
    p->r10000_revision = revision == REVISION2 ? NM_R10000_REVISION2 : NM_R10000_REVISION3;
}

static void world_new(struct world *w, unsigned revision)
{
    *w = (struct world){.kind = script_card};
    w->kind.counters = &mon_numachine;
    struct nm_params *p = w->x.machine.params = &w->params;
    nm_params_default(p);
    p->ring_stations = p->ring_locals = p->ring_groups = 1;
    p->processors = CARDS;
    of_revision(p, revision);
    p->l2_split = false;
    w->x.machine.card = &w->kind;
    w->m = nm_machine_new(p, &w->kind);
    for (unsigned card = 0; card < CARDS; card++)
        nm_card_resume(w->m, card, 0);
}

static void run_to(struct world *w, sim_tick until)
{
    struct nm_trap trap;
    cr_assert_eq(nm_machine_run(w->m, until, &trap), NM_RUN_UNTIL);
}

/* By how much a signal has grown on a card, in every mode. */
static uint64_t grown(unsigned card, enum r10k_signal signal, sim_tick from, sim_tick to)
{
    uint64_t sum = 0;
    for (sim_tick t = from; t < to; t++)
        sum += script_growth(card, t, signal);
    return sum;
}

static uint64_t on_all(enum r10k_signal signal, sim_tick to)
{
    uint64_t sum = 0;
    for (unsigned c = 0; c < CARDS; c++)
        sum += grown(c, signal, 0, to);
    return sum;
}

/* Every chip's words are there beside the card's, with places of their own. */
Test(r10000_results, events_stand_beside_the_cards)
{
    static const unsigned revisions[] = {REVISION2, REVISION3, R12000};
    for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++) {
        struct nm_params params = {0};
        struct in_experiment x = {
            .machine = {.card = &(struct nm_card_kind){.counters = &mon_numachine},
                        .params = &params}};
        of_revision(x.machine.params, revisions[i]);
        const struct mon_unit_ops *unit = in_unit(&x);
        const enum r10k_chip chip = pc_counters_of(x.machine.params);
        struct mon_choice choice = {0};
        struct mon_plan plan;
        char why[300];
        unsigned count;
        const struct r10k_event *event = r10k_events(chip, &count);
        cr_assert(unit->own && mon_unit_events(unit) == mon_numachine.event_count + count);
        for (unsigned e = 0; e < mon_numachine.event_count; e++)
            cr_expect_str_eq(unit->events[e].name, mon_numachine.events[e].name);
        for (unsigned e = 0; e < count; e++) {
            const int row = mon_event_find(unit, event[e].name);
            cr_assert_eq(row, (int)(unit->event_count + e), "%s", event[e].name);
            cr_expect_eq(unit->own->list[0]->event[e].signals, UINT64_C(1) << event[e].signal, "%s",
                         event[e].name);
            for (unsigned k = 0; k < R10K_COUNTERS; k++)
                cr_expect_eq(mon_event_counters(unit, (unsigned)row) >> (unit->counters + k) & 1,
                             event[e].number[k] != R10K_NO_EVENT, "%s", event[e].name);
            cr_expect_eq(mon_event_counters(unit, (unsigned)row) & ((1U << unit->counters) - 1), 0);
            cr_expect(mon_choice_add(unit, &choice, event[e].name, why, sizeof why), "%s", why);
        }
        cr_assert(mon_choice_add(unit, &choice, "nacks,read_latency", why, sizeof why));
        mon_plan_make(unit, &plan, &choice);
        cr_expect_eq(plan.banks, (count + 1) / 2, "%s", r10k_chip_name(chip));
    }
}

/* What a machine does not count is refused with whose it is. */
Test(r10000_results, words_of_other_machines)
{
    const struct mon_unit_ops *const *beside = mon_numachine.beside;
    const struct {
        int line;
        const struct mon_unit_ops *unit;
        const char *words, *why;
    } rows[] = {
        {__LINE__, &mon_numachine, "cpu_cycles", "this machine's processors count no events"},
        {__LINE__, &mon_numachine, "cpu_cycles",
         "'cpu_cycles' is one of an R10000, R12000, ARM1136 or ARM1176, and"},
        {__LINE__, &mon_numachine, "nacks,cpu_mht", "'cpu_mht' is one of an R12000, and"},
        {__LINE__, &mon_numachine, "cpu_nothing", "unknown event 'cpu_nothing'; see"},
        {__LINE__, beside[R10K_R10000_3], "cpu_nothing", "unknown event 'cpu_nothing'; see"},
        {__LINE__, beside[R10K_R10000_3], "noting", "did you mean 'nothing'?"},
        {__LINE__, beside[R10K_R10000_3], "cpu_mht",
         "are others (processor.core, r10000.revision)"},
        {__LINE__, beside[R10K_R12000], "cpu_issued", "'cpu_issued' is one of an R10000, and"},
        {__LINE__, beside[R10K_R10000_2], "cpu_progress",
         "'cpu_progress' is one of an R10000 3.x or R12000, and"},
        {__LINE__, beside[R10K_R10000_3], "cpu_cycels", "did you mean 'cpu_cycles'?"},
        {__LINE__, &mon_numachine, "nakcs", "did you mean 'nacks'?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_choice choice = {0};
        char why[300] = "";
        cr_expect(!mon_choice_add(rows[i].unit, &choice, rows[i].words, why, sizeof why));
        cr_expect(strstr(why, rows[i].why), "%s:%d: %s", __FILE__, rows[i].line, why);
    }
}

Test(r10000_results, regions_and_samples_are_the_script)
{
    static const char words[] = "cpu_graduated,cpu_cycles,nacks,cpu_l2d_misses,cpu_issued";
    static const enum r10k_signal signals[] = {R10K_SIGNAL_GRADUATED, R10K_SIGNAL_CYCLES,
                                               R10K_SIGNALS, R10K_SIGNAL_L2D_MISSES,
                                               R10K_SIGNAL_ISSUED};
    struct world w;
    struct mon_choice choice = {0};
    struct doc_samples samples;
    struct doc_run run;
    char why[300];
    world_new(&w, REVISION3);
    cr_assert(mon_choice_add(in_unit(&w.x), &choice, words, why, sizeof why), "%s", why);
    run_regions_init(&run, &w.x, "script", CARDS, CARDS, &choice, look(&w));
    run_samples_init(&samples, &run, BEGIN, &w.now);
    run_to(&w, BEGIN);
    run_regions_mark(&run, "part", true, BEGIN, look(&w));
    run_samples_take(&samples, &run, BEGIN, &w.now);
    run_to(&w, END);
    run_regions_mark(&run, "part", false, END, look(&w));
    run_to(&w, AGAIN);
    run_regions_mark(&run, "part", true, AGAIN, look(&w));
    run_to(&w, OVER);
    run_regions_mark(&run, "part", false, OVER, look(&w));
    run_regions_finish(&run, OVER, look(&w));
    for (unsigned i = 0; i < choice.count; i++)
        for (unsigned c = 0; c < CARDS && signals[i] != R10K_SIGNALS; c++) {
            const uint64_t part =
                grown(c, signals[i], BEGIN, END) + grown(c, signals[i], AGAIN, OVER);
            const struct doc_level level = {c, 1};
            cr_expect_eq(run.region[0].card[c].counts[i], grown(c, signals[i], 0, OVER));
            cr_expect_eq(run.region[1].card[c].counts[i], part, "event %u", i);
            cr_expect_eq(doc_event(&run, &run.region[1], level, choice.event[i]), part);
            cr_expect_eq(samples.total[i * CARDS + c], grown(c, signals[i], 0, BEGIN));
        }
    cr_expect_eq(doc_count(&run, &run.region[0], doc_machine(&run), 0),
                 on_all(R10K_SIGNAL_GRADUATED, OVER));
    run_samples_free(&samples);
    run_regions_free(&run);
    nm_machine_free(w.m);
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct by_hand {
    const char *group, *metric;
    unsigned revision; /* that can have it */
    double value;
};

/* Every metric of every group that asks for a processor's own events, from the script's totals. */
static unsigned rows_of(struct by_hand row[32])
{
    const double time = CARDS * OVER, graduated = (double)on_all(R10K_SIGNAL_GRADUATED, OVER);
    const double loads = (double)on_all(R10K_SIGNAL_GRADUATED_LOADS, OVER);
    const double stores = (double)on_all(R10K_SIGNAL_GRADUATED_STORES, OVER);
    const double fp = (double)on_all(R10K_SIGNAL_GRADUATED_FP, OVER);
    const double resolved = (double)on_all(R10K_SIGNAL_RESOLVED_ANY, OVER);
    const double wrong = (double)on_all(R10K_SIGNAL_MISPREDICTED, OVER);
    const double issued_loads = (double)on_all(R10K_SIGNAL_ISSUED_LOADS, OVER);
    const double issued_stores = (double)on_all(R10K_SIGNAL_ISSUED_STORES, OVER);
    const double mht = (double)on_all(R10K_SIGNAL_MHT, OVER);
    const double memory = (double)on_all(R10K_SIGNAL_MHT_MEMORY, OVER);
    const double l1d = (double)on_all(R10K_SIGNAL_L1D_MISSES, OVER);
    const double l2d = (double)on_all(R10K_SIGNAL_L2D_REQUESTS, OVER);
    const double seconds = OVER / 150e6;
    const struct by_hand rows[] = {
        {"IPC", "ipc", REVISION3, graduated / time},
        {"IPC", "cpi", REVISION3, time / graduated},
        {"IPC", "loads", REVISION3, 100 * loads / graduated},
        {"IPC", "stores", REVISION3, 100 * stores / graduated},
        {"IPC", "floating_point", REVISION3, 100 * fp / graduated},
        {"IPC", "mflops", REVISION3, fp / seconds / 1e6},
        {"BRANCH", "branches", REVISION3, 100 * resolved / graduated},
        {"BRANCH", "mispredicted", REVISION3, 100 * wrong / resolved},
        {"BRANCH", "mispredicted_per_1000", REVISION3, 1000 * wrong / graduated},
        {"BRANCH", "apart", REVISION3, time / wrong},
        {"MLP", "in_flight", R12000, mht / time},
        {"MLP", "in_memory", R12000, memory / time},
        {"MLP", "memory_time", R12000, memory / l2d},
        {"MLP", "l2_miss_ratio", R12000, 100 * l2d / l1d},
        {"SPECULATION", "loads_in_vain", REVISION3, 100 * (issued_loads - loads) / issued_loads},
        {"SPECULATION", "stores_in_vain", REVISION3,
         100 * (issued_stores - stores) / issued_stores},
        {"SPECULATION", "loads_for_each", REVISION3, (issued_loads - loads) / wrong},
    };
    memcpy(row, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

/* The groups that name a processor's own events have a row for each metric, and each its value. */
Test(r10000_results, every_metric_of_their_groups)
{
    struct by_hand row[32];
    const unsigned rows = rows_of(row);
    const struct mon_choice nothing = {0};
    unsigned metrics = 0;
    for (unsigned i = 0; i < rows; i++) {
        struct in_diag diag = {.out = stderr};
        struct in_group g;
        struct doc_run run;
        struct world w;
        double value = NAN;
        world_new(&w, row[i].revision);
        cr_assert(in_group_load(&g, in_unit(&w.x), row[i].group, &diag));
        run_regions_init(&run, &w.x, "script", CARDS, CARDS, &nothing, look(&w));
        run_to(&w, OVER);
        run_regions_finish(&run, OVER, look(&w));
        for (unsigned m = 0; m < g.metrics; m++)
            if (!strcmp(g.metric[m].name, row[i].metric))
                doc_group_value(&run, &run.region[0], doc_machine(&run), &g.metric[m], &value);
        cr_expect(fabs(value - row[i].value) <= 1e-9 * fabs(row[i].value) && value != 0,
                  "%s.%s: %g, by hand %g", row[i].group, row[i].metric, value, row[i].value);
        metrics += !i || strcmp(row[i].group, row[i - 1].group) ? g.metrics : 0;
        run_regions_free(&run);
        in_group_free(&g);
        nm_machine_free(w.m);
    }
    cr_expect_eq(metrics, rows, "a row for each");
}

/* ---- perfex ---------------------------------------------------------------------------------- */

static void count_up(void *ctx, const char *title, double value)
{
    const struct {
        const char *title;
        double value;
    } rows[] = {
        {"Graduated instructions/cycle", 0.5},
        {"L1 Data Cache Hit Rate", 0.75},
        {"L2 Data Cache Hit Rate", 0.9},
        {"L1 Cache Line Reuse", 3},
        {"Memory bandwidth used (MB/s, average per process)", (1e4 * 128 + 500 * 16) / 0.01 / 1e6},
        {"MFLOPS (average per process)", 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].title, title))
            cr_expect(fabs(value - rows[i].value) < 1e-9 * rows[i].value, "%s: %g", title, value);
    ++*(unsigned *)ctx;
}

/* Statistics are there if their events were counted, and not otherwise. */
Test(r10000_results, statistics_of_perfex)
{
    struct nm_params machine;
    struct look_costs costs = {0};
    struct in_diag diag = {.out = stderr};
    nm_params_default(&machine);
    machine.cpu_clock = 200000000;
    machine.l2_line = 128;
    cr_assert(look_costs_load(&costs, NULL, &diag));
    struct look_perfex p = {.machine = &machine, .costs = &costs, .chip = R10K_R10000_3};
    const struct {
        unsigned event;
        double count;
    } counts[] = {{0, 2e6},  {16, 2e6}, {15, 1e6}, {17, 1e6}, {18, 3e5}, {19, 1e5}, {25, 1e5},
                  {26, 1e4}, {7, 500},  {21, 2e5}, {6, 900},  {24, 30},  {9, 50},   {10, 20}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        p.count[counts[i].event] = counts[i].count;
    static const struct {
        uint32_t counted;
        unsigned statistics;
    } rows[] = {{0, 0},
                {1, 0},
                {1 | 1 << 15, 1},
                {1 << 16 | 1 << 17, 1},
                {1 | 1 << 21, 2},
                {1 << 25 | 1 << 26, 2},
                {1 << 6 | 1 << 24, 1},
                {UINT32_MAX, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned shown = 0;
        p.counted = rows[i].counted;
        for (unsigned e = 0; e < R10K_IRIX_EVENTS && i + 1 == sizeof rows / sizeof *rows; e++)
            p.count[e] = p.count[e] ? p.count[e] : 7;
        look_perfex_statistics(&p, count_up, &shown);
        cr_expect_eq(shown, rows[i].statistics, "row %zu: %u", i, shown);
    }
    look_costs_free(&costs);
}

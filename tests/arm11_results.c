/*
 * The events of an ARM11 and of its secondary cache's controller in results, beside the monitoring
 * card's: words, what they count, places on counters, and groups, on totals that the test makes.
 */
#include "documents/statistics/group.h"
#include "documents/totals.h"
#include "input/group.h"
#include "input/tables.h"
#include "machine/values.h"
#include "monitor/arm11/pmu.h"
#include "monitor/board/board.h"
#include "monitor/l2c/monitor.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { CARDS = 2, OVER = 100000 /* [ticks] */ };

static const struct {
    enum nm_core core;
    unsigned controller, events, counters;
    enum arm11_chip chip;
} machines[] = {
    {NM_CORE_ARM1136, NM_L2C_NONE, 0, 3, ARM11_1136},
    {NM_CORE_ARM1136, NM_L2C_210, 9, 7, ARM11_1136},
    {NM_CORE_ARM1136, NM_L2C_220, 9, 5, ARM11_1136},
    {NM_CORE_ARM1176, NM_L2C_NONE, 0, 3, ARM11_1176},
    {NM_CORE_ARM1176, NM_L2C_210, 9, 7, ARM11_1176},
    {NM_CORE_ARM1176, NM_L2C_220, 9, 5, ARM11_1176},
};
enum { MACHINES = sizeof machines / sizeof *machines };

struct world {
    struct nm_card_kind kind;
    struct in_experiment x;
    struct nm_params params;
    struct doc_totals card[CARDS];
    union mon_own_signals own[CARDS];
    struct nm_station_monitor station[CARDS];
    struct doc_sample now;
};

static void world_new(struct world *w, unsigned machine)
{
    struct nm_params *p = &w->params;
    *w = (struct world){.kind = {.counters = &mon_numachine}, .x.machine.params = p};
    nm_params_default(p);
    p->ring_stations = p->ring_locals = p->ring_groups = 1;
    p->processors = CARDS;
    p->core = machines[machine].core;
    p->l2c = machines[machine].controller;
    w->x.machine.card = &w->kind;
    w->now = (struct doc_sample){w->card, w->station, NULL, NULL, w->own};
}

/* What signal s of the core, or of the controller, has come to. */
static uint64_t of_core(unsigned card, unsigned s)
{
    return (card + 1) * (1000 + 37 * s);
}

static uint64_t of_l2(unsigned card, unsigned s)
{
    return (card + 1) * (500 + 11 * s);
}

static const struct doc_sample *look(struct world *w, bool over)
{
    for (unsigned c = 0; c < CARDS; c++) {
        for (unsigned s = 0; s < ARM11_SIGNALS; s++)
            w->own[c].arm11.core.total[s] = over ? of_core(c, s) : 0;
        for (unsigned s = 0; s < L2C_SIGNALS; s++)
            w->own[c].arm11.l2.total[s] = over ? of_l2(c, s) : 0;
    }
    return &w->now;
}

/* Every event of the chip and of the controller is there, and none else, and counts its signals. */
Test(arm11_results, events_stand_beside_the_cards)
{
    for (unsigned i = 0; i < MACHINES; i++) {
        struct world w;
        unsigned count, l2_count, here = 0;
        world_new(&w, i);
        const struct mon_unit_ops *unit = in_unit(&w.x);
        const struct arm11_event *row = arm11_events(&count);
        const struct doc_sample *now = look(&w, true);
        cr_assert(unit->own);
        cr_expect_eq(mon_own_counters(unit->own), machines[i].counters);
        for (unsigned e = 0; e < count; e++) {
            const int at = mon_event_find(unit, row[e].name);
            if (!(row[e].chips >> machines[i].chip & 1)) {
                cr_expect(at < 0 || mon_unit_event(unit, (unsigned)at)->number != row[e].number,
                          "%s", row[e].name);
                continue;
            }
            here++;
            cr_assert(at >= (int)unit->event_count, "%s", row[e].name);
            cr_expect_eq(mon_unit_event(unit, (unsigned)at)->number, row[e].number);
            cr_expect_eq(mon_own_total(unit->own, (unsigned)at - unit->event_count, &now->own[1]),
                         arm11_total(&now->own[1].arm11.core, row[e].signals), "%s", row[e].name);
        }
        const struct l2c_event *l2 = l2c_events(&l2_count);
        for (unsigned e = 0; e < l2_count; e++) {
            const unsigned kind = machines[i].controller == NM_L2C_220 ? L2C_220 : L2C_210;
            const int at = l2[e].name ? mon_event_find(unit, l2[e].name) : -1;
            if (machines[i].controller == NM_L2C_NONE || l2[e].number[kind] == L2C_NO_EVENT ||
                !l2[e].name) {
                cr_expect_lt(at, 0);
                continue;
            }
            here++;
            cr_assert_geq(at, 0, "%s", l2[e].name);
            cr_expect_eq(mon_unit_event(unit, (unsigned)at)->number, l2[e].number[kind]);
            cr_expect_eq(mon_own_total(unit->own, (unsigned)at - unit->event_count, &now->own[1]),
                         l2c_total(&now->own[1].arm11.l2, l2[e].signals), "%s", l2[e].name);
        }
        cr_expect_eq(mon_own_events(unit->own), here);
    }
}

/* Two events and the cycles in one run; the note's 17 in nine. */
Test(arm11_results, places_on_counters)
{
    static const struct {
        const char *events;
        unsigned runs;
    } rows[] = {
        {"cpu_branches,cpu_instructions,cpu_cycles", 1},
        {"cpu_branches,cpu_instructions,cpu_mispredicted", 2},
        {"cpu_cycles,l2c_dr_hits,l2c_dr_requests,cpu_branches,cpu_instructions", 1},
        {"l2c_dr_hits,l2c_dr_requests,l2c_ir_hits", 2},
        {"cpu_l1i_misses,cpu_fetch_stalls,cpu_data_stalls,cpu_i_microtlb_misses,"
         "cpu_d_microtlb_misses,cpu_branches,cpu_mispredicted,cpu_instructions,cpu_l1d_cacheable,"
         "cpu_l1d_accesses,cpu_l1d_misses,cpu_l1d_writebacks,cpu_pc_changes,cpu_tlb_misses,"
         "cpu_external,cpu_lsu_stalls,cpu_drains",
         9},
    };
    struct world w;
    world_new(&w, MACHINES - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_choice choice = {0};
        struct mon_plan plan;
        char why[300] = "";
        cr_assert(mon_choice_add(in_unit(&w.x), &choice, rows[i].events, why, sizeof why), "%s",
                  why);
        mon_plan_make(in_unit(&w.x), &plan, &choice);
        cr_expect_eq(plan.banks, rows[i].runs, "%s: %u", rows[i].events, plan.banks);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static double core(enum arm11_signal s)
{
    double sum = 0;
    for (unsigned c = 0; c < CARDS; c++)
        sum += (double)of_core(c, s);
    return sum;
}

static double l2(enum l2c_signal s)
{
    double sum = 0;
    for (unsigned c = 0; c < CARDS; c++)
        sum += (double)of_l2(c, s);
    return sum;
}

#define C(signal) core(ARM11_SIGNAL_##signal)
#define L(signal) l2(L2C_SIGNAL_##signal)

/* Every metric of every group that asks for these events (AT-20, AT-22, AT-27, AT-28, AT-29,
 * AT-32). */
Test(arm11_results, every_metric_of_their_groups)
{
    const struct {
        const char *group, *metric;
        double value;
    } row[] = {
        {"ARM_IPC", "ipc", C(INSTRUCTIONS) / C(CYCLES)},
        {"ARM_IPC", "cpi", C(CYCLES) / C(INSTRUCTIONS)},
        {"ARM_IPC", "fetch_stalls", 100 * C(NO_INSN) / C(CYCLES)},
        {"ARM_IPC", "data_stalls", 100 * C(DEPENDENCY) / C(CYCLES)},
        {"ARM_IPC", "lsu_stalls", 100 * C(LSU_FULL) / C(CYCLES)},
        {"ARM_BRANCH", "predicted", 100 * (1 - C(MISPREDICTED) / C(BRANCHES))},
        {"ARM_BRANCH", "branches", 100 * C(BRANCHES) / C(INSTRUCTIONS)},
        {"ARM_BRANCH", "mispredicted_per_1000", 1000 * C(MISPREDICTED) / C(INSTRUCTIONS)},
        {"ARM_BRANCH", "pc_changes", 100 * C(PC_CHANGE) / C(INSTRUCTIONS)},
        {"ARM_CACHE", "l1d_hits", 100 * (1 - C(D_MISS) / C(D_CACHEABLE))},
        {"ARM_CACHE", "uncached", 100 * (C(D_ACCESS) - C(D_CACHEABLE)) / C(D_ACCESS)},
        {"ARM_CACHE", "l1i_misses_per_1000", 1000 * C(I_MISS) / C(INSTRUCTIONS)},
        {"L2C", "instructions", 100 * L(IRHIT) / L(IRREQ)},
        {"L2C", "reads", 100 * L(DRHIT) / L(DRREQ)},
        {"L2C", "writes", 100 * L(DWHIT) / (L(DWREQ) + L(DWTREQ))},
    };
    const unsigned rows = sizeof row / sizeof *row;
    const struct mon_choice nothing = {0};
    unsigned metrics = 0;
    for (unsigned i = 0; i < rows; i++) {
        struct in_diag diag = {.out = stderr};
        struct in_group g;
        struct doc_run run;
        struct world w;
        double value = NAN;
        world_new(&w, 1 + i % 2 * 4); /* ARM1136 with an L210, ARM1176 with an L220 */
        cr_assert(in_group_load(&g, in_unit(&w.x), row[i].group, &diag));
        run_regions_init(&run, &w.x, "test", CARDS, CARDS, &nothing, look(&w, false));
        run_regions_finish(&run, OVER, look(&w, true));
        for (unsigned m = 0; m < g.metrics; m++)
            if (!strcmp(g.metric[m].name, row[i].metric))
                doc_group_value(&run, &run.region[0], doc_machine(&run), &g.metric[m], &value);
        cr_expect(fabs(value - row[i].value) <= 1e-9 * fabs(row[i].value) && value != 0,
                  "%s.%s: %g, by hand %g", row[i].group, row[i].metric, value, row[i].value);
        metrics += !i || strcmp(row[i].group, row[i - 1].group) != 0 ? g.metrics : 0;
        run_regions_free(&run);
        in_group_free(&g);
    }
    cr_expect_eq(metrics, rows, "a row for each");
}

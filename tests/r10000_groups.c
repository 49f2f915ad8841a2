/*
 * r10000_groups.def: what the groups of events say of the core itself, from the instructions to the
 * metric. (r10000_results.c holds the formulas to a script's totals.)
 */
#include "documents/run.h"
#include "documents/statistics/group.h"
#include "documents/totals.h"
#include "input/group.h"
#include "input/home.h"
#include "input/tables.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/card.h"
#include "r10000_rig.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { END = 100000 /* [ticks] the run's end, as its books have it */ };

#define CLOCK   200e6
#define SECONDS (END / CLOCK)

/* [PCycles] the return from the operating system: at work, too (procard/card.c). */
#define ERET (1 + PC_KILLED_BY_ERET)

/* n / d, of which one grows with the PCycles that undoing takes. */
struct by_hand {
    double n, d;
    bool undoing_n, undoing_d;
};

#define IS(x)         ((struct by_hand){x, 1, false, false})
#define EACH(c, each) ((struct by_hand){ERET + (c), each, true, false})
#define RATE(many, c) ((struct by_hand){many, ERET + (c), false, true})

static const struct row {
    const char *group, *metric, *options, *before, *code;
    struct by_hand value;
    const char *why;
} rows[] = {
#define METRIC(group, metric, options, before, code, value, why) \
    {group, metric, options, before, code, value, why},
#include "r10000_groups.def"
#undef METRIC
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* The books of the first card, and what they are made of. */
struct books {
    struct nm_card_kind kind;
    struct in_experiment x;
    struct doc_run run;
    struct doc_totals card[RIG_CARDS];
    union mon_own_signals own[RIG_CARDS];
    struct nm_station_monitor station[RIG_CARDS];
    struct doc_sample sample;
};

static const struct doc_sample *look(struct books *b, struct nm_machine *m)
{
    for (unsigned c = 0; c < RIG_CARDS; c++) {
        nm_card_taps(m, c, &b->card[c].taps);
        nm_card_truth(m, c, &b->card[c].truth);
        pc_own_signals(m, c, &b->own[c]);
    }
    b->sample = (struct doc_sample){b->card, b->station, NULL, NULL, b->own};
    return &b->sample;
}

/* The code for the third time, between two looks. @return [PCycles] that undoing took */
static double run_row(const struct row *row, struct rig *rig, struct books *b)
{
    const struct mon_choice nothing = {0};
    const uint64_t *const undoing = &pc_cpu_at(rig->m, 0)->states[PC_ST_KILL_EXC];
    uint64_t before = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(rig);
        if (*row->before)
            rig_steps(rig, row->before);
        before = *undoing;
        if (turn == 2)
            run_regions_init(&b->run, &b->x, "by hand", RIG_CARDS, RIG_CARDS, &nothing,
                             look(b, rig->m));
        rig_steps(rig, row->code);
    }
    run_regions_finish(&b->run, END, look(b, rig->m));
    return (double)(*undoing - before);
}

static double value_of(const struct row *row, const struct doc_run *run, const struct in_group *g)
{
    double value = NAN;
    for (unsigned m = 0; m < g->metrics; m++)
        if (!strcmp(g->metric[m].name, row->metric))
            doc_group_value(run, &run->region[0], (struct doc_level){0, 1}, &g->metric[m], &value);
    return value;
}

static void check(const struct row *row)
{
    struct in_diag diag = {.out = stderr};
    struct books b = {.kind = pc_r10000};
    struct in_group g;
    struct rig rig;
    rig_init(&rig, row->options);
    b.kind.counters = &mon_numachine;
    b.x.machine.card = &b.kind;
    b.x.machine.params = &rig.p;
    cr_assert(in_group_load(&g, in_unit(&b.x), row->group, &diag));
    const struct by_hand *hand = &row->value;
    const double undoing = run_row(row, &rig, &b), value = value_of(row, &b.run, &g);
    const double expected =
        (hand->n + hand->undoing_n * undoing) / (hand->d + hand->undoing_d * undoing);
    cr_expect(fabs(value - expected) <= 1e-9 * fabs(expected) && value != 0,
              "%s.%s, %s, '%s' (%s): %.9g, by hand %.9g, undoing %g", row->group, row->metric,
              row->options, row->code, row->why, value, expected, undoing);
    run_regions_free(&b.run);
    in_group_free(&g);
    rig_free(&rig);
}

Test(r10000_groups, metrics_by_hand)
{
    for (unsigned n = 0; n < ROWS; n++)
        check(&rows[n]);
}

/* A row of each metric of each group that only such processors have. */
Test(r10000_groups, every_metric_has_one)
{
    struct in_diag silent = {0};
    unsigned groups = 0;
    char **names = in_home_names("monitor/groups", ".yaml");
    cr_assert(names && *names);
    for (unsigned i = 0; names[i]; i++)
        for (unsigned chip = 0; chip < R10K_CHIPS; chip++) {
            const struct mon_unit_ops *unit = mon_numachine.beside[chip];
            struct in_group g;
            bool own = false;
            if (!in_group_load(&g, unit, names[i], &silent))
                continue;
            for (unsigned e = 0; e < g.choice.count; e++)
                own |= mon_is_own(unit, g.choice.event[e]);
            groups += own;
            for (unsigned m = 0; own && m < g.metrics; m++) {
                bool has = false;
                for (unsigned n = 0; n < ROWS; n++)
                    has |= !strcmp(rows[n].group, names[i]) &&
                           !strcmp(rows[n].metric, g.metric[m].name);
                cr_expect(has, "no row for %s.%s", names[i], g.metric[m].name);
            }
            in_group_free(&g);
        }
    cr_expect_geq(groups, 4, "IPC, BRANCH, SPECULATION, MLP at least");
    in_free_list(names);
}

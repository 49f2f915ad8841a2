/* A made-up run for the tests of report/: two cards, totals set by hand. */
#ifndef TESTS_REPORT_FAKE_H
#define TESTS_REPORT_FAKE_H

#include "documents/run.h"
#include "documents/totals.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/r4400/r4400.h"
#include "run/regions.h"

#include <string.h>

enum { FAKE_CARDS = 2 };

struct fake {
    struct nm_params params;
    struct in_experiment experiment;
    struct doc_totals card[FAKE_CARDS];
    struct nm_station_monitor station;
    struct nm_ring_monitor ring;
    struct doc_sample now[1];
    struct doc_run run;
};

static inline void fake_pass(struct fake *f, uint64_t ticks)
{
    for (unsigned c = 0; c < FAKE_CARDS; c++) {
        struct doc_totals *t = &f->card[c];
        t->taps.v[MON_TAP_ST_LOAD] += ticks / 3;
        t->taps.v[MON_TAP_ST_STALL_L2] += ticks - ticks / 3;
        t->taps.v[MON_TAP_CYCLES] += ticks / 3;
        t->taps.v[MON_TAP_BUS_BUSY] += ticks / 6;
        t->taps.v[MON_TAP_NACKS] += c + 1;
        t->taps.v[MON_TAP_READS] += 2;
        t->taps.v[MON_TAP_READ_LATENCY] += 50;
        t->truth.instructions += ticks / 3;
        t->truth.running += ticks;
        t->truth.loads += ticks / 3;
    }
}

static inline void fake_init(struct fake *f, const char *events)
{
    static char *empty[] = {NULL};
    struct mon_choice choice = {0};
    char why[256];
    memset(f, 0, sizeof *f);
    f->now[0] = (struct doc_sample){f->card, &f->station, &f->ring, NULL, NULL};
    f->experiment.name = (char *)"fake";
    f->experiment.argv = empty;
    f->experiment.envp = empty;
    f->experiment.inputs = empty;
    f->experiment.limit = SIM_NEVER;
    f->experiment.seed = 1;
    f->experiment.machine.card = &pc_r4400;
    f->experiment.machine.name = (char *)"station-2";
    f->experiment.machine.params = &f->params;
    f->params.cpu_clock = 150000000;
    f->params.bus_clock = 50000000;
    f->params.bus_width = 8;
    f->params.page_size = 4096;
    f->params.l2_size = 1 << 20;
    f->params.l2_line = 128;
    f->params.l2_split = true;
    f->params.l2_data_half = 1;
    f->params.processors = FAKE_CARDS;
    mon_choice_add(&mon_numachine, &choice, events, why, sizeof why);
    run_regions_init(&f->run, &f->experiment, "fake.elf", FAKE_CARDS, FAKE_CARDS, &choice, f->now);
}

static inline void fake_finish(struct fake *f, sim_tick at)
{
    run_regions_finish(&f->run, at, f->now);
    f->run.outcome = (struct prog_outcome){.end = PROG_EXITED, .ticks = at, .threads = 1};
    f->run.outcome.instructions = f->card[0].truth.instructions * FAKE_CARDS;
    f->run.hash = doc_hash(&f->run);
}

#endif

/*
 * What the machine has counted, as files: books that hear nothing while the run lasts. The manifest
 * lists files in the order of the rows, so they are several.
 */
#include "base/alloc.h"
#include "documents/statistics/components.h"
#include "documents/statistics/gnuplot.h"
#include "documents/statistics/group.h"
#include "documents/statistics/histogram.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/stats.h"
#include "documents/traffic.h"
#include "monitor/taps.h"
#include "run/observer.h"

#include <stdlib.h>

static bool has_groups(const struct doc_run *run)
{
    return run->experiment->group_count;
}

static bool has_histogram(const struct doc_run *run)
{
    return doc_histogram_total(run).cards;
}

static bool has_samples(const struct doc_run *run)
{
    return run->experiment->interval != SIM_NEVER;
}

static const struct run_file statistics_files[] = {
    {.name = "stats.json", .write_run = doc_write_json},
    {.name = "stats.csv", .write_run = doc_write_csv},
    {.name = "stats.txt", .write_run = doc_write_text},
    {.name = DOC_HISTOGRAM, .write_run = doc_write_histogram},
    {.name = DOC_GROUPS, .write_run = doc_write_groups, .run_has = has_groups},
    {0}};

const struct run_observer run_statistics = {.file = statistics_files};

/* ---- the counter units as the run left them -------------------------------------------------- */

/* As they stand now; looking changes nothing. */
static void registers_finish(void *self, sim_tick at)
{
    struct run_live *live = self;
    (void)at;
    live->run.registers = sim_alloc(live->cards, sizeof *live->run.registers);
    for (unsigned c = 0; c < live->cards; c++) {
        struct doc_registers *r = &live->run.registers[c];
        const struct mon_unit *unit = nm_card_unit(live->machine, c);
        struct mon_taps taps;
        nm_card_taps(live->machine, c, &taps);
        for (unsigned k = 0; k < unit->ops->counters; k++)
            unit->ops->reading(unit, k, &taps, &r->counter[k]);
        if (unit->ops->words)
            unit->ops->memory(unit, &r->memory);
    }
}

static void registers_release(void *self)
{
    free(((struct run_live *)self)->run.registers);
}

static const struct run_file registers_files[] = {
    {.name = DOC_COUNTERS, .write_run = doc_write_counters, .run_has = doc_registers_used},
    {.name = DOC_BINS, .write_run = doc_write_bins, .run_has = has_histogram},
    {.name = DOC_NPY, .write_run = doc_write_npy, .run_has = has_histogram},
    {0}};

const struct run_observer run_registers = {
    .finish = registers_finish, .file = registers_files, .release = registers_release};

/* ---- pictures -------------------------------------------------------------------------------- */

static void plots_finish(void *self, sim_tick at)
{
    (void)at;
    doc_histogram_remark(&((struct run_live *)self)->run);
}

static const struct run_file plots_files[] = {
    {.name = DOC_BINS_PLOT, .write_run = doc_write_bins_plot, .run_has = has_histogram},
    {.name = DOC_SAMPLES_PLOT, .write_run = doc_write_samples_plot, .run_has = has_samples},
    {0}};

const struct run_observer run_plots = {.finish = plots_finish, .file = plots_files};

/* ---- traffic, and what samples say ----------------------------------------------------------- */

static const struct run_file traffic_files[] = {
    {.name = DOC_TRAFFIC, .write_run = doc_write_traffic, .run_has = doc_traffic_is}, {0}};

const struct run_observer run_traffic = {.file = traffic_files};

static const struct run_file sampling_files[] = {
    {.name = DOC_SAMPLING, .write_run = doc_write_sampling, .run_has = doc_sampling_is}, {0}};

const struct run_observer run_sampling = {.file = sampling_files};

/* The truth of misses: what each request of a run was for, and what it cost. */
#include "documents/rows/truth.h"

#include "base/copy.h"
#include "run/heap.h"
#include "run/observer.h"

#include <inttypes.h>
#include <string.h>

struct missing {
    struct run_live *live;
    struct pc_misses *misses;
    struct doc_truth left; /* by the run */
};

static bool missing_wanted(const struct run_live *live)
{
    return live->experiment->truth;
}

static enum run_begun missing_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct missing *m = self;
    m->live = live;
    m->misses = pc_misses_new(live->profiled);
    if (!m->misses) {
        snprintf(why, size,
                 "run.truth: a machine of mode: functional has no caches, and no misses");
        return RUN_REFUSED;
    }
    if (live->experiment->truth_sizes)
        pc_misses_sizes(m->misses);
    run_heap_watch_misses(live->heap, m->misses);
    return RUN_BEGUN;
}

static int64_t *missing_values(size_t rows)
{
    return sim_alloc(rows * doc_truth_columns.count + 1, sizeof(int64_t));
}

static const int64_t *missing_keep(int64_t *values, size_t row, const int64_t *v)
{
    return memcpy(&values[row * doc_truth_columns.count], v, doc_truth_columns.count * sizeof *v);
}

static void missing_finish(void *self, sim_tick at)
{
    struct missing *m = self;
    const struct nm_params *params = m->live->experiment->machine.params;
    const struct pc_missed_copy *seen;
    const struct pc_missed_row *row;
    const struct pc_missed_window *window;
    const struct pc_missed_size *size;
    struct doc_truth *out = &m->left;
    (void)at;
    *out = (struct doc_truth){.line = nm_value_l2_line(params),
                              .memory = nm_value_memory_size(params),
                              .processors = nm_value_processors(params)};
    pc_misses_end(m->misses);
    out->copies = pc_misses_copies(m->misses, &seen);
    out->rows = pc_misses_rows(m->misses, &row);
    out->copy = sim_copy(seen, out->copies, sizeof *seen);
    out->row = sim_copy(row, out->rows, sizeof *row);
    out->windows = pc_misses_windows(m->misses, &window);
    out->window = sim_copy(window, out->windows, sizeof *window);
    out->sizes = pc_misses_of_sizes(m->misses, &size);
    out->size = sim_copy(size, out->sizes, sizeof *size);
    out->values = missing_values(out->rows);
    for (size_t i = 0; i < out->rows; i++)
        out->row[i].v = missing_keep(out->values, i, row[i].v);
    out->window_values = missing_values(out->windows);
    for (size_t i = 0; i < out->windows; i++)
        out->window[i].v = missing_keep(out->window_values, i, window[i].v);
    out->tenant = run_heap_tenants(m->live->heap, &out->tenants);
    m->live->truth = out;
}

/* The sums of the classes must be the cards' misses and upgrades. */
static bool missing_adds_up(void *self, char *why, size_t size)
{
    const struct missing *m = self;
    const struct doc_run *run = &m->live->run;
    const struct doc_level all = {.count = run->cards};
    for (size_t r = 0; r < run->regions; r++) {
        const struct doc_region *region = &run->region[r];
        const int64_t misses =
            (int64_t)doc_truth(region, all, offsetof(struct nm_truth, l2_misses));
        const int64_t upgrades =
            (int64_t)doc_truth(region, all, offsetof(struct nm_truth, upgrades));
        int64_t rows[2];
        doc_truth_sum(&m->left, m->live->profile, r, &rows[0], &rows[1]);
        if (rows[0] == misses && rows[1] == upgrades)
            continue;
        snprintf(why, size,
                 "the truth of region '%s' has %" PRId64 " misses and %" PRId64
                 " upgrades, the cards %" PRId64 " and %" PRId64,
                 region->name, rows[0], rows[1], misses, upgrades);
        return false;
    }
    return true;
}

static void missing_write(void *self, FILE *out)
{
    doc_truth_write(&((struct missing *)self)->left, out);
}

static void missing_release(void *self)
{
    struct missing *m = self;
    doc_truth_free(&m->left);
    pc_misses_free(m->misses);
}

static const struct run_file missing_files[] = {{.name = DOC_TRUTH, .write = missing_write}, {0}};

const struct run_observer run_truth = {
    .size = sizeof(struct missing),
    .wants = missing_wanted,
    .begin = missing_begin,
    .finish = missing_finish,
    .adds_up = missing_adds_up,
    .file = missing_files,
    .release = missing_release,
};

/*
 * Requests that go side by side. An R10000 or an ARM11 goes on while a request is out, and asks for
 * more, so together requests take longer than the processor stalls. What they cost is the stall:
 * each has the same part of its time.
 */
#include "look/sharing/overlap.h"

#include "base/alloc.h"

#include <string.h>

double look_overlap_part(const struct doc_truth *truth, const struct look_cost *all)
{
    const int64_t stalled = doc_plus(all->v[PC_PROFILE_STALL_L2], all->v[PC_PROFILE_STALL_MP]);
    int64_t asked = 0;
    for (size_t i = 0; i < truth->rows; i++)
        asked = doc_plus(asked, doc_truth_time(&truth->row[i]));
    return stalled >= 0 && asked > stalled ? (double)stalled / (double)asked : 1;
}

/* What has come. Parts of whole numbers are rounded over all rows, so that their sum is the part of
 * the sum; and the rows of a line add up to what its windows do. */
struct lessened {
    int64_t all[DOC_COLUMNS_MOST];
};

/* @param to  values, of which those of times become less; NULL: nobody asks */
static void overlap_lessen(struct lessened *l, int64_t *to, const int64_t *v, double part)
{
    if (to)
        memcpy(to, v, doc_truth_columns.count * sizeof *to);
    for (unsigned r = 0; r < look_request_classes; r++) {
        const unsigned time = look_request_class[r].count + 1;
        const int64_t before = (int64_t)((double)l->all[time] * part);
        l->all[time] = doc_plus(l->all[time], v[time]);
        const int64_t now = (int64_t)((double)l->all[time] * part);
        if (to)
            to[time] = (int64_t)((uint64_t)now - (uint64_t)before); /* a file says anything */
    }
}

static uint64_t overlap_line(const struct doc_truth *truth, uint32_t copy)
{
    return truth->copy[copy].line;
}

static void overlap_less_rows(const struct doc_truth *truth, struct doc_truth *less, double part)
{
    struct lessened rows = {.all = {0}};
    for (size_t i = 0; i < truth->rows; i++) {
        int64_t *to = &less->values[i * doc_truth_columns.count];
        less->row[i] = truth->row[i];
        less->row[i].v = to;
        overlap_lessen(&rows, to, truth->row[i].v, part);
    }
}

/* A line's windows begin where its rows did. */
static void overlap_less_windows(const struct doc_truth *truth, struct doc_truth *less, double part)
{
    struct lessened rows = {.all = {0}}, line = rows;
    size_t row = 0;
    for (size_t i = 0; i < truth->windows; i++) {
        const struct pc_missed_window *window = &truth->window[i];
        const uint64_t its = overlap_line(truth, window->copy);
        int64_t *to = &less->window_values[i * doc_truth_columns.count];
        for (; row < truth->rows && overlap_line(truth, truth->row[row].copy) != its; row++)
            overlap_lessen(&rows, NULL, truth->row[row].v, part);
        if (!i || overlap_line(truth, window[-1].copy) != its)
            line = rows;
        less->window[i] = *window;
        less->window[i].v = to;
        overlap_lessen(&line, to, window->v, part);
    }
}

struct doc_truth *look_overlap_less(const struct doc_truth *truth, double part)
{
    const unsigned columns = doc_truth_columns.count;
    struct doc_truth *less = sim_alloc(1, sizeof *less);
    *less = *truth;
    less->row = sim_alloc(truth->rows, sizeof *less->row);
    less->values = sim_alloc(truth->rows * columns, sizeof *less->values);
    less->window = sim_alloc(truth->windows, sizeof *less->window);
    less->window_values = sim_alloc(truth->windows * columns, sizeof *less->window_values);
    overlap_less_rows(truth, less, part);
    overlap_less_windows(truth, less, part);
    return less;
}

void look_overlap_free(struct doc_truth *truth)
{
    if (!truth)
        return;
    free(truth->row);
    free(truth->values);
    free(truth->window);
    free(truth->window_values);
    free(truth);
}

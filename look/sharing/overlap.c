/*
 * Requests that go side by side. An R10000 or an ARM11 goes on while a request is out, and asks for
 * more, so together requests take longer than the processor stalls. What they cost is the stall:
 * each has the same part of its time.
 */
#include "look/sharing/overlap.h"

#include "base/alloc.h"

double look_overlap_part(const struct doc_truth *truth, const struct look_cost *all)
{
    const int64_t stalled = doc_plus(all->v[PC_PROFILE_STALL_L2], all->v[PC_PROFILE_STALL_MP]);
    int64_t asked = 0;
    for (size_t i = 0; i < truth->rows; i++)
        asked = doc_plus(asked, doc_truth_time(&truth->row[i]));
    return stalled >= 0 && asked > stalled ? (double)stalled / (double)asked : 1;
}

/* Of a line: what has come, and what of it counts. Parts of whole numbers are rounded so that the
 * rows of a line add up to what its windows do. */
struct lessened {
    uint64_t line;
    bool begun;
    int64_t all[DOC_COLUMNS_MOST], less[DOC_COLUMNS_MOST];
};

/* @param to  values, of which those of times become less */
static void overlap_lessen(struct lessened *l, uint64_t line, int64_t *to, const int64_t *v,
                           double part)
{
    if (!l->begun || l->line != line)
        *l = (struct lessened){.line = line, .begun = true};
    for (unsigned c = 0; c < doc_truth_columns.count; c++)
        to[c] = v[c];
    for (unsigned r = 0; r < look_request_classes; r++) {
        const unsigned time = look_request_class[r].count + 1;
        const int64_t before = l->less[time];
        l->all[time] = doc_plus(l->all[time], v[time]);
        l->less[time] = (int64_t)((double)l->all[time] * part);
        to[time] = (int64_t)((uint64_t)l->less[time] - (uint64_t)before); /* a file says anything */
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
    struct lessened rows = {.begun = false}, windows = rows;
    for (size_t i = 0; i < truth->rows; i++) {
        less->row[i] = truth->row[i];
        less->row[i].v = &less->values[i * columns];
        overlap_lessen(&rows, truth->copy[truth->row[i].copy].line, &less->values[i * columns],
                       truth->row[i].v, part);
    }
    for (size_t i = 0; i < truth->windows; i++) {
        less->window[i] = truth->window[i];
        less->window[i].v = &less->window_values[i * columns];
        overlap_lessen(&windows, truth->copy[truth->window[i].copy].line,
                       &less->window_values[i * columns], truth->window[i].v, part);
    }
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

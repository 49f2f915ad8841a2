/*
 * A finished sweep for people: a row for each point.
 */
#include "sweep/result.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "documents/grid.h"
#include "documents/run.h"
#include "documents/statistics/statistics.h"

#include <stdlib.h>
#include <string.h>

enum {
    RESULTS = 3, /* that are shown, if the experiment does not choose */
    ROWS = 64,
    WIDEST = 40, /* [characters] of a value */
    WIDE = 10000 /* [characters] of a row: the terminal breaks what is wider than it is */
};

/* What the table has of each point. */
struct shown {
    const struct swp_result *result;
    struct in_measured *stat; /* [stats] its texts are others' */
    size_t stats;
    bool ends; /* the last column has something to say: some points did not end well */
};

/* ---- which results --------------------------------------------------------------------------- */

static bool is_same_stat(const struct in_measured *a, const struct in_measured *b)
{
    return !strcmp(a->stat, b->stat) &&
           !strcmp(a->region ? a->region : "", b->region ? b->region : "");
}

static void shown_add(struct shown *s, const struct in_measured *stat)
{
    for (size_t i = 0; i < s->stats; i++)
        if (is_same_stat(&s->stat[i], stat))
            return;
    s->stat = sim_grow(s->stat, s->stats + 1, sizeof *s->stat);
    s->stat[s->stats++] = *stat;
}

static void add_expected(struct shown *s, const struct in_experiment *x)
{
    for (size_t i = 0; i < x->expects; i++)
        for (int k = 0; k <= x->expect[i].ratio && s->stats < RESULTS; k++)
            shown_add(s, &x->expect[i].stat[k]);
}

static void choose_stats(struct shown *s, const struct in_experiment *x, char *region,
                         char *const *usual)
{
    for (size_t i = 0; i < x->shown_count; i++)
        shown_add(s, &x->shown[i]);
    if (!s->stats)
        add_expected(s, x);
    for (size_t i = 0; !x->shown_count && !x->expects && i < RESULTS; i++)
        shown_add(s, &(struct in_measured){strcmp(region, DOC_WHOLE) ? region : NULL, usual[i]});
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const char *region_of(const struct in_measured *stat)
{
    return stat->region ? stat->region : DOC_WHOLE;
}

/* What of a name the reader needs: without words in front that all of these names have. */
static const char *last_words(const char *name)
{
    static const char *const common[] = {"machine.", "metric.", "program."};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        name += !strncmp(name, common[i], strlen(common[i])) ? strlen(common[i]) : 0;
    return name;
}

/* Names, and the units of results below them.
 * @param results  of a point that is there */
static void shown_put_heading(const struct shown *s, struct doc_grid *grid,
                              const struct doc_finished *results)
{
    for (size_t k = 0; k < s->result->keys; k++)
        doc_grid_cell(grid, "%s", last_words(s->result->key[k]));
    for (size_t i = 0; i < s->stats; i++) {
        const struct in_measured *stat = &s->stat[i];
        doc_grid_cell(grid, "%s%s%s", stat->region ? stat->region : "", stat->region ? "/" : "",
                      last_words(stat->stat));
    }
    doc_grid_cell(grid, "%s", s->ends ? "ended" : "");
    for (size_t k = 0; k < s->result->keys; k++)
        doc_grid_cell(grid, "%s", "");
    for (size_t i = 0; i < s->stats; i++) {
        const char *unit = "";
        doc_finished_at(results, region_of(&s->stat[i]), s->stat[i].stat, &unit);
        doc_grid_cell(grid, "%s", unit);
    }
    doc_grid_cell(grid, "%s", "");
}

static void shown_put_value(const struct in_measured *stat, struct doc_grid *grid,
                            const struct doc_finished *results)
{
    char text[64];
    const char *unit = "";
    const struct doc_value value = doc_finished_at(results, region_of(stat), stat->stat, &unit);
    if (value.is)
        doc_grid_cell(grid, "%s%s", doc_finished_tilde(results, stat->stat, unit),
                      doc_value_text(&value, DOC_DIGITS, text, sizeof text));
    else
        doc_grid_cell(grid, "-");
}

static void shown_put_end(const struct swp_row *row, struct doc_grid *grid)
{
    if (row->exit_code && (row->directory || row->failed))
        doc_grid_cell(grid, "%sstatus %d", row->directory ? "" : "failed, ", row->exit_code);
    else
        doc_grid_cell(grid, "%s", row->directory ? "" : "not there");
}

static void shown_put_row(const struct shown *s, const struct swp_row *row, struct doc_grid *grid)
{
    char why[5000];
    struct doc_finished results = {0};
    const bool there =
        row->directory && doc_finished_read(&results, row->directory, why, sizeof why);
    for (size_t k = 0; k < s->result->keys; k++)
        doc_grid_cell(grid, "%.*s%s", WIDEST, row->text[k],
                      strlen(row->text[k]) > WIDEST ? "..." : "");
    for (size_t i = 0; i < s->stats; i++)
        if (there)
            shown_put_value(&s->stat[i], grid, &results);
        else
            doc_grid_cell(grid, "-");
    shown_put_end(row, grid);
    doc_finished_free(&results);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Numbers stand to the right. Allocated. */
static char *alignment_of(const struct shown *s)
{
    const size_t keys = s->result->keys;
    char *align = sim_alloc(keys + s->stats + 2, 1);
    memset(align, 'r', keys + s->stats);
    for (size_t i = 0; i < s->result->rows; i++)
        for (size_t k = 0; k < keys; k++)
            if (!s->result->row[i].number[k])
                align[k] = 'l';
    align[keys + s->stats] = 'l';
    return align;
}

static void shown_put_table(const struct shown *s, const struct doc_finished *results, FILE *out)
{
    struct doc_grid grid;
    char *align = alignment_of(s);
    const size_t rows = s->result->rows < ROWS ? s->result->rows : ROWS,
                 more = s->result->rows - rows;
    doc_grid_init(&grid, align);
    shown_put_heading(s, &grid, results);
    for (size_t i = 0; i < rows; i++)
        shown_put_row(s, &s->result->row[i], &grid);
    doc_grid_print(&grid, out, false, WIDE);
    if (more)
        fprintf(out, "  and %zu more point%s: " SWP_CSV " has all\n", more, sim_plural(more));
    doc_grid_free(&grid);
    free(align);
}

static const struct swp_row *first_there(const struct swp_result *result)
{
    size_t i = 0;
    while (i < result->rows && !result->row[i].directory)
        i++;
    return i < result->rows ? &result->row[i] : NULL;
}

static bool ended_oddly(const struct swp_result *result)
{
    bool odd = false;
    for (size_t i = 0; i < result->rows; i++)
        odd = odd || !result->row[i].directory || result->row[i].exit_code;
    return odd;
}

void swp_shown_put(const struct swp_result *result, const struct in_experiment *x, FILE *out)
{
    static const enum doc_statistic statistics[RESULTS] = {
        DOC_STATISTIC_elapsed, DOC_STATISTIC_metric_ipc, DOC_STATISTIC_metric_mean_read_latency};
    char why[5000];
    const struct swp_row *first = first_there(result);
    struct doc_finished results = {0};
    if (first && doc_finished_read(&results, first->directory, why, sizeof why)) {
        char *usual[RESULTS], *region = swp_result_region(result);
        struct shown s = {.result = result, .ends = ended_oddly(result)};
        for (unsigned i = 0; i < RESULTS; i++)
            usual[i] = sim_format("machine.%s", doc_statistic_name(statistics[i]));
        choose_stats(&s, x, region, usual);
        shown_put_table(&s, &results, out);
        for (unsigned i = 0; i < RESULTS; i++)
            free(usual[i]);
        free(region);
        free(s.stat);
    }
    doc_finished_free(&results);
}

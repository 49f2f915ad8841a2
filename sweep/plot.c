/*
 * sweep.gp: curves for gnuplot, a line for each combination of what else is swept. The
 * points of a line are listed by their ids: gnuplot 5.4 cuts a quoted field at its first comma, so
 * the values themselves cannot be asked for.
 */
#include "sweep/result.h"

#include "base/alloc.h"
#include "documents/intact.h"
#include "documents/run.h"
#include "documents/statistics/gnuplot.h"
#include "documents/statistics/statistics.h"
#include "documents/whole.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    LINES = 4 * DOC_GNUPLOT_LINES, /* in all panels */
    FIRST = 2                      /* column of the first key in the table */
};

/* A text that was there before, and what went along with it. */
struct met {
    char *text;
    const char *along;
    UT_hash_handle hh;
};

static void plot_forget(struct met **all)
{
    struct met *met, *next;
    HASH_ITER(hh, *all, met, next) {
        HASH_DEL(*all, met);
        free(met->text);
        free(met);
    }
}

/* @return the one that is there; NULL: it was not, and is now. `text` is taken */
static struct met *plot_meet(struct met **all, char *text, const char *along)
{
    struct met *met;
    HASH_FIND_STR(*all, text, met);
    if (met) {
        free(text);
        return met;
    }
    met = sim_alloc(1, sizeof *met);
    met->text = text;
    met->along = along;
    HASH_ADD_KEYPTR(hh, *all, met->text, strlen(met->text), met);
    return NULL;
}

static const char *plot_shown(const struct swp_row *row, size_t k)
{
    return row->number[k] ? row->number[k] : row->text[k];
}

/* Whether each value of key `of` has one of `key` only. */
static bool plot_follows(const struct swp_result *result, size_t key, size_t of)
{
    struct met *all = NULL;
    bool does = true;
    for (size_t i = 0; does && i < result->rows; i++) {
        const struct swp_row *row = &result->row[i];
        const struct met *met =
            plot_meet(&all, sim_strdup(plot_shown(row, of)), plot_shown(row, key));
        does = !met || !strcmp(met->along, plot_shown(row, key));
    }
    plot_forget(&all);
    return does;
}

/* Whether a key has several values, all numbers. */
static bool is_axis(const struct swp_result *result, size_t key)
{
    bool several = false;
    for (size_t i = 0; i < result->rows; i++) {
        const struct swp_row *row = &result->row[i];
        if (!row->number[key])
            return false;
        several = several || strcmp(row->number[key], result->row[0].number[key]) != 0;
    }
    return several;
}

struct plot {
    const struct swp_result *result;
    size_t axis; /* the key that is drawn over */
    bool *lines; /* [keys] it tells lines apart */
};

/* The values that a line is known by, one behind the other. Allocated. */
static char *plot_line_of(const struct plot *p, const struct swp_row *row)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    for (size_t k = 0; k < p->result->keys; k++)
        if (p->lines[k])
            fprintf(out, "%s%s %s", ftell(out) ? ", " : "", p->result->key[k], row->text[k]);
    sim_text_close(out, &text);
    return text;
}

/* A line: which points are on it, and what it is called. */
struct line {
    char *name, *ids;
    UT_hash_handle hh;
};

static void put_point(struct line **lines, char *name, const char *id)
{
    struct line *line;
    HASH_FIND_STR(*lines, name, line);
    if (line) {
        char *ids = sim_format("%s%s ", line->ids, id);
        free(line->ids);
        free(name);
        line->ids = ids;
        return;
    }
    line = sim_alloc(1, sizeof *line);
    line->name = name;
    line->ids = sim_format(" %s ", id);
    HASH_ADD_KEYPTR(hh, *lines, line->name, strlen(line->name), line);
}

static void plot_put_line(const struct line *line, unsigned n, FILE *out)
{
    fprintf(out, "name%u = ", n);
    doc_gnuplot_text(out, *line->name ? line->name : "all points");
    fprintf(out, "\npoints%u = '%s'\n", n, line->ids);
}

/* Rows of other statistics are undefined. A line would end at each of them: they have to be
 * missing. */
static void put_lines(const struct plot *p, const struct line *lines, FILE *out)
{
    const size_t keys = p->result->keys, count = HASH_COUNT(lines);
    unsigned n = 0;
    for (const struct line *line = lines; line && n < LINES; line = line->hh.next)
        plot_put_line(line, ++n, out);
    if (count > LINES)
        fprintf(out, "# %zu more lines are not drawn\n", count - LINES);
    if (n > DOC_GNUPLOT_LINES) /* panels beside each other have the same scale */
        fprintf(out,
                "stats '" SWP_CSV "' skip 1 using (is_shown(0) ? $%zu : NaN) name 'all' nooutput\n"
                "set yrange [0:1.05 * all_max]\n",
                keys + FIRST + 3);
    for (unsigned i = 1; i <= n; i++)
        fprintf(out,
                "%s'" SWP_CSV "' skip 1 using %zu:(is_on(points%u) ? $%zu : NaN) smooth unique "
                "with linespoints linetype %u title name%u noenhanced%s",
                i % DOC_GNUPLOT_LINES == 1 ? "plot " : "", p->axis + FIRST, i, keys + FIRST + 3,
                (i - 1) % DOC_GNUPLOT_LINES + 1, i,
                i % DOC_GNUPLOT_LINES && i < n ? ", \\\n  " : "\n");
}

static struct line *lines_of(const struct plot *p)
{
    struct line *lines = NULL;
    for (size_t i = 0; i < p->result->rows; i++)
        if (p->result->row[i].directory)
            put_point(&lines, plot_line_of(p, &p->result->row[i]), p->result->row[i].id);
    return lines;
}

static void free_lines(struct line *lines)
{
    struct line *line, *next;
    HASH_ITER(hh, lines, line, next) {
        HASH_DEL(lines, line);
        free(line->name);
        free(line->ids);
        free(line);
    }
}

static unsigned panels_of(const struct line *lines)
{
    const unsigned count = HASH_COUNT(lines);
    return ((count < LINES ? count : LINES) + DOC_GNUPLOT_LINES - 1) / DOC_GNUPLOT_LINES;
}

static void write_plot(void *ctx, FILE *out)
{
    const struct plot *p = ctx;
    const size_t column = p->result->keys + FIRST;
    struct line *lines = lines_of(p);
    char *region = swp_result_region(p->result);
    const unsigned panels = panels_of(lines);
    doc_gnuplot_open(out, "sweep", panels);
    fprintf(out, "set datafile missing NaN\n"
                 "set offsets graph 0.02, graph 0.02, graph 0.03, 0\n"
                 "set yrange [0:]\n"
                 "set format y '%%.10g'\n"
                 "# what is drawn: three lines to change\n"
                 "region = ");
    doc_gnuplot_text(out, region);
    fprintf(out,
            "\nstat = '%s'\n"
            "unit = 'PCycles'\n"
            "is_shown(row) = strcol(%zu) eq region && strcol(%zu) eq 'machine' && "
            "strcol(%zu) eq stat\n"
            "is_on(points) = is_shown(0) && strstrt(points, ' '.strcol(1).' ')\n"
            "set xlabel ",
            doc_statistic_name(DOC_STATISTIC_elapsed), column, column + 1, column + 2);
    doc_gnuplot_text(out, p->result->key[p->axis]);
    fputs(" noenhanced\nset ylabel stat.' ['.unit.']' noenhanced\n", out);
    put_lines(p, lines, out);
    doc_gnuplot_close(out, panels);
    free_lines(lines);
    free(region);
}

bool swp_plot_write(const struct swp_result *result, const char *directory, char *why, size_t size)
{
    struct plot p = {.result = result};
    while (p.axis < result->keys && !is_axis(result, p.axis))
        p.axis++;
    if (p.axis == result->keys || !result->there)
        return true;
    p.lines = sim_alloc(result->keys, sizeof *p.lines);
    for (size_t k = 0; k < result->keys; k++)
        p.lines[k] = k != p.axis && !plot_follows(result, k, p.axis);
    char *path = sim_format("%s/" SWP_PLOT, directory);
    const bool good = doc_whole_write(path, false, write_plot, &p, NULL, why, size);
    free(path);
    free(p.lines);
    return good;
}

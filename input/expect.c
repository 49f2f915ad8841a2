/*
 * expect.stats: a list of statistics and the values they must have.
 *
 * Which statistics a run has depends on machine, events and groups, so that names are held against
 * it when it has ended. Here is checked what can be: that each row says one thing, and can be kept.
 */
#include "input/expect.h"

#include "input/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_STAT,
    ROW_RATIO,
    ROW_REGION,
    ROW_POINTS,
    ROW_BOUND,
    EXPECT_ROWS = ROW_BOUND + IN_BOUND__COUNT
};

/* The first word of each path. */
static const char stat_root[] = "machine.";

static const struct in_key expect_keys[] = {
    {"stat",
     {IN_TEXT, "a path of stats.json, such as machine.truth.l2_misses", 0, 0},
     "",
     "the statistic, in whose unit the bounds are; this or ratio"},
    {"ratio",
     {IN_LIST, "a list of two statistics, each as REGION/STAT or STAT", 0, 0},
     "",
     "the first statistic divided by the second: [alone/machine.elapsed, "
     "together/machine.elapsed]"},
    {"region",
     {IN_TEXT, "the name of a region", 0, 0},
     "",
     "the region of statistics that name none; without it the whole run"},
    {"points",
     {IN_LIST, "a list of two points of the sweep, each as KEY=VALUE; KEY=VALUE", 0, 0},
     "",
     "divide the statistic at the first point by that at the second: [program.processors=1, "
     "program.processors=16]; for every combination of what else is swept, when the sweep ends"},
#define BOUND(name, operator, words) \
    {#name, {IN_TEXT, "a number", 0, 0}, "", "the value must be " words " this"},
#include "input/bounds.def"
#undef BOUND
};

const struct in_table in_expect_table = {.keys = expect_keys, .count = EXPECT_ROWS};

const char *const in_bound_name[] = {
#define BOUND(name, operator, words) #name,
#include "input/bounds.def"
#undef BOUND
};

static const char *const bound_words[] = {
#define BOUND(name, operator, words) words,
#include "input/bounds.def"
#undef BOUND
};

static bool expect_holds(enum in_bound bound, long double value, long double number)
{
    switch (bound) {
#define BOUND(name, operator, words) \
    case IN_BOUND_##name:            \
        return value operator number;
#include "input/bounds.def"
#undef BOUND
    default:
        return true;
    }
}

bool in_expect_holds(const struct in_expect *e, long double value)
{
    for (int b = 0; b < IN_BOUND__COUNT; b++)
        if (e->bound[b] && !expect_holds((enum in_bound)b, value, e->number[b]))
            return false;
    return true;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_measured(const struct in_measured *stat, const char *point, FILE *out)
{
    fputs(stat->stat, out);
    if (stat->region)
        fprintf(out, " of region %s", stat->region);
    if (point)
        fprintf(out, " at %s", point);
}

void in_expect_subject(const struct in_expect *e, FILE *out)
{
    put_measured(&e->stat[0], e->point[0], out);
    if (!e->ratio)
        return;
    fputs(" / ", out);
    put_measured(&e->stat[1], e->point[1], out);
}

void in_expect_bounds(const struct in_expect *e, FILE *out)
{
    const char *between = "";
    for (int b = 0; b < IN_BOUND__COUNT; b++)
        if (e->bound[b]) {
            fprintf(out, "%s%s %s", between, bound_words[b], e->bound[b]);
            between = " and ";
        }
}

/* ---- reading --------------------------------------------------------------------------------- */

/** A row while it is read. */
struct row {
    struct in_reading *r;
    struct in_place at;
    struct in_value v[EXPECT_ROWS];
    struct in_expect *expect;
    bool unnamed; /**< some statistic names no region */
};

/** "file.yaml:12:7"; of a text without lines its name. Allocated. */
static char *place_text(const struct in_place *at)
{
    if (at->doc->inline_text)
        return in_strdup(at->doc->shown);
    return sim_format("%s:%u:%u", at->doc->shown, at->line, at->column);
}

/** A number as people write it: no hexadecimal, no infinity, no unit. */
static bool expect_read_number(const char *text, long double *number)
{
    char *end;
    const char *digits = text + (*text == '-');
    if (!isdigit((unsigned char)*digits) || digits[strspn(digits, "0123456789.eE+-")])
        return false;
    *number = strtold(text, &end);
    return !*end && isfinite(*number);
}

static void read_bounds(struct row *row)
{
    struct in_expect *e = row->expect;
    for (int b = 0; b < IN_BOUND__COUNT; b++) {
        struct in_value *v = &row->v[ROW_BOUND + b];
        if (v->text && !expect_read_number(v->text, &e->number[b]))
            in_complain(row->r, &v->at, "'%s': '%.60s' is no number",
                        expect_keys[ROW_BOUND + b].path, v->text);
        e->bound[b] = v->text;
        v->text = NULL;
    }
}

/** Takes "STAT" or "REGION/STAT" apart; a region may have any name, a statistic no slash.
 * @param region  of a statistic that names none; NULL: the whole run */
static void read_measured(struct in_reading *r, const struct in_place *at, const char *text,
                          const char *region, struct in_measured *stat)
{
    const char *slash = strrchr(text, '/');
    stat->stat = in_strdup(slash ? slash + 1 : text);
    if (slash == text)
        in_complain(r, at, "'%.100s': no region is named in front of its '/'", text);
    stat->region = slash    ? sim_format("%.*s", (int)(slash - text), text)
                   : region ? in_strdup(region)
                            : NULL;
    if (strncmp(stat->stat, stat_root, strlen(stat_root)) != 0)
        in_complain(r, at,
                    "'%.100s' is no statistic: their paths begin with '%s', as "
                    "machine.truth.l2_misses (stats.json of any run has them)",
                    stat->stat, stat_root);
}

/** The same of a row. */
static void read_stat(struct row *row, const struct in_place *at, const char *text,
                      struct in_measured *stat)
{
    row->unnamed = row->unnamed || !strchr(text, '/');
    read_measured(row->r, at, text, row->v[ROW_REGION].text, stat);
}

static void read_ratio(struct row *row)
{
    const struct in_value *v = &row->v[ROW_RATIO];
    struct in_expect *e = row->expect;
    e->ratio = true;
    if (!v->list || !v->list[0] || !v->list[1] || v->list[2]) {
        in_complain(row->r, &v->at, "'ratio': expected %s", expect_keys[ROW_RATIO].form.unit);
        return;
    }
    for (int i = 0; i < 2; i++)
        read_stat(row, &v->at, v->list[i], &e->stat[i]);
}

/** Takes the two points; one statistic is then that of both. */
static void read_points(struct row *row)
{
    const struct in_value *v = &row->v[ROW_POINTS];
    struct in_expect *e = row->expect;
    if (!v->list || !v->list[0] || !v->list[1] || v->list[2]) {
        in_complain(row->r, &v->at, "'points': expected %s", expect_keys[ROW_POINTS].form.unit);
        return;
    }
    for (int i = 0; i < 2; i++)
        e->point[i] = in_strdup(v->list[i]);
    if (e->ratio || !e->stat[0].stat)
        return;
    e->ratio = true;
    e->stat[1].stat = in_strdup(e->stat[0].stat);
    e->stat[1].region = e->stat[0].region ? in_strdup(e->stat[0].region) : NULL;
}

/** Whether points can be meant: by a file with a sweep, or by what is left of one in the results of
 *  a point. */
static bool has_points(const struct in_reading *r, const struct in_experiment *x)
{
    const char *path = r->file ? r->file->path : NULL, *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return x->sweep || (name && !strcmp(name, "config.resolved.yaml"));
}

/** What is wrong with a row whose parts are right; NULL: nothing. */
static const char *complaint_of(const struct row *row)
{
    if (row->v[ROW_REGION].at.doc && !row->unnamed)
        return "'region' is for statistics that name none, and here all name their own";
    const struct in_expect *e = row->expect;
    const bool most = e->bound[IN_BOUND_at_most], least = e->bound[IN_BOUND_at_least],
               is = e->bound[IN_BOUND_is];
    if (!most && !least && !is)
        return "nothing is expected of it; say at_most, at_least or is";
    if (is && (most || least))
        return "'is' says it all; leave the other bounds out";
    if (most && least && e->number[IN_BOUND_at_least] > e->number[IN_BOUND_at_most])
        return "no value is at least and at most that";
    return NULL;
}

static void expect_read_row(struct in_reading *r, const struct in_experiment *x, struct in_doc *doc,
                            yaml_node_t *node, struct in_expect *expect)
{
    struct row row = {.r = r, .at = in_at(doc, node), .expect = expect};
    const unsigned before = r->diag->errors;
    in_read_mapping(r, doc, node, &in_expect_table, row.v);
    const struct in_value *stat = &row.v[ROW_STAT];
    expect->where = place_text(&row.at);
    if (r->diag->errors == before && !stat->at.doc == !row.v[ROW_RATIO].at.doc)
        in_complain(r, &row.at, "an expectation is about a stat, or about a ratio of two");
    if (row.v[ROW_RATIO].at.doc)
        read_ratio(&row);
    else if (stat->text)
        read_stat(&row, &stat->at, stat->text, &expect->stat[0]);
    if (row.v[ROW_POINTS].at.doc && !has_points(r, x))
        in_complain(r, &row.v[ROW_POINTS].at,
                    "'points' are of a sweep, and this file has no sweep:");
    else if (row.v[ROW_POINTS].at.doc)
        read_points(&row);
    const struct in_value *region = &row.v[ROW_REGION];
    if (region->text && !*region->text)
        in_complain(r, &region->at, "'region' is empty");
    read_bounds(&row);
    const char *complaint = r->diag->errors == before ? complaint_of(&row) : NULL;
    if (complaint)
        in_complain(r, &row.at, "%s", complaint);
    in_values_free(row.v, EXPECT_ROWS);
}

void in_expect_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v)
{
    if (!v->node)
        return;
    const yaml_node_item_t *item = v->node->data.sequence.items.start;
    const size_t count = (size_t)(v->node->data.sequence.items.top - item);
    x->expect = sim_alloc(count, sizeof *x->expect);
    for (x->expects = 0; x->expects < count; x->expects++)
        expect_read_row(r, x, v->at.doc, in_node(v->at.doc, item[x->expects]),
                        &x->expect[x->expects]);
}

/* ---- what a table shows ---------------------------------------------------------------------- */

void in_show_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v)
{
    size_t count = 0;
    while (v->at.doc && x->show[count])
        count++;
    if (count && !has_points(r, x))
        in_complain(r, &v->at, "'show' is of a sweep, and this file has no sweep:");
    x->shown = sim_alloc(count, sizeof *x->shown);
    for (x->shown_count = 0; x->shown_count < count; x->shown_count++)
        read_measured(r, &v->at, x->show[x->shown_count], NULL, &x->shown[x->shown_count]);
}

void in_measured_free(struct in_measured *stat, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(stat[i].region);
        free(stat[i].stat);
    }
    free(stat);
}

void in_expect_free(struct in_expect *expect, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct in_expect *e = &expect[i];
        free(e->where);
        for (int k = 0; k < 2; k++) {
            free(e->stat[k].region);
            free(e->stat[k].stat);
            free(e->point[k]);
        }
        for (int b = 0; b < IN_BOUND__COUNT; b++)
            free(e->bound[b]);
    }
    free(expect);
}

/*
 * A profile for programs: a table of columns that never change their meaning, as JSON or CSV. Its
 * rows are those of the profile with names beside the addresses, or sums.
 *
 * JSON is a list of objects, one in a line, as pandas.read_json takes it. CSV is as RFC 4180 has
 * it. What is not known is null, or nothing.
 */
#include "documents/csv.h"
#include "look/profile/write.h"

#include "base/alloc.h"
#include "documents/statistics/stats.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/** Writes one value after another. */
struct table {
    FILE *out;
    bool csv;
    bool heading;  /**< names of columns instead of values: CSV's first line */
    size_t rows;   /**< begun */
    size_t values; /**< of this row */
};

static void begin_row(struct table *t)
{
    if (!t->csv)
        fputs(t->rows ? ",\n{" : "[\n{", t->out);
    t->rows++;
    t->values = 0;
}

static void end_row(const struct table *t)
{
    fputs(t->csv ? "\r\n" : "}", t->out);
}

static void end_table(const struct table *t)
{
    if (!t->csv)
        fputs(t->rows ? "\n]\n" : "[]\n", t->out);
}

/* What stands in front of a value. @return whether the value is to be written */
static bool begin_value(struct table *t, const char *name)
{
    if (t->values++)
        putc(',', t->out);
    if (t->heading)
        doc_csv_field(t->out, name);
    else if (!t->csv)
        fprintf(t->out, "\"%s\":", name);
    return !t->heading;
}

/* Bytes that are no UTF-8, such as a file's name may have, become '?' in JSON. */
static void put_json(FILE *out, const char *text)
{
    char *copy = sim_strdup(text);
    json_t *value = json_string(copy);
    for (char *c = copy; !value && *c; c++)
        if (*c & 0x80)
            *c = '?';
    if (!value)
        value = json_string(copy);
    json_dumpf(value, out, JSON_ENCODE_ANY);
    json_decref(value);
    free(copy);
}

/* @param text  NULL: not known */
static void put_text(struct table *t, const char *name, const char *text)
{
    if (!begin_value(t, name))
        return;
    if (t->csv)
        doc_csv_field(t->out, text ? text : "");
    else if (text)
        put_json(t->out, text);
    else
        fputs("null", t->out);
}

static void put_number(struct table *t, const char *name, int64_t value)
{
    if (begin_value(t, name))
        fprintf(t->out, "%" PRId64, value);
}

static void put_line(struct table *t, const char *name, unsigned line)
{
    if (line)
        put_number(t, name, line);
    else
        put_text(t, name, NULL);
}

static void put_address(struct table *t, const char *name, uint64_t va)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, va);
    put_text(t, name, va == PC_PROFILE_NOWHERE ? NULL : text);
}

static void put_cost(struct table *t, const struct look_cost *cost)
{
    const struct look_measure total = look_measure_total();
    char name[DOC_COLUMN_NAME];
    put_number(t, "pcycles", look_measured(&total, cost));
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        put_number(t, doc_column_name(c, name), cost->v[c]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* "whole;north;south", the caller's. */
static char *regions_of(const struct doc_profile *p, const uint32_t *phase)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fputs(p->region[0], out);
    for (uint32_t i = 1; i <= phase[0]; i++)
        if (phase[i])
            fprintf(out, ";%s", p->region[phase[i]]);
    sim_text_close(out, &text);
    return text;
}

static char *stack_of(const struct look_view *view, uint32_t stack)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    look_view_stack(view, stack, ';', out);
    sim_text_close(out, &text);
    return text;
}

static void put_row(struct table *t, struct look_view *view, const struct pc_profile_row *row)
{
    static const struct prog_place nothing;
    const struct doc_profile *p = view->profile;
    const struct prog_place *at =
        row->pc == PC_PROFILE_NOWHERE ? &nothing : look_code_at(view->code, row->pc);
    const struct look_cost cost = look_cost_of(row);
    char *regions = regions_of(p, p->phase[row->phase]);
    char *stack = stack_of(view, view->stacked[row->path]);
    begin_row(t);
    put_number(t, "phase", row->phase);
    put_text(t, "regions", regions);
    put_number(t, "thread", row->thread);
    put_text(t, "function", view->function[view->called[row->path]].name);
    put_text(t, "file", at->file);
    put_line(t, "line", at->line);
    put_address(t, "pc", row->pc);
    put_text(t, "path", stack);
    put_cost(t, &cost);
    end_row(t);
    free(regions);
    free(stack);
}

static void put_rows(struct table *t, struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    for (size_t i = 0; i < p->rows; i++)
        if (look_view_has(view, &p->row[i]))
            put_row(t, view, &p->row[i]);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void put_sum(struct table *t, struct look_view *view, const struct look_show *show,
                    const struct look_entry *entry)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    look_view_label(view, show->by, entry->key, out);
    sim_text_close(out, &text);
    begin_row(t);
    put_text(t, look_by_rows[show->by].name, text);
    put_cost(t, show->children ? &entry->all : &entry->self);
    end_row(t);
    free(text);
}

static void put_sums(struct table *t, struct look_view *view, const struct look_show *show)
{
    struct look_sums sums = look_view_sum(view, show->by);
    look_sums_sort(&sums, &view->measure, show->children);
    for (size_t i = 0; i < sums.entries; i++)
        put_sum(t, view, show, sums.entry[i]);
    look_sums_free(&sums);
}

/* ---- formats --------------------------------------------------------------------------------- */

static void put_heading(struct table *t, const struct look_show *show)
{
    static const char *const names[] = {"phase", "regions", "thread", "function",
                                        "file",  "line",    "pc",     "path"};
    static const struct look_cost nothing;
    t->heading = true;
    if (show->by_given)
        put_text(t, look_by_rows[show->by].name, NULL);
    for (size_t i = 0; !show->by_given && i < sizeof names / sizeof *names; i++)
        put_text(t, names[i], NULL);
    put_cost(t, &nothing);
    end_row(t);
    t->heading = false;
}

static void put_table(struct look_view *view, const struct look_show *show, bool csv, FILE *out)
{
    struct table t = {.out = out, .csv = csv};
    if (csv)
        put_heading(&t, show);
    if (show->by_given)
        put_sums(&t, view, show);
    else
        put_rows(&t, view);
    end_table(&t);
}

void look_profile_json(struct look_view *view, const struct look_show *show, FILE *out)
{
    put_table(view, show, false, out);
}

void look_profile_csv(struct look_view *view, const struct look_show *show, FILE *out)
{
    put_table(view, show, true, out);
}

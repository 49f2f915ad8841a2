/*
 * A profile for programs: a table of columns that never change their meaning, as JSON or CSV. Its
 * rows are those of the profile with names beside the addresses, or sums.
 *
 * A call path has a number in a row: paths are few, rows many, and in C++ a path may have ten
 * thousand characters. The sums by path have the number and the path.
 *
 * JSON is a list of objects, one in a line, as pandas.read_json takes it. CSV is as RFC 4180 has
 * it. What is not known is null, or nothing.
 */
#include "documents/cells.h"
#include "documents/csv.h"
#include "look/profile/write.h"

#include "base/alloc.h"

/* Names in front of the costs of a row of the profile. */
static const char *const heads[] = {"phase", "regions", "thread", "function", "file",
                                    "line",  "inlined", "pc",     "path"};
enum { HEADS = sizeof heads / sizeof *heads, COSTS = 1 + PC_PROFILE__COUNT };

/** Writes one row after another. */
struct table {
    FILE *out;
    bool csv;
    size_t rows;
    const char *name[HEADS + COSTS];
    char column[PC_PROFILE__COUNT][DOC_COLUMN_NAME];
};

/* @param head  names in front of the costs */
static void begin_table(struct table *t, const char *const *head, size_t count)
{
    for (size_t i = 0; i < count; i++)
        t->name[i] = head[i];
    t->name[count++] = "pcycles";
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        t->name[count++] = doc_column_name(c, t->column[c]);
    if (t->csv)
        doc_csv_row(t->out, t->name, count);
}

/* @param cell  of which the heads are there, with room for the costs */
static void put_cells(struct table *t, struct doc_cell *cell, size_t count,
                      const struct look_cost *cost)
{
    const struct look_measure total = look_measure_total();
    cell[count++] = doc_cell_integer(look_measured(&total, cost));
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        cell[count++] = doc_cell_integer(cost->v[c]);
    if (t->csv) {
        doc_cells_csv(t->out, cell, count);
        return;
    }
    fputs(t->rows++ ? ",\n" : "[\n", t->out);
    doc_cells_json(t->out, t->name, cell, count);
}

static void end_table(const struct table *t)
{
    if (!t->csv)
        fputs(t->rows ? "\n]\n" : "[]\n", t->out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* "whole;north;south", the caller's. */
static char *rows_regions_of(const struct doc_profile *p, const uint32_t *phase)
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

static void rows_put_row(struct table *t, struct look_view *view, size_t i)
{
    const struct pc_profile_row *row = &view->profile->row[i];
    const struct look_node *node = &view->node[view->row_node[i]];
    static const struct prog_place nothing;
    const struct doc_profile *p = view->profile;
    const struct prog_place *at =
        row->pc == PC_PROFILE_NOWHERE ? &nothing : look_code_at(view->code, row->pc);
    const struct look_cost cost = look_cost_of(row);
    char *regions = rows_regions_of(p, p->phase[row->phase]);
    char *inlined = row->pc == PC_PROFILE_NOWHERE
                        ? NULL
                        : look_chain_text(view->code, look_code_chain(view->code, row->pc));
    struct doc_cell cell[HEADS + COSTS] = {
        doc_cell_integer(row->phase),  doc_cell_text(regions),
        doc_cell_integer(row->thread), doc_cell_text(view->function[node->own].name),
        doc_cell_text(at->file),       at->line ? doc_cell_integer(at->line) : doc_cell_text(NULL),
        doc_cell_text(inlined),        doc_cell_address(row->pc, PC_PROFILE_NOWHERE),
        doc_cell_integer(node->stack)};
    put_cells(t, cell, HEADS, &cost);
    free(regions);
    free(inlined);
}

static void put_rows(struct table *t, struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    begin_table(t, heads, HEADS);
    for (size_t i = 0; i < p->rows; i++)
        if (look_view_has(view, &p->row[i]))
            rows_put_row(t, view, i);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Whether a sum has another head behind its label. */
static bool has_more(enum look_by by)
{
    return by == LOOK_BY_line || by == LOOK_BY_path;
}

static void put_sum(struct table *t, struct look_view *view, const struct look_show *show,
                    const struct look_entry *entry)
{
    char *text = look_view_label(view, show->by, entry->key);
    struct doc_cell cell[2 + COSTS] = {doc_cell_text(text)};
    if (show->by == LOOK_BY_line)
        cell[1] = doc_cell_text(look_view_inlined(view, entry->key));
    else if (show->by == LOOK_BY_path)
        cell[1] = doc_cell_integer((int64_t)entry->key.a);
    put_cells(t, cell, 1 + has_more(show->by), show->children ? &entry->all : &entry->self);
    free(text);
}

static void put_sums(struct table *t, struct look_view *view, const struct look_show *show)
{
    struct look_sums sums = look_view_sum(view, show->by);
    begin_table(t,
                (const char *const[]){look_by_rows[show->by].name,
                                      show->by == LOOK_BY_path ? "number" : "inlined"},
                1 + has_more(show->by));
    look_sums_sort(&sums, &view->measure, show->children);
    for (size_t i = 0; i < sums.entries; i++)
        put_sum(t, view, show, sums.entry[i]);
    look_sums_free(&sums);
}

/* ---- formats --------------------------------------------------------------------------------- */

static void put_table(struct look_view *view, const struct look_show *show, bool csv, FILE *out)
{
    struct table t = {.out = out, .csv = csv};
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

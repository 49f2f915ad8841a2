/*
 * Locks for programs: names that never change their meaning, as JSON or CSV. What is not known is
 * null, or nothing.
 */
#include "documents/cells.h"
#include "documents/csv.h"
#include "look/locks/view.h"

#include "base/alloc.h"
#include "documents/rows/locks.h"
#include "documents/statistics/stats.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* The function and line that are shown of a place, or its address. @return the caller's */
static char *rows_place_of(const struct look_locks_view *view, uint64_t pc)
{
    const struct prog_place *place = look_code_at(view->code, pc);
    const char *function = look_chain_function(look_code_chain(view->code, pc));
    const bool known = pc != DOC_LOCKS_NOWHERE;
    char *name = known && function ? sim_strdup(function)
                 : known           ? sim_format("0x%" PRIx64, pc)
                                   : sim_strdup("(not known)");
    if (!known || !place->file || !place->line)
        return name;
    char *text = sim_format("%s %s:%u", name, place->file, place->line);
    free(name);
    return text;
}

static uint64_t rows_pc_of(const struct doc_locks *l, uint32_t site)
{
    return site == DOC_LOCKS_NONE ? DOC_LOCKS_NOWHERE : l->site[site].pc;
}

/* ---- locks ----------------------------------------------------------------------------------- */

enum { ROW = 2 + LOOK_LOCK_FIGURES + 2 };

/* Names of what a row has: kind, lock, figures, and in CSV the places that held and waited most. */
struct names {
    const char *name[ROW];
    char figure[LOOK_LOCK_FIGURES][DOC_COLUMN_NAME];
};

static void name_row(struct names *names)
{
    size_t n = 0;
    names->name[n++] = "kind";
    names->name[n++] = "lock";
    for (unsigned f = 0; f < LOOK_LOCK_FIGURES; f++)
        names->name[n++] = look_lock_figure_name(f, names->figure[f]);
    names->name[n++] = "holder";
    names->name[n] = "waiter";
}

static struct doc_cell figure_of(const struct look_locks_view *view,
                                 const struct look_lock_row *row, unsigned figure)
{
    if (figure < DOC_LOCK_COLUMNS)
        return doc_cell_integer((int64_t)row->v[figure]);
    if (!look_lock_figure_known(row, figure))
        return doc_cell_text(NULL);
    const double value = look_lock_figure_of(view, row, figure);
    return figure == LOOK_LOCK_FAIRNESS ? (struct doc_cell){.kind = DOC_CELL_REAL, .real = value}
                                        : doc_cell_integer((int64_t)value);
}

/* @param lock  its label */
static void fill_row(const struct look_locks_view *view, const struct look_lock_row *row,
                     const char *lock, struct doc_cell cell[ROW])
{
    *cell++ = doc_cell_text(doc_lock_kinds[view->locks->lock[row->lock].kind].name);
    *cell++ = doc_cell_text(lock);
    for (unsigned f = 0; f < LOOK_LOCK_FIGURES; f++)
        *cell++ = figure_of(view, row, f);
}

void look_locks_csv(const struct look_locks_view *view, FILE *out)
{
    struct names names;
    struct doc_cell cell[ROW];
    name_row(&names);
    doc_csv_row(out, names.name, ROW);
    for (size_t i = 0; i < view->rows; i++) {
        const struct look_lock_row *row = &view->row[i];
        char *lock = look_lock_label_text(view, row->lock);
        char *holder = rows_place_of(view, rows_pc_of(view->locks, row->holder));
        char *waiter = rows_place_of(view, rows_pc_of(view->locks, row->waiter));
        fill_row(view, row, lock, cell);
        cell[ROW - 2] = doc_cell_text(holder);
        cell[ROW - 1] = doc_cell_text(waiter);
        doc_cells_csv(out, cell, ROW);
        free(lock);
        free(holder);
        free(waiter);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void rows_set(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *lock_object(const struct look_locks_view *view, const struct look_lock_row *row)
{
    const struct doc_cell address =
        doc_cell_address(view->locks->lock[row->lock].address, DOC_LOCKS_NOWHERE);
    struct names names;
    struct doc_cell cell[ROW];
    char *lock = look_lock_label_text(view, row->lock);
    json_t *o = json_object();
    name_row(&names);
    fill_row(view, row, lock, cell);
    doc_cells_add(o, names.name, cell, 2);
    doc_cells_add(o, (const char *const[]){"address"}, &address, 1);
    doc_cells_add(o, names.name + 2, cell + 2, LOOK_LOCK_FIGURES);
    free(lock);
    return o;
}

static void set_columns(json_t *object, const uint64_t v[DOC_LOCK_COLUMNS])
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < DOC_LOCK_COLUMNS; c++)
        rows_set(object, doc_lock_column_name(c, name), v[c]);
}

static json_t *site_object(const struct look_locks_view *view, const struct doc_lock_site *site)
{
    json_t *o = json_object();
    json_object_set_new(o, "kind",
                        json_string(doc_lock_kinds[view->locks->lock[site->lock].kind].name));
    json_object_set_new(o, "lock", doc_json_taken(look_lock_label_text(view, site->lock)));
    rows_set(o, "thread", site->thread);
    json_object_set_new(o, "place", doc_json_taken(rows_place_of(view, site->pc)));
    json_object_set_new(o, "inlined", look_chain_json(look_code_chain(view->code, site->pc)));
    set_columns(o, site->v);
    return o;
}

static json_t *part_object(const struct look_locks_view *view, const struct look_lock_segment *s)
{
    static const char *const names[DOC_PARTS] = {[LOOK_PART_WORK] = "work",
                                                 [LOOK_PART_HOLDING] = "holding",
                                                 [LOOK_PART_HANDOVER] = "handover",
                                                 [LOOK_PART_SLEEP] = "waiting"};
    const struct doc_lock_site *site =
        s->site == DOC_LOCKS_NONE ? NULL : &view->locks->site[s->site];
    json_t *o = json_object();
    json_object_set_new(o, "part", json_string(names[s->part]));
    rows_set(o, "thread", s->thread);
    rows_set(o, "from", s->from);
    rows_set(o, "to", s->to);
    json_object_set_new(
        o, "lock", site ? doc_json_taken(look_lock_label_text(view, site->lock)) : json_null());
    json_object_set_new(o, "place",
                        site ? doc_json_taken(rows_place_of(view, site->pc)) : json_null());
    return o;
}

static bool is_shown(const struct look_locks_view *view, uint32_t lock)
{
    for (size_t i = 0; i < view->rows; i++)
        if (view->row[i].lock == lock)
            return true;
    return false;
}

void look_locks_json(const struct look_locks_view *view, FILE *out)
{
    json_t *root = json_object(), *locks = json_array(), *sites = json_array();
    json_t *path = json_array();
    for (size_t i = 0; i < view->rows; i++)
        json_array_append_new(locks, lock_object(view, &view->row[i]));
    for (size_t i = 0; i < view->locks->sites; i++)
        if (is_shown(view, view->locks->site[i].lock))
            json_array_append_new(sites, site_object(view, &view->locks->site[i]));
    for (size_t i = view->segments; i--;)
        json_array_append_new(path, part_object(view, &view->segment[i]));
    rows_set(root, "elapsed", view->locks->ticks);
    rows_set(root, "threads_time", look_locks_time(view->locks));
    json_object_set_new(root, "locks", locks);
    json_object_set_new(root, "sites", sites);
    json_object_set_new(root, "path", path);
    doc_json_put(out, root, JSON_INDENT(1));
}

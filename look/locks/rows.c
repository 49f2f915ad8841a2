/*
 * Locks for programs: names that never change their meaning, as JSON or CSV. What is not known is
 * null, or nothing.
 */
#include "documents/csv.h"
#include "look/locks/view.h"

#include "base/alloc.h"
#include "documents/rows/locks.h"
#include "documents/statistics/stats.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static char *text_of(void (*write)(const struct look_locks_view *, FILE *, uint64_t),
                     const struct look_locks_view *view, uint64_t value)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    write(view, out, value);
    sim_text_close(out, &text);
    return text;
}

static void write_label(const struct look_locks_view *view, FILE *out, uint64_t lock)
{
    look_lock_label(view, (uint32_t)lock, out);
}

static void write_place(const struct look_locks_view *view, FILE *out, uint64_t pc)
{
    look_lock_place(view, pc, out);
}

static uint64_t pc_of(const struct doc_locks *l, uint32_t site)
{
    return site == DOC_LOCKS_NONE ? DOC_LOCKS_NOWHERE : l->site[site].pc;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void put_field(FILE *out, char *text)
{
    putc(',', out);
    doc_csv_field(out, text);
    free(text);
}

static void put_csv_row(const struct look_locks_view *view, const struct look_lock_row *row,
                        FILE *out)
{
    const struct doc_lock *lock = &view->locks->lock[row->lock];
    fputs(doc_lock_kinds[lock->kind].name, out);
    put_field(out, text_of(write_label, view, row->lock));
    for (int c = 0; c < DOC_LOCK_COLUMNS; c++)
        fprintf(out, ",%" PRIu64, row->v[c]);
    for (unsigned f = DOC_LOCK_COLUMNS; f < LOOK_LOCK_FIGURES; f++)
        if (!look_lock_figure_known(row, f))
            putc(',', out);
        else
            fprintf(out, ",%.*f", f == LOOK_LOCK_FAIRNESS ? 6 : 0, look_lock_figure(view, row, f));
    put_field(out, text_of(write_place, view, pc_of(view->locks, row->holder)));
    put_field(out, text_of(write_place, view, pc_of(view->locks, row->waiter)));
    fputs("\r\n", out);
}

void look_locks_csv(const struct look_locks_view *view, FILE *out)
{
    char name[DOC_COLUMN_NAME];
    fputs("kind,lock", out);
    for (unsigned f = 0; f < LOOK_LOCK_FIGURES; f++)
        fprintf(out, ",%s", look_lock_figure_name(f, name));
    fputs(",holder,waiter\r\n", out);
    for (size_t i = 0; i < view->rows; i++)
        put_csv_row(view, &view->row[i], out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Bytes that are no UTF-8, such as a file's name may have, become '?'. Takes the text. */
static json_t *string(char *text)
{
    json_t *value = json_string(text);
    for (char *c = text; !value && *c; c++)
        if (*c & 0x80)
            *c = '?';
    if (!value)
        value = json_string(text);
    free(text);
    return value;
}

static void set(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void set_columns(json_t *object, const uint64_t v[DOC_LOCK_COLUMNS])
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < DOC_LOCK_COLUMNS; c++)
        set(object, doc_lock_column_name(c, name), v[c]);
}

static json_t *figure_value(const struct look_locks_view *view, const struct look_lock_row *row,
                            unsigned figure)
{
    const double value = look_lock_figure(view, row, figure);
    return !look_lock_figure_known(row, figure) ? json_null()
           : figure == LOOK_LOCK_FAIRNESS       ? json_real(value)
                                                : json_integer((json_int_t)value);
}

static json_t *lock_object(const struct look_locks_view *view, const struct look_lock_row *row)
{
    const struct doc_lock *lock = &view->locks->lock[row->lock];
    char name[DOC_COLUMN_NAME];
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(doc_lock_kinds[lock->kind].name));
    json_object_set_new(o, "lock", string(text_of(write_label, view, row->lock)));
    json_object_set_new(o, "address",
                        lock->address == DOC_LOCKS_NOWHERE
                            ? json_null()
                            : string(sim_format("0x%" PRIx64, lock->address)));
    set_columns(o, row->v);
    for (unsigned f = DOC_LOCK_COLUMNS; f < LOOK_LOCK_FIGURES; f++)
        json_object_set_new(o, look_lock_figure_name(f, name), figure_value(view, row, f));
    return o;
}

static json_t *site_object(const struct look_locks_view *view, const struct doc_lock_site *site)
{
    json_t *o = json_object();
    json_object_set_new(o, "kind",
                        json_string(doc_lock_kinds[view->locks->lock[site->lock].kind].name));
    json_object_set_new(o, "lock", string(text_of(write_label, view, site->lock)));
    set(o, "thread", site->thread);
    json_object_set_new(o, "place", string(text_of(write_place, view, site->pc)));
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
    set(o, "thread", s->thread);
    set(o, "from", s->from);
    set(o, "to", s->to);
    json_object_set_new(o, "lock",
                        site ? string(text_of(write_label, view, site->lock)) : json_null());
    json_object_set_new(o, "place",
                        site ? string(text_of(write_place, view, site->pc)) : json_null());
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
    set(root, "elapsed", view->locks->ticks);
    json_object_set_new(root, "locks", locks);
    json_object_set_new(root, "sites", sites);
    json_object_set_new(root, "path", path);
    json_dumpf(root, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(root);
}

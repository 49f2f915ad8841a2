/*
 * locks.json, read. Everything in the file is a claim: each number is checked against the list it
 * points into before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "report/locks.h"

#include "base/alloc.h"
#include "report/locks_names.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MEMBERS = 11,           /**< of the document */
    SITE_HEAD = 3,          /**< lock, thread, pc */
    WAIT = 8,               /**< numbers of a wait */
    BYTES_MAX = 256 * 1024, /**< [KB] of the file */
};

struct reading {
    const char *file;
    struct rep_locks *l;
    uint8_t kind[REP_LOCK_KINDS]; /**< by its number in the file: ours */
    unsigned column[REP_LOCK_COLUMNS];
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *r,
                                                         const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *what = sim_vformat(format, ap);
    va_end(ap);
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?'; /* names and the parser's sentences quote the file */
    snprintf(r->why, r->size, "%s: %s", r->file, what);
    free(what);
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A whole number below `limit`. */
static bool number_of(const json_t *value, uint64_t limit, uint64_t *out)
{
    const json_int_t n = json_integer_value(value);
    *out = (uint64_t)n;
    return json_is_integer(value) && n >= 0 && (uint64_t)n < limit;
}

static bool index_of(const json_t *value, size_t count, uint32_t *out)
{
    uint64_t n;
    const bool good = number_of(value, count < UINT32_MAX ? count : UINT32_MAX, &n);
    *out = (uint32_t)n;
    return good;
}

static bool address_of(const json_t *value, uint64_t *out)
{
    const json_int_t n = json_integer_value(value);
    *out = json_is_null(value) ? REP_LOCKS_NOWHERE : (uint64_t)n;
    return json_is_null(value) || (json_is_integer(value) && n != -1);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A member of the document that is a list of at most 2^32 - 2. NULL: refused. */
static const json_t *list_of(const struct reading *r, const json_t *root, const char *name)
{
    const json_t *list = json_object_get(root, name);
    if (!json_is_array(list))
        refuse(r, "%s: %s", name, list ? "not an array" : "missing");
    else if (json_array_size(list) >= UINT32_MAX)
        refuse(r, "%s: too many", name);
    else
        return list;
    return NULL;
}

static bool read_kinds(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    uint64_t seen = 0;
    if (count != REP_LOCK_KINDS)
        return refuse(r, "kinds: %zu, not %d", count, (int)REP_LOCK_KINDS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        unsigned k = 0;
        while (k < REP_LOCK_KINDS && (!name || strcmp(name, rep_lock_kinds[k].name)))
            k++;
        if (k == REP_LOCK_KINDS || seen >> k & 1)
            return refuse(r, "kinds[%zu]: not the name of another kind", i);
        seen |= UINT64_C(1) << k;
        r->kind[i] = (uint8_t)k;
    }
    return true;
}

static bool read_columns(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    char known[REP_LOCK_NAME];
    uint64_t seen = 0;
    if (count != REP_LOCK_COLUMNS)
        return refuse(r, "columns: %zu, not %d", count, (int)REP_LOCK_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
        unsigned c = 0;
        while (c < REP_LOCK_COLUMNS && (!name || strcmp(name, rep_lock_column_name(c, known))))
            c++;
        if (c == REP_LOCK_COLUMNS || seen >> c & 1)
            return refuse(r, "columns[%zu]: not [name, unit, sentence] of another column", i);
        seen |= UINT64_C(1) << c;
        r->column[i] = c;
    }
    return true;
}

static bool read_times(const struct reading *r, size_t i, const json_t *list,
                       struct rep_times *times)
{
    uint32_t bucket, last = 0;
    if (!json_is_array(list) || json_array_size(list) % 2)
        return refuse(r, "locks[%zu]: times are not [bucket, count, ...]", i);
    for (size_t k = 0; k < json_array_size(list); k += 2) {
        if (!index_of(json_array_get(list, k), REP_TIMES_BUCKETS, &bucket) || (k && bucket <= last))
            return refuse(r, "locks[%zu]: not a bucket, or not after the one in front of it", i);
        if (!number_of(json_array_get(list, k + 1), UINT64_C(1) << 48, &times->count[bucket]))
            return refuse(r, "locks[%zu]: not how often", i);
        last = bucket;
    }
    return true;
}

static bool read_lock(const struct reading *r, size_t i, const json_t *list)
{
    struct rep_lock *lock = &r->l->lock[i];
    uint32_t kind;
    if (!json_is_array(list) || json_array_size(list) != 4)
        return refuse(r, "locks[%zu]: not [kind, address, times, times]", i);
    if (!index_of(json_array_get(list, 0), REP_LOCK_KINDS, &kind))
        return refuse(r, "locks[%zu]: not the number of a kind", i);
    lock->kind = r->kind[kind];
    if (!address_of(json_array_get(list, 1), &lock->address))
        return refuse(r, "locks[%zu]: its address is none", i);
    return read_times(r, i, json_array_get(list, 2), &lock->held) &&
           read_times(r, i, json_array_get(list, 3), &lock->handover);
}

static bool read_values(const struct reading *r, size_t i, const json_t *list)
{
    struct rep_lock_site *site = &r->l->site[i];
    uint32_t column, last = 0;
    for (size_t k = SITE_HEAD; k < json_array_size(list); k += 2) {
        uint64_t value;
        if (!index_of(json_array_get(list, k), REP_LOCK_COLUMNS, &column))
            return refuse(r, "sites[%zu][%zu]: not the number of a column", i, k);
        if (k > SITE_HEAD && column <= last)
            return refuse(r, "sites[%zu][%zu]: columns do not ascend", i, k);
        if (!number_of(json_array_get(list, k + 1), INT64_MAX, &value) || !value)
            return refuse(r, "sites[%zu][%zu]: not a whole number above 0", i, k + 1);
        site->v[r->column[column]] = value;
        last = column;
    }
    return true;
}

static bool read_site(const struct reading *r, size_t i, const json_t *list)
{
    struct rep_lock_site *site = &r->l->site[i];
    const size_t size = json_array_size(list);
    if (!json_is_array(list) || size < SITE_HEAD || (size - SITE_HEAD) % 2)
        return refuse(r, "sites[%zu]: not [lock, thread, pc, column, value, ...]", i);
    if (!index_of(json_array_get(list, 0), r->l->locks, &site->lock))
        return refuse(r, "sites[%zu]: not the number of a lock", i);
    if (!index_of(json_array_get(list, 1), SIZE_MAX, &site->thread))
        return refuse(r, "sites[%zu]: not the number of a thread", i);
    if (!address_of(json_array_get(list, 2), &site->pc))
        return refuse(r, "sites[%zu]: its pc is no address", i);
    return read_values(r, i, list);
}

static bool read_thread(const struct reading *r, size_t i, const json_t *list)
{
    struct rep_lock_thread *t = &r->l->thread[i];
    if (!json_is_array(list) || json_array_size(list) != 4)
        return refuse(r, "threads[%zu]: not [number, by, born, ended]", i);
    if (!index_of(json_array_get(list, 0), SIZE_MAX, &t->number) ||
        !index_of(json_array_get(list, 1), SIZE_MAX, &t->by))
        return refuse(r, "threads[%zu]: not the number of a thread", i);
    if (!number_of(json_array_get(list, 3), r->l->ticks + 1, &t->ended) ||
        !number_of(json_array_get(list, 2), t->ended + 1, &t->born))
        return refuse(r, "threads[%zu]: born and ended are not in the run, one after the other", i);
    return (!i || t->born >= t[-1].born) ||
           refuse(r, "threads[%zu]: born before the one in front of it", i);
}

/* @param t  number of the thread, or 0 */
static bool is_thread(const struct rep_locks *l, uint32_t t)
{
    for (size_t i = 0; i < l->threads; i++)
        if (l->thread[i].number == t)
            return true;
    return false;
}

static bool read_wait(const struct reading *r, size_t i, const json_t *list)
{
    struct rep_lock_wait *w = &r->l->wait[i];
    const json_t *by = json_array_get(list, 1), *holder = json_array_get(list, 3);
    if (!json_is_array(list) || json_array_size(list) != WAIT)
        return refuse(r, "waits[%zu]: not %d numbers", i, WAIT);
    if (!index_of(json_array_get(list, 0), SIZE_MAX, &w->thread) ||
        (!json_is_null(by) && !index_of(by, SIZE_MAX, &w->by)) || !is_thread(r->l, w->thread) ||
        (w->by && !is_thread(r->l, w->by)))
        return refuse(r, "waits[%zu]: not the number of a thread", i);
    w->holder = REP_LOCKS_NONE;
    if (!index_of(json_array_get(list, 2), r->l->sites, &w->site) ||
        (!json_is_null(holder) && !index_of(holder, r->l->sites, &w->holder)))
        return refuse(r, "waits[%zu]: not the number of a site", i);
    if (!number_of(json_array_get(list, 7), r->l->ticks + 1, &w->end) ||
        !number_of(json_array_get(list, 6), w->end + 1, &w->released) ||
        !number_of(json_array_get(list, 5), w->end + 1, &w->begin) ||
        !number_of(json_array_get(list, 4), w->released + 1, &w->since))
        return refuse(r, "waits[%zu]: its times are not in order", i);
    w->call = json_is_null(by) || w->released < w->begin;
    return (!i || w->end >= w[-1].end) ||
           refuse(r, "waits[%zu]: ends before the one in front of it", i);
}

static bool read_all(const struct reading *r, const json_t *list,
                     bool (*one)(const struct reading *, size_t, const json_t *))
{
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = one(r, i, json_array_get(list, i));
    return good;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_numbers(const struct reading *r, const json_t *root)
{
    struct rep_locks *l = r->l;
    uint64_t last = 0;
    const bool good = number_of(json_object_get(root, "ticks"), INT64_MAX, &l->ticks) &&
                      number_of(json_object_get(root, "last"), UINT32_MAX, &last) &&
                      number_of(json_object_get(root, "least"), INT64_MAX, &l->least) &&
                      number_of(json_object_get(root, "missed"), INT64_MAX, &l->missed);
    l->last = (uint32_t)last;
    return good || refuse(r, "ticks, last, least or missed: not a number");
}

static bool read_lists(struct reading *r, const json_t *const list[6])
{
    struct rep_locks *l = r->l;
    l->lock = sim_alloc(json_array_size(list[2]), sizeof *l->lock);
    l->site = sim_alloc(json_array_size(list[3]), sizeof *l->site);
    l->thread = sim_alloc(json_array_size(list[4]), sizeof *l->thread);
    l->wait = sim_alloc(json_array_size(list[5]), sizeof *l->wait);
    l->locks = json_array_size(list[2]);
    l->sites = json_array_size(list[3]);
    l->threads = json_array_size(list[4]);
    l->waits = json_array_size(list[5]);
    return read_kinds(r, list[0]) && read_columns(r, list[1]) && read_all(r, list[2], read_lock) &&
           read_all(r, list[3], read_site) && read_all(r, list[4], read_thread) &&
           read_all(r, list[5], read_wait);
}

static bool read_document(struct reading *r, const json_t *root)
{
    static const char *const names[] = {"kinds", "columns", "locks", "sites", "threads", "waits"};
    const json_t *list[sizeof names / sizeof *names];
    const json_t *schema = json_object_get(root, "schema");
    if (!json_is_object(root))
        return refuse(r, "not an object");
    if (!json_is_integer(schema))
        return refuse(r, "schema: not a number");
    if (json_integer_value(schema) != REP_LOCKS_SCHEMA)
        return refuse(r, "schema %" JSON_INTEGER_FORMAT ": only %d can be read",
                      json_integer_value(schema), REP_LOCKS_SCHEMA);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = list_of(r, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return refuse(r, "a member that locks do not have");
    return read_numbers(r, root) && read_lists(r, list);
}

/* A pipe would be waited for, and a device may have no end. */
static bool check_file(const struct reading *r)
{
    struct stat st;
    if (stat(r->file, &st))
        return refuse(r, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse(r, "not a regular file");
    return st.st_size / 1024 < BYTES_MAX || refuse(r, "longer than 256 MB");
}

bool rep_locks_read(const char *path, struct rep_locks *locks, char *why, size_t size)
{
    struct reading r = {.file = path, .l = locks, .why = why, .size = size};
    json_error_t error;
    *locks = (struct rep_locks){0};
    if (!check_file(&r))
        return false;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const bool good =
        root ? read_document(&r, root) : refuse(&r, "line %d: %s", error.line, error.text);
    json_decref(root);
    if (!good)
        rep_locks_free(locks);
    return good;
}

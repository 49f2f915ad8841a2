/*
 * profile.json, read. Everything in the file is a claim: each number is checked against the list it
 * points into before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "report/profile.h"

#include "base/alloc.h"
#include "report/profile_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MEMBERS = 6,             /**< of the document */
    ROW_HEAD = 4,            /**< phase, thread, path, pc */
    BYTES_MAX = 1024 * 1024, /**< [KB] of the file */
};

struct reading {
    const char *file;
    struct rep_profile *p;
    unsigned column[PC_PROFILE__COUNT]; /**< by its number in the file: ours */
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

/* An index of a list of `count`. */
static bool index_of(const json_t *value, size_t count, uint32_t *out)
{
    const json_int_t n = json_integer_value(value);
    *out = (uint32_t)n;
    return json_is_integer(value) && n >= 0 && (uint64_t)n < count && n <= UINT32_MAX;
}

static bool address_of(const json_t *value, uint64_t *out)
{
    const json_int_t n = json_integer_value(value);
    *out = json_is_null(value) ? PC_PROFILE_NOWHERE : (uint64_t)n;
    return json_is_null(value) || (json_is_integer(value) && n != -1);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A member of the document that is a list of at most 2^32 - 1. NULL: refused. */
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

static int find_column(const char *wanted)
{
    char name[REP_COLUMN_NAME];
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (!strcmp(wanted, rep_column_name(c, name)))
            return (int)c;
    return -1;
}

static bool read_columns(struct reading *r, const json_t *list)
{
    uint64_t seen = 0;
    const size_t count = json_array_size(list);
    _Static_assert((int)PC_PROFILE__COUNT <= 64, "a bit each");
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
        const int column = name ? find_column(name) : -1;
        if (!name)
            return refuse(r, "columns[%zu]: not [name, unit, sentence]", i);
        if (column < 0)
            return refuse(r, "columns[%zu]: no column '%.60s' is known", i, name);
        if (seen >> column & 1)
            return refuse(r, "columns[%zu]: '%s' for the second time", i, name);
        seen |= UINT64_C(1) << column;
        r->column[i] = (unsigned)column;
    }
    return count == PC_PROFILE__COUNT ||
           refuse(r, "columns: %zu, not %d", count, (int)PC_PROFILE__COUNT);
}

/* @param seen  the names before it */
static bool read_region(const struct reading *r, size_t i, json_t *value, json_t *seen)
{
    const char *name = json_string_value(value);
    if (!name)
        return refuse(r, "regions[%zu]: not a string", i);
    if (json_object_get(seen, name))
        return refuse(r, "regions[%zu]: '%.60s' for the second time", i, name);
    json_object_set(seen, name, value);
    r->p->region[r->p->regions++] = sim_strdup(name);
    return true;
}

static bool read_regions(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    json_t *seen = json_object();
    bool good = count || refuse(r, "regions: none");
    r->p->region = sim_alloc(count, sizeof *r->p->region);
    for (size_t i = 0; good && i < count; i++)
        good = read_region(r, i, json_array_get(list, i), seen);
    json_decref(seen);
    return good;
}

static bool read_phase(const struct reading *r, size_t i, const json_t *list)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > r->p->regions)
        return refuse(r, "phases[%zu]: not an array of regions", i);
    uint32_t *phase = sim_alloc(count + 1, sizeof *phase);
    r->p->phase[r->p->phases++] = phase;
    phase[0] = (uint32_t)count;
    for (size_t k = 1; k <= count; k++) {
        if (!index_of(json_array_get(list, k - 1), r->p->regions, &phase[k]))
            return refuse(r, "phases[%zu][%zu]: not the number of a region", i, k - 1);
        if (k > 1 && phase[k] <= phase[k - 1])
            return refuse(r, "phases[%zu][%zu]: regions do not ascend", i, k - 1);
    }
    return true;
}

static bool read_phases(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = true;
    r->p->phase = sim_alloc(count, sizeof *r->p->phase);
    for (size_t i = 0; good && i < count; i++)
        good = read_phase(r, i, json_array_get(list, i));
    return good;
}

static bool read_path(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_profile_path *path = &r->p->path[i];
    if (!json_is_array(list) || json_array_size(list) != 3)
        return refuse(r, "paths[%zu]: not [parent, call, function]", i);
    if (!index_of(json_array_get(list, 0), i + 1, &path->parent))
        return refuse(r, "paths[%zu]: its parent is no path before it, nor itself", i);
    if (!address_of(json_array_get(list, 1), &path->call) ||
        !address_of(json_array_get(list, 2), &path->function))
        return refuse(r, "paths[%zu]: call or function is no address", i);
    return true;
}

static bool read_paths(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = true;
    r->p->path = sim_alloc(count, sizeof *r->p->path);
    r->p->paths = count;
    for (size_t i = 0; good && i < count; i++)
        good = read_path(r, i, json_array_get(list, i));
    return good;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_rows(const struct pc_profile_row *a, const struct pc_profile_row *b)
{
    const int by[] = {compare(a->phase, b->phase), compare(a->thread, b->thread),
                      compare(a->path, b->path), compare(a->pc, b->pc)};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return 0;
}

static bool read_values(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_profile_row *row = &r->p->row[i];
    uint32_t column, last = 0;
    for (size_t k = ROW_HEAD; k < json_array_size(list); k += 2) {
        const json_t *value = json_array_get(list, k + 1);
        if (!index_of(json_array_get(list, k), PC_PROFILE__COUNT, &column))
            return refuse(r, "rows[%zu][%zu]: not the number of a column", i, k);
        if (k > ROW_HEAD && column <= last)
            return refuse(r, "rows[%zu][%zu]: columns do not ascend", i, k);
        if (!json_is_integer(value) || !json_integer_value(value))
            return refuse(r, "rows[%zu][%zu]: not a whole number other than 0", i, k + 1);
        row->v[r->column[column]] = json_integer_value(value);
        last = column;
    }
    return true;
}

static bool read_row(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_profile_row *row = &r->p->row[i];
    if (!json_is_array(list) || json_array_size(list) < ROW_HEAD || json_array_size(list) % 2)
        return refuse(r, "rows[%zu]: not [phase, thread, path, pc, column, value, ...]", i);
    if (!index_of(json_array_get(list, 0), r->p->phases, &row->phase))
        return refuse(r, "rows[%zu]: not the number of a phase", i);
    if (!index_of(json_array_get(list, 1), SIZE_MAX, &row->thread))
        return refuse(r, "rows[%zu]: not the number of a thread", i);
    if (!index_of(json_array_get(list, 2), r->p->paths, &row->path))
        return refuse(r, "rows[%zu]: not the number of a path", i);
    if (!address_of(json_array_get(list, 3), &row->pc))
        return refuse(r, "rows[%zu]: its pc is no address", i);
    const int order = i ? compare_rows(row - 1, row) : -1;
    if (order >= 0)
        return refuse(r, "rows[%zu]: %s", i,
                      order ? "before the row in front of it by phase, thread, path, pc"
                            : "of the same phase, thread, path and pc as the row in front of it");
    return read_values(r, i, list);
}

static bool read_rows(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = true;
    r->p->row = sim_alloc(count, sizeof *r->p->row);
    r->p->rows = count;
    for (size_t i = 0; good && i < count; i++)
        good = read_row(r, i, json_array_get(list, i));
    return good;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_document(struct reading *r, const json_t *root)
{
    static const char *const names[] = {"columns", "regions", "phases", "paths", "rows"};
    const json_t *list[sizeof names / sizeof *names];
    const json_t *schema = json_object_get(root, "schema");
    if (!json_is_object(root))
        return refuse(r, "not an object");
    if (!json_is_integer(schema))
        return refuse(r, "schema: not a number");
    if (json_integer_value(schema) != REP_PROFILE_SCHEMA)
        return refuse(r, "schema %" JSON_INTEGER_FORMAT ": only %d can be read",
                      json_integer_value(schema), REP_PROFILE_SCHEMA);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = list_of(r, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return refuse(r, "a member that a profile does not have");
    return read_columns(r, list[0]) && read_regions(r, list[1]) && read_phases(r, list[2]) &&
           read_paths(r, list[3]) && read_rows(r, list[4]);
}

/* A pipe would be waited for, and a device may have no end. */
static bool check_file(const struct reading *r)
{
    struct stat st;
    if (stat(r->file, &st))
        return refuse(r, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse(r, "not a regular file");
    return st.st_size / 1024 < BYTES_MAX || refuse(r, "longer than 1 GB");
}

bool rep_profile_read(const char *path, struct rep_profile *profile, char *why, size_t size)
{
    struct reading r = {.file = path, .p = profile, .why = why, .size = size};
    json_error_t error;
    *profile = (struct rep_profile){0};
    if (!check_file(&r))
        return false;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const bool good =
        root ? read_document(&r, root) : refuse(&r, "line %d: %s", error.line, error.text);
    json_decref(root);
    if (!good)
        rep_profile_free(profile);
    return good;
}

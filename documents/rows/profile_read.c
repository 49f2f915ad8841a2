/*
 * profile.json, read. Everything in the file is a claim: each number is checked against the list it
 * points into before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "documents/rows/profile.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/rows/profile_columns.h"

#include <string.h>

enum {
    MEMBERS = 6,  /**< of the document */
    ROW_HEAD = 4, /**< phase, thread, path, pc */
};

struct reading {
    struct doc_claims claims;
    struct doc_profile *p;
    unsigned column[PC_PROFILE__COUNT]; /**< by its number in the file: ours */
};

/* ---- lists ----------------------------------------------------------------------------------- */

static int find_column(const char *wanted)
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (!strcmp(wanted, doc_column_name(c, name)))
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
            return doc_refuse(&r->claims, "columns[%zu]: not [name, unit, sentence]", i);
        if (column < 0)
            return doc_refuse(&r->claims, "columns[%zu]: no column '%.60s' is known", i, name);
        if (seen >> column & 1)
            return doc_refuse(&r->claims, "columns[%zu]: '%s' for the second time", i, name);
        seen |= UINT64_C(1) << column;
        r->column[i] = (unsigned)column;
    }
    return count == PC_PROFILE__COUNT ||
           doc_refuse(&r->claims, "columns: %zu, not %d", count, (int)PC_PROFILE__COUNT);
}

/* @param seen  the names before it */
static bool read_region(const struct reading *r, size_t i, json_t *value, json_t *seen)
{
    const char *name = json_string_value(value);
    if (!name)
        return doc_refuse(&r->claims, "regions[%zu]: not a string", i);
    if (json_object_get(seen, name))
        return doc_refuse(&r->claims, "regions[%zu]: '%.60s' for the second time", i, name);
    json_object_set(seen, name, value);
    r->p->region[r->p->regions++] = sim_strdup(name);
    return true;
}

static bool read_regions(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    json_t *seen = json_object();
    bool good = count || doc_refuse(&r->claims, "regions: none");
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
        return doc_refuse(&r->claims, "phases[%zu]: not an array of regions", i);
    uint32_t *phase = sim_alloc(count + 1, sizeof *phase);
    r->p->phase[r->p->phases++] = phase;
    phase[0] = (uint32_t)count;
    for (size_t k = 1; k <= count; k++) {
        if (!doc_claim_index(json_array_get(list, k - 1), r->p->regions, &phase[k]))
            return doc_refuse(&r->claims, "phases[%zu][%zu]: not the number of a region", i, k - 1);
        if (k > 1 && phase[k] <= phase[k - 1])
            return doc_refuse(&r->claims, "phases[%zu][%zu]: regions do not ascend", i, k - 1);
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
        return doc_refuse(&r->claims, "paths[%zu]: not [parent, call, function]", i);
    if (!doc_claim_index(json_array_get(list, 0), i + 1, &path->parent))
        return doc_refuse(&r->claims, "paths[%zu]: its parent is no path before it, nor itself", i);
    if (!doc_claim_address(json_array_get(list, 1), &path->call) ||
        !doc_claim_address(json_array_get(list, 2), &path->function))
        return doc_refuse(&r->claims, "paths[%zu]: call or function is no address", i);
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
        if (!doc_claim_index(json_array_get(list, k), PC_PROFILE__COUNT, &column))
            return doc_refuse(&r->claims, "rows[%zu][%zu]: not the number of a column", i, k);
        if (k > ROW_HEAD && column <= last)
            return doc_refuse(&r->claims, "rows[%zu][%zu]: columns do not ascend", i, k);
        if (!json_is_integer(value) || !json_integer_value(value))
            return doc_refuse(&r->claims, "rows[%zu][%zu]: not a whole number other than 0", i,
                              k + 1);
        row->v[r->column[column]] = json_integer_value(value);
        last = column;
    }
    return true;
}

static bool read_row(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_profile_row *row = &r->p->row[i];
    if (!json_is_array(list) || json_array_size(list) < ROW_HEAD || json_array_size(list) % 2)
        return doc_refuse(&r->claims,
                          "rows[%zu]: not [phase, thread, path, pc, column, value, ...]", i);
    if (!doc_claim_index(json_array_get(list, 0), r->p->phases, &row->phase))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a phase", i);
    if (!doc_claim_index(json_array_get(list, 1), SIZE_MAX, &row->thread))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a thread", i);
    if (!doc_claim_index(json_array_get(list, 2), r->p->paths, &row->path))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a path", i);
    if (!doc_claim_address(json_array_get(list, 3), &row->pc))
        return doc_refuse(&r->claims, "rows[%zu]: its pc is no address", i);
    const int order = i ? compare_rows(row - 1, row) : -1;
    if (order >= 0)
        return doc_refuse(&r->claims, "rows[%zu]: %s", i,
                          order
                              ? "before the row in front of it by phase, thread, path, pc"
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
    if (!doc_claim_schema(&r->claims, root, DOC_PROFILE_SCHEMA))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = doc_claim_list(&r->claims, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return doc_refuse(&r->claims, "a member that a profile does not have");
    return read_columns(r, list[0]) && read_regions(r, list[1]) && read_phases(r, list[2]) &&
           read_paths(r, list[3]) && read_rows(r, list[4]);
}

bool doc_profile_read(const char *path, struct doc_profile *profile, char *why, size_t size)
{
    struct reading r = {.claims = {path, why, size}, .p = profile};
    *profile = (struct doc_profile){0};
    json_t *root = doc_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        doc_profile_free(profile);
    return good;
}

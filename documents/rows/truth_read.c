/* truth.json, read: what it claims is checked before it is used. */
#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/rows/profile_columns.h"
#include "documents/rows/truth.h"

#include <string.h>

enum {
    MEMBERS = 8,     /**< of the document */
    COPY_SIZE = 12,  /**< numbers of a copy */
    TENANT_SIZE = 5, /**< ... of a tenant */
    ROW_HEAD = 9,    /**< copy, phase, thread, path, pc, va, tenant, since, time */
};

struct reading {
    struct doc_claims claims;
    struct doc_truth *t;
    const struct doc_profile *profile;
    size_t sites;
};

/* @param from, to  that it must be in */
static bool read_size(const struct reading *r, const json_t *root, const char *name, uint64_t from,
                      uint64_t to, uint64_t *out)
{
    return (doc_claim_number(json_object_get(root, name), out) && *out >= from && *out <= to) ||
           doc_refuse(&r->claims, "%s: not a number that it may be", name);
}

static bool read_sizes(const struct reading *r, const json_t *root)
{
    struct doc_truth *t = r->t;
    return read_size(r, root, "line", 16, 128, &t->line) &&
           read_size(r, root, "memory", 1, INT64_MAX, &t->memory) &&
           read_size(r, root, "processors", 1, 1024, &t->processors) &&
           (!(t->line & (t->line - 1)) || doc_refuse(&r->claims, "line: no power of two"));
}

static bool read_columns(const struct reading *r, const json_t *list)
{
    char name[DOC_COLUMN_NAME];
    if (json_array_size(list) != PC_MISS__COUNT)
        return doc_refuse(&r->claims, "columns: %zu, not %d", json_array_size(list),
                          (int)PC_MISS__COUNT);
    for (unsigned c = 0; c < PC_MISS__COUNT; c++) {
        const char *claimed = json_string_value(json_array_get(json_array_get(list, c), 0));
        doc_lower(doc_truth_columns[c].name, name);
        if (!claimed || strcmp(claimed, name) != 0)
            return doc_refuse(&r->claims, "columns[%u]: not '%s'", c, name);
    }
    return true;
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_copies(const struct pc_missed_copy *a, const struct pc_missed_copy *b)
{
    const int line = order(a->line, b->line), card = order(a->card, b->card);
    return line ? line : card ? card : order(a->code, b->code);
}

static bool read_copy(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_missed_copy *copy = &r->t->copy[i];
    uint64_t n[COPY_SIZE];
    if (json_array_size(list) != COPY_SIZE)
        return doc_refuse(&r->claims, "copies[%zu]: not %d numbers", i, (int)COPY_SIZE);
    for (size_t k = 0; k < COPY_SIZE; k++)
        if (!doc_claim_number(json_array_get(list, k), &n[k]))
            return doc_refuse(&r->claims, "copies[%zu][%zu]: not a number", i, k);
    *copy = (struct pc_missed_copy){.line = n[0],
                                    .va = n[1],
                                    .card = (uint32_t)n[2],
                                    .code = n[3],
                                    .read = {n[4], n[5]},
                                    .written = {n[6], n[7]},
                                    .taken = n[8],
                                    .evicted = n[9],
                                    .first = n[10],
                                    .last = n[11]};
    if ((copy->line | copy->va) & (r->t->line - 1))
        return doc_refuse(&r->claims, "copies[%zu]: not the address of a line", i);
    if (n[2] > UINT16_MAX || n[3] > 1)
        return doc_refuse(&r->claims, "copies[%zu]: no card's", i);
    return !i || order_copies(copy - 1, copy) < 0 ||
           doc_refuse(&r->claims, "copies[%zu]: lines and cards do not ascend", i);
}

static bool read_copies(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = true;
    r->t->copy = sim_alloc(count + 1, sizeof *r->t->copy);
    r->t->copies = count;
    for (size_t i = 0; good && i < count; i++)
        good = read_copy(r, i, json_array_get(list, i));
    return good;
}

static bool read_tenant(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_tenant *tenant = &r->t->tenant[i];
    uint32_t kind;
    if (json_array_size(list) != TENANT_SIZE)
        return doc_refuse(&r->claims, "tenants[%zu]: not %d numbers", i, (int)TENANT_SIZE);
    if (!doc_claim_index(json_array_get(list, 0), DOC_TENANT__COUNT, &kind) ||
        (i <= DOC_TENANT_several && kind != i))
        return doc_refuse(&r->claims, "tenants[%zu]: not the kind that it may be", i);
    tenant->kind = (enum doc_tenant_kind)kind;
    if (!doc_claim_number(json_array_get(list, 1), &tenant->block.from) ||
        !doc_claim_number(json_array_get(list, 2), &tenant->block.to) ||
        tenant->block.to < tenant->block.from)
        return doc_refuse(&r->claims, "tenants[%zu]: not a range of addresses", i);
    const bool sited = kind == DOC_TENANT_call || kind == DOC_TENANT_block;
    if (!doc_claim_index(json_array_get(list, 3), sited ? r->sites : 1, &tenant->block.site))
        return doc_refuse(&r->claims, "tenants[%zu]: not the number of a site of the objects", i);
    return doc_claim_index(json_array_get(list, 4), SIZE_MAX, &tenant->block.thread) ||
           doc_refuse(&r->claims, "tenants[%zu]: not the number of a thread", i);
}

static bool read_tenants(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = count > DOC_TENANT_several || doc_refuse(&r->claims, "tenants: not even nobody");
    r->t->tenant = sim_alloc(count + 1, sizeof *r->t->tenant);
    r->t->tenants = count;
    for (size_t i = 0; good && i < count; i++)
        good = read_tenant(r, i, json_array_get(list, i));
    return good;
}

static int order_rows(const struct pc_missed_row *a, const struct pc_missed_row *b)
{
    const int by[] = {order(a->copy, b->copy),     order(a->phase, b->phase),
                      order(a->thread, b->thread), order(a->path, b->path),
                      order(a->pc, b->pc),         order(a->tenant, b->tenant)};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return 0;
}

static bool read_values(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_missed_row *row = &r->t->row[i];
    uint32_t column, last = 0;
    for (size_t k = ROW_HEAD; k < json_array_size(list); k += 2) {
        const json_t *value = json_array_get(list, k + 1);
        if (!doc_claim_index(json_array_get(list, k), PC_MISS__COUNT, &column))
            return doc_refuse(&r->claims, "rows[%zu][%zu]: not the number of a column", i, k);
        if (k > ROW_HEAD && column <= last)
            return doc_refuse(&r->claims, "rows[%zu][%zu]: columns do not ascend", i, k);
        if (!json_is_integer(value) || json_integer_value(value) <= 0)
            return doc_refuse(&r->claims, "rows[%zu][%zu]: not a count", i, k + 1);
        row->v[column] = json_integer_value(value);
        last = column;
    }
    return true;
}

static bool read_row(const struct reading *r, size_t i, const json_t *list)
{
    struct pc_missed_row *row = &r->t->row[i];
    if (json_array_size(list) < ROW_HEAD || (json_array_size(list) - ROW_HEAD) % 2)
        return doc_refuse(&r->claims,
                          "rows[%zu]: not [copy, phase, thread, path, pc, va, tenant, since, time, "
                          "column, value, ...]",
                          i);
    if (!doc_claim_index(json_array_get(list, 0), r->t->copies, &row->copy))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a copy", i);
    if (!doc_claim_index(json_array_get(list, 1), r->profile->phases, &row->phase))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a phase of the profile", i);
    if (!doc_claim_index(json_array_get(list, 2), SIZE_MAX, &row->thread))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a thread", i);
    if (!doc_claim_index(json_array_get(list, 3), r->profile->paths, &row->path))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a path of the profile", i);
    if (!doc_claim_address(json_array_get(list, 4), &row->pc) ||
        !doc_claim_number(json_array_get(list, 5), &row->va))
        return doc_refuse(&r->claims, "rows[%zu]: pc or va is no address", i);
    if (!doc_claim_index(json_array_get(list, 6), r->t->tenants, &row->tenant))
        return doc_refuse(&r->claims, "rows[%zu]: not the number of a tenant", i);
    if (!doc_claim_number(json_array_get(list, 7), &row->first) ||
        !doc_claim_number(json_array_get(list, 8), &row->last))
        return doc_refuse(&r->claims, "rows[%zu]: since or time is not a number", i);
    row->first += r->t->copy[row->copy].first;
    row->last += row->first;
    if (i && order_rows(row - 1, row) >= 0)
        return doc_refuse(&r->claims, "rows[%zu]: rows do not ascend", i);
    return read_values(r, i, list);
}

static bool read_rows(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    bool good = true;
    r->t->row = sim_alloc(count + 1, sizeof *r->t->row);
    r->t->rows = count;
    for (size_t i = 0; good && i < count; i++)
        good = read_row(r, i, json_array_get(list, i));
    return good;
}

static bool read_document(const struct reading *r, const json_t *root)
{
    static const char *const names[] = {"columns", "copies", "tenants", "rows"};
    const json_t *list[sizeof names / sizeof *names];
    if (!doc_claim_schema(&r->claims, root, DOC_TRUTH_SCHEMA) || !read_sizes(r, root))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = doc_claim_list(&r->claims, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return doc_refuse(&r->claims, "a member that a truth does not have");
    return read_columns(r, list[0]) && read_copies(r, list[1]) && read_tenants(r, list[2]) &&
           read_rows(r, list[3]);
}

bool doc_truth_read(const char *path, const struct doc_profile *profile, size_t sites,
                    struct doc_truth *truth, char *why, size_t size)
{
    const struct reading r = {
        .claims = {path, why, size}, .t = truth, .profile = profile, .sites = sites};
    *truth = (struct doc_truth){0};
    json_t *root = doc_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        doc_truth_free(truth);
    return good;
}

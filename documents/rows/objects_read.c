/*
 * objects.json, read. Everything in the file is a claim: each number is checked against what it
 * stands for before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "documents/rows/objects.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "procard/profile.h"

#include <string.h>

enum {
    MEMBERS = 5,      /* of the document */
    KIND_LONGEST = 32 /* [bytes] of a kind's name */
};

struct reading {
    struct doc_claims claims;
    struct doc_objects *o;
    size_t paths;
};

/* ---- rows of numbers ------------------------------------------------------------------------- */

/* What a number of a row may be. */
enum range {
    COUNT,   /* not negative */
    ADDRESS, /* anything */
    OR_NULL  /* not negative, or null: all ones */
};

struct column {
    const char *name;
    enum range range;
};

enum { COLUMNS_MAX = 9 };

/* A row of the list. @return false: refused */
static bool read_row(const struct reading *r, const char *list, size_t i, const json_t *row,
                     const struct column *column, size_t columns, uint64_t *out)
{
    if (!json_is_array(row) || json_array_size(row) != columns)
        return doc_refuse(&r->claims, "%s[%zu]: not an array of %zu", list, i, columns);
    for (size_t c = 0; c < columns; c++) {
        const json_t *value = json_array_get(row, c);
        const bool null = column[c].range == OR_NULL && json_is_null(value);
        out[c] = null ? UINT64_MAX : (uint64_t)json_integer_value(value);
        if (!null &&
            (!json_is_integer(value) || (column[c].range != ADDRESS && (int64_t)out[c] < 0)))
            return doc_refuse(&r->claims, "%s[%zu]: %s is not what it can be", list, i,
                              column[c].name);
    }
    return true;
}

static bool read_kinds(const struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    r->o->kind = sim_alloc(count, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || !*name || strlen(name) > KIND_LONGEST)
            return doc_refuse(&r->claims, "kinds[%zu]: not a name", i);
        for (const char *c = name; *c; c++)
            if ((unsigned char)*c <= ' ' || *c == 0x7f)
                return doc_refuse(&r->claims, "kinds[%zu]: not a name", i);
        r->o->kind[r->o->kinds++] = sim_strdup(name);
    }
    return true;
}

static bool read_site(const struct reading *r, size_t i, const json_t *row)
{
    static const struct column column[] = {{"path", COUNT},     {"call", ADDRESS}, {"kind", COUNT},
                                           {"blocks", COUNT},   {"bytes", COUNT},  {"most", COUNT},
                                           {"forgotten", COUNT}};
    uint64_t v[COLUMNS_MAX] = {0};
    const bool jumped = json_is_null(json_array_get(row, 1));
    struct column with[sizeof column / sizeof *column];
    memcpy(with, column, sizeof with);
    if (jumped)
        with[1].range = OR_NULL;
    if (!read_row(r, "sites", i, row, with, sizeof column / sizeof *column, v))
        return false;
    if (v[0] >= r->paths)
        return doc_refuse(&r->claims, "sites[%zu]: no path %llu is in the profile", i,
                          (unsigned long long)v[0]);
    if (v[2] >= r->o->kinds)
        return doc_refuse(&r->claims, "sites[%zu]: no kind %llu", i, (unsigned long long)v[2]);
    r->o->site[i] = (struct doc_site){
        (uint32_t)v[0], jumped ? PC_PROFILE_NOWHERE : v[1], (uint32_t)v[2], v[3], v[4], v[5], v[6]};
    return true;
}

static bool read_block(const struct reading *r, size_t i, const json_t *row)
{
    static const struct column column[] = {{"from", ADDRESS}, {"to", ADDRESS},   {"born", COUNT},
                                           {"died", OR_NULL}, {"lived", COUNT},  {"thread", COUNT},
                                           {"site", COUNT},   {"serial", COUNT}, {"times", COUNT}};
    uint64_t v[COLUMNS_MAX] = {0};
    if (!read_row(r, "blocks", i, row, column, sizeof column / sizeof *column, v))
        return false;
    if (v[1] < v[0])
        return doc_refuse(&r->claims, "blocks[%zu]: it ends in front of its beginning", i);
    if (i && v[0] < r->o->block[i - 1].from)
        return doc_refuse(&r->claims, "blocks[%zu]: in front of the one before it", i);
    if (v[5] > UINT32_MAX)
        return doc_refuse(&r->claims, "blocks[%zu]: not the number of a thread", i);
    if (v[6] >= r->o->sites)
        return doc_refuse(&r->claims, "blocks[%zu]: no site %llu", i, (unsigned long long)v[6]);
    r->o->block[i] = (struct doc_block){.from = v[0],
                                        .to = v[1],
                                        .born = v[2],
                                        .died = v[3],
                                        .lived = v[4],
                                        .thread = (uint32_t)v[5],
                                        .site = (uint32_t)v[6],
                                        .serial = v[7],
                                        .times = v[8]};
    return true;
}

static bool read_thread(const struct reading *r, size_t i, const json_t *row)
{
    static const struct column column[] = {
        {"number", COUNT},      {"stack", ADDRESS}, {"its end", ADDRESS}, {"variables", ADDRESS},
        {"their end", ADDRESS}, {"born", COUNT},    {"died", OR_NULL}};
    uint64_t v[COLUMNS_MAX] = {0};
    if (!read_row(r, "threads", i, row, column, sizeof column / sizeof *column, v))
        return false;
    if (v[0] > UINT32_MAX || (i && v[0] <= r->o->thread[i - 1].number))
        return doc_refuse(&r->claims, "threads[%zu]: numbers do not ascend", i);
    if (v[2] < v[1] || v[4] < v[3])
        return doc_refuse(&r->claims,
                          "threads[%zu]: stack or variables end in front of their beginning", i);
    r->o->thread[i] = (struct doc_thread){(uint32_t)v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

typedef bool row_fn(const struct reading *r, size_t i, const json_t *row);

static bool read_list(const struct reading *r, const json_t *list, void **to, size_t *count,
                      size_t each, row_fn *read)
{
    bool good = true;
    *count = json_array_size(list);
    *to = sim_alloc(*count, each);
    for (size_t i = 0; good && i < *count; i++)
        good = read(r, i, json_array_get(list, i));
    return good;
}

static bool read_document(const struct reading *r, const json_t *root)
{
    static const char *const names[] = {"kinds", "sites", "blocks", "threads"};
    const json_t *list[sizeof names / sizeof *names];
    struct doc_objects *o = r->o;
    if (!doc_claim_schema(&r->claims, root, DOC_OBJECTS_SCHEMA))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = doc_claim_list(&r->claims, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return doc_refuse(&r->claims, "a member that it does not have");
    return read_kinds(r, list[0]) &&
           read_list(r, list[1], (void **)&o->site, &o->sites, sizeof *o->site, read_site) &&
           read_list(r, list[2], (void **)&o->block, &o->blocks, sizeof *o->block, read_block) &&
           read_list(r, list[3], (void **)&o->thread, &o->threads, sizeof *o->thread, read_thread);
}

bool doc_objects_read(const char *path, size_t paths, struct doc_objects *objects, char *why,
                      size_t size)
{
    const struct reading r = {{path, why, size}, objects, paths};
    *objects = (struct doc_objects){0};
    json_t *root = doc_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        doc_objects_free(objects);
    return good;
}

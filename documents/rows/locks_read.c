/*
 * locks.json, read. Everything in the file is a claim: each number is checked against the list it
 * points into before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "documents/rows/locks.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/rows/locks_names.h"

#include <string.h>

enum {
    MEMBERS = 11,  /**< of the document */
    SITE_HEAD = 3, /**< lock, thread, pc */
    WAIT = 8,      /**< numbers of a wait */
};

struct reading {
    struct doc_claims claims;
    struct doc_locks *l;
    uint8_t kind[DOC_LOCK_KINDS]; /**< by its number in the file: ours */
    unsigned column[DOC_LOCK_COLUMNS];
};

/* ---- lists ----------------------------------------------------------------------------------- */

static bool read_kinds(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    uint64_t seen = 0;
    if (count != DOC_LOCK_KINDS)
        return doc_refuse(&r->claims, "kinds: %zu, not %d", count, (int)DOC_LOCK_KINDS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        unsigned k = 0;
        while (k < DOC_LOCK_KINDS && (!name || strcmp(name, doc_lock_kinds[k].name)))
            k++;
        if (k == DOC_LOCK_KINDS || seen >> k & 1)
            return doc_refuse(&r->claims, "kinds[%zu]: not the name of another kind", i);
        seen |= UINT64_C(1) << k;
        r->kind[i] = (uint8_t)k;
    }
    return true;
}

static bool read_columns(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    char known[DOC_LOCK_NAME];
    uint64_t seen = 0;
    if (count != DOC_LOCK_COLUMNS)
        return doc_refuse(&r->claims, "columns: %zu, not %d", count, (int)DOC_LOCK_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
        unsigned c = 0;
        while (c < DOC_LOCK_COLUMNS && (!name || strcmp(name, doc_lock_column_name(c, known))))
            c++;
        if (c == DOC_LOCK_COLUMNS || seen >> c & 1)
            return doc_refuse(&r->claims,
                              "columns[%zu]: not [name, unit, sentence] of another column", i);
        seen |= UINT64_C(1) << c;
        r->column[i] = c;
    }
    return true;
}

static bool read_times(const struct reading *r, size_t i, const json_t *list,
                       struct doc_times *times)
{
    uint32_t bucket, last = 0;
    if (!json_is_array(list) || json_array_size(list) % 2)
        return doc_refuse(&r->claims, "locks[%zu]: times are not [bucket, count, ...]", i);
    for (size_t k = 0; k < json_array_size(list); k += 2) {
        if (!doc_claim_index(json_array_get(list, k), DOC_TIMES_BUCKETS, &bucket) ||
            (k && bucket <= last))
            return doc_refuse(&r->claims,
                              "locks[%zu]: not a bucket, or not after the one in front of it", i);
        if (!doc_claim_count(json_array_get(list, k + 1), UINT64_C(1) << 48, &times->count[bucket]))
            return doc_refuse(&r->claims, "locks[%zu]: not how often", i);
        last = bucket;
    }
    return true;
}

static bool read_lock(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_lock *lock = &r->l->lock[i];
    uint32_t kind;
    if (!json_is_array(list) || json_array_size(list) != 4)
        return doc_refuse(&r->claims, "locks[%zu]: not [kind, address, times, times]", i);
    if (!doc_claim_index(json_array_get(list, 0), DOC_LOCK_KINDS, &kind))
        return doc_refuse(&r->claims, "locks[%zu]: not the number of a kind", i);
    lock->kind = r->kind[kind];
    if (!doc_claim_address(json_array_get(list, 1), &lock->address))
        return doc_refuse(&r->claims, "locks[%zu]: its address is none", i);
    return read_times(r, i, json_array_get(list, 2), &lock->held) &&
           read_times(r, i, json_array_get(list, 3), &lock->handover);
}

static bool read_values(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_lock_site *site = &r->l->site[i];
    uint32_t column, last = 0;
    for (size_t k = SITE_HEAD; k < json_array_size(list); k += 2) {
        uint64_t value;
        if (!doc_claim_index(json_array_get(list, k), DOC_LOCK_COLUMNS, &column))
            return doc_refuse(&r->claims, "sites[%zu][%zu]: not the number of a column", i, k);
        if (k > SITE_HEAD && column <= last)
            return doc_refuse(&r->claims, "sites[%zu][%zu]: columns do not ascend", i, k);
        if (!doc_claim_count(json_array_get(list, k + 1), INT64_MAX, &value) || !value)
            return doc_refuse(&r->claims, "sites[%zu][%zu]: not a whole number above 0", i, k + 1);
        site->v[r->column[column]] = value;
        last = column;
    }
    return true;
}

static bool read_site(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_lock_site *site = &r->l->site[i];
    const size_t size = json_array_size(list);
    if (!json_is_array(list) || size < SITE_HEAD || (size - SITE_HEAD) % 2)
        return doc_refuse(&r->claims, "sites[%zu]: not [lock, thread, pc, column, value, ...]", i);
    if (!doc_claim_index(json_array_get(list, 0), r->l->locks, &site->lock))
        return doc_refuse(&r->claims, "sites[%zu]: not the number of a lock", i);
    if (!doc_claim_index(json_array_get(list, 1), SIZE_MAX, &site->thread))
        return doc_refuse(&r->claims, "sites[%zu]: not the number of a thread", i);
    if (!doc_claim_address(json_array_get(list, 2), &site->pc))
        return doc_refuse(&r->claims, "sites[%zu]: its pc is no address", i);
    return read_values(r, i, list);
}

static bool read_thread(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_lock_thread *t = &r->l->thread[i];
    if (!json_is_array(list) || json_array_size(list) != 4)
        return doc_refuse(&r->claims, "threads[%zu]: not [number, by, born, ended]", i);
    if (!doc_claim_index(json_array_get(list, 0), SIZE_MAX, &t->number) ||
        !doc_claim_index(json_array_get(list, 1), SIZE_MAX, &t->by))
        return doc_refuse(&r->claims, "threads[%zu]: not the number of a thread", i);
    if (!doc_claim_count(json_array_get(list, 3), r->l->ticks + 1, &t->ended) ||
        !doc_claim_count(json_array_get(list, 2), t->ended + 1, &t->born))
        return doc_refuse(
            &r->claims, "threads[%zu]: born and ended are not in the run, one after the other", i);
    return (!i || t->born >= t[-1].born) ||
           doc_refuse(&r->claims, "threads[%zu]: born before the one in front of it", i);
}

/* @param t  number of the thread, or 0 */
static bool is_thread(const struct doc_locks *l, uint32_t t)
{
    for (size_t i = 0; i < l->threads; i++)
        if (l->thread[i].number == t)
            return true;
    return false;
}

static bool read_wait(const struct reading *r, size_t i, const json_t *list)
{
    struct doc_lock_wait *w = &r->l->wait[i];
    const json_t *by = json_array_get(list, 1), *holder = json_array_get(list, 3);
    if (!json_is_array(list) || json_array_size(list) != WAIT)
        return doc_refuse(&r->claims, "waits[%zu]: not %d numbers", i, WAIT);
    if (!doc_claim_index(json_array_get(list, 0), SIZE_MAX, &w->thread) ||
        (!json_is_null(by) && !doc_claim_index(by, SIZE_MAX, &w->by)) ||
        !is_thread(r->l, w->thread) || (w->by && !is_thread(r->l, w->by)))
        return doc_refuse(&r->claims, "waits[%zu]: not the number of a thread", i);
    w->holder = DOC_LOCKS_NONE;
    if (!doc_claim_index(json_array_get(list, 2), r->l->sites, &w->site) ||
        (!json_is_null(holder) && !doc_claim_index(holder, r->l->sites, &w->holder)))
        return doc_refuse(&r->claims, "waits[%zu]: not the number of a site", i);
    if (!doc_claim_count(json_array_get(list, 7), r->l->ticks + 1, &w->end) ||
        !doc_claim_count(json_array_get(list, 6), w->end + 1, &w->released) ||
        !doc_claim_count(json_array_get(list, 5), w->end + 1, &w->begin) ||
        !doc_claim_count(json_array_get(list, 4), w->released + 1, &w->since))
        return doc_refuse(&r->claims, "waits[%zu]: its times are not in order", i);
    w->call = json_is_null(by) || w->released < w->begin;
    return (!i || w->end >= w[-1].end) ||
           doc_refuse(&r->claims, "waits[%zu]: ends before the one in front of it", i);
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
    struct doc_locks *l = r->l;
    uint64_t last = 0;
    const bool good = doc_claim_count(json_object_get(root, "ticks"), INT64_MAX, &l->ticks) &&
                      doc_claim_count(json_object_get(root, "last"), UINT32_MAX, &last) &&
                      doc_claim_count(json_object_get(root, "least"), INT64_MAX, &l->least) &&
                      doc_claim_count(json_object_get(root, "missed"), INT64_MAX, &l->missed);
    l->last = (uint32_t)last;
    return good || doc_refuse(&r->claims, "ticks, last, least or missed: not a number");
}

static bool read_lists(struct reading *r, const json_t *const list[6])
{
    struct doc_locks *l = r->l;
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
    if (!doc_claim_schema(&r->claims, root, DOC_LOCKS_SCHEMA))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = doc_claim_list(&r->claims, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return doc_refuse(&r->claims, "a member that locks do not have");
    return read_numbers(r, root) && read_lists(r, list);
}

bool doc_locks_read(const char *path, struct doc_locks *locks, char *why, size_t size)
{
    struct reading r = {.claims = {path, why, size}, .l = locks};
    *locks = (struct doc_locks){0};
    json_t *root = doc_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        doc_locks_free(locks);
    return good;
}

/*
 * locks.json, read. Everything in the file is a claim: each number is checked against the list it
 * points into before it is used, and whatever is wrong gets a sentence that says where.
 */
#include "results/documents/locks.h"

#include "base/alloc.h"
#include "results/claims.h"
#include "results/documents/locks_names.h"

#include <string.h>

enum {
    MEMBERS = 11,  /**< of the document */
    SITE_HEAD = 3, /**< lock, thread, pc */
    WAIT = 8,      /**< numbers of a wait */
};

struct reading {
    struct res_claims claims;
    struct res_locks *l;
    uint8_t kind[RES_LOCK_KINDS]; /**< by its number in the file: ours */
    unsigned column[RES_LOCK_COLUMNS];
};

/* ---- lists ----------------------------------------------------------------------------------- */

static bool read_kinds(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    uint64_t seen = 0;
    if (count != RES_LOCK_KINDS)
        return res_refuse(&r->claims, "kinds: %zu, not %d", count, (int)RES_LOCK_KINDS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        unsigned k = 0;
        while (k < RES_LOCK_KINDS && (!name || strcmp(name, res_lock_kinds[k].name)))
            k++;
        if (k == RES_LOCK_KINDS || seen >> k & 1)
            return res_refuse(&r->claims, "kinds[%zu]: not the name of another kind", i);
        seen |= UINT64_C(1) << k;
        r->kind[i] = (uint8_t)k;
    }
    return true;
}

static bool read_columns(struct reading *r, const json_t *list)
{
    const size_t count = json_array_size(list);
    char known[RES_LOCK_NAME];
    uint64_t seen = 0;
    if (count != RES_LOCK_COLUMNS)
        return res_refuse(&r->claims, "columns: %zu, not %d", count, (int)RES_LOCK_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
        unsigned c = 0;
        while (c < RES_LOCK_COLUMNS && (!name || strcmp(name, res_lock_column_name(c, known))))
            c++;
        if (c == RES_LOCK_COLUMNS || seen >> c & 1)
            return res_refuse(&r->claims,
                              "columns[%zu]: not [name, unit, sentence] of another column", i);
        seen |= UINT64_C(1) << c;
        r->column[i] = c;
    }
    return true;
}

static bool read_times(const struct reading *r, size_t i, const json_t *list,
                       struct res_times *times)
{
    uint32_t bucket, last = 0;
    if (!json_is_array(list) || json_array_size(list) % 2)
        return res_refuse(&r->claims, "locks[%zu]: times are not [bucket, count, ...]", i);
    for (size_t k = 0; k < json_array_size(list); k += 2) {
        if (!res_claim_index(json_array_get(list, k), RES_TIMES_BUCKETS, &bucket) ||
            (k && bucket <= last))
            return res_refuse(&r->claims,
                              "locks[%zu]: not a bucket, or not after the one in front of it", i);
        if (!res_claim_count(json_array_get(list, k + 1), UINT64_C(1) << 48, &times->count[bucket]))
            return res_refuse(&r->claims, "locks[%zu]: not how often", i);
        last = bucket;
    }
    return true;
}

static bool read_lock(const struct reading *r, size_t i, const json_t *list)
{
    struct res_lock *lock = &r->l->lock[i];
    uint32_t kind;
    if (!json_is_array(list) || json_array_size(list) != 4)
        return res_refuse(&r->claims, "locks[%zu]: not [kind, address, times, times]", i);
    if (!res_claim_index(json_array_get(list, 0), RES_LOCK_KINDS, &kind))
        return res_refuse(&r->claims, "locks[%zu]: not the number of a kind", i);
    lock->kind = r->kind[kind];
    if (!res_claim_address(json_array_get(list, 1), &lock->address))
        return res_refuse(&r->claims, "locks[%zu]: its address is none", i);
    return read_times(r, i, json_array_get(list, 2), &lock->held) &&
           read_times(r, i, json_array_get(list, 3), &lock->handover);
}

static bool read_values(const struct reading *r, size_t i, const json_t *list)
{
    struct res_lock_site *site = &r->l->site[i];
    uint32_t column, last = 0;
    for (size_t k = SITE_HEAD; k < json_array_size(list); k += 2) {
        uint64_t value;
        if (!res_claim_index(json_array_get(list, k), RES_LOCK_COLUMNS, &column))
            return res_refuse(&r->claims, "sites[%zu][%zu]: not the number of a column", i, k);
        if (k > SITE_HEAD && column <= last)
            return res_refuse(&r->claims, "sites[%zu][%zu]: columns do not ascend", i, k);
        if (!res_claim_count(json_array_get(list, k + 1), INT64_MAX, &value) || !value)
            return res_refuse(&r->claims, "sites[%zu][%zu]: not a whole number above 0", i, k + 1);
        site->v[r->column[column]] = value;
        last = column;
    }
    return true;
}

static bool read_site(const struct reading *r, size_t i, const json_t *list)
{
    struct res_lock_site *site = &r->l->site[i];
    const size_t size = json_array_size(list);
    if (!json_is_array(list) || size < SITE_HEAD || (size - SITE_HEAD) % 2)
        return res_refuse(&r->claims, "sites[%zu]: not [lock, thread, pc, column, value, ...]", i);
    if (!res_claim_index(json_array_get(list, 0), r->l->locks, &site->lock))
        return res_refuse(&r->claims, "sites[%zu]: not the number of a lock", i);
    if (!res_claim_index(json_array_get(list, 1), SIZE_MAX, &site->thread))
        return res_refuse(&r->claims, "sites[%zu]: not the number of a thread", i);
    if (!res_claim_address(json_array_get(list, 2), &site->pc))
        return res_refuse(&r->claims, "sites[%zu]: its pc is no address", i);
    return read_values(r, i, list);
}

static bool read_thread(const struct reading *r, size_t i, const json_t *list)
{
    struct res_lock_thread *t = &r->l->thread[i];
    if (!json_is_array(list) || json_array_size(list) != 4)
        return res_refuse(&r->claims, "threads[%zu]: not [number, by, born, ended]", i);
    if (!res_claim_index(json_array_get(list, 0), SIZE_MAX, &t->number) ||
        !res_claim_index(json_array_get(list, 1), SIZE_MAX, &t->by))
        return res_refuse(&r->claims, "threads[%zu]: not the number of a thread", i);
    if (!res_claim_count(json_array_get(list, 3), r->l->ticks + 1, &t->ended) ||
        !res_claim_count(json_array_get(list, 2), t->ended + 1, &t->born))
        return res_refuse(
            &r->claims, "threads[%zu]: born and ended are not in the run, one after the other", i);
    return (!i || t->born >= t[-1].born) ||
           res_refuse(&r->claims, "threads[%zu]: born before the one in front of it", i);
}

/* @param t  number of the thread, or 0 */
static bool is_thread(const struct res_locks *l, uint32_t t)
{
    for (size_t i = 0; i < l->threads; i++)
        if (l->thread[i].number == t)
            return true;
    return false;
}

static bool read_wait(const struct reading *r, size_t i, const json_t *list)
{
    struct res_lock_wait *w = &r->l->wait[i];
    const json_t *by = json_array_get(list, 1), *holder = json_array_get(list, 3);
    if (!json_is_array(list) || json_array_size(list) != WAIT)
        return res_refuse(&r->claims, "waits[%zu]: not %d numbers", i, WAIT);
    if (!res_claim_index(json_array_get(list, 0), SIZE_MAX, &w->thread) ||
        (!json_is_null(by) && !res_claim_index(by, SIZE_MAX, &w->by)) ||
        !is_thread(r->l, w->thread) || (w->by && !is_thread(r->l, w->by)))
        return res_refuse(&r->claims, "waits[%zu]: not the number of a thread", i);
    w->holder = RES_LOCKS_NONE;
    if (!res_claim_index(json_array_get(list, 2), r->l->sites, &w->site) ||
        (!json_is_null(holder) && !res_claim_index(holder, r->l->sites, &w->holder)))
        return res_refuse(&r->claims, "waits[%zu]: not the number of a site", i);
    if (!res_claim_count(json_array_get(list, 7), r->l->ticks + 1, &w->end) ||
        !res_claim_count(json_array_get(list, 6), w->end + 1, &w->released) ||
        !res_claim_count(json_array_get(list, 5), w->end + 1, &w->begin) ||
        !res_claim_count(json_array_get(list, 4), w->released + 1, &w->since))
        return res_refuse(&r->claims, "waits[%zu]: its times are not in order", i);
    w->call = json_is_null(by) || w->released < w->begin;
    return (!i || w->end >= w[-1].end) ||
           res_refuse(&r->claims, "waits[%zu]: ends before the one in front of it", i);
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
    struct res_locks *l = r->l;
    uint64_t last = 0;
    const bool good = res_claim_count(json_object_get(root, "ticks"), INT64_MAX, &l->ticks) &&
                      res_claim_count(json_object_get(root, "last"), UINT32_MAX, &last) &&
                      res_claim_count(json_object_get(root, "least"), INT64_MAX, &l->least) &&
                      res_claim_count(json_object_get(root, "missed"), INT64_MAX, &l->missed);
    l->last = (uint32_t)last;
    return good || res_refuse(&r->claims, "ticks, last, least or missed: not a number");
}

static bool read_lists(struct reading *r, const json_t *const list[6])
{
    struct res_locks *l = r->l;
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
    if (!res_claim_schema(&r->claims, root, RES_LOCKS_SCHEMA))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(list[i] = res_claim_list(&r->claims, root, names[i])))
            return false;
    if (json_object_size(root) != MEMBERS)
        return res_refuse(&r->claims, "a member that locks do not have");
    return read_numbers(r, root) && read_lists(r, list);
}

bool res_locks_read(const char *path, struct res_locks *locks, char *why, size_t size)
{
    struct reading r = {.claims = {path, why, size}, .l = locks};
    *locks = (struct res_locks){0};
    json_t *root = res_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        res_locks_free(locks);
    return good;
}

/*
 * Tenants of addresses (tenants.h).
 *
 * The hard idea is the comparison: of ranges that do not overlap each is before or behind each
 * other, and those that overlap are equal. So a tree of ranges finds who has an address, or is in
 * the way of a new one.
 */
#include "run/tenants.h"

#include "base/alloc.h"

#include <search.h>
#include <stdlib.h>
#include <uthash.h>

enum { NUMBERS_MAX = 1 << 20 };

/* What a tenant has: less than it came for, once another has come. */
struct held {
    uint64_t from, to;
    struct doc_tenant tenant;
    uint32_t number;   /* of the tenant; 0: it has not been asked for */
    struct held *next; /* of those that are put aside */
};

/* What tells numbers apart; no padding, it is hashed. */
struct number_key {
    uint64_t kind, from, to, site, thread;
};

struct numbered {
    struct number_key key;
    uint32_t number;
    UT_hash_handle hh;
};

struct run_tenants {
    void *held[RUN_LAYERS];                     /* trees of struct held */
    uint64_t low[RUN_LAYERS], high[RUN_LAYERS]; /* all that was ever held is in [low, high) */
    struct numbered *numbered;
};

static int tenants_order(const void *x, const void *y)
{
    const struct held *a = x, *b = y;
    return a->to <= b->from ? -1 : a->from >= b->to;
}

/* ---- who has what ---------------------------------------------------------------------------- */

static void tenants_put(struct run_tenants *t, enum run_layer layer, uint64_t from, uint64_t to,
                        const struct doc_tenant *tenant)
{
    if (from >= to)
        return;
    struct held *held = sim_alloc(1, sizeof *held);
    *held = (struct held){.from = from, .to = to, .tenant = *tenant};
    tsearch(held, &t->held[layer], tenants_order);
    t->low[layer] = t->high[layer] && t->low[layer] < from ? t->low[layer] : from;
    t->high[layer] = t->high[layer] > to ? t->high[layer] : to;
}

/* Takes one that overlaps out of the tree. @return the caller's; NULL: there is none */
static struct held *tenants_take(struct run_tenants *t, enum run_layer layer, uint64_t from,
                                 uint64_t to)
{
    const struct held range = {.from = from, .to = to};
    struct held **found = from < to ? tfind(&range, &t->held[layer], tenants_order) : NULL;
    struct held *held = found ? *found : NULL;
    if (held)
        tdelete(held, &t->held[layer], tenants_order);
    return held;
}

void run_tenants_clear(struct run_tenants *t, enum run_layer layer, uint64_t from, uint64_t to)
{
    struct held *held;
    while ((held = tenants_take(t, layer, from, to))) {
        tenants_put(t, layer, held->from, from, &held->tenant);
        tenants_put(t, layer, to, held->to, &held->tenant);
        free(held);
    }
}

void run_tenants_have(struct run_tenants *t, enum run_layer layer, uint64_t from, uint64_t to,
                      const struct doc_tenant *tenant)
{
    run_tenants_clear(t, layer, from, to);
    tenants_put(t, layer, from, to, tenant);
}

void run_tenants_come(struct run_tenants *t, enum run_layer layer, const struct doc_tenant *tenant)
{
    run_tenants_have(t, layer, tenant->block.from, tenant->block.to, tenant);
}

static bool tenants_is_same(const struct doc_tenant *a, const struct doc_tenant *b)
{
    return a->kind == b->kind && a->block.from == b->block.from && a->block.to == b->block.to &&
           a->block.site == b->block.site && a->block.thread == b->block.thread &&
           a->block.serial == b->block.serial;
}

void run_tenants_leave(struct run_tenants *t, enum run_layer layer, uint64_t from, uint64_t to,
                       const struct doc_tenant *tenant)
{
    struct held *held, *others = NULL;
    while ((held = tenants_take(t, layer, from, to))) {
        if (tenants_is_same(&held->tenant, tenant)) {
            free(held);
        } else {
            held->next = others;
            others = held;
        }
    }
    for (; others; others = held) {
        held = others->next;
        tsearch(others, &t->held[layer], tenants_order);
    }
}

void run_tenants_go(struct run_tenants *t, enum run_layer layer, const struct doc_tenant *tenant)
{
    run_tenants_leave(t, layer, tenant->block.from, tenant->block.to, tenant);
}

/* ---- numbers --------------------------------------------------------------------------------- */

uint32_t run_tenants_number(struct run_tenants *t, const struct doc_tenant *tenant)
{
    const struct doc_block *b = &tenant->block;
    const struct number_key key = {tenant->kind, b->from, b->to, b->site,
                                   tenant->kind == DOC_TENANT_block ? 0 : b->thread};
    struct numbered *known;
    HASH_FIND(hh, t->numbered, &key, sizeof key, known);
    if (known)
        return known->number;
    if (HASH_COUNT(t->numbered) == NUMBERS_MAX)
        return DOC_TENANT_several;
    known = sim_alloc(1, sizeof *known);
    known->key = key;
    known->number = HASH_COUNT(t->numbered);
    HASH_ADD(hh, t->numbered, key, sizeof known->key, known);
    return known->number;
}

static struct held *tenants_at(const struct run_tenants *t, enum run_layer layer, uint64_t va)
{
    const struct held range = {.from = va, .to = va + 1};
    if (va < t->low[layer] || va >= t->high[layer])
        return NULL;
    struct held *const *found = tfind(&range, &t->held[layer], tenants_order);
    return found ? *found : NULL;
}

static uint32_t tenants_number_of(struct run_tenants *t, struct held *held)
{
    if (!held)
        return DOC_TENANT_nobody;
    if (!held->number)
        held->number = run_tenants_number(t, &held->tenant);
    return held->number;
}

uint32_t run_tenants_at(struct run_tenants *t, enum run_layer layer, uint64_t va)
{
    return tenants_number_of(t, tenants_at(t, layer, va));
}

/* Of a block all of it counts, also what others have got since. */
static uint64_t tenants_size(const struct held *held)
{
    const struct doc_block *b = &held->tenant.block;
    return held->tenant.kind == DOC_TENANT_stack ? held->to - held->from : b->to - b->from;
}

uint32_t run_tenants_smallest(struct run_tenants *t, uint64_t va, enum run_layer *its_layer)
{
    struct held *best = NULL;
    *its_layer = RUN_LAYER_MAPPINGS;
    for (enum run_layer layer = 0; layer < RUN_LAYER_MAPPINGS; layer++) {
        struct held *held = tenants_at(t, layer, va);
        if (held && (!best || tenants_size(held) < tenants_size(best))) {
            best = held;
            *its_layer = layer;
        }
    }
    return tenants_number_of(t, best);
}

const struct doc_tenant *run_tenants_of(const struct run_tenants *t, enum run_layer layer,
                                        uint64_t va, uint32_t *number)
{
    const struct held range = {.from = va, .to = va + 1};
    struct held *const *found = tfind(&range, &t->held[layer], tenants_order);
    *number = found ? (*found)->number : (uint32_t)DOC_TENANT_nobody;
    return found ? &(*found)->tenant : NULL;
}

struct doc_tenant *run_tenants_take(const struct run_tenants *t, size_t *count)
{
    struct doc_tenant *all = sim_alloc(HASH_COUNT(t->numbered), sizeof *all);
    *count = 0;
    for (const struct numbered *n = t->numbered; n; n = n->hh.next) {
        const struct number_key *key = &n->key;
        all[(*count)++] = (struct doc_tenant){.kind = (enum doc_tenant_kind)key->kind,
                                              .block = {.from = key->from,
                                                        .to = key->to,
                                                        .site = (uint32_t)key->site,
                                                        .thread = (uint32_t)key->thread}};
    }
    return all;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

struct run_tenants *run_tenants_new(void)
{
    struct run_tenants *t = sim_alloc(1, sizeof *t);
    run_tenants_number(t, &(struct doc_tenant){.kind = DOC_TENANT_nobody});
    run_tenants_number(t, &(struct doc_tenant){.kind = DOC_TENANT_several});
    return t;
}

void run_tenants_free(struct run_tenants *t)
{
    struct numbered *numbered, *next;
    if (!t)
        return;
    for (unsigned layer = 0; layer < RUN_LAYERS; layer++)
        tdestroy(t->held[layer], free);
    HASH_ITER(hh, t->numbered, numbered, next) {
        HASH_DEL(t->numbered, numbered);
        free(numbered);
    }
    free(t);
}

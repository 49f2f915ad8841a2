/*
 * The hard idea is what belongs together without a look at the program: bytes that the same cards
 * have touched. They may share lines with each other, and with nothing else.
 */
#include "report/what_if.h"

#include "base/alloc.h"
#include "report/profile_cost.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

const char *const rep_unit_name[] = {"threads", "elements", "members"};

enum { CARDS_MAX = 1024, RANGES_MAX = 1 << 20 };

static void add_range(struct rep_layout *l, uint64_t from, uint64_t to, uint32_t group)
{
    if (!(l->ranges & (l->ranges + 1)))
        l->range = sim_grow(l->range, 2 * l->ranges + 1, sizeof *l->range);
    l->range[l->ranges++] = (struct nm_apart_range){.from = from, .to = to, .group = group};
}

/* ---- by who touched them --------------------------------------------------------------------- */

/* The cards that have touched a byte. */
struct users {
    uint64_t card[CARDS_MAX / 64];
    uint32_t group;
    UT_hash_handle hh;
};

/* First copy of the line that holds `va`: lines of one address are found one by one, because the
 * truth is in the order of physical ones. */
struct index {
    uint64_t va; /* of the line */
    size_t copy;
    UT_hash_handle hh;
};

static struct index *index_lines(const struct rep_truth *truth)
{
    struct index *all = NULL, *known;
    for (size_t i = 0; i < truth->copies; i++) {
        HASH_FIND(hh, all, &truth->copy[i].va, sizeof all->va, known);
        if (known || truth->copy[i].code)
            continue;
        known = sim_alloc(1, sizeof *known);
        known->va = truth->copy[i].va;
        known->copy = i;
        HASH_ADD(hh, all, va, sizeof known->va, known);
    }
    return all;
}

static void free_index(struct index *all)
{
    struct index *known, *next;
    HASH_ITER(hh, all, known, next) {
        HASH_DEL(all, known);
        free(known);
    }
}

/* @return false: nobody has touched it */
static bool users_of(const struct rep_truth *truth, const struct index *lines, uint64_t va,
                     struct users *users)
{
    const uint64_t line = va & ~(truth->line - 1), byte = va - line;
    const struct index *known;
    bool any = false;
    memset(users, 0, sizeof *users);
    HASH_FIND(hh, lines, &line, sizeof line, known);
    if (!known)
        return false;
    for (size_t i = known->copy;
         i < truth->copies && truth->copy[i].line == truth->copy[known->copy].line; i++) {
        const struct pc_missed_copy *copy = &truth->copy[i];
        const uint64_t touched = copy->read[byte / 64] | copy->written[byte / 64];
        if (!(touched >> byte % 64 & 1) || copy->card >= CARDS_MAX)
            continue;
        users->card[copy->card / 64] |= UINT64_C(1) << copy->card % 64;
        any = true;
    }
    return any;
}

static uint32_t group_of(struct users **groups, const struct users *users)
{
    struct users *known;
    HASH_FIND(hh, *groups, users->card, sizeof users->card, known);
    if (known)
        return known->group;
    known = sim_alloc(1, sizeof *known);
    *known = *users;
    known->group = HASH_COUNT(*groups) + 1;
    HASH_ADD(hh, *groups, card, sizeof known->card, known);
    return known->group;
}

struct parting {
    const struct rep_truth *truth;
    struct index *lines;
    struct users *groups;
    struct rep_layout *layout;
};

/* The bytes [from, to) fall into runs of the same users. */
static void part_by_users(struct parting *p, uint64_t from, uint64_t to)
{
    uint64_t begin = from;
    uint32_t group = 0;
    for (uint64_t va = from; va <= to && p->layout->ranges < RANGES_MAX; va++) {
        struct users users;
        const bool used = va < to && users_of(p->truth, p->lines, va, &users);
        const uint32_t now = used ? group_of(&p->groups, &users) : 0;
        if (now == group)
            continue;
        if (group)
            add_range(p->layout, begin, va, group);
        begin = va;
        group = now;
    }
}

static void free_groups(struct users *groups)
{
    struct users *known, *next;
    HASH_ITER(hh, groups, known, next) {
        HASH_DEL(groups, known);
        free(known);
    }
}

/* ---- by how it is declared ------------------------------------------------------------------- */

static void part_by_members(const struct rep_sharing *s, const struct prog_object *object,
                            unsigned depth, struct rep_layout *layout)
{
    const uint64_t size = object->to - object->from;
    for (uint64_t at = 0; at < size && layout->ranges < RANGES_MAX;) {
        struct prog_member part;
        s->code->names->member(s->code->names, object, at, depth, &part);
        const uint64_t end = part.offset + part.size;
        if (!part.padding && part.size)
            add_range(layout, object->from + at, object->from + (end < size ? end : size), 0);
        at = end > at ? end : size;
    }
    layout->parts = layout->ranges;
}

/* ---- the object ------------------------------------------------------------------------------ */

static bool refuse(char *why, size_t size, const char *format, const char *name)
{
    snprintf(why, size, format, name);
    return false;
}

/* All blocks of the site that the object at `va` comes from, or that block's kind alone. */
static void part_blocks(struct parting *p, const struct rep_objects *objects,
                        const struct rep_object *at)
{
    for (size_t i = 0; i < objects->blocks; i++)
        if (objects->block[i].site == at->block->site)
            part_by_users(p, objects->block[i].from, objects->block[i].to);
}

static const struct rep_shared_object *find_shared(const struct rep_sharing *s, const char *name)
{
    for (size_t i = 0; i < s->objects; i++)
        if (!strcmp(s->object[i].name, name))
            return &s->object[i];
    return NULL;
}

/* An object that was shared; else, a variable of that name, of which there may be several. */
static bool find_object(const struct rep_sharing *s, const char *name, struct rep_object *out)
{
    const struct rep_shared_object *shared = find_shared(s, name);
    struct prog_names *names = s->code->names;
    uint64_t from, to;
    const bool known = !shared && names && names->find && names->find(names, name, &from, &to);
    if (shared)
        rep_object_asked(s->finder, s->truth, &s->truth->row[shared->row], out);
    else if (known)
        rep_object_at(s->finder, from, 0, SIM_NEVER, out);
    return shared || known;
}

static void part_object(struct parting *p, const struct rep_objects *objects,
                        const struct rep_object *at)
{
    if (at->kind == REP_OBJECT_HEAP)
        part_blocks(p, objects, at);
    else if (at->size)
        part_by_users(p, at->from, at->from + at->size);
}

static int by_address(const void *x, const void *y)
{
    const struct nm_apart_range *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

/* Blocks that had the same bytes one after the other: the first one's parts stay. */
static void disjoin(struct rep_layout *l)
{
    size_t kept = 0;
    if (l->ranges)
        qsort(l->range, l->ranges, sizeof *l->range, by_address);
    for (size_t i = 0; i < l->ranges; i++)
        if (!kept || l->range[kept - 1].to <= l->range[i].from)
            l->range[kept++] = l->range[i];
    l->ranges = kept;
}

/* ---- who else is moved ----------------------------------------------------------------------- */

struct asked {
    char *key;
    int64_t requests;
    UT_hash_handle hh;
};

static bool is_moved(const struct rep_layout *l, uint64_t va)
{
    size_t low = 0, high = l->ranges; /* the first that ends behind it */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->range[middle].to <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->ranges && l->range[low].from <= va;
}

static void add_asked(struct asked **all, const char *key, int64_t requests)
{
    struct asked *asked;
    HASH_FIND_STR(*all, key, asked);
    if (!asked) {
        asked = sim_alloc(1, sizeof *asked);
        asked->key = sim_strdup(key);
        HASH_ADD_KEYPTR(hh, *all, asked->key, strlen(asked->key), asked);
    }
    asked->requests = rep_plus(asked->requests, requests);
}

static bool is_more(const struct asked *a, const struct asked *b)
{
    return !b || a->requests > b->requests ||
           (a->requests == b->requests && strcmp(a->key, b->key) < 0);
}

/* The machine moves bytes, whoever has them. */
static void find_others(const struct rep_sharing *s, const struct rep_object *moved,
                        struct rep_layout *l)
{
    struct asked *all = NULL, *asked, *next;
    const struct asked *most = NULL;
    struct rep_object own = *moved, at;
    rep_object_group(&own);
    for (size_t i = 0; i < s->truth->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        if (!is_moved(l, row->va))
            continue;
        rep_object_asked(s->finder, s->truth, row, &at);
        rep_object_group(&at);
        l->requests = rep_plus(l->requests, rep_truth_requests(row));
        if (at.kind != REP_OBJECT_NONE && at.kind != REP_OBJECT_HEADER &&
            strcmp(at.key, own.key) != 0)
            add_asked(&all, at.key, rep_truth_requests(row));
    }
    HASH_ITER(hh, all, asked, next) {
        l->others = rep_plus(l->others, asked->requests);
        if (is_more(asked, most))
            most = asked;
    }
    if (most)
        snprintf(l->other, sizeof l->other, "%s", most->key);
    HASH_ITER(hh, all, asked, next) {
        HASH_DEL(all, asked);
        free(asked->key);
        free(asked);
    }
}

bool rep_what_if(const struct rep_sharing *s, const struct rep_objects *objects, const char *name,
                 enum rep_unit unit, struct rep_layout *layout, char *why, size_t size)
{
    struct parting p = {.truth = s->truth, .layout = layout};
    struct rep_object at;
    bool good = true;
    *layout = (struct rep_layout){0};
    if (!find_object(s, name, &at))
        return refuse(why, size, "no variable '%.200s', and no shared object of that name", name);
    if (at.kind == REP_OBJECT_CODE)
        return refuse(why, size, "'%.200s' is a function: only data can be kept apart", name);
    if (unit != REP_UNIT_threads && at.kind != REP_OBJECT_STATIC)
        return refuse(why, size, "'%.200s' is no variable: only parts of threads are known of it",
                      name);
    if (unit != REP_UNIT_threads) {
        part_by_members(s, &at.variable, unit == REP_UNIT_elements ? 1 : UINT_MAX, layout);
    } else {
        p.lines = index_lines(s->truth);
        part_object(&p, objects, &at);
        layout->parts = HASH_COUNT(p.groups);
        free_index(p.lines);
        free_groups(p.groups);
    }
    if (layout->ranges >= RANGES_MAX)
        good = refuse(why, size, "'%.200s' has more than a million parts: too many", name);
    disjoin(layout);
    if (good && !layout->ranges)
        good = refuse(why, size, "no processor has touched '%.200s'", name);
    if (good)
        find_others(s, &at, layout);
    else
        rep_layout_free(layout);
    return good;
}

void rep_layout_free(struct rep_layout *layout)
{
    free(layout->range);
    *layout = (struct rep_layout){0};
}

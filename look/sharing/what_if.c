/*
 * The hard idea is what belongs together without a look at the program: bytes that the same cards
 * have touched. They may share lines with each other, and with nothing else.
 */
#include "look/sharing/what_if.h"

#include "base/alloc.h"
#include "look/cost.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

const char *const look_unit_name[] = {
    [LOOK_UNIT_threads] = "threads", [LOOK_UNIT_writers] = "writers",
    [LOOK_UNIT_objects] = "objects", [LOOK_UNIT_elements] = "elements",
    [LOOK_UNIT_members] = "members", [LOOK_UNIT_leaves] = "leaves",
    [LOOK_UNIT_words] = "words",     [LOOK_UNIT_sides] = "sides"};

const char *const look_unit_part[] = {[LOOK_UNIT_threads] = "each processor's part",
                                      [LOOK_UNIT_writers] = "each writer's part",
                                      [LOOK_UNIT_objects] = "the whole",
                                      [LOOK_UNIT_elements] = "each element",
                                      [LOOK_UNIT_members] = "each member",
                                      [LOOK_UNIT_leaves] = "each leaf",
                                      [LOOK_UNIT_words] = "each word",
                                      [LOOK_UNIT_sides] = "the whole and both sides"};

bool look_unit_is_typed(enum look_unit unit)
{
    return unit == LOOK_UNIT_elements || unit == LOOK_UNIT_members || unit == LOOK_UNIT_leaves ||
           unit == LOOK_UNIT_sides;
}

enum { RANGES_MAX = 1 << 20 };

static void add_range(struct look_layout *l, uint64_t from, uint64_t to, uint32_t group)
{
    if (!(l->ranges & (l->ranges + 1)))
        l->range = sim_grow(l->range, 2 * l->ranges + 1, sizeof *l->range);
    l->range[l->ranges++] = (struct nm_apart_range){.from = from, .to = to, .group = group};
}

/* ---- by who touched them --------------------------------------------------------------------- */

/* The cards that have touched a byte, and, if that matters, that have written it. */
struct users {
    uint64_t card[LOOK_CARDS_MAX / 64], writer[LOOK_CARDS_MAX / 64];
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

static void index_line(const struct doc_truth *truth, uint64_t va, size_t copy, struct index **all)
{
    struct index *known;
    va &= ~(truth->line - 1);
    HASH_FIND(hh, *all, &va, sizeof va, known);
    if (known || truth->copy[copy].code)
        return;
    while (copy > 0 && truth->copy[copy - 1].line == truth->copy[copy].line)
        copy--;
    known = sim_alloc(1, sizeof *known);
    known->va = va;
    known->copy = copy;
    HASH_ADD(hh, *all, va, sizeof known->va, known);
}

/* A page may have had another address before: its requests have that, too. */
static struct index *index_lines(const struct doc_truth *truth)
{
    struct index *all = NULL;
    for (size_t i = 0; i < truth->copies; i++)
        index_line(truth, truth->copy[i].va, i, &all);
    for (size_t i = 0; i < truth->rows; i++)
        index_line(truth, truth->row[i].va, truth->row[i].copy, &all);
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

/* The line that holds `va`; NULL: nobody has touched it. */
static const struct index *line_at(const struct doc_truth *truth, const struct index *lines,
                                   uint64_t va)
{
    const uint64_t line = va & ~(truth->line - 1);
    const struct index *known;
    HASH_FIND(hh, lines, &line, sizeof line, known);
    return known;
}

/* @return false: nobody has touched it */
static bool users_of(const struct doc_truth *truth, const struct index *lines, uint64_t va,
                     bool writers, struct users *users)
{
    const uint64_t byte = va & (truth->line - 1);
    const struct index *known = line_at(truth, lines, va);
    bool any = false;
    memset(users, 0, sizeof *users);
    if (!known)
        return false;
    for (size_t i = known->copy;
         i < truth->copies && truth->copy[i].line == truth->copy[known->copy].line; i++) {
        const struct pc_missed_copy *copy = &truth->copy[i];
        const uint64_t touched = copy->read[byte / 64] | copy->written[byte / 64];
        if (!(touched >> byte % 64 & 1) || copy->code || copy->card >= LOOK_CARDS_MAX)
            continue;
        users->card[copy->card / 64] |= UINT64_C(1) << copy->card % 64;
        if (writers && copy->written[byte / 64] >> byte % 64 & 1)
            users->writer[copy->card / 64] |= UINT64_C(1) << copy->card % 64;
        any = true;
    }
    return any;
}

static uint32_t group_of(struct users **groups, const struct users *users)
{
    struct users *known;
    enum { KEY = sizeof users->card + sizeof users->writer };
    HASH_FIND(hh, *groups, users->card, KEY, known);
    if (known)
        return known->group;
    known = sim_alloc(1, sizeof *known);
    *known = *users;
    known->group = HASH_COUNT(*groups) + 1;
    HASH_ADD(hh, *groups, card, KEY, known);
    return known->group;
}

struct parting {
    const struct doc_truth *truth;
    struct index *lines;
    struct users *groups;
    struct look_layout *layout;
};

/* The bytes [from, to) fall into runs of the same users. */
static void part_by_users(struct parting *p, bool writers, uint64_t from, uint64_t to)
{
    uint64_t begin = from;
    uint32_t group = 0;
    for (uint64_t va = from, next; va <= to && p->layout->ranges < RANGES_MAX; va = next) {
        struct users users;
        const uint64_t end = (va | (p->truth->line - 1)) + 1;
        const bool known = va < to && line_at(p->truth, p->lines, va);
        const bool used = known && users_of(p->truth, p->lines, va, writers, &users);
        const uint32_t now = used ? group_of(&p->groups, &users) : 0;
        next = known || va == to ? va + 1 : end < to ? end : to;
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

/* The part of an object at an offset, `depth` steps further than what is named. An array within it
 * is one member, but what is named has elements. */
static void part_of(const struct look_sharing *s, const struct look_object *object, unsigned depth,
                    uint64_t at, enum look_unit unit, struct prog_member *part)
{
    struct prog_member deeper;
    look_object_member(s->finder, object, at, unit == LOOK_UNIT_leaves ? UINT_MAX : ++depth, part);
    while (unit == LOOK_UNIT_members) {
        look_object_member(s->finder, object, at, ++depth, &deeper);
        const size_t known = strlen(part->name);
        if (strlen(deeper.name) <= known || deeper.name[known] == '[')
            return;
        *part = deeper;
    }
}

static void part_by_members(const struct look_sharing *s, const struct look_named *named,
                            enum look_unit unit, struct look_layout *layout)
{
    const struct look_object *object = &named->at;
    for (uint64_t at = named->from - object->from;
         at < named->to - object->from && layout->ranges < RANGES_MAX;) {
        struct prog_member part;
        part_of(s, object, named->depth, at, unit, &part);
        const uint64_t end = part.offset + part.size;
        if (!part.padding && part.size)
            add_range(layout, object->from + at,
                      object->from + (end < object->size ? end : object->size), 0);
        at = end > at ? end : object->size;
    }
}

/* ---- as with alignas in front of a member and behind it ----------------------------------------
 */

/* Where something has to begin a line. */
struct borders {
    uint64_t *at; /* [bytes] in the object */
    size_t count;
};

static void borders_add(struct borders *b, uint64_t at)
{
    if (!(b->count & (b->count + 1)))
        b->at = sim_grow(b->at, 2 * b->count + 1, sizeof *b->at);
    b->at[b->count++] = at;
}

static int border_order(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* What is aligned aligns what it lies in: all around it begin a line, and what is behind them. */
static void borders_around(const struct look_sharing *s, const struct look_object *object,
                           uint64_t at, unsigned depth, struct borders *b)
{
    for (unsigned step = 1; step <= depth; step++) {
        struct prog_member part;
        look_object_member(s->finder, object, at, step, &part);
        borders_add(b, part.offset);
        borders_add(b, part.offset + part.size);
    }
}

/* Of all that are called so but for their numbers. @param name  without them */
static void borders_find(const struct look_sharing *s, const struct look_object *object,
                         const char *name, unsigned depth, struct borders *b)
{
    for (uint64_t at = 0; at < object->size && b->count < RANGES_MAX;) {
        struct prog_member leaf, part;
        look_object_member(s->finder, object, at, UINT_MAX, &leaf);
        look_object_member(s->finder, object, at, depth, &part);
        look_object_cut_numbers(part.name);
        const uint64_t end = leaf.offset + leaf.size;
        if (!leaf.padding && !strcmp(part.name, name))
            borders_around(s, object, at, depth, b);
        at = end > at ? end : object->size;
    }
}

/* @param named  what is meant of its object; of others of its kind `object` is one */
static void part_by_sides(const struct look_sharing *s, const struct look_named *named,
                          const struct look_object *object, struct look_layout *layout)
{
    struct borders b = {.count = 0};
    struct prog_member part = {.size = 0};
    if (named->depth) {
        look_object_member(s->finder, &named->at, named->from - named->at.from, named->depth,
                           &part);
        look_object_cut_numbers(part.name);
        borders_find(s, object, part.name, named->depth, &b);
    }
    borders_add(&b, 0);
    borders_add(&b, object->size);
    qsort(b.at, b.count, sizeof *b.at, border_order);
    for (size_t i = 1; i < b.count; i++)
        if (b.at[i - 1] < b.at[i] && b.at[i] <= object->size)
            add_range(layout, object->from + b.at[i - 1], object->from + b.at[i], 0);
    free(b.at);
}

/* The words of [from, to) that somebody has touched. */
static void part_by_words(struct parting *p, uint64_t from, uint64_t to)
{
    struct users users;
    for (uint64_t va = from, next; va < to && p->layout->ranges < RANGES_MAX; va = next) {
        bool used = false;
        const bool known = line_at(p->truth, p->lines, va);
        next = (va | (known ? LOOK_WORD - 1 : p->truth->line - 1)) + 1;
        next = next < to ? next : to;
        for (uint64_t byte = va; byte < next && !used; byte++)
            used = users_of(p->truth, p->lines, byte, false, &users);
        if (used)
            add_range(p->layout, va, next, 0);
    }
}

/* ---- the object ------------------------------------------------------------------------------ */

static bool what_if_refuse(char *why, size_t size, const char *format, const char *name)
{
    snprintf(why, size, format, name);
    return false;
}

static void part_range(struct parting *p, enum look_unit unit, uint64_t from, uint64_t to)
{
    if (unit == LOOK_UNIT_objects)
        add_range(p->layout, from, to, 0);
    else if (unit == LOOK_UNIT_words)
        part_by_words(p, from, to);
    else
        part_by_users(p, unit == LOOK_UNIT_writers, from, to);
}

/* Whether a block is called as `at` is, but for its number. */
static bool is_of_site(const struct look_sharing *s, const struct doc_objects *objects,
                       const struct doc_block *block, const struct look_object *at)
{
    if (!at->block || block->to - block->from != at->block->to - at->block->from)
        return false;
    return block->site == at->block->site ||
           (objects->site[block->site].kind == objects->site[at->block->site].kind &&
            !strcmp(look_site_name(s->finder, block->site),
                    look_site_name(s->finder, at->block->site)));
}

/* What of blocks is laid out otherwise. A block of a place whose headers are shared goes with its
 * header, as a block does that begins a line. */
struct part_of_blocks {
    bool headers, blocks;
};

/* @param at  one of the blocks, or a header, which is meant alone then */
static struct part_of_blocks part_of_place(const struct look_sharing *s,
                                           const struct look_object *at)
{
    char place[LOOK_OBJECT_NAME];
    const bool header = at->kind == LOOK_OBJECT_HEADER;
    return (struct part_of_blocks){
        .headers = header || look_sharing_has_headers(s, look_object_place(at, place)),
        .blocks = !header};
}

static void part_block(struct parting *p, const struct look_sharing *s,
                       const struct doc_block *block, struct part_of_blocks of, enum look_unit unit)
{
    part_range(p, unit, of.headers ? look_object_header(s->finder, block) : block->from,
               of.blocks ? block->to : block->from);
}

static void part_one(struct parting *p, const struct look_sharing *s,
                     const struct look_named *named, enum look_unit unit)
{
    if (unit == LOOK_UNIT_sides)
        part_by_sides(s, named, &named->at, p->layout);
    else if (look_unit_is_typed(unit))
        part_by_members(s, named, unit, p->layout);
    else
        part_range(p, unit, named->from, named->to);
}

/* All blocks that the program calls so but for their numbers. */
static void part_alike(struct parting *p, const struct look_sharing *s,
                       const struct look_named *named, enum look_unit unit)
{
    const struct part_of_blocks of = part_of_place(s, &named->at);
    struct look_object group = named->at;
    size_t count;
    const struct doc_part *part = look_object_parts(s->finder, &count);
    look_object_group(&group);
    for (size_t i = 0; i < count; i++) {
        struct look_named one = {0};
        struct look_object at;
        look_object_of_part(s->finder, &part[i], &one.at);
        at = one.at;
        look_object_group(&at);
        one.from = at.from;
        one.to = at.from + at.size;
        if (!at.part || strcmp(at.key, group.key) != 0)
            continue;
        const struct doc_block *block = at.block;
        if (unit == LOOK_UNIT_sides)
            part_by_sides(s, named, &one.at, p->layout);
        else if (block && !look_unit_is_typed(unit) && one.from == block->from &&
                 one.to == block->to)
            part_block(p, s, block, of, unit);
        else
            part_one(p, s, &one, unit);
    }
}

static void part_named(struct parting *p, const struct look_sharing *s,
                       const struct doc_objects *objects, const struct look_named *named,
                       enum look_unit unit)
{
    if (named->at.part && (named->site || unit == LOOK_UNIT_sides)) {
        part_alike(p, s, named, unit);
        return;
    }
    if (!named->site || look_unit_is_typed(unit)) {
        part_one(p, s, named, unit);
        return;
    }
    const struct part_of_blocks of = part_of_place(s, &named->at);
    for (size_t i = 0; i < objects->blocks; i++)
        if (is_of_site(s, objects, &objects->block[i], &named->at))
            part_block(p, s, &objects->block[i], of, unit);
}

static bool what_if_find(const struct look_sharing *s, const char *name, enum look_unit unit,
                         struct look_named *out, char *why, size_t size)
{
    char suggest[1024];
    if (!look_sharing_find(s, name, out)) {
        snprintf(why, size, "no variable '%.200s', and no shared object of that name; %s", name,
                 look_sharing_suggest(s, name, suggest, sizeof suggest));
        return false;
    }
    if (out->at.kind == LOOK_OBJECT_CODE)
        return what_if_refuse(why, size, "'%.200s' is a function: only data can be kept apart",
                              name);
    if (look_unit_is_typed(unit) && !out->at.variable.name)
        return what_if_refuse(why, size,
                              "'%.200s' is no variable, so nobody knows its elements and members: "
                              "--unit=words takes its words of four bytes",
                              name);
    return true;
}

static int what_if_by_address(const void *x, const void *y)
{
    const struct nm_apart_range *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

/* Blocks that had the same bytes one after the other: the first one's parts stay. So do those of an
 * object that is named twice. */
static void what_if_disjoin(struct look_layout *l)
{
    size_t kept = 0;
    if (l->ranges)
        qsort(l->range, l->ranges, sizeof *l->range, what_if_by_address);
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

size_t look_layout_behind(const struct look_layout *layout, uint64_t va)
{
    size_t low = 0, high = layout->ranges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (layout->range[middle].to <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_moved(const struct look_layout *l, uint64_t va)
{
    const size_t at = look_layout_behind(l, va);
    return at < l->ranges && l->range[at].from <= va;
}

static void what_if_add_asked(struct asked **all, const char *key, int64_t requests)
{
    struct asked *asked;
    HASH_FIND_STR(*all, key, asked);
    if (!asked) {
        asked = sim_alloc(1, sizeof *asked);
        asked->key = sim_strdup(key);
        HASH_ADD_KEYPTR(hh, *all, asked->key, strlen(asked->key), asked);
    }
    asked->requests = doc_plus(asked->requests, requests);
}

static bool is_more(const struct asked *a, const struct asked *b)
{
    return !b || a->requests > b->requests ||
           (a->requests == b->requests && strcmp(a->key, b->key) < 0);
}

/* Of one of the objects that were asked for, or of nobody's. */
static bool is_meant(const struct look_object *at, const struct asked *named)
{
    const struct asked *known;
    if (at->kind == LOOK_OBJECT_NONE || at->kind == LOOK_OBJECT_HEADER)
        return true;
    HASH_FIND_STR(named, at->key, known);
    if (!known && at->part) {
        struct look_object memory = *at;
        look_object_unnamed(&memory, at->from);
        look_object_group(&memory);
        HASH_FIND_STR(named, memory.key, known);
    }
    return known;
}

static void free_asked(struct asked *all)
{
    struct asked *asked, *next;
    HASH_ITER(hh, all, asked, next) {
        HASH_DEL(all, asked);
        free(asked->key);
        free(asked);
    }
}

/* The machine moves bytes, whoever has them. @param named  the objects that are meant */
static void find_others(const struct look_sharing *s, const struct asked *named,
                        struct look_layout *l)
{
    struct asked *all = NULL;
    const struct asked *most = NULL;
    struct look_object at;
    for (size_t i = 0; i < s->truth->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        if (!is_moved(l, row->va))
            continue;
        look_object_asked(s->finder, s->truth, row, &at);
        look_object_group(&at);
        l->requests = doc_plus(l->requests, doc_truth_requests(row));
        if (!is_meant(&at, named))
            what_if_add_asked(&all, at.key, doc_truth_requests(row));
    }
    for (const struct asked *asked = all; asked; asked = asked->hh.next) {
        l->others = doc_plus(l->others, asked->requests);
        if (is_more(asked, most))
            most = asked;
    }
    if (most)
        snprintf(l->other, sizeof l->other, "%s", most->key);
    free_asked(all);
}

static size_t part_all(struct parting *p, const struct look_sharing *s,
                       const struct doc_objects *objects, char *const names[], enum look_unit unit,
                       struct asked **meant, char *why, size_t size)
{
    struct look_named named;
    size_t before = 0;
    for (size_t i = 0; names[i]; i++, before = p->layout->ranges) {
        if (!what_if_find(s, names[i], unit, &named, why, size))
            return 0;
        part_named(p, s, objects, &named, unit);
        look_object_group(&named.at);
        what_if_add_asked(meant, named.at.key, 0);
        if (p->layout->ranges >= RANGES_MAX)
            return what_if_refuse(why, size, "'%.200s' has more than a million parts: too many",
                                  names[i]);
        if (p->layout->ranges == before)
            return what_if_refuse(why, size, "no processor has touched '%.200s'", names[i]);
    }
    what_if_disjoin(p->layout);
    return unit == LOOK_UNIT_threads || unit == LOOK_UNIT_writers ? HASH_COUNT(p->groups)
                                                                  : p->layout->ranges;
}

bool look_what_if(const struct look_sharing *s, const struct doc_objects *objects,
                  char *const names[], enum look_unit unit, struct look_layout *layout, char *why,
                  size_t size)
{
    struct parting p = {.truth = s->truth, .layout = layout, .lines = index_lines(s->truth)};
    struct asked *meant = NULL;
    *layout = (struct look_layout){0};
    const size_t parts = part_all(&p, s, objects, names, unit, &meant, why, size);
    layout->parts = parts;
    if (parts)
        find_others(s, meant, layout);
    free_asked(meant);
    free_index(p.lines);
    free_groups(p.groups);
    if (!parts)
        look_layout_free(layout);
    return parts;
}

void look_layout_free(struct look_layout *layout)
{
    free(layout->range);
    *layout = (struct look_layout){0};
}

/* ---- several layouts ------------------------------------------------------------------------- */

static uint32_t last_group(const struct look_layout *l)
{
    uint32_t last = 0;
    for (size_t i = 0; i < l->ranges; i++)
        last = l->range[i].group > last ? l->range[i].group : last;
    return last;
}

void look_layout_join(struct look_layout *to, const struct look_layout *from)
{
    const uint32_t known = last_group(to);
    for (size_t i = 0; i < from->ranges; i++) {
        const struct nm_apart_range *range = &from->range[i];
        add_range(to, range->from, range->to, range->group ? known + range->group : 0);
    }
    to->parts += from->parts;
    what_if_disjoin(to);
}

/* Where the group of a range begins: a name for it that does not hang on numbers. @param begins
 * [last group + 1] zeroed at first */
static uint64_t group_begin(const struct nm_apart_range *range, uint64_t *begins)
{
    if (!range->group)
        return range->from;
    if (!begins[range->group])
        begins[range->group] = range->from;
    return begins[range->group];
}

bool look_layout_is_same(const struct look_layout *a, const struct look_layout *b)
{
    uint64_t *of_a = sim_alloc(last_group(a) + 1, sizeof *of_a),
             *of_b = sim_alloc(last_group(b) + 1, sizeof *of_b);
    bool same = a->ranges == b->ranges;
    for (size_t i = 0; i < a->ranges && same; i++)
        same = a->range[i].from == b->range[i].from && a->range[i].to == b->range[i].to &&
               group_begin(&a->range[i], of_a) == group_begin(&b->range[i], of_b);
    free(of_a);
    free(of_b);
    return same;
}

bool look_layout_fits(const struct look_layout *l, const struct doc_truth *truth)
{
    return nm_apart_bytes(truth->line, l->range, l->ranges) <= truth->memory / 2;
}

/* ---- what to say of it ----------------------------------------------------------------------- */

/* What sharing the object cost, at all of its bytes. */
static struct look_lost lost_of(const struct look_sharing *s, const char *name,
                                const struct look_named *named)
{
    const struct look_shared_object *shared = look_sharing_shared(s, name);
    struct look_lost sum = {0};
    if (shared)
        return shared->lost;
    for (size_t i = 0; i < s->truth->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        const struct look_lost lost = look_lost_of(row->v);
        if (row->va < named->at.from || row->va >= named->at.from + named->at.size)
            continue;
        sum.falsely = doc_plus(sum.falsely, lost.falsely);
        sum.truly = doc_plus(sum.truly, lost.truly);
    }
    return sum;
}

/* Whether it could be the address of something. */
static bool may_point(const struct look_sharing *s, const struct look_named *named)
{
    const struct look_object *at = &named->at;
    struct prog_member part;
    if (!at->variable.name || (at->size != 4 && at->size != 8))
        return false;
    look_object_member(s->finder, at, 0, 1, &part);
    return !*part.name;
}

const char *look_what_if_note(const struct look_sharing *s, const char *name, char *buf,
                              size_t size)
{
    char costly[800];
    struct look_named named;
    if (!look_sharing_find(s, name, &named))
        return NULL;
    const struct look_lost lost = lost_of(s, name, &named);
    if (look_verdict_of(s, &lost) != LOOK_VERDICT_none || !s->objects ||
        look_verdict_of(s, &s->object[0].lost) == LOOK_VERDICT_none)
        return NULL;
    snprintf(buf, size,
             "sharing '%.200s' cost less than a hundredth of the time%s; these lost most: %s", name,
             may_point(s, &named) ? " (if it is a pointer: the data behind it are another object)"
                                  : "",
             look_sharing_costly(s, costly, sizeof costly));
    return buf;
}

/*
 * Breadth-first search, and what is asked of the whole graph afterwards.
 *
 * The hard idea is memory: a world is kept in full only while its layer is being expanded; what
 * stays is 16 bytes of hash, the parent, and the numbers of its successors. A trace is found by
 * walking the parents back and taking, from the start, the step whose world has the next hash. That
 * every world can come to rest is a sweep over the successor lists from the last world to the
 * first, repeated until nothing changes; voluntary steps do not count, so it holds whatever the
 * programs do next.
 */
#include "tests/explore_search.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

struct layer {
    uint8_t *bytes;
    size_t used, size;
};

struct search {
    const struct ex_config *config;
    uint32_t limit, worlds, slots; /* slots: a power of two */
    XXH128_hash_t *hash;
    uint32_t *parent, *slot;
    uint8_t *degree; /* forced steps out of each world; REST: it is quiet */
    uint32_t *successor;
    size_t successors, successor_room;
    struct layer now, next;
};

enum { REST = 255 };

static void *need(void *p)
{
    if (!p) {
        fputs("no memory left for the search\n", stderr);
        exit(99);
    }
    return p;
}

static void search_init(struct search *s, const struct ex_config *config, uint32_t limit)
{
    *s = (struct search){.config = config, .limit = limit, .slots = 1u << 16};
    s->hash = need(malloc(limit * sizeof *s->hash)); /* touched as far as used */
    s->parent = need(malloc(limit * sizeof *s->parent));
    s->degree = need(malloc(limit));
    s->slot = need(calloc(s->slots, sizeof *s->slot));
}

static void search_free(struct search *s)
{
    free(s->hash);
    free(s->parent);
    free(s->degree);
    free(s->slot);
    free(s->successor);
    free(s->now.bytes);
    free(s->next.bytes);
}

/* ---- the set of worlds ----------------------------------------------------------------------- */

static void rehash(struct search *s)
{
    free(s->slot);
    s->slots *= 2;
    s->slot = need(calloc(s->slots, sizeof *s->slot));
    for (uint32_t i = 0; i < s->worlds; i++) {
        uint32_t at = (uint32_t)s->hash[i].low64 & (s->slots - 1);
        while (s->slot[at])
            at = (at + 1) & (s->slots - 1);
        s->slot[at] = i + 1;
    }
}

static void keep(struct layer *l, const uint8_t *bytes, unsigned size)
{
    if (l->used + size + 2 > l->size) {
        l->size = 2 * l->size + EX_PACKED;
        l->bytes = need(realloc(l->bytes, l->size));
    }
    l->bytes[l->used++] = (uint8_t)size;
    l->bytes[l->used++] = (uint8_t)(size >> 8);
    memcpy(l->bytes + l->used, bytes, size);
    l->used += size;
}

/* The bytes of a world, or of its mirror image, whichever come first. */
static unsigned canonical(const struct ex_config *c, const struct ex_world *w,
                          uint8_t bytes[EX_PACKED])
{
    uint8_t other[EX_PACKED];
    unsigned size = ex_pack(c, w, bytes);
    if (!c->swap)
        return size;
    struct ex_world image = *w;
    ex_mirror(c, &image);
    unsigned other_size = ex_pack(c, &image, other);
    if (other_size > size || (other_size == size && memcmp(other, bytes, size) >= 0))
        return size;
    memcpy(bytes, other, other_size);
    return other_size;
}

/* The world's number; a new one is put into the next layer. The limit itself: no room. */
static uint32_t find(struct search *s, const struct ex_world *w, uint32_t parent)
{
    uint8_t bytes[EX_PACKED];
    unsigned size = canonical(s->config, w, bytes);
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    uint32_t at = (uint32_t)hash.low64 & (s->slots - 1);
    for (; s->slot[at]; at = (at + 1) & (s->slots - 1))
        if (XXH128_isEqual(s->hash[s->slot[at] - 1], hash))
            return s->slot[at] - 1;
    if (s->worlds == s->limit)
        return s->limit;
    s->hash[s->worlds] = hash;
    s->parent[s->worlds] = parent;
    s->slot[at] = s->worlds + 1;
    keep(&s->next, bytes, size);
    if (++s->worlds > s->slots / 2)
        rehash(s);
    return s->worlds - 1;
}

static void add_successor(struct search *s, uint32_t world)
{
    if (s->successors == s->successor_room) {
        s->successor_room = s->successor_room ? 2 * s->successor_room : 1 << 16;
        s->successor = need(realloc(s->successor, s->successor_room * sizeof *s->successor));
    }
    s->successor[s->successors++] = world;
}

/* ---- traces ---------------------------------------------------------------------------------- */

static struct ex_step step_to(struct search *s, struct ex_world *w, uint32_t world)
{
    struct ex_step steps[EX_STEPS];
    uint8_t bytes[EX_PACKED];
    unsigned n = ex_steps(s->config, w, steps);
    for (unsigned i = 0; i < n; i++) {
        struct ex_world next = *w;
        if (ex_take(s->config, &next, steps[i], NULL))
            continue;
        unsigned size = canonical(s->config, &next, bytes);
        if (XXH128_isEqual(XXH3_128bits(bytes, size), s->hash[world])) {
            *w = next;
            return steps[i];
        }
    }
    abort(); /* the world was found this way */
}

static void print_step(struct search *s, uint32_t number, const struct ex_world *before,
                       struct ex_step step, const struct ex_world *after, const char *wrong,
                       FILE *out)
{
    fprintf(out, "  %3u ", number);
    ex_print_step(out, s->config, before, step);
    fprintf(out, "%s%s\n", wrong ? "   <-- " : "", wrong ? wrong : "");
    ex_print_world(out, s->config, after);
}

/* The step out of this world that is wrong. */
static void print_wrong(struct search *s, uint32_t number, const struct ex_world *w, FILE *out)
{
    struct ex_step steps[EX_STEPS];
    unsigned n = ex_steps(s->config, w, steps);
    for (unsigned i = 0; i < n; i++) {
        struct ex_world next = *w;
        const char *wrong = ex_take(s->config, &next, steps[i], NULL);
        if (wrong && wrong != ex_no_room) {
            print_step(s, number, w, steps[i], &next, wrong, out);
            return;
        }
    }
}

/* Prints the steps to a world, then, if asked, the one that is wrong. Returns how many. */
static uint32_t trace(struct search *s, uint32_t world, bool wrong, FILE *out)
{
    uint32_t n = 0, *path;
    struct ex_world w, before;
    for (uint32_t i = world; i; i = s->parent[i])
        n++;
    path = need(malloc((n + 1) * sizeof *path));
    for (uint32_t i = world, k = n; k; i = s->parent[i])
        path[--k] = i;
    ex_start(s->config, &w);
    for (uint32_t k = 0; k < n && out; k++) {
        before = w;
        struct ex_step step = step_to(s, &w, path[k]);
        print_step(s, k + 1, &before, step, &w, NULL, out);
    }
    if (wrong && out)
        print_wrong(s, n + 1, &w, out);
    free(path);
    return n + wrong;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* All steps out of one world. */
static enum ex_verdict expand(struct search *s, uint32_t number, const struct ex_world *w,
                              struct ex_result *r, ex_cells cells, FILE *out)
{
    struct ex_step steps[EX_STEPS];
    unsigned n = ex_steps(s->config, w, steps), forced = 0;
    bool quiet = ex_quiet(s->config, w);
    for (unsigned i = 0; i < n; i++) {
        struct ex_world next = *w;
        r->what = ex_take(s->config, &next, steps[i], cells);
        if (r->what == ex_no_room) {
            r->what = NULL;
            continue;
        }
        r->steps++;
        if (r->what) {
            r->trace = trace(s, number, true, out);
            return EX_WRONG;
        }
        uint32_t to = find(s, &next, number);
        if (to == s->limit)
            return EX_UNFINISHED;
        if (ex_voluntary(steps[i]))
            continue;
        forced++;
        if (!quiet)
            add_successor(s, to);
    }
    if (forced >= REST) {
        fputs("more steps out of a world than a byte counts\n", stderr);
        exit(99);
    }
    s->degree[number] = quiet ? REST : (uint8_t)forced;
    if (quiet || forced)
        return EX_CLEAN;
    r->trace = trace(s, number, false, out);
    return EX_DEADLOCK;
}

static enum ex_verdict expand_layer(struct search *s, uint32_t first, struct ex_result *r,
                                    ex_cells cells, FILE *out)
{
    const uint8_t *b = s->now.bytes, *end = b + s->now.used;
    for (uint32_t i = first; b < end; i++) {
        unsigned size = b[0] | (unsigned)b[1] << 8;
        struct ex_world w;
        ex_unpack(s->config, b + 2, &w);
        enum ex_verdict v = expand(s, i, &w, r, cells, out);
        if (v != EX_CLEAN)
            return v;
        b += 2 + size;
    }
    return EX_CLEAN;
}

/* From which worlds can a quiet one be reached? Marks them REST; true when that was all. */
static bool all_come_to_rest(struct search *s, uint32_t *first_bad)
{
    assert(s->worlds);
    uint8_t *rest = need(calloc(s->worlds, 1));
    bool changed = true, all = true;
    while (changed) {
        size_t end = s->successors;
        changed = false;
        for (uint32_t i = s->worlds; i-- > 0;) {
            unsigned degree = s->degree[i] == REST ? 0 : s->degree[i];
            bool good = s->degree[i] == REST;
            for (unsigned k = 1; k <= degree && !good && !rest[i]; k++)
                good = rest[s->successor[end - k]];
            end -= degree;
            changed |= good && !rest[i];
            rest[i] |= good;
        }
    }
    for (uint32_t i = 0; i < s->worlds && all; i++)
        if (!rest[i]) {
            *first_bad = i;
            all = false;
        }
    free(rest);
    return all;
}

static enum ex_verdict explore(struct search *s, struct ex_result *r, ex_cells cells, FILE *out)
{
    struct ex_world start;
    uint32_t first = 0, bad;
    ex_start(s->config, &start);
    find(s, &start, 0);
    while (s->next.used) {
        struct layer done = s->now;
        s->now = s->next;
        s->next = done;
        s->next.used = 0;
        uint32_t layer_end = s->worlds;
        enum ex_verdict v = expand_layer(s, first, r, cells, out);
        if (v != EX_CLEAN)
            return v;
        first = layer_end;
        r->depth++;
    }
    if (all_come_to_rest(s, &bad))
        return EX_CLEAN;
    r->trace = trace(s, bad, false, out);
    return EX_LIVELOCK;
}

/* Whether the protocol gives a card a line clean exclusive. */
static bool grants_exclusive(const struct nm_protocol *protocol)
{
    const struct nm_table *t = protocol->agent[NM_AGENT_CARD];
    bool grants = false;
    for (unsigned s = 0; s < t->states; s++)
        for (unsigned e = 0; e < t->events; e++) {
            const struct nm_cell *cell = nm_cell(t, s, e);
            grants |= cell->exists && t->state[s].line != NM_LINE_E &&
                      t->state[cell->next].line == NM_LINE_E;
        }
    return grants;
}

struct ex_result ex_search(const struct ex_config *machine, uint32_t limit, ex_cells cells,
                           FILE *out)
{
    struct ex_config config = *machine;
    struct search s;
    struct ex_result r = {0};
    config.exclusive = grants_exclusive(config.protocol);
    struct timespec from, to;
    mallopt(M_PERTURB, 0); /* else malloc would fill gigabytes that are never used */
    clock_gettime(CLOCK_MONOTONIC, &from);
    search_init(&s, &config, limit);
    r.verdict = explore(&s, &r, cells, out);
    r.worlds = s.worlds;
    search_free(&s);
    clock_gettime(CLOCK_MONOTONIC, &to);
    r.seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    return r;
}

const char *ex_verdict_name(enum ex_verdict v)
{
    static const char *const names[] = {"clean", "WRONG", "DEADLOCK", "LIVELOCK", "not finished"};
    return names[v];
}

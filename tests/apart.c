/*
 * Bytes that are kept apart: each layout drawn here is held against what it promises, byte by byte.
 */
#include "machine/apart.h"
#include "base/alloc.h"
#include "machine/placement.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, BASE = 0x400000, MAPS = 300, NOBODY = -1 };

static uint64_t next(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (*state >> 33) % n;
}

/* Ranges that do not overlap, in an order drawn. @return how many */
static size_t draw(struct nm_apart_range *range, uint64_t *state)
{
    size_t count = 0;
    for (uint64_t at = next(state, 50); at < BYTES - 200;) {
        const uint64_t length = 1 + next(state, next(state, 4) ? 16 : 150);
        range[count++] = (struct nm_apart_range){BASE + at, BASE + at + length,
                                                 next(state, 3) ? 0 : 1 + (uint32_t)next(state, 4),
                                                 next(state, 8) ? 0 : (uint32_t)next(state, 4)};
        at += length + (next(state, 2) ? 0 : next(state, 40));
    }
    for (size_t i = count; i > 1; i--) {
        const size_t k = next(state, i);
        const struct nm_apart_range other = range[k];
        range[k] = range[i - 1];
        range[i - 1] = other;
    }
    return count;
}

/* The range that holds a byte. */
static int range_of(const struct nm_apart_range *range, size_t count, uint64_t va)
{
    for (size_t i = 0; i < count; i++)
        if (va >= range[i].from && va < range[i].to)
            return (int)i;
    return NOBODY;
}

static bool together(const struct nm_apart_range *a, const struct nm_apart_range *b)
{
    return a == b || (a->group && a->group == b->group);
}

static void check(const struct nm_params *p, const struct nm_apart_range *range, size_t count)
{
    struct nm_apart *apart = nm_apart_new(p, range, count);
    const uint64_t pages = nm_apart_pages(p, range, count);
    const uint64_t home = 1 * p->memory_size; /* all of them are in a page of station 1 */
    uint64_t *to = sim_alloc(BYTES, sizeof *to);
    int *of = sim_alloc(BYTES, sizeof *of);
    for (uint64_t i = 0; i < BYTES; i++) {
        uint64_t pa = home + i;
        of[i] = range_of(range, count, BASE + i);
        const bool moved = nm_apart_at(apart, BASE + i, &pa);
        cr_assert_eq(moved, of[i] != NOBODY);
        cr_assert_eq(nm_apart_meets(apart, BASE + i, BASE + i + 1), moved);
        to[i] = pa;
        if (!moved)
            continue;
        cr_assert_eq(pa / p->memory_size, 1, "not at home");
        bool kept = false;
        for (uint64_t page = 0; page < pages; page++)
            kept |=
                pa / p->page_size == nm_placement_kept(p, 1, page * p->page_size) / p->page_size;
        cr_assert(kept, "beyond the pages that are kept");
        if (i && of[i - 1] == of[i] && (to[i] % p->page_size))
            cr_assert_eq(to[i], to[i - 1] + 1, "a range is in one piece");
    }
    for (unsigned i = 0; i < BYTES; i++)
        for (unsigned k = 0; k < i; k += 1 + (i - k) / 97) {
            if (of[i] == NOBODY || of[k] == NOBODY)
                continue;
            cr_assert_neq(to[i], to[k], "two bytes at one address");
            cr_assert(together(&range[of[i]], &range[of[k]]) ||
                          to[i] / p->l2_line != to[k] / p->l2_line,
                      "bytes %u and %u share a line", i, k);
        }
    free(to);
    free(of);
    nm_apart_free(apart);
}

/* Lines that are left free are, also in front of the first part. */
Test(apart, skipped)
{
    struct nm_params p;
    nm_params_default(&p);
    const struct nm_apart_range range[] = {
        {BASE, BASE + 4, 0, 3}, {BASE + 8, BASE + 12, 1, 5}, {BASE + 4, BASE + 8, 0, 0}};
    const uint64_t line[] = {3, 3 + 1 + 1 + 5, 3 + 1};
    struct nm_apart *apart = nm_apart_new(&p, range, 3);
    for (size_t i = 0; i < 3; i++) {
        uint64_t pa = 0;
        cr_assert(nm_apart_at(apart, range[i].from, &pa));
        cr_expect_eq(pa, nm_placement_kept(&p, 0, line[i] * p.l2_line), "part %zu", i);
    }
    nm_apart_free(apart);
}

Test(apart, drawn)
{
    struct nm_params p;
    uint64_t state = 5;
    nm_params_default(&p);
    for (unsigned n = 0; n < MAPS; n++) {
        struct nm_apart_range range[BYTES];
        p.l2_line = 16u << next(&state, 4);
        check(&p, range, draw(range, &state));
    }
}

/* What does not fit into 64 bits is not taken for little. */
Test(apart, the_longest_ranges_take_the_most_pages)
{
    static const struct nm_apart_range rows[][2] = {
        {{0, UINT64_MAX, 0, 0}, {0}},
        {{1, UINT64_MAX, 0, 0}, {0}},
        {{7, UINT64_MAX, 3, 0}, {0}},
        {{0, UINT64_MAX / 2, 0, 0}, {UINT64_MAX / 2, UINT64_MAX, 0, 0}},
        {{0, 1, 1, 0}, {1, UINT64_MAX, 1, 0}},
        {{0, 1, 0, 0}, {1, UINT64_MAX, 0, UINT32_MAX}},
    };
    struct nm_params p;
    nm_params_default(&p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t pages = nm_apart_pages(&p, rows[i], rows[i][1].to ? 2 : 1);
        cr_expect_geq(pages, UINT64_MAX / p.page_size, "row %zu: %" PRIu64, i, pages);
    }
}

/* No program gets the pages that are kept. */
Test(apart, pages_are_kept)
{
    enum { KEPT = 5 };
    struct nm_params p;
    nm_params_default(&p);
    p.memory_size = 32 * p.page_size;
    const unsigned stations = (unsigned)nm_params_stations(&p);
    struct nm_placement *pl = nm_placement_new(&p);
    unsigned taken = 0;
    uint64_t pa;
    bool used;
    nm_placement_keep(pl, KEPT);
    while (nm_placement_take(pl, 0, 0x1000 * taken, &pa, &used)) {
        taken++;
        for (uint64_t page = 0; page < KEPT; page++)
            for (unsigned s = 0; s < stations; s++)
                cr_assert_neq(pa, nm_placement_kept(&p, s, page * p.page_size));
    }
    cr_expect_eq(taken, stations * (32 - KEPT));
    nm_placement_free(pl);
}

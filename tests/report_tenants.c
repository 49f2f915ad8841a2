/*
 * Tenants of addresses against a slow way: a table of bytes, of who came last.
 */
#include "run/tenants.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

enum { BYTES = 200, STREAMS = 300, STEPS = 200, KNOWN = 8 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

/* One of a few places, and which of those that had it. */
static struct doc_tenant drawn(uint64_t *state)
{
    const uint32_t n = draw(state, KNOWN);
    return (struct doc_tenant){.kind = DOC_TENANT_block,
                               .block = {.from = n * 17,
                                         .to = n * 17 + n * n * 7 % 90,
                                         .site = n % 3,
                                         .serial = draw(state, 2)}};
}

struct table {
    struct doc_tenant *of[BYTES]; /* NULL: nobody's */
};

static bool same(const struct doc_tenant *a, const struct doc_tenant *b)
{
    return a && b ? a->block.from == b->block.from && a->block.to == b->block.to &&
                        a->block.site == b->block.site && a->block.serial == b->block.serial
                  : a == b;
}

static void step(struct run_tenants *t, enum run_layer layer, struct table *table,
                 struct doc_tenant *tenant, uint64_t *state)
{
    const uint32_t what = draw(state, 8);
    uint64_t from = tenant->block.from, to = tenant->block.to;
    if (what == 0) {
        from = draw(state, BYTES);
        to = from + draw(state, (uint32_t)(BYTES - from));
        run_tenants_clear(t, layer, from, to);
    } else if (what < 4) {
        run_tenants_go(t, layer, tenant);
    } else {
        run_tenants_come(t, layer, tenant);
    }
    for (uint64_t va = from; va < to; va++)
        if (what >= 4)
            table->of[va] = tenant;
        else if (what == 0 || same(table->of[va], tenant))
            table->of[va] = NULL;
}

Test(report_tenants, are_what_a_table_says)
{
    static struct doc_tenant all[STEPS];
    unsigned there = 0;
    for (uint64_t stream = 0; stream < STREAMS; stream++) {
        uint64_t state = stream;
        struct run_tenants *t = run_tenants_new();
        struct table table[RUN_LAYERS] = {0};
        for (unsigned i = 0; i < STEPS; i++) {
            const enum run_layer layer = (enum run_layer)draw(&state, RUN_LAYERS);
            all[i] = drawn(&state);
            step(t, layer, &table[layer], &all[i], &state);
            const uint64_t va = draw(&state, BYTES);
            for (unsigned l = 0; l < RUN_LAYERS; l++) {
                const struct doc_tenant *should = table[l].of[va];
                const uint32_t got = run_tenants_at(t, (enum run_layer)l, va);
                cr_assert_eq(got, should ? run_tenants_number(t, should) : DOC_TENANT_nobody,
                             "stream %" PRIu64 ", step %u", stream, i);
                there += got != DOC_TENANT_nobody;
            }
        }
        run_tenants_free(t);
    }
    cr_expect_gt(there, STREAMS * STEPS / 4);
}

/* Blocks of one site at the same bytes are one, whoever got them; all else differs. */
Test(report_tenants, have_numbers)
{
    static const struct {
        struct doc_tenant tenant;
        uint32_t number;
    } rows[] = {
        {{.kind = DOC_TENANT_nobody}, 0},
        {{.kind = DOC_TENANT_several}, 1},
        {{DOC_TENANT_block, {.from = 8, .to = 16, .site = 3, .thread = 1, .serial = 5}}, 2},
        {{DOC_TENANT_block, {.from = 8, .to = 16, .site = 4, .thread = 1, .serial = 5}}, 3},
        {{DOC_TENANT_block, {.from = 8, .to = 24, .site = 3, .thread = 1, .serial = 5}}, 4},
        {{DOC_TENANT_block, {.from = 8, .to = 16, .site = 3, .thread = 2, .serial = 9}}, 2},
        {{DOC_TENANT_stack, {.from = 8, .to = 16, .thread = 1}}, 5},
        {{DOC_TENANT_stack, {.from = 8, .to = 16, .thread = 2}}, 6},
        {{DOC_TENANT_variables, {.from = 8, .to = 16, .thread = 2}}, 7},
        {{DOC_TENANT_stack, {.from = 8, .to = 16, .thread = 1}}, 5},
    };
    struct run_tenants *t = run_tenants_new();
    size_t count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(run_tenants_number(t, &rows[i].tenant), rows[i].number, "row %zu", i);
    struct doc_tenant *all = run_tenants_take(t, &count);
    cr_expect_eq(count, 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(all[rows[i].number].kind == rows[i].tenant.kind &&
                  all[rows[i].number].block.site == rows[i].tenant.block.site &&
                  all[rows[i].number].block.to == rows[i].tenant.block.to);
    free(all);
    run_tenants_free(t);
}

/* There are bounds: beyond, a tenant is one of several. */
Test(report_tenants, are_bounded)
{
    enum { MOST = 1 << 20 };
    struct run_tenants *t = run_tenants_new();
    uint32_t number = 0;
    for (uint64_t i = 0; i < MOST; i++)
        number = run_tenants_number(
            t, &(struct doc_tenant){DOC_TENANT_block, {.from = 8 * i, .to = 8 * i + 8}});
    cr_expect_eq(number, DOC_TENANT_several);
    number = run_tenants_number(t, &(struct doc_tenant){DOC_TENANT_block, {.from = 8, .to = 16}});
    cr_expect_eq(number, 3);
    run_tenants_free(t);
}

/*
 * Draws by lot.
 *
 * The hard idea is that no floating point is in it, because the host's mathematical library may
 * round the last digit as its processor does. A logarithm comes bit by bit by squaring; a power of
 * two with a fraction is a product of square roots of square roots of a half.
 */
#include "programs/patterns/draws.h"

#include "base/alloc.h"
#include "programs/patterns/patterns.h"

#include <Random123/philox.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

enum {
    ROUNDS = 7,   /**< of Philox: those that pass all known tests */
    WEIGHT = 40,  /**< bits of the first line's weight */
    ONE_BIT = 63, /**< 1 in numbers from a half to 2 */
};

struct patterns_draw patterns_draw(uint64_t seed, uint32_t stream, uint64_t number)
{
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t ctr = {{(uint32_t)number, (uint32_t)(number >> 32), stream, 1}};
    const philox4x32_ctr_t is = philox4x32_R(ROUNDS, ctr, key);

    return (struct patterns_draw){{is.v[0], is.v[1], is.v[2], is.v[3]}};
}

/* ---- logarithms ------------------------------------------------------------------------------ */

/** log2(x), x > 0, [2^-PATTERNS_LOG_BITS], rounded down. */
static uint64_t log2_of(uint64_t x)
{
    const int whole = 63 - __builtin_clzll(x);
    uint64_t log = (uint64_t)whole, part = x << (63 - whole);

    for (int i = 0; i < PATTERNS_LOG_BITS; i++) {
        const wide square = (wide)part * part >> ONE_BIT;
        const bool two = square >> 64;
        log = log << 1 | two;
        part = (uint64_t)(two ? square >> 1 : square);
    }
    return log;
}

/** The largest number whose square is no more. */
static uint64_t root_of(wide x)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((wide)(root | bit) * (root | bit) <= x)
            root |= bit;
    return root;
}

void patterns_logs_make(struct patterns_logs *logs)
{
    const uint64_t ten = log2_of(PATTERNS_LOG_STEPS);

    for (uint64_t i = 0; i <= PATTERNS_LOG_STEPS; i++)
        logs->log[i] = log2_of(PATTERNS_LOG_STEPS + i) - ten;
}

/* ---- geometric ------------------------------------------------------------------------------- */

void patterns_geometric_make(struct patterns_geometric *g, const struct patterns_logs *logs,
                             uint64_t mean)
{
    *g = (struct patterns_geometric){
        .logs = logs, .decay = mean ? log2_of(mean + PATTERNS_ONE) - log2_of(mean) : 0};
}

uint64_t patterns_geometric_draw(const struct patterns_geometric *g, uint32_t word)
{
    enum { INSIDE = 63 - 10 }; /* bits of a part behind those that choose the step */
    if (!g->decay)
        return 0;
    const uint64_t u = (uint64_t)word + 1; /* of 2^32: from above 0 to 1 */
    const int whole = 63 - __builtin_clzll(u);
    const uint64_t part = u << (63 - whole) & (UINT64_MAX >> 1);
    const uint64_t *at = &g->logs->log[part >> INSIDE];
    const uint64_t inside = part & ((UINT64_C(1) << INSIDE) - 1);
    const uint64_t log = ((uint64_t)whole << PATTERNS_LOG_BITS) + at[0] +
                         (uint64_t)((wide)(at[1] - at[0]) * inside >> INSIDE);

    return ((UINT64_C(32) << PATTERNS_LOG_BITS) - log) / g->decay;
}

/* ---- Zipf ------------------------------------------------------------------------------------ */

/** Weights of 1, 2, ... n: 2^WEIGHT / k^skew. @return their sum */
static uint64_t draws_weigh(uint64_t *weight, uint32_t n, uint64_t skew)
{
    uint64_t root[PATTERNS_LOG_BITS], sum = 0;

    root[0] = root_of((wide)1 << (2 * ONE_BIT - 1));
    for (int i = 1; i < PATTERNS_LOG_BITS; i++)
        root[i] = root_of((wide)root[i - 1] << ONE_BIT);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t power = (uint64_t)((wide)log2_of(k + UINT64_C(1)) * skew / PATTERNS_ONE);
        const uint64_t whole = power >> PATTERNS_LOG_BITS;
        uint64_t w = UINT64_C(1) << ONE_BIT;
        for (int i = 0; i < PATTERNS_LOG_BITS; i++)
            if (power >> (PATTERNS_LOG_BITS - 1 - i) & 1)
                w = (uint64_t)((wide)w * root[i] >> ONE_BIT);
        weight[k] = whole > WEIGHT ? 0 : w >> (ONE_BIT - WEIGHT) >> whole;
        sum += weight[k];
    }
    return sum;
}

/** Fills the table: each number that has less than its share is topped up by one that has more. */
static void share_out(struct patterns_alias *table, uint64_t *weight, uint32_t n, uint64_t sum)
{
    uint32_t *few = sim_alloc(n, sizeof *few), *many = sim_alloc(n, sizeof *many);
    size_t fews = 0, manys = 0;

    for (uint32_t k = 0; k < n; k++) {
        weight[k] *= n; /* the share of each is `sum` now */
        table[k] = (struct patterns_alias){.own = UINT32_MAX, .other = k};
        if (weight[k] < sum)
            few[fews++] = k;
        else
            many[manys++] = k;
    }
    while (fews && manys) {
        const uint32_t poor = few[--fews], rich = many[manys - 1];
        table[poor] = (struct patterns_alias){.own = (uint32_t)(((wide)weight[poor] << 32) / sum),
                                              .other = rich};
        weight[rich] -= sum - weight[poor];
        if (weight[rich] < sum) {
            few[fews++] = rich;
            manys--;
        }
    }
    free(few);
    free(many);
}

struct patterns_alias *patterns_zipf_make(uint32_t n, uint64_t skew)
{
    struct patterns_alias *table = sim_alloc(n, sizeof *table);
    uint64_t *weight = sim_alloc(n, sizeof *weight);
    const uint64_t sum = draws_weigh(weight, n, skew);

    share_out(table, weight, n, sum);
    free(weight);
    return table;
}

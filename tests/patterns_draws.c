/*
 * What patterns draw, held against the formulas in the host's floating point: frequencies of Zipf's
 * law and of geometric distributions, and that a draw is its own, whatever was drawn before.
 */
#include "programs/patterns/draws.h"
#include "programs/patterns/patterns.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { DRAWS = 1000000 };

/* Within five standard deviations of what comes so often on the average. */
static void expect_count(double count, double probability, const char *what, unsigned number)
{
    const double mean = DRAWS * probability, deviation = sqrt(mean * (1 - probability)) + 1;
    cr_assert(fabs(count - mean) < 5 * deviation, "%s: %u came %.0f times, expected %.1f", what,
              number, count, mean);
}

/* The table's own probabilities are those of the formula, to the digits it has. */
static void check_table(const struct patterns_alias *table, unsigned n, double skew)
{
    double *share = calloc(n, sizeof *share), sum = 0;
    for (unsigned k = 0; k < n; k++) {
        const double own = ((double)table[k].own + 1) / 0x1p32;
        share[k] += own / n;
        share[table[k].other] += (1 - own) / n;
        sum += pow(k + 1, -skew);
    }
    for (unsigned k = 0; k < n; k++)
        cr_assert(fabs(share[k] - pow(k + 1, -skew) / sum) < 2e-7, "skew %g: %u of %u: %g not %g",
                  skew, k, n, share[k], pow(k + 1, -skew) / sum);
    free(share);
}

Test(draws, zipf)
{
    static const struct {
        unsigned n;
        uint64_t skew;
    } rows[] = {{1, 900000},   {2, 0},    {10, 1000000},    {1000, 900000},
                {64, 4000000}, {1024, 1}, {10000, 1250000}, {131072, 2000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct patterns_alias *table = patterns_zipf_make(rows[i].n, rows[i].skew);
        check_table(table, rows[i].n, (double)rows[i].skew / 1e6);
        free(table);
    }
}

Test(draws, geometric)
{
    static const double means[] = {0.1, 1, 9, 400, 1e6};
    struct patterns_logs logs;
    patterns_logs_make(&logs);
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        const double mean = means[i], go_on = mean / (mean + 1);
        struct patterns_geometric g;
        double sum = 0, count[8] = {0};
        patterns_geometric_make(&g, &logs, (uint64_t)(mean * 1e6 + 0.5));
        for (unsigned k = 0; k < DRAWS; k++) {
            const uint64_t n = patterns_geometric_draw(&g, patterns_draw(7, 3, k).word[3]);
            sum += (double)n;
            if (n < 8)
                count[n]++;
        }
        cr_assert(fabs(sum / DRAWS - mean) < 5 * sqrt(mean * (mean + 1) / DRAWS),
                  "mean %g, expected %g", sum / DRAWS, mean);
        for (unsigned n = 0; n < 8; n++)
            expect_count(count[n], pow(go_on, n) * (1 - go_on), "geometric", n);
    }
    struct patterns_geometric none;
    patterns_geometric_make(&none, &logs, 0);
    cr_assert_eq(patterns_geometric_draw(&none, 12345), 0);
}

Test(draws, of_their_own)
{
    const struct patterns_draw one = patterns_draw(1, 1 << 16 | 2, 3);
    const struct patterns_draw others[] = {patterns_draw(2, 1 << 16 | 2, 3),
                                           patterns_draw(1, 2 << 16 | 2, 3),
                                           patterns_draw(1, 1 << 16 | 3, 3),
                                           patterns_draw(1, 1 << 16 | 2, 4),
                                           patterns_draw(1ULL << 32 | 1, 1 << 16 | 2, 3),
                                           patterns_draw(1, 1 << 16 | 2, 1ULL << 32 | 3)};
    double count[16] = {0};
    cr_assert_arr_eq(&one, &(struct patterns_draw[]){patterns_draw(1, 1 << 16 | 2, 3)}, sizeof one);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int w = 0; w < 4; w++)
            cr_assert_neq(one.word[w], others[i].word[w], "draw %zu, word %d", i, w);
    for (unsigned k = 0; k < DRAWS; k++)
        count[patterns_below(patterns_draw(1, 0, k).word[1], 16)]++;
    for (unsigned i = 0; i < 16; i++)
        expect_count(count[i], 1.0 / 16, "below", i);
}

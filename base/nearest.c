/*
 * The name somebody meant: the nearest by edit distance. Short lists, so each word is compared.
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 /* longer words are not compared */ };

/** Edit distance (insert, delete, replace, swap of neighbours), case ignored for ASCII letters. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][WORD_MAX + 1] = {0};
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const bool same = (a[i - 1] | 0x20) == (b[j - 1] | 0x20);
            unsigned best = above[j - 1] + !same;
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *sim_nearest(const char *word, const char *(*next)(void *ctx, size_t i), void *ctx)
{
    const size_t n = strlen(word);
    const char *best = NULL, *candidate;
    if (n == 0 || n > WORD_MAX)
        return NULL;
    unsigned near = (unsigned)(n / 3 + 1);
    for (size_t i = 0; (candidate = next(ctx, i)); i++) {
        const size_t m = strlen(candidate);
        if (m > WORD_MAX)
            continue;
        const unsigned d = distance(word, n, candidate, m);
        if (d <= near && d < m) {
            near = d ? d - 1 : 0;
            best = candidate;
            if (d == 0)
                break;
        }
    }
    return best;
}

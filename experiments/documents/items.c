/* Something for most of the R10000's events: vectors that do not fit the caches, branches that
 * depend on data, multiply-adds, quotients, and a lock that nobody else wants. */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 40
#endif

enum { ELEMENTS = 4096 };

static double a[ELEMENTS], b[ELEMENTS];
static unsigned state = 1, odd;

int main(void)
{
    double sum = 0;
    for (unsigned r = 0; r < ROUNDS; r++)
        for (unsigned i = 0; i < ELEMENTS; i++) {
            const unsigned from = i * 61 % ELEMENTS;
            state = state * 1664525 + 1013904223;
            a[i] = a[i] * 0.5 + b[from];
            if (state >> 31)
                b[i] = (double)(state / (i + 1));
            if (i % 64 == 0)
                __atomic_fetch_add(&odd, state >> 31, __ATOMIC_RELAXED);
        }
    for (unsigned i = 0; i < ELEMENTS; i++)
        sum += a[i];
    printf("%.3e %u\n", sum, odd);
    return 0;
}

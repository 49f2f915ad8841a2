/*
 * Searches a random text for several short patterns, with OpenMP. The number of positions looked
 * at and of matches are kept for the report.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define LENGTH 40000

static char text[LENGTH + 1];
static const char *const patterns[] = {"ab", "abc", "caba", "bbca"};

static struct {
    int positions __attribute__((aligned(64)));
    int matches __attribute__((aligned(64)));
} progress;

static void make_text(void)
{
    unsigned x = 3;

    for (int i = 0; i < LENGTH; i++) {
        x = x * 1664525u + 1013904223u;
        text[i] = (char)('a' + (x >> 24) % 3);
    }
}

static int starts_with(const char *s, const char *pattern)
{
    while (*pattern)
        if (*s++ != *pattern++)
            return 0;
    return 1;
}

int main(void)
{
    const int n = sizeof patterns / sizeof *patterns;

    make_text();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < LENGTH; i++) {
#pragma omp atomic
        progress.positions++;
        for (int p = 0; p < n; p++)
            if (p == i % n && starts_with(text + i, patterns[p])) {
#pragma omp atomic
                progress.matches++;
            }
    }
    printf("%d positions, %d matches\n", progress.positions, progress.matches);
    return 0;
}

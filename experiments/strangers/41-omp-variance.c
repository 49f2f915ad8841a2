/*
 * Semivariances of a series, with OpenMP: what lies above and what lies below zero is added up
 * apart. Each thread has a record of what it has added up.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH  30000
#define THREADS 16

struct moments {
    long long sum;
    long long squares;
    int n;
};

static int series[LENGTH];
static struct {
    struct moments above, below;
} moments[THREADS];

static void make_series(void)
{
    unsigned x = 2;

    for (int i = 0; i < LENGTH; i++) {
        x = x * 1664525u + 1013904223u;
        series[i] = (int)(x >> 24) - 128;
    }
}

static void add(struct moments *m, int value)
{
    m->sum += value;
    m->squares += (long long)value * value;
    m->n++;
}

static void merge(struct moments *all, const struct moments *part)
{
    all->sum += part->sum;
    all->squares += part->squares;
    all->n += part->n;
}

static void print(const char *name, const struct moments *m)
{
    printf("%s: n %d, sum %lld, squares %lld\n", name, m->n, m->sum, m->squares);
}

int main(void)
{
    struct moments above = {0, 0, 0}, below = {0, 0, 0};

    make_series();
#pragma omp parallel for schedule(static) num_threads(THREADS)
    for (int i = 0; i < LENGTH; i++) {
        int me = omp_get_thread_num();
        add(series[i] < 0 ? &moments[me].below : &moments[me].above, series[i]);
    }
    for (int t = 0; t < THREADS; t++) {
        merge(&above, &moments[t].above);
        merge(&below, &moments[t].below);
    }
    print("above", &above);
    print("below", &below);
    return 0;
}

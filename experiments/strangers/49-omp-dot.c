/*
 * Dot products and norms of vectors of integers with OpenMP's reductions. Each thread fills the
 * part of the vectors that it works on.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 16384
#define ROUNDS 12

static int *new_vector(int factor)
{
    int *v = aligned_alloc(4096, LENGTH * sizeof *v);

    if (!v) {
        fputs("no memory\n", stderr);
        exit(1);
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < LENGTH; i++)
        v[i] = i * factor % 101 - 50;
    return v;
}

static long long dot(const int *a, const int *b)
{
    long long sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < LENGTH; i++)
        sum += (long long)a[i] * b[i];
    return sum;
}

static int largest(const int *a)
{
    int most = a[0];

#pragma omp parallel for schedule(static) reduction(max : most)
    for (int i = 0; i < LENGTH; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}

static void axpy(int factor, const int *x, int *y)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < LENGTH; i++)
        y[i] = (y[i] + factor * x[i]) % 1009;
}

int main(void)
{
    int *a = new_vector(7), *b = new_vector(11);
    long long result = 0;

    for (int r = 0; r < ROUNDS; r++) {
        result += dot(a, b);
        axpy(r, a, b);
    }
    printf("%lld, largest %d\n", result, largest(b));
    free(a);
    free(b);
    return 0;
}

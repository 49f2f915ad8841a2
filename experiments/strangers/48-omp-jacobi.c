/*
 * Jacobi iteration for the heat equation on a square plate, with OpenMP. Two plates of integers
 * (thousandths of a degree) are used in turn.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N     256
#define STEPS 4

static int *new_plate(void)
{
    int *plate = malloc(N * N * sizeof(int));

    if (plate == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    for (int i = 0; i < N * N; i++)
        plate[i] = i < N ? 100000 : 20000;
    return plate;
}

static void iterate(const int *old, int *new)
{
#pragma omp parallel for schedule(static)
    for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++)
            new[y * N + x] = (old[(y - 1) * N + x] + old[(y + 1) * N + x] + old[y * N + x - 1] +
                              old[y * N + x + 1]) /
                             4;
}

int main(void)
{
    int *plate = new_plate(), *other = new_plate();
    long long heat = 0;

    for (int s = 0; s < STEPS; s++) {
        iterate(plate, other);
        int *swap = plate;
        plate = other;
        other = swap;
    }
    for (int i = 0; i < N * N; i++)
        heat += plate[i];
    printf("%lld\n", heat / 1000);
    free(plate);
    free(other);
    return 0;
}

/*
 * relax: smooths a large grid, band by band, each thread its own rows, for a number of sweeps.
 * The main thread allocates the grid and fills it with the start values.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS  256
#define ROWS     768
#define NTHREADS 16
#define SWEEPS   5

static int *grid;

static void fill(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            grid[r * COLUMNS + c] = (r * 7 + c * 13) % 1000;
}

static void smooth_row(int *row)
{
    int before = row[0];

    for (int c = 1; c < COLUMNS - 1; c++) {
        int now = row[c];
        row[c] = (before + 2 * now + row[c + 1]) / 4;
        before = now;
    }
}

static void *smooth(void *arg)
{
    int me = (int)(size_t)arg;
    int first = me * ROWS / NTHREADS, last = (me + 1) * ROWS / NTHREADS;

    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int r = first; r < last; r++)
            smooth_row(grid + r * COLUMNS);
    return NULL;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    long sum = 0;

    grid = malloc(ROWS * COLUMNS * sizeof *grid);
    if (!grid) {
        perror("grid");
        return 1;
    }
    fill();
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, smooth, (void *)t);
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int i = 0; i < ROWS * COLUMNS; i += COLUMNS + 1)
        sum += grid[i];
    printf("%ld\n", sum);
    free(grid);
    return 0;
}

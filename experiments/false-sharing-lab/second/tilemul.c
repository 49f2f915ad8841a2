/*
 * A matrix product in tiles. The threads take the rows of the result in turn; a row has ten floats,
 * so neighbouring rows lie in one line, and each tile adds to them in memory.
 */
#include "shown.h"

#include <pthread.h>

enum { N = 10, INNER = 160, TILE = 4, ROWS = 64 };

static float a[ROWS][INNER] LINE_ALIGNED, b[INNER][N] LINE_ALIGNED;

static struct {
    APART volatile float at[N];
} c[ROWS] LINE_ALIGNED;

static int threads LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

static void add_tile(int row, int k0)
{
    for (int j = 0; j < N; j++)
        for (int k = k0; k < k0 + TILE; k++)
            c[row].at[j] += a[row][k] * b[k][j]; /* shares: c */
}

static void *multiply(void *arg)
{
    const int me = (int)(size_t)arg;
    pthread_barrier_wait(&begin);
    for (int row = me; row < 2 * threads && row < ROWS; row += threads)
        for (int k0 = 0; k0 < INNER; k0 += TILE)
            add_tile(row, k0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    int wrong = 0;
    threads = thread_count(argc, argv, 4);
    for (int k = 0; k < INNER; k++) {
        for (int i = 0; i < ROWS; i++)
            a[i][k] = (float)(i % 3 + 1);
        for (int j = 0; j < N; j++)
            b[k][j] = (float)(j + 1);
    }
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, multiply, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    const int rows = 2 * threads < ROWS ? 2 * threads : ROWS;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            wrong += c[i].at[j] != (float)((i % 3 + 1) * (j + 1) * INNER);
    show_object("c", c, (size_t)rows * sizeof c[0]);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}

/*
 * A grid of a thousand rows of 17 words. The threads have the rows in turn, so each line holds a
 * border of two rows, and each step moves it from one owner to the other.
 */
#include "shown.h"

#include <pthread.h>

enum { ROWS = 1000, COLUMNS = 17, STEPS = 36 };

static struct {
    APART volatile unsigned cell[COLUMNS];
} grid[ROWS] LINE_ALIGNED;

static int threads LINE_ALIGNED;
static pthread_barrier_t step LINE_ALIGNED;

static void *advance(void *arg)
{
    const int me = (int)(size_t)arg;
    for (unsigned s = 0; s < STEPS; s++) {
        pthread_barrier_wait(&step);
        for (int row = me; row < ROWS; row += threads)
            for (int column = 0; column < COLUMNS; column++)
                grid[row].cell[column] += s + 1; /* shares: grid */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    int wrong = 0;
    threads = thread_count(argc, argv, 16);
    pthread_barrier_init(&step, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, advance, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            wrong += grid[row].cell[column] != STEPS * (STEPS + 1) / 2;
    SHOW(grid);
    SHOW(step);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}

/*
 * Rows of a grid, whole lines each, of which neighbours read the borders after every step: producer
 * and consumer across a barrier.
 */
#include "lab.h"

enum { COLUMNS = 32, STEPS = 12 };

static struct {
    LAB_ALIGNED volatile unsigned cell[COLUMNS];
} grid[2][LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    const unsigned above = me ? me - 1 : threads - 1, below = (me + 1) % threads;
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned from = step % 2;
        for (unsigned c = 0; c < COLUMNS; c++)
            grid[!from][me].cell[c] =
                grid[from][above].cell[c] + grid[from][me].cell[c] + grid[from][below].cell[c];
        lab_meet();
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    unsigned expected = 1;
    for (unsigned t = 0; t < threads; t++)
        for (unsigned c = 0; c < COLUMNS; c++)
            grid[0][t].cell[c] = 1;
    lab_run(threads, work);
    for (unsigned step = 0; step < STEPS; step++)
        expected *= 3;
    for (unsigned t = 0; t < threads; t++)
        for (unsigned c = 0; c < COLUMNS; c++)
            good &= grid[STEPS % 2][t].cell[c] == expected;
    LAB_SHOW(grid);
    return lab_end(good);
}

/*
 * A matrix of words whose columns are dealt out to threads: every line belongs to all of them.
 */
#include "lab.h"

enum { ROWS = 32, ROUNDS = 20 };

#ifdef PADDED
static volatile unsigned cells[LAB_THREADS_MAX][ROWS] LAB_ALIGNED;
#define CELL(row, column) cells[column][row]
#else
static volatile unsigned cells[ROWS][LAB_THREADS_MAX] LAB_ALIGNED;
#define CELL(row, column) cells[row][column]
#endif

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned r = 0; r < ROWS; r++)
            CELL(r, me) += r; /* shares: cells */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned r = 0; r < ROWS; r++)
            good &= CELL(r, t) == r * ROUNDS;
    LAB_SHOW(cells);
    return lab_end(good);
}

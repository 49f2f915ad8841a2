/*
 * Rows of 13 doubles (104 bytes), dealt out to threads: neighbours share the lines at the borders.
 */
#include "lab.h"

enum { COLUMNS = 13, ROUNDS = 150 };

static struct {
    LAB_APART volatile double cell[COLUMNS];
} rows[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned c = 0; c < COLUMNS; c++)
            rows[me].cell[c] += c; /* shares: rows */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 10);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned c = 0; c < COLUMNS; c++)
            good &= rows[t].cell[c] == (double)(c * ROUNDS);
    LAB_SHOW(rows);
    return lab_end(good);
}

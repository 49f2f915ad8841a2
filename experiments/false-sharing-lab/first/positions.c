/*
 * Threads publish where they are, and nobody looks: stores only, so lines go from owner to owner
 * and no copy is ever invalidated.
 */
#include "lab.h"

enum { ROUNDS = 2000 };

static struct {
    LAB_APART volatile unsigned at;
} positions[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        positions[me].at = i; /* shares: positions */
        lab_think(60);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= positions[t].at == ROUNDS - 1;
    LAB_SHOW(positions);
    return lab_end(good);
}

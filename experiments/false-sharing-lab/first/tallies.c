/*
 * False sharing at its plainest: each thread counts in its own element of an array of words.
 */
#include "lab.h"

enum { ROUNDS = 1500 };

static struct {
    LAB_APART volatile unsigned n;
} tallies[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        tallies[me].n++; /* shares: tallies */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= tallies[t].n == ROUNDS;
    LAB_SHOW(tallies);
    return lab_end(good);
}

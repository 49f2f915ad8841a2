/*
 * Arrays on each thread's own stack: nothing is shared.
 */
#include "lab.h"

enum { WORDS = 256, ROUNDS = 20 };

static struct {
    LAB_ALIGNED volatile unsigned sum;
} sums[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    volatile unsigned own[WORDS];
    (void)threads;
    for (unsigned w = 0; w < WORDS; w++)
        own[w] = me;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned w = 0; w < WORDS; w++)
            own[w] += i;
    sums[me].sum = own[WORDS - 1];
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= sums[t].sum == t + ROUNDS * (ROUNDS - 1) / 2;
    LAB_SHOW(sums);
    return lab_end(good);
}

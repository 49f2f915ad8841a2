/*
 * A table that is written before there are threads, and then only read by all: shared, and never
 * invalidated.
 */
#include "lab.h"

enum { WORDS = 512, ROUNDS = 8 };

static volatile unsigned constants[WORDS] LAB_ALIGNED;

static struct {
    LAB_ALIGNED volatile unsigned sum;
} sums[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    unsigned sum = 0;
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned w = 0; w < WORDS; w++)
            sum += constants[w];
    sums[me].sum = sum;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    bool good = true;
    for (unsigned w = 0; w < WORDS; w++)
        constants[w] = w;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= sums[t].sum == ROUNDS * (WORDS * (WORDS - 1) / 2);
    LAB_SHOW(constants);
    LAB_SHOW(sums);
    return lab_end(good);
}

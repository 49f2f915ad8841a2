/*
 * A table that all threads read, all of it, and one rewrites now and then, all of it: read-mostly.
 */
#include "lab.h"

enum { WORDS = 32, ROUNDS = 120, OFTEN = 12 };

static struct {
    LAB_ALIGNED volatile unsigned word[WORDS];
} table;

static struct {
    LAB_ALIGNED volatile unsigned sum;
} sums[LAB_THREADS_MAX];

static void rewrite(unsigned value)
{
    for (unsigned w = 0; w < WORDS; w++)
        table.word[w] = value;
}

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (me == 0 && i % OFTEN == 0)
            rewrite(i);
        for (unsigned w = 0; w < WORDS; w++)
            sums[me].sum |= table.word[w];
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned w = 0; w < WORDS; w++)
        good &= table.word[w] == (ROUNDS - 1) / OFTEN * OFTEN;
    LAB_SHOW(table);
    LAB_SHOW(sums);
    return lab_end(good);
}

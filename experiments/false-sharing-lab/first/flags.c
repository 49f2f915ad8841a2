/*
 * A byte for each thread, all of them in one line: false sharing within words.
 */
#include "lab.h"

enum { ROUNDS = 250 };

static struct {
    LAB_APART volatile unsigned char busy;
} flags[LAB_THREADS_MAX] LAB_ALIGNED;

static volatile unsigned rounds[LAB_THREADS_MAX][LAB_LINE / sizeof(unsigned)] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        flags[me].busy ^= 1; /* shares: flags */
        lab_think(400);
        rounds[me][0]++;
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 32);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= flags[t].busy == ROUNDS % 2 && rounds[t][0] == ROUNDS;
    LAB_SHOW(flags);
    return lab_end(good);
}

/*
 * Neighbouring settings, written by each thread at its start and read by it ever after: shared
 * falsely for a moment, then copies stay.
 */
#include "lab.h"

enum { ROUNDS = 2000 };

static struct {
    LAB_APART volatile unsigned step, limit;
} setup[LAB_THREADS_MAX] LAB_ALIGNED;

static volatile unsigned sums[LAB_THREADS_MAX][LAB_LINE / sizeof(unsigned)] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    setup[me].step = me + 1;
    setup[me].limit = ROUNDS;
    lab_meet();
    for (unsigned i = 0; i < setup[me].limit; i++)
        sums[me][0] += setup[me].step;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= sums[t][0] == (t + 1) * ROUNDS;
    LAB_SHOW(setup);
    return lab_end(good);
}

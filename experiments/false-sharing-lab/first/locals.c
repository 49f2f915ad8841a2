/*
 * A variable of each thread (TLS): the same name everywhere, and nothing is shared.
 */
#include "lab.h"

enum { ROUNDS = 3000 };

static __thread volatile unsigned count;

static struct {
    LAB_ALIGNED volatile unsigned count;
} counts[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        count++;
    counts[me].count = count;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= counts[t].count == ROUNDS;
    LAB_SHOW(counts);
    return lab_end(good);
}

/*
 * Counters that two threads share each, four counters in a row: within a pair the sharing is true,
 * between pairs it is false.
 */
#include "lab.h"

enum { ROUNDS = 500 };

static struct {
    LAB_APART unsigned n;
} pairs[LAB_THREADS_MAX / 2] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        __sync_fetch_and_add(&pairs[me / 2].n, 1); /* shares: pairs */
        lab_think(100);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    unsigned sum = 0;
    lab_run(threads, work);
    for (unsigned p = 0; p < LAB_THREADS_MAX / 2; p++)
        sum += pairs[p].n;
    LAB_SHOW(pairs);
    return lab_end(sum == threads * ROUNDS);
}

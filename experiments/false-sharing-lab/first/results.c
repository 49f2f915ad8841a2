/*
 * Neighbouring results, each written once at the end of a long computation: false sharing that
 * costs nothing.
 */
#include "lab.h"

enum { ROUNDS = 3000 };

static struct {
    LAB_APART volatile unsigned value;
} results[LAB_THREADS_MAX] LAB_ALIGNED;

static unsigned compute(unsigned x)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    results[me].value = compute(me);
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= results[t].value == compute(t);
    LAB_SHOW(results);
    return lab_end(good);
}

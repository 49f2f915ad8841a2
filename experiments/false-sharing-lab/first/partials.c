/*
 * Partial sums of a product of vectors, a double for each of many threads: eight threads in a line.
 */
#include "lab.h"

enum { ELEMENTS = 400 };

static struct {
    LAB_APART volatile double sum;
} partials[LAB_THREADS_MAX] LAB_ALIGNED;

static double left[ELEMENTS], right[ELEMENTS];

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ELEMENTS; i++)
        partials[me].sum += left[i] * right[i]; /* shares: partials */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 64);
    double expected = 0;
    bool good = true;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        left[i] = i;
        right[i] = 2;
        expected += left[i] * right[i];
    }
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= partials[t].sum == expected;
    LAB_SHOW(partials);
    return lab_end(good);
}

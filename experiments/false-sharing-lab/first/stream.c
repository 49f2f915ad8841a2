/*
 * Each thread goes twice through memory of its own that is larger than its secondary cache: misses
 * in plenty, and none of them for sharing.
 */
#include "lab.h"

enum { BYTES = 640 * 1024, STEP = LAB_LINE / sizeof(unsigned), WORDS = BYTES / sizeof(unsigned) };

static unsigned *streams[LAB_THREADS_MAX] LAB_ALIGNED;

static struct {
    LAB_ALIGNED volatile unsigned sum;
} sums[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    volatile unsigned *own = streams[me] = aligned_alloc(LAB_LINE, BYTES);
    (void)threads;
    for (unsigned w = 0; w < WORDS; w += STEP)
        own[w] = w / STEP;
    for (unsigned w = 0; w < WORDS; w += STEP)
        sums[me].sum += own[w];
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 4);
    const unsigned lines = WORDS / STEP;
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++) {
        good &= sums[t].sum == lines * (lines - 1) / 2;
        lab_show("work()", streams[t], BYTES);
    }
    LAB_SHOW(sums);
    return lab_end(good);
}

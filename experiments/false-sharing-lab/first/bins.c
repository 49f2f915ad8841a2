/*
 * Histograms of private numbers, all threads' counts of a bin side by side.
 */
#include "lab.h"

enum { BINS = 8, NUMBERS = 800 };

#ifdef PADDED
static volatile unsigned short bins[LAB_THREADS_MAX][LAB_LINE / sizeof(short)] LAB_ALIGNED;
#define COUNT(bin, thread) bins[thread][bin]
#else
static volatile unsigned short bins[BINS][LAB_THREADS_MAX] LAB_ALIGNED;
#define COUNT(bin, thread) bins[bin][thread]
#endif

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0, x = me; i < NUMBERS; i++, x = x * 1103515245u + 12345u)
        COUNT(x >> 20 & (BINS - 1), me)++; /* shares: bins */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++) {
        unsigned sum = 0;
        for (unsigned b = 0; b < BINS; b++)
            sum += COUNT(b, t);
        good &= sum == NUMBERS;
    }
    LAB_SHOW(bins);
    return lab_end(good);
}

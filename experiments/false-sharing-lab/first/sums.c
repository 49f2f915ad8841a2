/*
 * Sums of private numbers, kept in neighbouring doublewords: false sharing of two halves each.
 */
#include "lab.h"

enum { NUMBERS = 800 };

static struct {
    LAB_APART volatile unsigned long long sum;
} sums[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    unsigned numbers[NUMBERS];
    (void)threads;
    for (unsigned i = 0; i < NUMBERS; i++)
        numbers[i] = i + me;
    lab_meet();
    for (unsigned i = 0; i < NUMBERS; i++) {
        sums[me].sum += numbers[i]; /* shares: sums */
        lab_think(60);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= sums[t].sum == (NUMBERS - 1ull) * NUMBERS / 2 + (unsigned long long)t * NUMBERS;
    LAB_SHOW(sums);
    return lab_end(good);
}

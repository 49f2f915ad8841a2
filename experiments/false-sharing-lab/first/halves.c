/*
 * Blocks of half a line, one for each thread: two threads meet in each line.
 */
#include "lab.h"

enum { WORDS = LAB_LINE / 2 / sizeof(unsigned), ROUNDS = 200 };

static struct {
    LAB_APART volatile unsigned word[WORDS];
} halves[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned w = 0; w < WORDS; w++) {
            halves[me].word[w] += w; /* shares: halves */
            lab_think(24);
        }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 6);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned w = 0; w < WORDS; w++)
            good &= halves[t].word[w] == w * ROUNDS;
    LAB_SHOW(halves);
    return lab_end(good);
}

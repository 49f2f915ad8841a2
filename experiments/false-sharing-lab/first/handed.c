/*
 * Blocks of whole lines that one thread fills and hands to their owners, who keep them: each line
 * moves once.
 */
#include "lab.h"

enum { WORDS = 4 * LAB_LINE / sizeof(unsigned), ROUNDS = 40 };

static volatile unsigned *handed[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    volatile unsigned *mine = handed[me];
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned w = 0; w < WORDS; w++)
            mine[w] += i;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 12);
    bool good = true;
    for (unsigned t = 0; t < threads; t++) {
        handed[t] = lab_new(WORDS * sizeof *handed[t]);
        handed[t][0] = t;
    }
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++) {
        good &= handed[t][0] == t + ROUNDS * (ROUNDS - 1) / 2;
        lab_show("main()", handed[t], WORDS * sizeof *handed[t]);
    }
    return lab_end(good);
}

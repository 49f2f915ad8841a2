/*
 * A limit that everybody reads and nobody changes, beside a counter that one thread writes.
 */
#include "lab.h"

enum { ROUNDS = 1500, LIMIT = 17 };

static struct {
    volatile unsigned limit;
    LAB_APART volatile unsigned progress;
} state LAB_ALIGNED = {LIMIT, 0};

static volatile unsigned seen[LAB_THREADS_MAX][LAB_LINE / sizeof(unsigned)] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    unsigned sum = 0;
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (me == 0)
            state.progress++; /* shares: state */
        else
            sum += state.limit;
        lab_think(80);
    }
    seen[me][0] = sum;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 1; t < threads; t++)
        good &= seen[t][0] == ROUNDS * LIMIT;
    LAB_SHOW(state);
    return lab_end(good && state.progress == ROUNDS);
}

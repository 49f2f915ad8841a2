/*
 * Blocks of one word, a malloc for each thread: the allocator lays them side by side.
 */
#include "lab.h"

enum { ROUNDS = 1200 };

static volatile unsigned *blocks[LAB_THREADS_MAX];

static volatile unsigned *make(void)
{
    volatile unsigned *at = LAB_PADDED ? lab_new(sizeof *at) : malloc(sizeof *at);
    *at = 0;
    return at;
}

static void work(unsigned me, unsigned threads)
{
    volatile unsigned *mine = blocks[me];
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        *mine += 1; /* shares: make() */
        lab_think(20);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (unsigned t = 0; t < threads; t++)
        blocks[t] = make();
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++) {
        good &= *blocks[t] == ROUNDS;
        lab_show("make()", blocks[t], sizeof *blocks[t]);
    }
    return lab_end(good);
}

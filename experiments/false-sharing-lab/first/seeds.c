/*
 * Generators of random numbers, each with a state of three halfwords in one array.
 */
#include "lab.h"

enum { DRAWS = 700 };

static struct {
    LAB_APART volatile unsigned short state[3];
} seeds[LAB_THREADS_MAX] LAB_ALIGNED;

static unsigned short draw(volatile unsigned short *state)
{
    const unsigned short a = state[0], b = state[1], c = state[2];
    state[0] = b;                                         /* shares: seeds */
    state[1] = c;                                         /* shares: seeds */
    state[2] = (unsigned short)((a ^ (c << 3)) + 40503u); /* shares: seeds */
    return state[2];
}

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    seeds[me].state[0] = (unsigned short)me;
    for (unsigned i = 0; i < DRAWS; i++)
        draw(seeds[me].state);
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 10);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++) {
        volatile unsigned short again[3] = {(unsigned short)t, 0, 0};
        for (unsigned i = 0; i < DRAWS; i++)
            draw(again);
        good &= again[2] == seeds[t].state[2];
    }
    LAB_SHOW(seeds);
    return lab_end(good);
}

/*
 * One counter that all threads add to: true sharing of a word, in a line of its own.
 */
#include "lab.h"

enum { ROUNDS = 400 };

static struct {
    LAB_ALIGNED unsigned n;
} counter;

static void work(unsigned me, unsigned threads)
{
    (void)me;
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        __sync_fetch_and_add(&counter.n, 1);
        lab_think(120);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    lab_run(threads, work);
    LAB_SHOW(counter);
    return lab_end(counter.n == threads * ROUNDS);
}

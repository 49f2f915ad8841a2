/*
 * A lock of one word that threads spin for, and what it guards in another line: true sharing with
 * many readers of the lock.
 */
#include "lab.h"

enum { ROUNDS = 60 };

static struct {
    LAB_ALIGNED volatile unsigned shut;
} gate;

static struct {
    LAB_ALIGNED volatile unsigned n;
} inside;

static void work(unsigned me, unsigned threads)
{
    (void)me;
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        while (gate.shut || __sync_lock_test_and_set(&gate.shut, 1))
            ;
        inside.n++;
        __sync_lock_release(&gate.shut);
        lab_think(500);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 6);
    lab_run(threads, work);
    LAB_SHOW(gate);
    LAB_SHOW(inside);
    return lab_end(inside.n == threads * ROUNDS);
}

/*
 * A total that all threads add to, in one line with each thread's own count: true and false sharing
 * of the same line.
 */
#include "lab.h"

enum { ROUNDS = 500, OFTEN = 8 };

static struct {
    unsigned total;
    struct {
        LAB_APART volatile unsigned n;
    } own[LAB_THREADS_MAX];
} board LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        board.own[me].n++; /* shares: board */
        if (i % OFTEN == 0)
            __sync_fetch_and_add(&board.total, OFTEN);
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= board.own[t].n == ROUNDS;
    LAB_SHOW(board);
    return lab_end(good && board.total >= threads * ROUNDS);
}

/*
 * A pool that is one block of the heap: a head that all read, and behind it a record for each
 * thread.
 */
#include "../false-sharing-lab/first/lab.h"

enum { ROUNDS = 500 };

struct record {
    LAB_APART unsigned tested, found;
};

struct pool {
    unsigned seed;
    struct record stats[LAB_THREADS_MAX];
};

static struct pool *pool;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        volatile struct record *mine = &pool->stats[me];
        mine->tested++;
        mine->found += (i ^ pool->seed) & 1;
        lab_think(30);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    pool = (struct pool *)lab_new(sizeof *pool);
    pool->seed = 3;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= pool->stats[t].tested == ROUNDS;
    return lab_end(good);
}

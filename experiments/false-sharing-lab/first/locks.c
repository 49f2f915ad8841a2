/*
 * An array of locks, each of which only one thread takes: never contended, and yet slow.
 */
#include "lab.h"

enum { ROUNDS = 400 };

static struct {
    LAB_APART pthread_mutex_t lock;
} locks[LAB_THREADS_MAX] LAB_ALIGNED;

static volatile unsigned guarded[LAB_THREADS_MAX][LAB_LINE / sizeof(unsigned)] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&locks[me].lock); /* shares: locks */
        guarded[me][0]++;
        pthread_mutex_unlock(&locks[me].lock); /* shares: locks */
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (unsigned t = 0; t < threads; t++)
        pthread_mutex_init(&locks[t].lock, NULL);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= guarded[t][0] == ROUNDS;
    LAB_SHOW(locks);
    return lab_end(good);
}

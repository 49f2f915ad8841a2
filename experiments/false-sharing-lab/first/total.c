/*
 * A total under a lock, each in a line of its own: true sharing of both.
 */
#include "lab.h"

enum { ROUNDS = 120 };

static struct {
    LAB_ALIGNED pthread_mutex_t lock;
} guard = {PTHREAD_MUTEX_INITIALIZER};

static struct {
    LAB_ALIGNED unsigned long long sum;
} total;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&guard.lock);
        total.sum += me;
        pthread_mutex_unlock(&guard.lock);
        lab_think(600);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    lab_run(threads, work);
    LAB_SHOW(guard);
    LAB_SHOW(total);
    return lab_end(total.sum == (unsigned long long)ROUNDS * threads * (threads - 1) / 2);
}

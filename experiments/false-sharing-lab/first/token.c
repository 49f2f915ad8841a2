/*
 * A record of ten words that goes from thread to thread under a lock, all of it read and written by
 * each: migratory.
 */
#include "lab.h"

enum { WORDS = 10, ROUNDS = 60 };

static struct {
    LAB_ALIGNED pthread_mutex_t lock;
} guard = {PTHREAD_MUTEX_INITIALIZER};

static struct {
    LAB_ALIGNED volatile unsigned word[WORDS];
} token;

static void work(unsigned me, unsigned threads)
{
    (void)me;
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&guard.lock);
        for (unsigned w = 0; w < WORDS; w++)
            token.word[w] += w;
        pthread_mutex_unlock(&guard.lock);
        lab_think(800);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned w = 0; w < WORDS; w++)
        good &= token.word[w] == w * threads * ROUNDS;
    LAB_SHOW(guard);
    LAB_SHOW(token);
    return lab_end(good);
}

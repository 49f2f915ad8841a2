/*
 * An allocator with one free list for all threads. Blocks are returned by other threads than took
 * them, so after a while the small messages of a thread lie between those of the others.
 */
#include "shown.h"

#include <pthread.h>
#include <string.h>

enum { BLOCKS = 128, HELD = 3, ROUNDS = 10, USES = 60 };

union block {
    APART union block *next;
    volatile unsigned words[4];
};

static struct {
    pthread_mutex_t lock;
    union block *free;
} pool LINE_ALIGNED;

static struct {
    LINE_ALIGNED union block *held[HELD];
} desks[64];

static int threads LINE_ALIGNED;
static pthread_barrier_t round_end LINE_ALIGNED;

static void pool_new(void)
{
    union block *blocks = aligned_alloc(64, BLOCKS * sizeof *blocks);
    for (int i = BLOCKS - 1; i >= 0; i--) {
        blocks[i].next = pool.free;
        pool.free = &blocks[i];
    }
    show_object("pool_new()", blocks, BLOCKS * sizeof *blocks);
}

static union block *block_get(void)
{
    pthread_mutex_lock(&pool.lock);
    union block *b = pool.free;
    pool.free = b->next;
    pthread_mutex_unlock(&pool.lock);
    return b;
}

static void block_put(union block *b)
{
    pthread_mutex_lock(&pool.lock);
    b->next = pool.free;
    pool.free = b;
    pthread_mutex_unlock(&pool.lock);
}

static void *worker(void *arg)
{
    const int me = (int)(size_t)arg;
    unsigned long sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < HELD; i++)
            desks[me].held[i] = block_get();
        pthread_barrier_wait(&round_end);
        for (int u = 0; u < USES; u++)
            for (int i = 0; i < HELD; i++) {
                desks[me].held[i]->words[1 + u % 3] = (unsigned)u; /* shares: pool_new() */
                sum += desks[me].held[i]->words[1 + u % 3];
            }
        pthread_barrier_wait(&round_end);
        for (int i = 0; i < HELD; i++)
            block_put(desks[(me + 1) % threads].held[i]);
        pthread_barrier_wait(&round_end);
    }
    return (void *)sum;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    unsigned long wrong = 0;
    threads = thread_count(argc, argv, 6);
    if (threads * HELD > BLOCKS)
        threads = BLOCKS / HELD;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_barrier_init(&round_end, NULL, (unsigned)threads);
    pool_new();
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, worker, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *sum;
        pthread_join(ids[t], &sum);
        wrong += (unsigned long)sum != ROUNDS * HELD * USES * (USES - 1) / 2;
    }
    SHOW(pool);
    SHOW(round_end);
    printf("wrong %lu\n", wrong);
    return wrong != 0;
}

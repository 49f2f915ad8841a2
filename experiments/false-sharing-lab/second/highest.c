/*
 * The highest bid: all threads compare with it, and replace it while theirs is higher.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BIDS = 250 };

static atomic_uint highest LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

static void bid(unsigned amount)
{
    unsigned before = atomic_load(&highest);
    while (before < amount && !atomic_compare_exchange_weak(&highest, &before, amount))
        ;
}

static void *bidder(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    pthread_barrier_wait(&begin);
    for (unsigned b = 0; b < BIDS; b++) {
        bid(b * 64 + me);
        for (int i = 0; i < 150; i++)
            __asm__ volatile("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 16);
    pthread_t ids[64];
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, bidder, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    SHOW(highest);
    printf("highest %u\n", highest);
    return highest != (BIDS - 1) * 64 + (unsigned)threads - 1;
}

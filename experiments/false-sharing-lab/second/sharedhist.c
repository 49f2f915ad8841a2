/*
 * A histogram that all threads fill with atomic additions: neighbours in a line are mostly
 * different bins, now and then the same. Padding the bins leaves what is truly shared.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BINS = 32, SAMPLES = 1500 };

static struct {
    APART atomic_uint n;
} bins[BINS] LINE_ALIGNED;

static pthread_barrier_t begin LINE_ALIGNED;

static void *fill(void *arg)
{
    unsigned x = (unsigned)(size_t)arg * 2654435761u + 9;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < SAMPLES; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        atomic_fetch_add_explicit(&bins[x % BINS].n, 1, memory_order_relaxed); /* shares: bins */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 4);
    pthread_t ids[64];
    unsigned all = 0;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, fill, (void *)(t + 1));
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int b = 0; b < BINS; b++)
        all += bins[b].n;
    SHOW(bins);
    printf("samples %u\n", all);
    return all != (unsigned)threads * SAMPLES;
}

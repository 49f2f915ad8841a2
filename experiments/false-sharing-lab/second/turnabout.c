/*
 * Counters of threads, in one line. First each thread raises its own; then all of them raise the
 * first one.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { OWN = 2200, COMMON = 100 };

static struct {
    APART atomic_uint n;
} counters[16] LINE_ALIGNED;

static pthread_barrier_t half LINE_ALIGNED;

static void *count(void *arg)
{
    const size_t me = (size_t)arg;
    pthread_barrier_wait(&half);
    for (int i = 0; i < OWN; i++)
        atomic_fetch_add(&counters[me].n, 1); /* shares: counters */
    pthread_barrier_wait(&half);
    for (int i = 0; i < COMMON; i++) {
        atomic_fetch_add(&counters[0].n, 1);
        for (int think = 0; think < 900; think++)
            __asm__ volatile("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 4), threads = asked < 16 ? asked : 16;
    pthread_t ids[16];
    unsigned sum = 0;
    pthread_barrier_init(&half, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, count, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int t = 0; t < threads; t++)
        sum += counters[t].n;
    SHOW(counters);
    printf("sum %u\n", sum);
    return sum != (unsigned)threads * (OWN + COMMON);
}

/*
 * Counters in one array, a line for each: its author knew. It looks like the ones that are not.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LINE = 64, EVENTS = 4000 };

static struct counter {
    atomic_uint n;
    char rest[LINE - sizeof(atomic_uint)];
} counters[64] LINE_ALIGNED;

static void *count(void *arg)
{
    struct counter *mine = arg;
    for (int i = 0; i < EVENTS; i++)
        atomic_fetch_add_explicit(&mine->n, 1, memory_order_relaxed);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    pthread_t ids[64];
    unsigned sum = 0;
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, count, &counters[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        sum += counters[t].n;
    }
    printf("sum %u\n", sum);
    return sum != EVENTS * (unsigned)threads;
}

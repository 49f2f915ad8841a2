/*
 * First light: what false sharing costs.
 *
 * Four threads count, each in a counter of its own. First the four counters lie side by side in one
 * cache line, then each has a line to itself. Nothing is shared in either part, yet in the first
 * the line travels from processor to processor, and the monitoring card sees every journey.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LINE = 64 };

static volatile unsigned adjacent[THREADS] __attribute__((aligned(LINE)));
static struct {
    volatile unsigned count;
} __attribute__((aligned(LINE))) padded[THREADS];

static pthread_barrier_t barrier;
static unsigned increments = 10000; /* per thread */

static void count_adjacent(unsigned me)
{
    for (unsigned i = 0; i < increments; i++)
        adjacent[me]++;
}

static void count_padded(unsigned me)
{
    for (unsigned i = 0; i < increments; i++)
        padded[me].count++;
}

/* Thread 0 marks the two regions; the barriers keep everybody's counting inside them. */
static void *thread(void *arg)
{
    unsigned me = (unsigned)(size_t)arg;

    if (me == 0)
        NUMACHINE_BEGIN("adjacent");
    pthread_barrier_wait(&barrier);
    count_adjacent(me);
    pthread_barrier_wait(&barrier);
    if (me == 0) {
        NUMACHINE_END("adjacent");
        NUMACHINE_BEGIN("padded");
    }
    pthread_barrier_wait(&barrier);
    count_padded(me);
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_END("padded");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    unsigned totals[2] = {0, 0};

    if (argc > 1)
        increments = (unsigned)strtoul(argv[1], NULL, 10);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        totals[0] += adjacent[i];
        totals[1] += padded[i].count;
    }
    printf("adjacent %u, padded %u\n", totals[0], totals[1]);
    return totals[0] == THREADS * increments && totals[1] == totals[0] ? 0 : 1;
}

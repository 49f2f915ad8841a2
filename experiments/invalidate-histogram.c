/*
 * A line that everybody writes, and nobody shares: found by the monitoring card.
 *
 * Each thread adds up numbers of its own and keeps the sum so far in its element of an array. That
 * no two threads use the same element is plain to see; that eight elements share a cache line is
 * not. -DPAD=64 gives every element a line of its own.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PAD
#define PAD 8 /* [bytes] from one element to the next */
#endif

enum { THREADS = 64, NUMBERS = 2000, PAGE = 4096 };

static union {
    volatile unsigned sum;
    char bytes[PAD];
} sums[THREADS] __attribute__((aligned(PAGE)));

static unsigned numbers[THREADS][NUMBERS];
static pthread_barrier_t barrier;

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    for (unsigned i = 0; i < NUMBERS; i++)
        numbers[me][i] = i;
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_BEGIN("sum");
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < NUMBERS; i++)
        sums[me].sum += numbers[me][i];
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_END("sum");
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned good = 0;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        good += sums[i].sum == NUMBERS * (NUMBERS - 1) / 2;
    }
    printf("%u of %d sums are right; the array is at %p\n", good, THREADS, (void *)sums);
    return good == THREADS ? 0 : 1;
}

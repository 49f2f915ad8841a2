/*
 * A sum by as many threads as there are processors. Each adds up its part of an array, several
 * times, into a word of its own. With -DLINE=64 each word has a cache line of its own; with
 * -DLINE=4 they lie side by side, and 16 threads write into one line.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 64, WORDS = 16384, PASSES = 4 };

static volatile unsigned array[WORDS];
static struct {
    volatile unsigned word;
} __attribute__((aligned(LINE))) own[THREADS];
static unsigned threads;
static pthread_barrier_t barrier;

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Adds up a thread's part of the array. */
static void part(unsigned me)
{
    for (unsigned i = WORDS / threads * me; i < WORDS / threads * (me + 1); i++)
        own[me].word += array[i];
}

static void *sum(void *number)
{
    const unsigned me = (unsigned)(unsigned long)number;
    stay(me);
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_BEGIN("sum");
    pthread_barrier_wait(&barrier);
    for (unsigned pass = 0; pass < PASSES; pass++)
        part(me);
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_END("sum");
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    threads = (unsigned)CPU_COUNT(&set);
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < WORDS; i++)
        array[i] = i % 16;
    for (unsigned long i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, sum, (void *)i);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    unsigned total = 0;
    for (unsigned i = 0; i < threads; i++)
        total += own[i].word;
    printf("%u threads: %u\n", threads, total);
    return total != WORDS / 16 * 120 * PASSES;
}

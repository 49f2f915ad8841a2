/*
 * How far apart is far enough: two threads count, each in a word of its own. The words lie 4 bytes
 * apart, then 8, and so on to 256.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 2, MOST = 256, COUNTS = 5000 };

static volatile unsigned words[THREADS * MOST / sizeof(unsigned)]
    __attribute__((aligned(2 * MOST)));
static pthread_barrier_t barrier;

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void count(volatile unsigned *word)
{
    for (unsigned i = 0; i < COUNTS; i++)
        (*word)++;
}

/* A region's name is a literal, so each distance is written down. */
#define MEASURE(name, bytes)                            \
    do {                                                \
        if (me == 0)                                    \
            NUMACHINE_BEGIN(name);                      \
        pthread_barrier_wait(&barrier);                 \
        count(&words[me * (bytes) / sizeof(unsigned)]); \
        pthread_barrier_wait(&barrier);                 \
        if (me == 0)                                    \
            NUMACHINE_END(name);                        \
    } while (0)

static void *thread(void *number)
{
    const unsigned me = (unsigned)(size_t)number;
    stay(me);
    pthread_barrier_wait(&barrier);
    MEASURE("4B", 4);
    MEASURE("8B", 8);
    MEASURE("16B", 16);
    MEASURE("32B", 32);
    MEASURE("64B", 64);
    MEASURE("128B", 128);
    MEASURE("256B", 256);
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    unsigned sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        sum += words[i];
    printf("%u counts\n", sum);
    return sum != 7 * THREADS * COUNTS;
}

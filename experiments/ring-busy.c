/*
 * How far data travel: every processor reads what another has just written, first that of a
 * neighbour, then that of everybody in turn.
 *
 * Each thread owns a block of lines. In a step it writes its block, waits for the others, and reads
 * the block of a partner: in "neighbour" always the one a station further on the same local ring,
 * in "everybody" another one each time. The number of lines moved is the same; the links they use
 * are not.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, STATION = 4, RING = 16, STEPS = 8, LINE = 64, LINES = 64, PAGE = 4096 };

/* A page for each, so that each page can be on its owner's station. */
static struct {
    struct {
        volatile unsigned word;
        char rest[LINE - sizeof(unsigned)];
    } line[LINES];
} __attribute__((aligned(PAGE))) block[THREADS];

static pthread_barrier_t barrier;
static unsigned sums[THREADS * 16];

static unsigned neighbour(unsigned me, unsigned step)
{
    (void)step;
    return me / RING * RING + (me + STATION) % RING;
}

static unsigned everybody(unsigned me, unsigned step)
{
    return (me + (step + 1) * (THREADS / STEPS) + step) % THREADS;
}

static void exchange(unsigned me, unsigned (*partner)(unsigned, unsigned))
{
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned i = 0; i < LINES; i++)
            block[me].line[i].word = step;
        pthread_barrier_wait(&barrier);
        const unsigned from = partner(me, step);
        for (unsigned i = 0; i < LINES; i++)
            sums[me * 16] += block[from].line[i].word;
        pthread_barrier_wait(&barrier);
    }
}

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    stay(me);
    for (unsigned i = 0; i < LINES; i++)
        block[me].line[i].word = 0;
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_BEGIN("neighbour");
    pthread_barrier_wait(&barrier);
    exchange(me, neighbour);
    if (me == 0) {
        NUMACHINE_END("neighbour");
        NUMACHINE_BEGIN("everybody");
    }
    pthread_barrier_wait(&barrier);
    exchange(me, everybody);
    if (me == 0)
        NUMACHINE_END("everybody");
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned sum = 0;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i * 16];
    }
    printf("sum %u\n", sum);
    return sum == 2 * THREADS * LINES * STEPS * (STEPS - 1) / 2 ? 0 : 1;
}

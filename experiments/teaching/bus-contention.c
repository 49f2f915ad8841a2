/*
 * How many processors fill a bus: each reads a block of memory of its own, one word of each line,
 * and shares nothing with the others. All lines are missed, and each comes over the station's bus.
 *
 * -DWORK=N puts N additions behind each load.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#ifndef WORK
#define WORK 0
#endif

enum { THREADS = 4, LINE = 64, LINES = 8192, PAGE = 4096 };

static volatile struct {
    unsigned word;
    char rest[LINE - sizeof(unsigned)];
} block[THREADS][LINES] __attribute__((aligned(PAGE)));

static pthread_barrier_t barrier;
static unsigned threads, sums[THREADS];

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Has every page of the block put into memory; this brings one line of each. */
static void touch(unsigned me)
{
    for (unsigned i = 0; i < LINES; i += PAGE / LINE)
        sums[me] += block[me][i].word;
}

static unsigned walk(unsigned me)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < LINES; i++) {
        sum += block[me][i].word;
        for (unsigned k = 0; k < WORK; k++)
            __asm__ volatile("addiu %0, %0, 1" : "+r"(sum));
    }
    return sum;
}

static void *thread(void *number)
{
    const unsigned me = (unsigned)(size_t)number;
    stay(me);
    touch(me);
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_BEGIN("walk");
    pthread_barrier_wait(&barrier);
    sums[me] = walk(me);
    pthread_barrier_wait(&barrier);
    if (me == 0)
        NUMACHINE_END("walk");
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    threads = (unsigned)CPU_COUNT(&set);
    pthread_barrier_init(&barrier, NULL, threads);
    for (size_t i = 0; i < threads; i++)
        pthread_create(&id[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        if (sums[i] != WORK * LINES)
            return 1;
    }
    printf("%u threads read %d lines each\n", threads, LINES);
    return 0;
}

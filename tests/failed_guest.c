/*
 * Threads that each count in a word of their own, all in one line: with agent.failed_upgrade
 * bus_error their stores end with bus errors when the line has been taken, which the handler of
 * numachine.h counts. The region "counting" has no SC, whose failures end with none.
 */
#include "numachine.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 500 };

static struct {
    volatile unsigned count[THREADS];
} line __attribute__((aligned(128)));

static struct flag {
    volatile unsigned set;
} ready[THREADS] __attribute__((aligned(128))), done[THREADS] __attribute__((aligned(128)));
static volatile unsigned go __attribute__((aligned(128))), over __attribute__((aligned(128)));
static unsigned long failed[THREADS] __attribute__((aligned(128)));

static void until(volatile unsigned *flag)
{
    while (!*flag)
        ;
}

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;

#ifdef BLOCKED
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
#endif
    ready[me].set = 1;
    until(&go);
    const unsigned long before = numachine_failed;
    for (unsigned i = 0; i < ROUNDS; i++)
        line.count[me]++;
    done[me].set = 1;
    until(&over);
    failed[me] = numachine_failed - before;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned long sum, before;

#ifndef UNPREPARED
    if (numachine_count_failed() != 0)
        return 1;
#endif
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        until(&ready[i].set);
    before = numachine_failed;
    NUMACHINE_BEGIN("counting");
    go = 1;
    for (unsigned i = 0; i < THREADS; i++)
        until(&done[i].set);
    NUMACHINE_END("counting");
    sum = numachine_failed - before;
    over = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += failed[i];
    }
    printf("%lu\n", sum);
    for (unsigned i = 0; i < THREADS; i++)
        if (line.count[i] != ROUNDS)
            return 2;
    return 0;
}

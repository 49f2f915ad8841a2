/*
 * Invalidates that fail, counted by software: the monitor counts its processor's invalidates that
 * were completed, and those that were not end as bus errors, which a program's handler counts
 * (NUMAchine's monitor, "software must count"). Threads count, each in a word of its own; all
 * words are in one line.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 4
#endif

enum { LINE = 128, ROUNDS = 1000 };

struct alone {
    volatile unsigned word;
} __attribute__((aligned(LINE)));

static volatile unsigned together[LINE / sizeof(unsigned)] __attribute__((aligned(LINE)));
static struct alone here[THREADS], go, done[THREADS], over;
static unsigned completed[THREADS];
static unsigned long failed[THREADS];

static void until(volatile unsigned *flag)
{
    while (!*flag)
        ;
}

static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Counts, between what the card has counted before and behind. */
static void count(unsigned me)
{
    volatile unsigned *card = numachine_card(-1);
    here[me].word = 1;
    until(&go.word);
    NUMACHINE_COUNT(card, 0, INVALIDATES_DONE);
    const unsigned begun = NUMACHINE_COUNTER(card, 0);
    const unsigned long before = numachine_failed;
    for (unsigned i = 0; i < ROUNDS; i++)
        together[me]++;
    failed[me] = numachine_failed - before;
    completed[me] = NUMACHINE_COUNTER(card, 0) - begun;
    done[me].word = 1;
}

static void *thread(void *number)
{
    const unsigned me = (unsigned)(size_t)number;
    stay(me);
    count(me);
    until(&over.word);
    return NULL;
}

/* The first thread begins and ends the region. */
static void *first(void *nothing)
{
    stay(0);
    for (unsigned i = 1; i < THREADS; i++)
        until(&here[i].word);
    NUMACHINE_BEGIN("counting");
    go.word = 1;
    count(0);
    for (unsigned i = 1; i < THREADS; i++)
        until(&done[i].word);
    NUMACHINE_END("counting");
    over.word = 1;
    return nothing;
}

int main(void)
{
    pthread_t id[THREADS];
    if (numachine_count_failed())
        return 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, i ? thread : first, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    printf("%-8s %22s %26s\n", "thread", "successful (the card)", "unsuccessful (software)");
    for (unsigned i = 0; i < THREADS; i++)
        printf("%-8u %22u %26lu\n", i, completed[i], failed[i]);
    for (unsigned i = 0; i < THREADS; i++)
        if (together[i] != ROUNDS)
            return 2;
    return 0;
}

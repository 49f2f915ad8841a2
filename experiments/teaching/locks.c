/*
 * What a lock costs when many want it: all threads add to one counter under a lock, in five ways.
 *
 *   swap    asks for the lock by writing it, again and again
 *   look    reads until the lock is free, and only then writes it
 *   ticket  draws a number and reads until that number is called: first come, first served
 *   queue   waits in a word of its own, which the thread before it writes
 *   mutex   the C library's: who does not get it at once sleeps
 *
 * Each is right; they differ in what the waiting threads do to the one that has the lock. -DWORK=N
 * makes the loop longer that a thread runs between two times with the lock.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#ifndef WORK
#define WORK 100
#endif

enum { THREADS = 64, ROUNDS = 40, LINE = 64 };

/* A word with a line for itself. */
struct word {
    volatile unsigned is;
} __attribute__((aligned(LINE)));

struct waiter {
    struct waiter *volatile next;
    volatile unsigned waits;
} __attribute__((aligned(LINE)));

static struct word taken, drawn, called, counter;
static struct waiter *volatile last __attribute__((aligned(LINE)));
static struct waiter waiter[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned threads;

static void swap_lock(unsigned me)
{
    (void)me;
    while (__sync_lock_test_and_set(&taken.is, 1))
        ;
}

static void look_lock(unsigned me)
{
    (void)me;
    do
        while (taken.is)
            ;
    while (__sync_lock_test_and_set(&taken.is, 1));
}

static void taken_unlock(unsigned me)
{
    (void)me;
    __sync_lock_release(&taken.is);
}

static void ticket_lock(unsigned me)
{
    const unsigned mine = __sync_fetch_and_add(&drawn.is, 1);
    (void)me;
    while (called.is != mine)
        ;
    __sync_synchronize();
}

static void ticket_unlock(unsigned me)
{
    (void)me;
    __sync_synchronize();
    called.is++;
}

static void queue_lock(unsigned me)
{
    struct waiter *w = &waiter[me];
    w->next = NULL;
    w->waits = 1;
    struct waiter *before = __atomic_exchange_n(&last, w, __ATOMIC_SEQ_CST);
    if (before) {
        before->next = w;
        while (w->waits)
            ;
    }
    __sync_synchronize();
}

static void queue_unlock(unsigned me)
{
    struct waiter *w = &waiter[me];
    __sync_synchronize();
    if (!w->next && __sync_bool_compare_and_swap(&last, w, NULL))
        return;
    while (!w->next)
        ;
    w->next->waits = 0;
}

static void mutex_lock(unsigned me)
{
    (void)me;
    pthread_mutex_lock(&mutex);
}

static void mutex_unlock(unsigned me)
{
    (void)me;
    pthread_mutex_unlock(&mutex);
}

/* What a thread does between two times with the lock. */
static void work(void)
{
    for (volatile unsigned i = 0; i < WORK; i++)
        ;
}

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* A region's name is a literal, so each lock is written down. */
#define MEASURE(name, lock, unlock)                         \
    do {                                                    \
        pthread_barrier_wait(&barrier);                     \
        if (me == 0)                                        \
            NUMACHINE_BEGIN(name);                          \
        pthread_barrier_wait(&barrier);                     \
        for (unsigned round = 0; round < ROUNDS; round++) { \
            lock(me);                                       \
            counter.is++;                                   \
            unlock(me);                                     \
            work();                                         \
        }                                                   \
        pthread_barrier_wait(&barrier);                     \
        if (me == 0)                                        \
            NUMACHINE_END(name);                            \
    } while (0)

static void *thread(void *number)
{
    const unsigned me = (unsigned)(size_t)number;
    stay(me);
    MEASURE("swap", swap_lock, taken_unlock);
    MEASURE("look", look_lock, taken_unlock);
    MEASURE("ticket", ticket_lock, ticket_unlock);
    MEASURE("queue", queue_lock, queue_unlock);
    MEASURE("mutex", mutex_lock, mutex_unlock);
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
    for (unsigned i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    printf("%u threads, counter %u\n", threads, counter.is);
    return counter.is != 5 * ROUNDS * threads;
}

/*
 * Waiting for each other in eight ways, for what the monitoring cards and the operating system show
 * of each: threads that take turns in a critical section, meet, hand things on, or share the work
 * badly. They run between the marks of the region "work".
 *
 *     locking KIND THREADS ROUNDS
 */
#include "numachine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, WORDS = 512, LINE = 128, INSIDE = 8, OUTSIDE = 64 };

static unsigned threads, rounds;
static pthread_barrier_t start, end;

/* ---- work ------------------------------------------------------------------------------------ */

static struct own {
    unsigned word[WORDS];
} __attribute__((aligned(4096))) own[THREADS];

/** On words that nobody else uses. */
static void work(unsigned me, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        own[me].word[i % WORDS] += i;
}

static struct {
    unsigned word[INSIDE];
} __attribute__((aligned(LINE))) shared;

/** On words that all use, and so only in turn. */
static void inside(void)
{
    for (unsigned i = 0; i < INSIDE; i++)
        shared.word[i]++;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static struct {
    volatile unsigned word;
} __attribute__((aligned(LINE))) flag, next, serving;

static pthread_mutex_t mutex __attribute__((aligned(LINE))) = PTHREAD_MUTEX_INITIALIZER;

static void spin_lock(void)
{
    while (__atomic_exchange_n(&flag.word, 1, __ATOMIC_ACQUIRE))
        ;
}

static void spin_unlock(void)
{
    __atomic_store_n(&flag.word, 0, __ATOMIC_RELEASE);
}

static void ticket_lock(void)
{
    const unsigned mine = __atomic_fetch_add(&next.word, 1, __ATOMIC_ACQUIRE);
    while (serving.word != mine)
        ;
}

static void ticket_unlock(void)
{
    __atomic_store_n(&serving.word, serving.word + 1, __ATOMIC_RELEASE);
}

/** Mellor-Crummey and Scott: each waits at a word of its own. */
static struct node {
    struct node *volatile next;
    volatile unsigned locked;
} __attribute__((aligned(LINE))) node[THREADS], *tail;

static void mcs_lock(struct node *n)
{
    n->next = NULL;
    n->locked = 1;
    struct node *before = __atomic_exchange_n(&tail, n, __ATOMIC_ACQ_REL);
    if (!before)
        return;
    before->next = n;
    while (n->locked)
        ;
}

static void mcs_unlock(struct node *n)
{
    struct node *mine = n;
    if (!n->next && __atomic_compare_exchange_n(&tail, &mine, NULL, 0, __ATOMIC_ACQ_REL, 0))
        return;
    while (!n->next)
        ;
    n->next->locked = 0;
}

/* ---- a queue with condition variables -------------------------------------------------------- */

enum { ROOM = 4 };

static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static unsigned count;

/** The first thread makes things, the others use them up. */
static void queue(unsigned me)
{
    pthread_mutex_lock(&mutex);
    if (me == 0) {
        while (count == ROOM)
            pthread_cond_wait(&emptied, &mutex);
        count++;
        pthread_cond_signal(&filled);
    } else {
        while (count == 0)
            pthread_cond_wait(&filled, &mutex);
        count--;
        pthread_cond_signal(&emptied);
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static pthread_barrier_t meeting;

static void alone(unsigned me)
{
    work(me, OUTSIDE);
}

static void spin(unsigned me)
{
    work(me, OUTSIDE);
    spin_lock();
    inside();
    spin_unlock();
}

static void ticket(unsigned me)
{
    work(me, OUTSIDE);
    ticket_lock();
    inside();
    ticket_unlock();
}

static void mcs(unsigned me)
{
    work(me, OUTSIDE);
    mcs_lock(&node[me]);
    inside();
    mcs_unlock(&node[me]);
}

static void futex_mutex(unsigned me)
{
    work(me, OUTSIDE);
    pthread_mutex_lock(&mutex);
    inside();
    pthread_mutex_unlock(&mutex);
}

static void barrier(unsigned me)
{
    work(me, OUTSIDE);
    pthread_barrier_wait(&meeting);
}

static void condvar(unsigned me)
{
    work(me, OUTSIDE);
    queue(me);
}

/** The last has as much to do as all others. */
static void balance(unsigned me)
{
    work(me, me + 1 == threads ? OUTSIDE * threads : OUTSIDE);
}

static const struct kind {
    const char *name;
    void (*round)(unsigned me);
} kinds[] = {
    {"alone", alone},       {"spin", spin},       {"ticket", ticket},   {"mcs", mcs},
    {"mutex", futex_mutex}, {"barrier", barrier}, {"condvar", condvar}, {"balance", balance},
};

static const struct kind *kind;

/** A thing for each of the others' rounds. */
static unsigned rounds_of(unsigned me)
{
    return kind->round == condvar && me == 0 ? rounds * (threads - 1) : rounds;
}

static void *body(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;
    work(me, WORDS);
    pthread_barrier_wait(&start);
    if (me == 0)
        NUMACHINE_BEGIN("work");
    for (unsigned i = 0; i < rounds_of(me); i++)
        kind->round(me);
    pthread_barrier_wait(&end);
    if (me == 0)
        NUMACHINE_END("work");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    threads = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
    for (unsigned i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(argv[1], kinds[i].name))
            kind = &kinds[i];
    if (!kind || threads < 1 || threads > THREADS)
        return 2;
    rounds = (unsigned)atoi(argv[3]);
    pthread_barrier_init(&start, NULL, threads);
    pthread_barrier_init(&end, NULL, threads);
    pthread_barrier_init(&meeting, NULL, threads);
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, body, (void *)(unsigned long)i);
    body(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%s of %u: %u\n", kind->name, threads, shared.word[0]);
    return 0;
}

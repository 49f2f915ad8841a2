/*
 * Threads that stay on processors of their own, and start and end together.
 *
 *     team_run(threads, work, NULL);     work(0, ...), work(1, ...) ... at once
 *     team_begin(&self, "name");         in each of them: together, and the region begins
 *     team_end(&self, "name");           together again, and it has ended
 */
#ifndef TEAM_H
#define TEAM_H

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM_MOST = 64, TEAM_LINE = 64, TEAM_WAKING = 2000 /* turns until one is awake */ };

/** A word with a line for itself. */
struct team_word {
    unsigned is;
} __attribute__((aligned(TEAM_LINE)));

/** What a thread knows of itself. */
struct team_self {
    unsigned me, threads;
    void *shared; /**< what team_run was given */
    void (*work)(struct team_self *);
};

static pthread_barrier_t team_barrier;
static struct team_word team_started; /* how many regions have begun */
static struct team_word team_ended;   /* how many threads have ended theirs */

/** Processors that the program may use, at most TEAM_MOST. */
static inline unsigned team_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    const unsigned n = (unsigned)CPU_COUNT(&set);
    return n < TEAM_MOST ? n : TEAM_MOST;
}

/** The argument `at` as a number; what is not given, or 0, is `otherwise`. */
static inline unsigned team_number(int argc, char **argv, int at, unsigned otherwise)
{
    const unsigned n = argc > at ? (unsigned)strtoul(argv[at], NULL, 10) : 0;
    return n ? n : otherwise;
}

/** Keeps the thread on a processor, as an operating system would. A host that runs the program for
 *  comparison may have fewer. */
static inline void team_stay(unsigned processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static inline void team_mark(char sign, const char *name)
{
#ifndef NUMACHINE_OFF
    char text[64];
    const int length = snprintf(text, sizeof text, "%c%s", sign, name);
    numachine_mark(text, (unsigned long)length);
#else
    (void)sign;
    (void)name;
#endif
}

/** Computes for a while: so many turns of an empty loop. */
static inline void team_compute(unsigned turns)
{
    while (turns--)
        __asm__ volatile("");
}

/** All threads are together, and a region has begun. They look for the beginning themselves: woken
 *  by the C library they would come one by one, long after it. */
static inline void team_begin(const struct team_self *self, const char *name)
{
    const unsigned next = __atomic_load_n(&team_started.is, __ATOMIC_ACQUIRE) + 1;
    pthread_barrier_wait(&team_barrier);
    if (self->me == 0) {
        team_compute(TEAM_WAKING * self->threads);
        team_mark('+', name);
        __atomic_store_n(&team_started.is, next, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&team_started.is, __ATOMIC_ACQUIRE) != next)
        ;
}

/** All threads have come, and the region has ended. The first looks for the others itself. */
static inline void team_end(const struct team_self *self, const char *name)
{
    __atomic_fetch_add(&team_ended.is, 1, __ATOMIC_ACQ_REL);
    if (self->me == 0) {
        while (__atomic_load_n(&team_ended.is, __ATOMIC_ACQUIRE) != self->threads)
            ;
        team_mark('-', name);
        __atomic_store_n(&team_ended.is, 0, __ATOMIC_RELEASE);
    }
    pthread_barrier_wait(&team_barrier);
}

static inline void *team_thread(void *arg)
{
    struct team_self *self = arg;
    team_stay(self->me);
    self->work(self);
    return NULL;
}

/** Runs `work` in so many threads, and waits for them. */
static inline void team_run(unsigned threads, void (*work)(struct team_self *), void *shared)
{
    static struct team_self self[TEAM_MOST];
    pthread_t id[TEAM_MOST];
    pthread_barrier_init(&team_barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        self[i] = (struct team_self){i, threads, shared, work};
        if (pthread_create(&id[i], NULL, team_thread, &self[i]) != 0) {
            fprintf(stderr, "no thread %u\n", i);
            exit(2);
        }
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    pthread_barrier_destroy(&team_barrier);
}

#endif

/*
 * What the programs of the laboratory have in common: threads that begin together, a barrier for
 * phases, and the names and addresses of the objects that they share.
 *
 * With -DPADDED whatever is marked LAB_APART gets lines of its own: that is the mended program.
 */
#ifndef LAB_H
#define LAB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LAB_LINE = 64, /* [bytes] of a line of the secondary cache */
    LAB_THREADS_MAX = 64
};

#define LAB_ALIGNED __attribute__((aligned(LAB_LINE)))

#ifdef PADDED
#define LAB_APART LAB_ALIGNED
enum { LAB_PADDED = 1 };
#else
#define LAB_APART
enum { LAB_PADDED = 0 };
#endif

typedef void lab_work_fn(unsigned me, unsigned threads);

static struct {
    pthread_barrier_t together;
    lab_work_fn *work;
    unsigned threads;
} lab LAB_ALIGNED;

/** @return how many threads the command line asks for, 1 to LAB_THREADS_MAX, or `otherwise` */
static inline unsigned lab_threads(int argc, char **argv, unsigned otherwise)
{
    const unsigned asked = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : otherwise;
    return asked >= 1 && asked <= LAB_THREADS_MAX ? asked : otherwise;
}

/** Waits for all threads: the border of two phases. */
static inline void lab_meet(void)
{
    pthread_barrier_wait(&lab.together);
}

static inline void *lab_thread(void *arg)
{
    lab_meet();
    lab.work((unsigned)(size_t)arg, lab.threads);
    return NULL;
}

/** Lets `threads` threads do `work`, and waits for their end. */
static inline void lab_run(unsigned threads, lab_work_fn *work)
{
    pthread_t thread[LAB_THREADS_MAX];
    lab.work = work;
    lab.threads = threads;
    pthread_barrier_init(&lab.together, NULL, threads);
    for (size_t t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, lab_thread, (void *)t);
    for (unsigned t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
}

/** Computes for about `n` PCycles without any memory. */
static inline void lab_think(unsigned n)
{
    for (unsigned i = 0; i < n / 4; i++)
        __asm__ volatile("");
}

/** @return zeroed memory at the border of a line */
static inline void *lab_new(size_t bytes)
{
    char *at = (char *)aligned_alloc(LAB_LINE, (bytes + LAB_LINE - 1) / LAB_LINE * LAB_LINE);
    for (size_t i = 0; at && i < bytes; i++)
        at[i] = 0;
    return at;
}

static inline bool lab_same_line(const volatile void *a, const volatile void *b)
{
    return (size_t)a / LAB_LINE == (size_t)b / LAB_LINE;
}

/** Says where an object is: its name, address and length. */
static inline void lab_show(const char *name, const volatile void *at, size_t bytes)
{
    printf("object %s %p %zu\n", name, (void *)at, bytes);
}

#define LAB_SHOW(object) lab_show(#object, &(object), sizeof(object))

/** @return the program's exit status */
static inline int lab_end(bool good)
{
    puts(good ? "right" : "wrong");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

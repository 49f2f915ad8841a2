/*
 * What the programs of this folder have in common: the border of a line, which data are moved in
 * the mended twin, threads, and where the objects are that the table names.
 */
#ifndef SHOWN_H
#define SHOWN_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE 128
#define MOST 64 /* threads */

#ifdef __cplusplus
#define OWN_LINE alignas(LINE)
#else
#define OWN_LINE _Alignas(LINE)
#endif

/* APART: on a line of its own in the mended twin only. GET: a block of the heap, likewise. */
#ifdef PADDED
#define APART  OWN_LINE
#define GET(n) aligned_alloc(LINE, ((n) + LINE - 1) / LINE * LINE)
#else
#define APART
#define GET(n) malloc(n)
#endif

#define ALONE __attribute__((noinline))

static inline void shown(const char *name, const void *at, size_t bytes)
{
    printf("object %s 0x%lx %lu\n", name, (unsigned long)(uintptr_t)at, (unsigned long)bytes);
}

static inline int threads_asked(int argc, char **argv, int usual)
{
    int n = argc > 1 ? atoi(argv[1]) : usual;
    if (n < 1 || n > MOST) {
        fprintf(stderr, "1 to %d threads, please\n", MOST);
        exit(2);
    }
    return n;
}

/* All work(0) to work((n - 1)), each in a thread; work gets its number as a pointer. */
static inline void crew(int n, void *(*work)(void *))
{
    pthread_t who[MOST];
    for (intptr_t i = 0; i < n; i++) {
        if (pthread_create(&who[i], NULL, work, (void *)i)) {
            perror("pthread_create");
            exit(2);
        }
    }
    for (int i = 0; i < n; i++)
        pthread_join(who[i], NULL);
}

static inline int number(void *argument)
{
    return (int)(intptr_t)argument;
}

#endif

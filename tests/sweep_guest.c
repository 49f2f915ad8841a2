/*
 * A program for sweeps: THREADS threads count to N in one word each; it ends with a status, or
 * never.
 *
 *     sweep_guest N [THREADS [STATUS|stuck]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 };

static volatile unsigned word[THREADS_MAX];
static unsigned most;

static void *count(void *ctx)
{
    volatile unsigned *const mine = ctx;
    for (unsigned i = 0; i < most; i++)
        ++*mine;
    return NULL;
}

/* Waits for itself. */
static void stick(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS_MAX];
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    most = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, count, (void *)&word[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%u\n", word[0]);
    if (argc > 3 && !strcmp(argv[3], "stuck"))
        stick();
    return argc > 3 ? atoi(argv[3]) : 0;
}

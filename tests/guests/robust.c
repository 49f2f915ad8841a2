/*
 * Robust mutexes: the owner dies, the next one is told and mends the state. (qemu-user has no
 * robust lists, so what real Linux prints is kept in robust.expect.)
 */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex;

static void *die_holding(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    return NULL;
}

static void *wait_for_it(void *arg)
{
    int *result = arg;
    *result = pthread_mutex_lock(&mutex);
    if (*result == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *die_while_waited_for(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_barrier_wait(arg);
    for (volatile int i = 0; i < 2000; i++)
        ;
    return NULL;
}

int main(void)
{
    pthread_t dying, waiting;
    pthread_mutexattr_t attr;
    pthread_barrier_t barrier;
    int result = 0;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    CHECK(pthread_mutex_init(&mutex, &attr) == 0);
    pthread_create(&dying, NULL, die_holding, NULL);
    pthread_join(dying, NULL);
    result = pthread_mutex_lock(&mutex);
    printf("dead owner: %s\n", strerror(result));
    CHECK(pthread_mutex_consistent(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&dying, NULL, die_while_waited_for, &barrier);
    pthread_barrier_wait(&barrier);
    pthread_create(&waiting, NULL, wait_for_it, &result);
    pthread_join(dying, NULL);
    pthread_join(waiting, NULL);
    printf("dying owner: %s\n", strerror(result));
    CHECK(pthread_mutex_lock(&mutex) == 0);
    return guest_result();
}

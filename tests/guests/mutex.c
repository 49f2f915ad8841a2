/* Mutexes of each kind, contended: normal, recursive, error-checking, timed, trylock. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, TURNS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, recursive, checking;
static unsigned counter, nested;

static void *contend(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        nested++;
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&recursive);
    }
    return NULL;
}

static void *intrude(void *arg)
{
    struct timespec soon;

    (void)arg;
    CHECK(pthread_mutex_trylock(&lock) == EBUSY);
    CHECK(pthread_mutex_trylock(&recursive) == EBUSY);
    CHECK(pthread_mutex_unlock(&checking) == EPERM);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    if (soon.tv_nsec >= 1000000000) {
        soon.tv_sec++;
        soon.tv_nsec -= 1000000000;
    }
    CHECK(pthread_mutex_timedlock(&lock, &soon) == ETIMEDOUT);
    return NULL;
}

static void make(pthread_mutex_t *mutex, int kind)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, kind);
    CHECK(pthread_mutex_init(mutex, &attr) == 0);
}

int main(void)
{
    pthread_t threads[THREADS];

    make(&recursive, PTHREAD_MUTEX_RECURSIVE);
    make(&checking, PTHREAD_MUTEX_ERRORCHECK);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, contend, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("counter %u nested %u\n", counter, nested);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checking);
    CHECK(pthread_mutex_lock(&checking) == EDEADLK);
    CHECK(pthread_mutex_trylock(&recursive) == 0);
    pthread_create(&threads[0], NULL, intrude, NULL);
    pthread_join(threads[0], NULL);
    CHECK(pthread_mutex_unlock(&checking) == 0);
    CHECK(pthread_mutex_unlock(&checking) == EPERM);
    return guest_result();
}

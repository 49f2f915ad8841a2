/* Condition variables: signal, broadcast, timed wait, and a token passed round a circle. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, LAPS = 25 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER, start = PTHREAD_COND_INITIALIZER;
static unsigned turn, order;
static int started;

static void *runner(void *arg)
{
    unsigned me = (unsigned)(size_t)arg;

    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&start, &lock);
    for (unsigned lap = 0; lap < LAPS; lap++) {
        while (turn % THREADS != me)
            pthread_cond_wait(&turn_changed, &lock);
        order = order * 5 + me;
        turn++;
        pthread_cond_broadcast(&turn_changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void timed(clockid_t clock)
{
    pthread_condattr_t attr;
    pthread_cond_t cond;
    struct timespec until;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, clock);
    pthread_cond_init(&cond, &attr);
    clock_gettime(clock, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&lock);
    CHECK(pthread_cond_timedwait(&cond, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&cond);
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, runner, (void *)i);
    pthread_mutex_lock(&lock);
    started = 1;
    pthread_cond_broadcast(&start);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("turns %u order %08x\n", turn, order);
    timed(CLOCK_REALTIME);
    timed(CLOCK_MONOTONIC);
    return guest_result();
}

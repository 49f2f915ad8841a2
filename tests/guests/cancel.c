/* Cancellation: deferred, asynchronous, disabled; clean-up handlers; detached threads. */
#include "guest.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static int steps;
static sem_t ready;

static void cleanup(void *arg)
{
    steps = steps * 10 + (int)(size_t)arg;
}

static void *waits(void *arg)
{
    (void)arg;
    pthread_cleanup_push(cleanup, (void *)1);
    pthread_cleanup_push(cleanup, (void *)2);
    sem_post(&ready);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spins(void *arg)
{
    (void)arg;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(cleanup, (void *)3);
    sem_post(&ready);
    for (volatile unsigned i = 0;; i++)
        ;
    pthread_cleanup_pop(0);
    return NULL;
}

static void *refuses(void *arg)
{
    (void)arg;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_post(&ready);
    usleep(1000);
    pthread_testcancel();
    return (void *)7;
}

static void *exits(void *arg)
{
    pthread_cleanup_push(cleanup, (void *)4);
    sem_post(&ready);
    pthread_exit(arg);
    pthread_cleanup_pop(0);
    return NULL;
}

static void attempt(const char *name, void *(*body)(void *), int cancel)
{
    pthread_t thread;
    void *result;

    steps = 0;
    pthread_create(&thread, NULL, body, (void *)5);
    sem_wait(&ready);
    if (cancel)
        pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result == PTHREAD_CANCELED)
        printf("%s: cancelled, steps %d\n", name, steps);
    else
        printf("%s: returned %d, steps %d\n", name, (int)(size_t)result, steps);
}

int main(void)
{
    sem_init(&ready, 0, 0);
    attempt("waits", waits, 1);
    attempt("spins", spins, 1);
    attempt("refuses", refuses, 1);
    attempt("exits", exits, 0);
    return guest_result();
}

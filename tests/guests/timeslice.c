/*
 * More threads than processors, none of which ever gives its processor away: each spins until the
 * one before it has been reached. Only time-slicing lets all of them finish.
 */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 6 };

static volatile unsigned reached;

static void *thread(void *arg)
{
    unsigned me = (unsigned)(size_t)arg;

    while (reached != me)
        ;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    reached = me + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(THREADS - 1 - i));
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("reached %u\n", reached);
    return guest_result();
}

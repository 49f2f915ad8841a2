/* Barriers: nobody is a phase ahead, and exactly one thread is told it was the serial one. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 6, PHASES = 20 };

static pthread_barrier_t barrier;
static unsigned phase_of[THREADS], serial, ahead;

static void *walker(void *arg)
{
    size_t me = (size_t)arg;

    for (unsigned phase = 1; phase <= PHASES; phase++) {
        __atomic_store_n(&phase_of[me], phase, __ATOMIC_SEQ_CST);
        int result = pthread_barrier_wait(&barrier);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
        for (size_t i = 0; i < THREADS; i++)
            if (__atomic_load_n(&phase_of[i], __ATOMIC_SEQ_CST) < phase)
                __atomic_add_fetch(&ahead, 1, __ATOMIC_SEQ_CST);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, walker, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("serial %u ahead %u\n", serial, ahead);
    CHECK(serial == PHASES && ahead == 0);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    return guest_result();
}

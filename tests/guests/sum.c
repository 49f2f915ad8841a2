/* 64 threads sum an array in parallel and combine their sums in a tree. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 64, PER_THREAD = 64 };

static unsigned values[THREADS * PER_THREAD];
static uint64_t partial[THREADS];
static pthread_barrier_t barrier;

static void *thread(void *arg)
{
    size_t me = (size_t)arg;

    for (size_t i = 0; i < PER_THREAD; i++)
        partial[me] += values[me * PER_THREAD + i];
    for (size_t step = 1; step < THREADS; step *= 2) {
        pthread_barrier_wait(&barrier);
        if (me % (2 * step) == 0)
            partial[me] += partial[me + step];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t expected = 0;

    for (size_t i = 0; i < COUNT(values); i++)
        expected += values[i] = (unsigned)(i * 2654435761u);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%llu\n", (unsigned long long)partial[0]);
    CHECK(partial[0] == expected);
    return guest_result();
}

/*
 * Settings that all threads read before each piece of work, and that one of them changes now and
 * then, all at once, under a version number.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FIELDS = 15, PIECES = 1000 };

static struct {
    atomic_uint version;
    atomic_uint field[FIELDS];
} settings LINE_ALIGNED;

static pthread_barrier_t begin LINE_ALIGNED;

static void settings_set(unsigned value)
{
    atomic_fetch_add(&settings.version, 1);
    for (int f = 0; f < FIELDS; f++)
        atomic_store_explicit(&settings.field[f], value, memory_order_relaxed);
    atomic_fetch_add(&settings.version, 1);
}

/** @return the sum of one consistent set */
static unsigned settings_sum(void)
{
    for (;;) {
        const unsigned before = atomic_load(&settings.version);
        unsigned sum = 0;
        for (int f = 0; f < FIELDS; f++)
            sum += atomic_load_explicit(&settings.field[f], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && atomic_load(&settings.version) == before)
            return sum;
    }
}

static void *work(void *arg)
{
    const size_t me = (size_t)arg;
    size_t torn = 0;
    pthread_barrier_wait(&begin);
    for (unsigned p = 0; p < PIECES; p++) {
        if (me == 0 && p % 10 == 0)
            settings_set(p);
        torn += settings_sum() % FIELDS != 0;
        for (int i = 0; i < 100; i++)
            __asm__ volatile("");
    }
    return (void *)torn;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    pthread_t ids[64];
    size_t torn = 0;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, work, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *result;
        pthread_join(ids[t], &result);
        torn += (size_t)result;
    }
    SHOW(settings);
    printf("torn %zu\n", torn);
    return torn != 0;
}

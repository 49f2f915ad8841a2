/* Thread-local storage: __thread variables, initialised and not, and keys with destructors. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>

enum { THREADS = 5 };

static __thread int initialised = 42;
static __thread long zero[100];
static __thread double aligned_one __attribute__((aligned(64))) = 1.5;
static pthread_key_t key;
static unsigned destroyed, sum;

static void destroy(void *value)
{
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&sum, (unsigned)(size_t)value, __ATOMIC_SEQ_CST);
}

static void *thread(void *arg)
{
    int me = (int)(size_t)arg;
    int bad = initialised != 42 || zero[99] != 0 || aligned_one != 1.5 ||
              (uintptr_t)&aligned_one % 64 != 0 || pthread_getspecific(key) != NULL;

    initialised += me;
    zero[99] = me;
    errno = me;
    pthread_setspecific(key, arg);
    for (int i = 0; i < 50; i++)
        sched_yield();
    bad +=
        initialised != 42 + me || zero[99] != me || errno != me || pthread_getspecific(key) != arg;
    return (void *)(size_t)bad;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned bad = 0;

    CHECK(pthread_key_create(&key, destroy) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        bad += (unsigned)(size_t)result;
    }
    printf("bad %u destroyed %u sum %u mine %d\n", bad, destroyed, sum, initialised);
    CHECK(pthread_key_delete(key) == 0);
    return guest_result();
}

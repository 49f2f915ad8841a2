/* Reader-writer locks: writers exclude, readers share, try-locks say no. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>

enum { READERS = 4, WRITERS = 2, TURNS = 60 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile unsigned a, b;
static unsigned torn;

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        pthread_rwlock_wrlock(&lock);
        a++;
        for (volatile int j = 0; j < 20; j++)
            ;
        b++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        pthread_rwlock_rdlock(&lock);
        if (a != b)
            __atomic_add_fetch(&torn, 1, __ATOMIC_RELAXED);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *intruder(void *arg)
{
    int *results = arg;
    results[0] = pthread_rwlock_tryrdlock(&lock);
    if (results[0] == 0)
        pthread_rwlock_unlock(&lock);
    results[1] = pthread_rwlock_trywrlock(&lock);
    return NULL;
}

static void attempt(const char *held)
{
    int results[2];
    pthread_t thread;

    pthread_create(&thread, NULL, intruder, results);
    pthread_join(thread, NULL);
    printf("held for %s: read %s, write %s\n", held, results[0] == EBUSY ? "busy" : "granted",
           results[1] == EBUSY ? "busy" : "granted");
}

int main(void)
{
    pthread_t threads[READERS + WRITERS];

    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, NULL);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], NULL);
    printf("a %u b %u torn %u\n", a, b, torn);
    CHECK(torn == 0);
    pthread_rwlock_rdlock(&lock);
    attempt("reading");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    attempt("writing");
    CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    return guest_result();
}

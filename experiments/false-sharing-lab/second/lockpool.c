/*
 * Reference counts without a lock in each object: a pool of 41 small locks is shared by all
 * objects, and the hash of an object's address says which lock it has. The objects of a thread are
 * its own; the locks are not.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { LOCKS = 41, OBJECTS = 40, ROUNDS = 700 };

typedef struct {
    APART atomic_uint word;
} spinlock;

typedef struct {
    unsigned count;
    char text[60];
} object;

static spinlock pool[LOCKS] LINE_ALIGNED;
static object objects[OBJECTS] LINE_ALIGNED;
static int threads LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

static spinlock *lock_of(const object *o)
{
    return &pool[((uintptr_t)o >> 6) % LOCKS];
}

static void lock(spinlock *s)
{
    while (atomic_exchange_explicit(&s->word, 1, memory_order_acquire)) /* shares: pool */
        ;
}

static void unlock(spinlock *s)
{
    atomic_store_explicit(&s->word, 0, memory_order_release); /* shares: pool */
}

static void retain(object *o)
{
    lock(lock_of(o));
    o->count++;
    unlock(lock_of(o));
}

static unsigned release(object *o)
{
    lock(lock_of(o));
    const unsigned left = --o->count;
    unlock(lock_of(o));
    return left;
}

static void *user(void *arg)
{
    const int each = OBJECTS / threads;
    object *const mine = objects + (size_t)arg;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < ROUNDS; i++) {
        retain(&mine[i % each * threads]);
        if (i % 3 == 2)
            release(&mine[(i - 1) % each * threads]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[OBJECTS];
    unsigned left = 0;
    threads = thread_count(argc, argv, 2);
    if (threads > OBJECTS)
        threads = OBJECTS;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, user, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int i = 0; i < OBJECTS; i++)
        left += objects[i].count;
    SHOW(pool);
    printf("references left: %u\n", left);
    return left != (unsigned)threads * (ROUNDS - ROUNDS / 3);
}

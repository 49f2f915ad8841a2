/*
 * A hash table with chains. Each bucket has a spin lock of its own; the locks come from a pool
 * beside the table. Every thread inserts and looks up keys of its own range, which a good hash
 * function spreads over the buckets of that range.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS  64
#define NTHREADS 8
#define KEYS     64
#define ROUNDS   90

typedef volatile int spinlock_t;

typedef struct node {
    unsigned key, value;
    struct node *next;
} node_t;

typedef struct {
    node_t **buckets;
    spinlock_t *locks;
} table_t;

static table_t table;

static inline void spin_lock(spinlock_t *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        while (*lock)
            ;
}

static inline void spin_unlock(spinlock_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static unsigned bucket_of(unsigned key)
{
    return (key >> 16) * (BUCKETS / NTHREADS) + (key & 0xffff) * 2654435761u % (BUCKETS / NTHREADS);
}

static node_t *find(unsigned b, unsigned key)
{
    node_t *n = table.buckets[b];

    while (n && n->key != key)
        n = n->next;
    return n;
}

static void table_add(unsigned key, unsigned amount)
{
    unsigned b = bucket_of(key);
    node_t *n;

    spin_lock(&table.locks[b]);
    n = find(b, key);
    if (!n) {
        n = aligned_alloc(64, 64);
        n->key = key;
        n->value = 0;
        n->next = table.buckets[b];
        __atomic_store_n(&table.buckets[b], n, __ATOMIC_RELAXED);
    }
    n->value += amount;
    spin_unlock(&table.locks[b]);
}

static unsigned table_get(unsigned key)
{
    unsigned b = bucket_of(key), value;
    node_t *n;

    spin_lock(&table.locks[b]);
    n = find(b, key);
    value = n ? n->value : 0;
    spin_unlock(&table.locks[b]);
    return value;
}

static void *client(void *arg)
{
    unsigned me = (unsigned)(size_t)arg;
    size_t sum = 0;

    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned k = 0; k < KEYS; k++)
            table_add(me << 16 | k, r);
        for (unsigned k = 0; k < KEYS; k += 2)
            sum += table_get(me << 16 | k);
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    size_t sum = 0;

    table.buckets = calloc(BUCKETS, sizeof *table.buckets);
    table.locks = calloc(BUCKETS, sizeof *table.locks);
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, client, (void *)t);
    for (int t = 0; t < NTHREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        sum += (size_t)result;
    }
    printf("checksum %zu\n", sum);
    return 0;
}

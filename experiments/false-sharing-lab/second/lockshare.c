/*
 * A pool of 41 small locks, chosen by the hash of an address, as in lockpool.c; but here one object
 * is used by everybody, so that one of the locks is truly wanted by several threads.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { LOCKS = 41, ROUNDS = 500 };

static struct {
    APART atomic_flag held;
} pool[LOCKS] LINE_ALIGNED;

struct object {
    LINE_ALIGNED unsigned references;
};

static struct object common[1];
static struct object own[64];
static pthread_barrier_t begin LINE_ALIGNED;

static void refer(struct object *o, unsigned change)
{
    atomic_flag *lock = &pool[((uintptr_t)o / sizeof *o * 7) % LOCKS].held;
    while (atomic_flag_test_and_set(lock)) /* shares: pool */
        ;
    o->references += change;
    atomic_flag_clear(lock); /* shares: pool */
}

static void *use(void *arg)
{
    struct object *mine = arg;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < ROUNDS; i++) {
        refer(mine, 1);
        refer(mine, 1);
        if (i % 4 == 0)
            refer(&common[0], 1);
        for (int k = 0; k < 100; k++)
            __asm__ volatile("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 4);
    pthread_t ids[64];
    unsigned sum = 0;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, use, &own[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        sum += own[t].references;
    }
    SHOW(pool);
    SHOW(common);
    printf("references %u, common %u\n", sum, common[0].references);
    return sum != (unsigned)threads * ROUNDS * 2 ||
           common[0].references != (unsigned)threads * (ROUNDS / 4);
}

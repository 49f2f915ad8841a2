/*
 * A hash table in stripes, each with its lock, its number of entries and its first free slot in one
 * small record. Keys are dealt out so that each thread only meets its own stripe.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SLOTS = 32, KEYS = 1200 };

struct stripe {
    APART atomic_flag held;
    unsigned entries;
    unsigned next_slot;
    unsigned evicted;
};

static struct stripe *stripes;
static unsigned slots[64][SLOTS] LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;
static int threads LINE_ALIGNED;

static void stripes_new(int n)
{
    const size_t bytes = (size_t)n * sizeof(struct stripe);
    stripes = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(stripes, 0, bytes);
    show_object("stripes_new()", stripes, bytes);
}

static void put(struct stripe *stripe, unsigned *slot, unsigned key)
{
    while (atomic_flag_test_and_set(&stripe->held)) /* shares: stripes_new() */
        ;
    if (slot[stripe->next_slot] != 0)
        stripe->evicted++; /* shares: stripes_new() */
    else
        stripe->entries++; /* shares: stripes_new() */
    slot[stripe->next_slot] = key;
    stripe->next_slot = (stripe->next_slot + 1) % SLOTS; /* shares: stripes_new() */
    atomic_flag_clear(&stripe->held);                    /* shares: stripes_new() */
}

static void *fill(void *arg)
{
    const unsigned first = (unsigned)(long)arg, step = (unsigned)threads;
    struct stripe *const mine = stripes + first;
    pthread_barrier_wait(&begin);
    for (unsigned key = first; key < KEYS * step; key += step)
        put(mine, slots[first], key + 1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    unsigned entries = 0, evicted = 0;
    threads = thread_count(argc, argv, 32);
    stripes_new(threads);
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (long t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, fill, (void *)t);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        entries += stripes[t].entries;
        evicted += stripes[t].evicted;
    }
    printf("%u entries, %u evicted\n", entries, evicted);
    return entries + evicted != (unsigned)threads * KEYS;
}

/*
 * A routing table that is replaced as a whole: the writer fills another copy and publishes its
 * address. Two threads, a reader and the writer.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ROUTES = 32, COPIES = 2, CHANGES = 400 };

static struct {
    LINE_ALIGNED unsigned next_hop[ROUTES];
} copies[COPIES];

static _Atomic(unsigned *) current LINE_ALIGNED;
static atomic_uint seen LINE_ALIGNED;

static void *forward(void *arg)
{
    unsigned long wrong = 0;
    for (unsigned change = 0; change < CHANGES;) {
        const unsigned *table = atomic_load_explicit(&current, memory_order_acquire);
        const unsigned first = table[0];
        for (unsigned r = 0; r < ROUTES; r++)
            wrong += table[r] != first + r;
        if (first != change)
            continue;
        change++;
        atomic_store(&seen, change);
    }
    *(unsigned long *)arg = wrong;
    return NULL;
}

int main(void)
{
    pthread_t forwarder;
    unsigned long wrong = 0;
    for (unsigned c = 0; c < COPIES; c++)
        for (unsigned r = 0; r < ROUTES; r++)
            copies[c].next_hop[r] = r + 1000;
    atomic_store(&current, copies[1].next_hop);
    pthread_create(&forwarder, NULL, forward, &wrong);
    for (unsigned change = 0; change < CHANGES; change++) {
        unsigned *table = copies[change % COPIES].next_hop;
        for (unsigned r = 0; r < ROUTES; r++)
            table[r] = change + r;
        atomic_store_explicit(&current, table, memory_order_release);
        while (atomic_load(&seen) <= change)
            for (int i = 0; i < 20; i++)
                __asm__ volatile("");
        for (int i = 0; i < 400; i++)
            __asm__ volatile("");
    }
    pthread_join(forwarder, NULL);
    SHOW(copies);
    SHOW(current);
    SHOW(seen);
    printf("wrong %lu\n", wrong);
    return wrong != 0;
}

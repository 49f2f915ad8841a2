/*
 * A ring buffer for each pair of threads, with both indices beside each other. Either side moves
 * its index with each message, and looks at the other's only once for many.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { SLOTS = 256, BATCH = 64, MESSAGES = 64 * BATCH };

struct ring {
    APART atomic_uint written;
    APART atomic_uint read;
    APART unsigned slots[SLOTS];
};

static OWN_LINE struct ring rings[MOST / 2];
static OWN_LINE unsigned sums[MOST / 2][LINE / sizeof(unsigned)];

static unsigned cook(unsigned n)
{
    for (int i = 0; i < 6; i++)
        n = n * 1664525u + 1013904223u;
    return n;
}

static void produce(struct ring *r)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (i % BATCH == 0)
            while (i + BATCH - atomic_load_explicit(&r->read, memory_order_acquire) > SLOTS)
                sched_yield();
        r->slots[i % SLOTS] = cook(i);                                   /* shares: rings */
        atomic_store_explicit(&r->written, i + 1, memory_order_release); /* shares: rings */
    }
}

static unsigned consume(struct ring *r)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (i % BATCH == 0)
            while (atomic_load_explicit(&r->written, memory_order_acquire) - i < BATCH)
                sched_yield();
        sum ^= cook(r->slots[i % SLOTS]);
        atomic_store_explicit(&r->read, i + 1, memory_order_release); /* shares: rings */
    }
    return sum;
}

static void *work(void *argument)
{
    int me = number(argument);
    struct ring *r = &rings[me / 2];
    if (me % 2)
        sums[me / 2][0] = consume(r);
    else
        produce(r);
    return NULL;
}

static unsigned expected(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < MESSAGES; i++)
        sum ^= cook(cook(i));
    return sum;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 2), wrong = 0;
    if (n % 2)
        return 2;
    shown("rings", rings, sizeof rings);
    crew(n, work);
    unsigned right = expected();
    for (int i = 0; i < n / 2; i++)
        wrong += sums[i][0] != right;
    printf("%d of %d rings wrong\n", wrong, n / 2);
    return wrong;
}

/*
 * A ring between one producer and one consumer. Head and tail are neighbours, and so are the two
 * sides' own notes: what each last saw of the other, and how much it has done.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { RING = 8, ITEMS = 6000 };

static struct {
    APART atomic_uint head; /* of the producer, with the next two */
    unsigned tail_seen;
    unsigned produced;
    APART atomic_uint tail; /* of the consumer, with the next two */
    unsigned head_seen;
    unsigned consumed;
} queue LINE_ALIGNED;

static struct {
    LINE_ALIGNED unsigned item;
} ring[RING] LINE_ALIGNED;

static void put(unsigned item)
{
    const unsigned at = atomic_load_explicit(&queue.head, memory_order_relaxed);
    while (at - queue.tail_seen == RING)
        queue.tail_seen =
            atomic_load_explicit(&queue.tail, memory_order_acquire); /* shares: queue */
    ring[at % RING].item = item;
    queue.produced++;                                                 /* shares: queue */
    atomic_store_explicit(&queue.head, at + 1, memory_order_release); /* shares: queue */
}

static unsigned take(void)
{
    const unsigned at = atomic_load_explicit(&queue.tail, memory_order_relaxed);
    while (at == queue.head_seen)
        queue.head_seen =
            atomic_load_explicit(&queue.head, memory_order_acquire); /* shares: queue */
    const unsigned item = ring[at % RING].item;
    queue.consumed++;                                                 /* shares: queue */
    atomic_store_explicit(&queue.tail, at + 1, memory_order_release); /* shares: queue */
    return item;
}

static void *produce(void *arg)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        put(i);
        for (int work = 0; work < 5; work++)
            __asm__ volatile("");
    }
    return arg;
}

int main(void)
{
    pthread_t producer;
    unsigned sum = 0;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++)
        sum += take() % 10;
    pthread_join(producer, NULL);
    SHOW(queue);
    SHOW(ring);
    printf("sum %u of %u\n", sum, queue.consumed);
    return sum != ITEMS / 10 * 45;
}

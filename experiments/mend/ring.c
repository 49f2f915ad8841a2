/*
 * A queue on the heap between two threads: the one writes `tail`, the other `head`, and both keep
 * what they have seen of the other's, so that they rarely need it.
 */
#include "../false-sharing-lab/first/lab.h"

#include <stdatomic.h>

enum { ITEMS = 3000, ROOM = 512 };

struct ring {
    LAB_APART _Atomic unsigned tail;
    unsigned seen_head, sent;
    LAB_APART _Atomic unsigned head;
    unsigned seen_tail, taken;
    LAB_APART unsigned item[ROOM];
};

static struct ring *ring;

static void produce(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
        while (tail - ring->seen_head == ROOM)
            ring->seen_head = atomic_load_explicit(&ring->head, memory_order_acquire);
        ring->item[tail % ROOM] = i;
        ring->sent++;
        atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
        lab_think(40);
    }
}

static void consume(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        while (head == ring->seen_tail) {
            lab_think(4000);
            ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        }
        ring->taken += ring->item[head % ROOM] == i;
        atomic_store_explicit(&ring->head, head + 1, memory_order_release);
        lab_think(40);
    }
}

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    if (me)
        consume();
    else
        produce();
}

int main(void)
{
    ring = (struct ring *)lab_new(sizeof *ring);
    lab_run(2, work);
    return lab_end(ring->taken == ITEMS && ring->sent == ITEMS);
}

/*
 * A ring of items between a producer and a consumer; each index has a line of its own, and both
 * threads look at both: true sharing.
 */
#include "lab.h"

enum { PLACES = 16, ITEMS = 400 };

static struct {
    LAB_ALIGNED volatile unsigned head;
    LAB_ALIGNED volatile unsigned tail;
    LAB_ALIGNED volatile unsigned item[PLACES][LAB_LINE / sizeof(unsigned)];
} queue;

static struct {
    LAB_ALIGNED volatile unsigned sum;
} taken;

static void produce(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (queue.tail - queue.head == PLACES)
            lab_think(60);
        queue.item[i % PLACES][0] = i;
        __sync_synchronize();
        queue.tail++;
    }
}

static void consume(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (queue.tail == queue.head)
            lab_think(60);
        __sync_synchronize();
        taken.sum += queue.item[i % PLACES][0];
        __sync_synchronize();
        queue.head++;
    }
}

static void work(unsigned me, unsigned threads)
{
    if (me == 0 && threads > 1)
        produce();
    if (me == 1)
        consume();
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 2);
    lab_run(threads, work);
    LAB_SHOW(queue);
    LAB_SHOW(taken);
    return lab_end(threads < 2 || taken.sum == ITEMS * (ITEMS - 1) / 2);
}

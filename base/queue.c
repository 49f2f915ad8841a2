/*
 * Growing a queue: its elements go to the front of a larger array, in order.
 */
#include "base/queue.h"

#include "base/alloc.h"

void *sim_queue_grow(struct sim_queue *q, void *array, size_t element)
{
    enum { FEWEST = 16 };
    const unsigned size = q->size ? 2 * q->size : FEWEST, head = q->size - q->head;
    char *grown = sim_grow(NULL, size, element);
    const size_t first = (size_t)(q->count < head ? q->count : head) * element;
    if (q->count) {
        memcpy(grown, (char *)array + q->head * element, first);
        memcpy(grown + first, array, q->count * element - first);
    }
    free(array);
    q->head = 0;
    q->size = size;
    return grown;
}

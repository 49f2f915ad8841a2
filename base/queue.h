/*
 * The bookkeeping of a first-in, first-out queue that grows: its user has the array, so that the
 * elements keep their type.
 *
 *     if (nm_queue_full(&q))
 *         array = nm_queue_grow(&q, array, sizeof *array);
 *     array[nm_queue_push(&q)] = x;
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/** All zero: empty, without an array. */
struct nm_queue {
    unsigned head, count, size; /**< size: a power of two */
};

/** Index of the i-th element from the head. Precondition: i <= count, and there is an array. */
static inline unsigned nm_queue_at(const struct nm_queue *q, unsigned i)
{
    return (q->head + i) & (q->size - 1);
}

static inline bool nm_queue_full(const struct nm_queue *q)
{
    return q->count == q->size;
}

/** Index of a new last element. Precondition: not full. */
static inline unsigned nm_queue_push(struct nm_queue *q)
{
    return nm_queue_at(q, q->count++);
}

/** Index of the first element, which is the first no more. Precondition: not empty. */
static inline unsigned nm_queue_pop(struct nm_queue *q)
{
    const unsigned first = q->head;
    q->head = nm_queue_at(q, 1);
    q->count--;
    return first;
}

/** Doubles the array, at least to 16 elements. @param array  freed @return the new one, the
 *  caller's, to be given to free(); the elements beyond count are not set */
void *nm_queue_grow(struct nm_queue *q, void *array, size_t element);

#endif

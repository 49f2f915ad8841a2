/*
 * The bookkeeping of a first-in, first-out queue that grows: its user has the array, so that the
 * elements keep their type.
 *
 *     if (sim_queue_full(&q))
 *         array = sim_queue_grow(&q, array, sizeof *array);
 *     array[sim_queue_push(&q)] = x;
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/** All zero: empty, without an array. */
struct sim_queue {
    unsigned head, count, size; /**< size: a power of two */
};

/** Index of the i-th element from the head. Precondition: i <= count, and there is an array. */
static inline unsigned sim_queue_at(const struct sim_queue *q, unsigned i)
{
    return (q->head + i) & (q->size - 1);
}

static inline bool sim_queue_full(const struct sim_queue *q)
{
    return q->count == q->size;
}

/** Index of a new last element. Precondition: not full. */
static inline unsigned sim_queue_push(struct sim_queue *q)
{
    return sim_queue_at(q, q->count++);
}

/** Index of the first element, which is the first no more. Precondition: not empty. */
static inline unsigned sim_queue_pop(struct sim_queue *q)
{
    const unsigned first = q->head;
    q->head = --q->count ? sim_queue_at(q, 1) : 0; /* an empty one begins anew: fewer of the host's
                                                      cache lines are in use */
    return first;
}

/** Doubles the array, at least to 16 elements. @param array  freed @return the new one, the
 *  caller's, to be given to free(); the elements beyond count are not set */
void *sim_queue_grow(struct sim_queue *q, void *array, size_t element);

#endif

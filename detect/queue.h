/*
 * Events of all cards in the order of time.
 *
 * Cards run ahead of each other, so their events do not come in the order in which they happen.
 * Those put here come out by tick, of one tick by card, of one card as they were put: an order that
 * does not depend on how the simulator goes about its work.
 */
#ifndef DET_QUEUE_H
#define DET_QUEUE_H

#include "detect/model.h"

struct det_queue;

struct det_queue *det_queue_new(void);
void det_queue_free(struct det_queue *queue);

/** Keeps a copy of an event. One of a tick that has been taken already counts as one of the next
 *  tick. */
void det_queue_put(struct det_queue *queue, enum det_event_kind kind,
                   const struct det_event *event);

typedef void det_queue_fn(void *ctx, enum det_event_kind kind, const struct det_event *event);

/** Takes out all events before a tick: none of them is still to come. `taken` puts none.
 *  @param before  SIM_NEVER: all */
void det_queue_take(struct det_queue *queue, sim_tick before, det_queue_fn *taken, void *ctx);

#endif

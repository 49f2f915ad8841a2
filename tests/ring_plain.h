/*
 * The rings of ring/ring.h once more, as plainly as they can be put: every slot is moved by hand in
 * every cycle, and every count is made where the thing counted happens. Nothing is fast, nothing is
 * shared with ring/ but its header and its masks. The calls are those of ring/ring.h.
 */
#ifndef RING_PLAIN_H
#define RING_PLAIN_H

#include "ring/ring.h"

struct plain;

/** Ownership: caller, plain_free. At most PLAIN_PACKETS packets may be sent by a station. */
enum { PLAIN_PACKETS = 256 };
struct plain *plain_new(const struct ring_shape *shape, const struct ring_timing *timing,
                        ring_deliver_fn *deliver, void *ctx);
void plain_free(struct plain *p);

bool plain_room(const struct plain *p, unsigned station, unsigned class, sim_tick at);
void plain_send(struct plain *p, unsigned station, sim_tick at, const struct ring_packet *packet);
void plain_take(struct plain *p, unsigned station, sim_tick at, unsigned class);
void plain_run(struct plain *p, sim_tick until);

/** First tick since plain_still at which a slot moved, entered or was handled; SIM_NEVER: none. */
sim_tick plain_stirred(const struct plain *p);
/** Forgets it. */
void plain_still(struct plain *p);

struct ring_link_count plain_link(const struct plain *p, unsigned level, unsigned ring,
                                  unsigned node);
struct ring_interface_count plain_interface(const struct plain *p, unsigned station);
struct ring_between_count plain_between(const struct plain *p, unsigned level, unsigned ring);
struct ring_total plain_total(const struct plain *p);

#endif

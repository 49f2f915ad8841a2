/*
 * Address space for the parts of something that come and go together. A machine of a thousand
 * processors has three thousand sparse tables; the host takes 20 microseconds to map one and to
 * take it back. What all of them use all the time, it finds sooner in pages of 2 MB.
 */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

struct sim_room;

/** What a room is for. */
enum sim_room_use {
    SIM_ROOM_SPARSE, /**< much of it is never written */
    SIM_ROOM_DENSE,  /**< all of it is used: the host may give it large pages */
};

/** An empty one; the caller's, to be given to sim_room_free(). */
struct sim_room *sim_room_new(enum sim_room_use use);

/** `bytes` that read as zero and take memory only where they are written; never NULL. Aligned to a
 * cache line of the host's. The room's. */
void *sim_room_take(struct sim_room *room, size_t bytes);

/** sim_expect_full() of all that has been taken of it. */
void sim_room_expect_full(struct sim_room *room);

/** Gives back all that was taken of it. */
void sim_room_free(struct sim_room *room);

#endif

/*
 * The threads of a workload as actors: each has a stack of its own, so that a handler which waits
 * is a function that has not returned. The hardware calls them.
 *
 * Turns: at any moment one works. The hardware grants the turn to one thread, which hands it back
 * by waiting or by ending.
 *
 * A thread that waits for the next trap of its card is the hardware's business. One that blocks,
 * for others or until a date, is the operating system's, which is SimGrid's actors (sleepers.h).
 * SimGrid is started when a thread blocks for the first time: most runs are short, and it takes
 * longer to start than they do.
 */
#ifndef PROG_ACTORS_H
#define PROG_ACTORS_H

#include "machine/machine.h"

struct prog_actors;
struct prog_actor;

/** What a run is, to its actors. */
struct prog_actors_ops {
    /** The hardware's part, all of the run. */
    void (*hardware)(struct prog_actors *as, void *ctx);
    /** A thread cannot block, and will have no further turn, because SimGrid did not start.
     *  @param err  -errno (prog_sleepers_new) */
    void (*failed)(void *ctx, int err);
};

/**
 * Runs `hardware`; returns when that has returned and every thread's actor is gone.
 * @return 0, or -EALREADY, and `hardware` was not called: this process has started SimGrid before
 */
int prog_actors_run(const struct nm_params *p, const struct prog_actors_ops *ops, void *ctx);

/** Creates a thread's actor on `card`. It runs `body(arg)` at its first turn. Ownership: `as`. */
struct prog_actor *prog_actor_new(struct prog_actors *as, const char *name, unsigned card,
                                  void (*body)(void *arg), void *arg);

/** Frees one whose body has returned, and which has handed its turn back. */
void prog_actor_free(struct prog_actors *as, struct prog_actor *a);

/** The thread moves to another card. */
void prog_actor_move(struct prog_actor *a, unsigned card);

/* ---- for the hardware ------------------------------------------------------------------------ */

/** Moves the actors' clock to `to`. */
void prog_actors_advance(struct prog_actors *as, sim_tick to);

/** Gives the turn to a thread and waits until it is handed back. A thread that has blocked goes on,
 *  whether its date has come or not. */
void prog_actor_grant(struct prog_actor *a);

/* ---- for a thread that has the turn ---------------------------------------------------------- */

/** Hands the turn back and waits for the next one, which the hardware will grant by itself. */
void prog_actor_wait(struct prog_actor *a);

/** The same, but it waits for others, or until a date.
 *  @param date  [ticks] later than now; SIM_NEVER: none */
void prog_actor_block(struct prog_actor *a, sim_tick date);

#endif

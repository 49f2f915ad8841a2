/*
 * SimGrid's part of a run: the actors. One actor is the hardware; each guest thread is an actor on
 * the host of its processor card, asleep until its card traps.
 *
 * Turns: at any moment one actor works. The hardware grants the turn to one thread, which hands it
 * back by waiting or by ending. One SimGrid second is one tick.
 */
#ifndef PROG_ACTORS_H
#define PROG_ACTORS_H

#include "machine/machine.h"

struct prog_actors;
struct prog_actor;

/**
 * Starts SimGrid with a platform made from the machine and runs `hardware(ctx)` as its first actor;
 * returns when that has returned and every thread's actor is gone. Once per process,
 * because SimGrid is: what it knows is in variables of its library.
 * @return 0, or -errno when SimGrid did not start, and `hardware` was not called: EALREADY if it
 * had been started before, by whomever; ELIBACC: its library is not there; else what the host said
 */
int prog_actors_run(const struct nm_params *p, void (*hardware)(struct prog_actors *as, void *ctx),
                    void *ctx);

/** Creates a thread's actor on `card`. It runs `body(arg)` at its first turn. Ownership: `as`. */
struct prog_actor *prog_actor_new(struct prog_actors *as, const char *name, unsigned card,
                                  void (*body)(void *arg), void *arg);

/** Frees one whose body has returned, and which has handed its turn back. */
void prog_actor_free(struct prog_actors *as, struct prog_actor *a);

/** The thread moves to another card. */
void prog_actor_move(struct prog_actor *a, unsigned card);

/* ---- for the hardware ------------------------------------------------------------------------ */

/** Moves SimGrid's clock to `to`. `due` is how many threads wait with a deadline at or before it;
 *  on return each of them has noticed, and waits for a turn. */
void prog_actors_advance(struct prog_actors *as, sim_tick to, unsigned due);

/** Gives the turn to a thread and waits until it is handed back. */
void prog_actor_grant(struct prog_actor *a);

/* ---- for a thread that has the turn ---------------------------------------------------------- */

/** Hands the turn back and waits for the next one.
 *  @param deadline  [ticks] also wake then (SIM_NEVER: no). @return false if the deadline came
 * first
 */
bool prog_actor_wait(struct prog_actor *a, sim_tick deadline);

#endif

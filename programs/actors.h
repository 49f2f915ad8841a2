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

struct actors;
struct actor;

/**
 * Starts SimGrid with a platform made from the machine and runs `hardware(ctx)` as its first actor;
 * returns when that has returned and every thread's actor is gone. Once per process.
 * @return 0, or -errno when the host did not let SimGrid start; `hardware` was not called then
 */
int actors_run(const struct nm_params *p, void (*hardware)(struct actors *as, void *ctx),
               void *ctx);

/** Creates a thread's actor on `card`. It runs `body(arg)` at its first turn. Ownership: `as`. */
struct actor *actor_new(struct actors *as, const char *name, unsigned card, void (*body)(void *arg),
                        void *arg);

/** The thread moves to another card. */
void actor_move(struct actor *a, unsigned card);

/* ---- for the hardware ------------------------------------------------------------------------ */

/** Moves SimGrid's clock to `to`. `due` is how many threads wait with a deadline at or before it;
 *  on return each of them has noticed, and waits for a turn. */
void actors_advance(struct actors *as, nm_tick to, unsigned due);

/** Gives the turn to a thread and waits until it is handed back. */
void actor_grant(struct actor *a);

/* ---- for a thread that has the turn ---------------------------------------------------------- */

/** Hands the turn back and waits for the next one.
 *  @param deadline  [ticks] also wake then (NM_NEVER: no). @return false if the deadline came first
 */
bool actor_wait(struct actor *a, nm_tick deadline);

/** The platform as SimGrid reads it (malloc'd text): a host per card, a link per bus. */
char *actors_platform(const struct nm_params *p);

#endif

/* Threads on cards (sched.c), and the clock interrupt of a card (tick.c). */
#ifndef LX_THREADS_H
#define LX_THREADS_H

#include "programs/linux/process/process.h"

/** Tells the listener (prog_hooks.thread) of the thread: it begins, has ended, or its thread
 * pointer has changed. */
void lx_thread_tell(const struct lx_thread *t);
/** A new thread with the registers given, ready to be placed. */
struct lx_thread *lx_thread_new(struct lx_prog *p, const union lx_regs *regs);
/** Chooses a card and makes the thread ready at now + the time a wake-up takes. */
void lx_thread_start(struct lx_thread *t);
/** The thread is gone: its card goes on without it. Its actor may only return then. */
void lx_thread_end(struct lx_thread *t);
/** The thread ends the program: the run's listener is told (prog_hooks.turn). */
void lx_thread_exits(const struct lx_thread *t);
/** Frees one that has ended and whose actor has returned, or any at the end of the run. */
void lx_thread_free(struct lx_thread *t);

/** After its handler: back to its card, or into a queue. */
void lx_sched_return(struct lx_thread *t);

/** Another thread's allowed cards changed. */
void lx_sched_affinity(struct lx_thread *t);

/**
 * The calling thread waits: its card goes to another thread meanwhile.
 * @param deadline  [ticks] SIM_NEVER: none
 * @param interruptible  a signal ends the wait
 * @param channel   what lx_thread_wake_all must name, or NULL
 */
enum lx_wake lx_thread_block(struct lx_thread *t, sim_tick deadline, bool interruptible,
                             const void *channel);
/** The calling thread waits until `at`, if that is to come, and keeps its card. */
void lx_thread_hold(struct lx_thread *t, sim_tick at);
/** Ends a wait; no effect on a thread that does not wait. */
void lx_thread_wake(struct lx_thread *t, enum lx_wake why);
void lx_thread_wake_all(struct lx_prog *p, const void *channel);
/** Makes the thread look at its signals: ends its wait or stops its card. */
void lx_thread_notify(struct lx_thread *t);

/** A living one, or NULL. */
struct lx_thread *lx_thread_find(struct lx_prog *p, uint32_t tid);
/** The one that a number names: a living one, or the first. That may have ended, but its number is
 *  the process's, too. */
struct lx_thread *lx_thread_named(struct lx_prog *p, uint32_t tid);

/** [ticks] The card's first clock interrupt after `at`; SIM_NEVER: there is none. */
sim_tick lx_tick_after(const struct lx_prog *p, unsigned card, sim_tick at);
/** [ticks] What its clock interrupt at `at` takes. */
sim_tick lx_tick_cost(const struct lx_prog *p, unsigned card, sim_tick at);

#endif

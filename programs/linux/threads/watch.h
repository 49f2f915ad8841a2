/*
 * The watchdog over the program: whether its threads get on, and where each of them is.
 *
 * It only reads. What it says depends on the simulation alone, but for host time without simulated.
 */
#ifndef LX_WATCH_H
#define LX_WATCH_H

#include "programs/linux/process/process.h"

/** Where every thread is, a line each, for people. */
void lx_watch_threads(struct lx_prog *p, FILE *out);

/** What a thread does, and what it waits for: "in futex ..., for the lock ...". For people. */
void lx_watch_doing(struct lx_prog *p, const struct lx_thread *t, FILE *out);

/** Looks at all threads if it is time, and says or ends what goes nowhere (run.patience,
 *  run.livelock). @param waits  nothing but a thread can change anything: no deadline, no device,
 *  no card whose interrupt a thread could hear */
void lx_watch_look(struct lx_prog *p, bool waits);

/** At the end of the run: says how many writes to registers of cards were refused, and the first.
 */
void lx_watch_refused(struct lx_prog *p);

/** The thread is about to sleep on the futex at `addr` if its word is still `expected`. */
void lx_watch_sleep(struct lx_thread *t, uint64_t addr, uint32_t expected);

/** How often in a row the thread, which sleeps on a futex, had found that one taken again. */
uint64_t lx_watch_vain(const struct lx_thread *t);

/* ---- keeping the books, for personality.c and sched.c
 * -------------------------------------------------
 */

/** The thread gets its card, or has come off it by a trap. */
void lx_watch_begin(struct lx_thread *t);
void lx_watch_trap(struct lx_thread *t);

#endif

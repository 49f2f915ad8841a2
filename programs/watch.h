/*
 * The watchdog over the program: whether its threads get on, and where each of them is.
 *
 * It only reads. What it says depends on the simulation alone, but for host time without simulated.
 */
#ifndef PROG_WATCH_H
#define PROG_WATCH_H

#include "programs/linux.h"

/** Where every thread is, a line each, for people. @return text to be freed */
char *watch_threads(struct prog *p);

/** Says text of whole lines (prog_hooks.say). */
void watch_say(struct prog *p, const char *text);

/** Looks at all threads if it is time, and says or ends what goes nowhere (run.patience,
 *  run.livelock). @param waits  nothing but a thread can change anything: no deadline, no device,
 *  no card whose interrupt somebody could hear */
void watch_look(struct prog *p, bool waits);

/** At the end of the run: says how many writes to registers of cards were refused, and the first.
 */
void watch_refused(struct prog *p);

/** Looks whether simulated time has passed since the last call, of about ten a second.
 *  @param now_ns  the host's clock */
void watch_host(struct prog *p, int64_t now_ns);

/** The thread is about to sleep on the futex at `addr` if its word is still `expected`. */
void watch_sleep(struct thread *t, uint64_t addr, uint32_t expected);

/** How often in a row the thread, which sleeps on a futex, had found that one taken again. */
uint64_t watch_vain(const struct thread *t);

/* ---- keeping the books, for run.c and sched.c -------------------------------------------------
 */

/** The thread gets its card, or has come off it by a trap. */
void watch_begin(struct thread *t);
void watch_trap(struct thread *t);

#endif

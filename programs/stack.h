/*
 * Functions that stop in the middle: each has a stack of its own, and one at a time runs on it.
 */
#ifndef PROG_STACK_H
#define PROG_STACK_H

struct prog_stack;

/** `body(arg)` will run on a stack of its own, of as many bytes as a thread's has by custom; a page
 * without access lies below. The caller's. */
struct prog_stack *prog_stack_new(void (*body)(void *arg), void *arg);

/** Ends a function wherever it stopped: what it holds is not given back. Not for one that runs. */
void prog_stack_free(struct prog_stack *s);

/** The function begins, or goes on where it stopped; not after it has returned.
 *  Comes back when it stops or returns. */
void prog_stack_enter(struct prog_stack *s);

/** For the function: stops until it is entered again. */
void prog_stack_leave(struct prog_stack *s);

#endif

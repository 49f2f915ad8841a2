/*
 * How a run comes to the part that is to be measured: functionally up to a point, and again behind
 * another one. Private to run.c.
 */
#ifndef PROG_APPROACH_H
#define PROG_APPROACH_H

#include "programs/workload.h"

struct prog_stages;

/** @return NULL: the run has no approach. The caller's, for prog_stages_end. */
struct prog_stages *prog_stages_new(struct prog_run *run);
void prog_stages_end(struct prog_stages *s);

/** Before the first card starts. */
void prog_stages_begin(struct prog_stages *s);

/** The machine must not run past this tick; SIM_NEVER: nothing is to come. NULL: none. */
sim_tick prog_stages_date(const struct prog_stages *s);

/** The machine stands, and all of this tick has happened. NULL: none. */
void prog_stages_step(struct prog_stages *s);

/** A region begins or ends. NULL: none. */
void prog_stages_mark(struct prog_stages *s, const char *name, bool begin);

/** A thread is about to execute the instruction at `va`. NULL: none. */
void prog_stages_come(struct prog_stages *s, uint64_t va);

#endif

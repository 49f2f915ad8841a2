/*
 * IRIX's event counters for programs on the personality (docs/irix.md): /proc/PID and syssgi. A
 * thread is a process of IRIX's, as those that its sproc makes are.
 */
#ifndef LX_IRIX_H
#define LX_IRIX_H

#include "programs/linux/process/call.h"

void lx_irix_init(struct lx_prog *p);
void lx_irix_free(struct lx_prog *p);

/** Opens /proc/NUMBER. @return a descriptor, -ENOENT or -EACCES */
int64_t lx_irix_open(struct lx_prog *p, const struct lx_synthetic *row, unsigned number,
                     uint32_t flags);
/** Whether there is a process of that number. */
bool lx_irix_there(const struct lx_prog *p, unsigned number);

/** `child` has been made by `t`. */
void lx_irix_born(struct lx_thread *child, struct lx_thread *t);
/** The program's first thread begins: it, and those that it makes, are interrupted as
 *  prog_spec.counted has it. */
void lx_irix_begin(struct lx_thread *t);
/** The thread ends; those that wait for it still do. */
void lx_irix_gone(struct lx_thread *t);
/** It has its card: from now on, or still. */
void lx_irix_runs(struct lx_thread *t);
void lx_irix_stops(struct lx_thread *t);
/** It has trapped; its registers are here. */
void lx_irix_trap(struct lx_thread *t);
/** A counter of the card's processor interrupts it. */
void lx_irix_interrupt(struct lx_prog *p, unsigned card);
/** A system call is done. */
void lx_irix_called(struct lx_call *c, int64_t result);

/** [ticks] The next clock interrupt at which events take turns; SIM_NEVER: none, or no thread can
 *  run. */
sim_tick lx_irix_date(const struct lx_prog *p);
/** What is due at this tick takes its turn. */
void lx_irix_ring(struct lx_prog *p);

#endif

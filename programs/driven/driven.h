/*
 * A workload whose threads are sources of references on driver cores (procard/driver/driver.h), one
 * a card: kernels, patterns, traces, measurements. It has ended when every source has said END.
 */
#ifndef DRIVEN_DRIVEN_H
#define DRIVEN_DRIVEN_H

#include "procard/driver/driver.h"
#include "programs/workload.h"

#pragma GCC visibility push(default)

/** What one card does. */
struct driven_thread {
    unsigned card;
    const struct pc_driver_source *source;
    void *self;
    sim_tick at; /**< its first reference is not before this tick; in the past: at once */
};

/** What driven_workload runs (prog_spec.what). The caller's; outlives the run. */
struct driven_work {
    const struct driven_thread *thread; /**< of different cards */
    unsigned count;                     /**< 1 or more */
};

/** Runs a struct driven_work on a machine made with pc_driver, whose space has been set
 *  (nm_machine_set_space). A work without threads, or with two on one card or one on a card that is
 *  not there, ends as PROG_UNLOADABLE. A reference that fails with an exception ends the run as
 *  PROG_SIGNALED, with the number of the exception. Other works may follow on the same machine. */
extern const struct prog_workload driven_workload;

#pragma GCC visibility pop

#endif

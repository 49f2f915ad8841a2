/*
 * Four R4400s that go through a loop of everything: misses, sharing, slips, branches of all kinds,
 * exceptions, system calls, preemptions. What such a machine does depends on its parameters only,
 * so that two of them can be asked in different ways.
 */
#ifndef STATES_RIG_H
#define STATES_RIG_H

#include "machine/params.h"
#include "machine/values.h"
#include "procard/r4400/r4400.h"

enum { STATES_CARDS = 4 };

struct states_rig {
    struct nm_params p;
    struct nm_machine *m;
    struct r4400_code *code;
    uint64_t paged_in; /**< bit per page of the code */
    sim_tick stop_at;  /**< the next preemption */
    unsigned turn;     /**< whose */
};

/** Of the machine that tests run on, with so many processors on a station. */
struct nm_params states_machine(unsigned processors);
/** Caches for which the loop is too long, a TLB, and lines of two colours. */
struct nm_params states_cramped(void);

/** A machine whose threads begin at tick 0; `made`, if not NULL, is called before. */
void states_start(struct states_rig *rig, const struct nm_params *p,
                  void (*made)(void *ctx, struct nm_machine *m), void *ctx);
void states_end(struct states_rig *rig);

/** Runs to `until`. The operating system does something for 300 PCycles at each system call, and
 *  stops a card now and then. */
void states_go_to(struct states_rig *rig, sim_tick until);

#endif

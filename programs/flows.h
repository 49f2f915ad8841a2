/*
 * What runs at the same time on a machine, as flows that share its buses and rings fairly:
 * SimGrid's max-min sharing on the platform of platform.h.
 */
#ifndef PROG_FLOWS_H
#define PROG_FLOWS_H

#include "machine/params.h"

/** What a task uses all the while, as shares of one bus, ring or memory that it would keep busy. */
struct prog_flow {
    enum { PROG_FLOW_RINGS, PROG_FLOW_BUS, PROG_FLOW_MEMORY } of;
    unsigned from, to; /**< stations; of a bus or a memory `from` alone counts */
    double share;      /**< of what a segment moves, a bus moves, the banks do; 0 or more */
};

/** Something that would take one second if it had the machine for itself; all that it uses gets
 *  slower with it. */
struct prog_task {
    unsigned card;          /**< it is bound to one, which no other task uses */
    struct prog_flow *flow; /**< [flows] the caller's */
    size_t flows;
};

/**
 * Runs the tasks at once. As prog_actors_run, once per process.
 * @param[out] took  [tasks] [s] 1 or more
 * @return 0, or -errno as prog_actors_run
 */
int prog_flows_run(const struct nm_params *p, const struct prog_task *task, unsigned tasks,
                   double *took);

#endif

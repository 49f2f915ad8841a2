/*
 * The lines on which a processor exports the signals of its counters: the EVNTBUS of an ARM11, for
 * a device attached to it.
 *
 * They have a value in each PCycle. A core knows by how much its signals have grown in a run; a
 * card that is followed runs one instruction at a time, and what one that takes several PCycles has
 * made is exported from its first one on, as fast as the lines can say it.
 */
#ifndef PC_EXPORTED_H
#define PC_EXPORTED_H

#include "monitor/own.h"
#include "procard/core.h"

#pragma GCC visibility push(default)

/** Called when the lines have another value, from PCycle `t` on. */
typedef void pc_exported_fn(void *ctx, sim_tick t, uint32_t lines);

/** A recording of a processor's lines. */
struct pc_exported {
    pc_exported_fn *changed;
    void *ctx;
    union mon_own_signals seen; /**< exported so far */
    sim_tick next;              /**< the next PCycle */
    uint32_t lines;             /**< in the one before it */
};

#pragma GCC visibility pop

#endif

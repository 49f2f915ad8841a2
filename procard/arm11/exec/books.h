/*
 * Private to the interpreter: what it counts in variables of its own while it runs, and what waits
 * are put down to.
 */
#ifndef ARM11_EXEC_BOOKS_H
#define ARM11_EXEC_BOOKS_H

#include "procard/arm11/profile.h"

/** What has been done since tick `began`. Of branches only those that take a PCycle: a folded one
 *  has none to be put down. */
struct arm11_tally {
    uint64_t insns, slips, touches, loads, stores, swaps, branches, taken;
    sim_tick began;
};

/** Puts it down, up to base.now. @param c  the core @param did  what @param observed  also to the
 *  instruction that stands there */
void arm11_put_down(struct arm11 *c, struct arm11_tally did, bool observed);

/** base.tail: what of the clock lies behind the horizon, at the end of a run. */
void arm11_tail(struct arm11 *c);

/** A load or store waits in [from, to) for a register or for its pipe. [S] One cycle may be in
 *  several events: while it waits for a register (0x2), all places for misses may be taken (0x11).
 */
void arm11_also_full(struct arm11 *c, sim_tick from, sim_tick to);
/** The same, where the horizon has cut the wait. */
void arm11_enters_late(struct arm11 *c, sim_tick from, sim_tick to);

/** `n` slips that will be put down to registers are the load/store pipe's. */
static inline void arm11_not_for_registers(struct arm11 *c, sim_tick n)
{
    arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, -n);
}

/** An instruction that cannot issue before `wants` has waited `n` PCycles.
 *  @param c  the core @param n  how long @param wants  the tick @param observed  a profile is told
 *  @return how many of them are slips */
sim_tick arm11_waited(struct arm11 *c, sim_tick n, sim_tick wants, bool observed);

#endif

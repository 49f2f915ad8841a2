/*
 * What a card's time goes to: to its thread, to the operating system, or to waiting.
 */
#ifndef NM_USAGE_H
#define NM_USAGE_H

#include "machine/machine.h"

/** Changes that may be known before they come: the end of a call, the begin of the system's work
 *  for the next thread, and its return to that one. */
enum { NM_USAGE_AHEAD = 3 };

/** All zero: idle since tick 0. */
struct nm_usage {
    sim_tick ticks[NM_USE__COUNT]; /**< before `since` */
    enum nm_use now;               /**< from `since` on ... */
    sim_tick since;
    struct nm_usage_change {
        enum nm_use use;
        sim_tick at;
    } next[NM_USAGE_AHEAD]; /**< ... until the first of these, in their order */
    unsigned changes;
};

/** From `at` on the time goes to `use`, unless something comes before. A change that lies behind
 *  the new one happens; one that does not will not. */
void nm_usage_set(struct nm_usage *u, enum nm_use use, sim_tick at);

/** What it has gone to before `at`, which is not before a tick that was asked for. */
void nm_usage_at(const struct nm_usage *u, sim_tick at, struct nm_truth *out);

#endif

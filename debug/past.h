/*
 * A debugger that goes backwards, by programs/past.h.
 *
 * The hard idea is that the past is another process: a copy of the simulator, made at an earlier
 * moment by fork, that has slept since. It takes over the connection (struct dbg_session, which all
 * copies share) and goes on from its own moment; the present one gives up.
 *
 * All but dbg_past_begin and dbg_past_end are for a run that can be gone back over: dbg.past is not
 * NULL.
 */
#ifndef DBG_PAST_H
#define DBG_PAST_H

#include "debug/debug.h"

/** The run is about to begin, at tick 0. From now on it can be gone back over, unless it is one in
 *  functional mode, or with an approach, or the build is one whose actors are threads. */
void dbg_past_begin(struct dbg *d);

/** The machine stands at `at`, between two rounds of the run loop, and nothing has been asked: a
 *  copy may be made. Of a copy that has been woken it returns when it takes over.
 *  @return whether it has: the session's `target` says where to go */
bool dbg_past_stands(struct dbg *d, sim_tick at);

/** The tick at which it wants to be called next; SIM_NEVER: whenever that may be. */
sim_tick dbg_past_next(const struct dbg *d);

/** Of a copy: the tick up to which the run has been, beyond which only the process that has been
 *  there may go. There it hands over: with no target (target.on is false), and what the session
 *  says of going on. SIM_NEVER: it is that process. */
sim_tick dbg_past_edge(const struct dbg *d);

/** The earliest tick that can be gone back to. */
sim_tick dbg_past_earliest(const struct dbg *d);

/** Another process takes over, goes to d->session->target and stops there. A copy does not return.
 *  The process that has been at the edge sleeps, and returns when it has the turn again:
 *  session.going is DBG_RETURNS, if others have not been told to leave the run alone.
 *  @pre target.point.at is not later than the present tick, or there is no target, and this is a
 *  copy that stands at its edge
 *  @return false: there is no copy that is early enough */
bool dbg_past_go(struct dbg *d);

/** The last hit of d->session's conditions before a point (dbg_collect_begin in scout.h).
 *  @return false: there is none back to dbg_past_earliest */
bool dbg_past_last(struct dbg *d, const struct dbg_point *before, struct dbg_hit *out);

/** The run is about to be changed from outside. What was before can not be gone back to any more.
 *  @return false: this is the past, which cannot be changed */
bool dbg_past_changes(struct dbg *d);

/** How many copies there are, of when, and what they take, for people. */
void dbg_past_describe(const struct dbg *d, FILE *out);

/** The debugger has left: the copies go. */
void dbg_past_end(struct dbg *d);

#endif

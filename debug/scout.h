/*
 * Looking ahead: where a run will first come to what shall stop it.
 *
 * The hard idea: nothing may disturb the run, and processors run ahead of each other, so that who
 * sees a breakpoint reached cannot stop all others at that cycle. So a copy of the process (fork)
 * looks: it simulates on without the operating system, notes the first hit, and ends. Then the run
 * itself goes exactly there.
 */
#ifndef DBG_SCOUT_H
#define DBG_SCOUT_H

#include "debug/debug.h"

/** What a scout has seen. */
struct dbg_seen {
    struct dbg_hit hit; /**< DBG_NOTHING: none ... */
    sim_tick to;        /**< ... before this tick */
    bool interrupted;   /**< somebody has asked for a stop meanwhile */
    bool full;          /**< who goes alone stores to more ranges than can be shown ahead of the
                             machine (DBG_STORES): nothing is known of what is behind that */
};

/** Looks ahead from where the machine stands. @param to  no farther than this tick */
struct dbg_seen dbg_scout(struct dbg *d, sim_tick to);

/** Runs `look` in a copy of the process and waits for it. @param shared  [bytes] memory that it
 *  fills, mapped so that both have it @return false: it has not come to its end */
bool dbg_apart(struct dbg *d, void (*look)(struct dbg *d, void *shared), void *shared);

/** The run's cards tell from now on of what they do, if a scout listens. @return NULL: they cannot,
 *  or tell somebody else. Before the run's first round */
struct pc_records *dbg_follow(struct dbg *d);

/** Memory that copies of the process share; zeroed. dbg_unshare gives it back. */
void *dbg_share(size_t bytes);
void dbg_unshare(void *shared, size_t bytes);

/** From now on this process, which is a copy at an earlier moment and runs the run loop by itself,
 *  notes the last hit before a point, with the conditions of the session. */
void dbg_collect_begin(struct dbg *d, const struct dbg_point *before, struct dbg_hit *last);

#endif

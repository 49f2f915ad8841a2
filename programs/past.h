/*
 * The past of a run: copies of the simulator, asleep, one for each of some moments; what lies
 * between them is made once more.
 *
 * Whoever listens calls prog_past_visit at moments at which the machine stands (prog_hooks.moment).
 * The process that runs first is the *live* one. Now and then a visit makes a snapshot: a copy of
 * the process, which sleeps. To be at a moment of the past, the newest snapshot before it makes a
 * copy of itself, and that *traveller* returns from the snapshot's visit, runs on to the moment
 * with the answers of the host's log (host.h), and then has the turn, while the live process
 * sleeps. One process has the turn at any time.
 *
 * A run is the same again because it depends on nothing but its input and the log. What the
 * listeners of a traveller keep in memory is its own; what is to be known in all of them must be
 * shared memory made before prog_past_begin (base/beside.h).
 *
 * All of them end with the live process, however that ends. The process must have one thread.
 */
#ifndef PROG_PAST_H
#define PROG_PAST_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

struct prog_past;

/** What the past may take. */
struct prog_past_limits {
    unsigned snapshots; /**< at a time; 2 .. PROG_PAST_SNAPSHOTS */
    uint64_t bytes;     /**< [bytes] of memory that they keep from changing, together */
    uint64_t log;       /**< [bytes] of answers of the host; what is older is forgotten */
    unsigned gap;       /**< [ms] of the live process's work, at least, between two */
};

enum { PROG_PAST_SNAPSHOTS = 128 };

/** Those of a debugger, far below 1 GB. */
extern const struct prog_past_limits prog_past_usual;

/** The process is the live one of a run that begins.
 *  @param stops  whether the run shall end: asked now and then while others have the turn, or
 *                search; NULL: it never shall */
struct prog_past *prog_past_begin(const struct prog_past_limits *limits, bool (*stops)(void *ctx),
                                  void *ctx);
/** The live process ends the others. */
void prog_past_end(struct prog_past *past);

/** What a traveller is for. */
enum prog_past_errand {
    PROG_PAST_TURN,   /**< it has the turn where it arrives */
    PROG_PAST_SEARCH, /**< it looks out on its way, says what it has seen, and is gone */
};

/** The machine stands at `now`. May return much later, and in another process.
 *  @param[out] moved  this process is a new one, at the beginning of its way
 *  @return [ticks] when to visit next; SIM_NEVER: a traveller is where it was sent, or nothing is
 *          wanted */
sim_tick prog_past_visit(struct prog_past *past, sim_tick now, bool *moved);

/** Whether this process is no longer the live one; what it is for; whether it is on its way still.
 */
bool prog_past_is_copy(const struct prog_past *past);
enum prog_past_errand prog_past_errand(const struct prog_past *past);
bool prog_past_travels(const struct prog_past *past);

/** The live process stands at `now`, which is no visit: a copy's is not heard. */
void prog_past_stand(struct prog_past *past, sim_tick now);

/** [ticks] Where the live process has said last that it stands. */
sim_tick prog_past_edge(const struct prog_past *past);

/** [ticks] The earliest moment that can be gone to. */
sim_tick prog_past_earliest(const struct prog_past *past);

/** How the turn came back to the live process. */
enum prog_past_back {
    PROG_PAST_GONE_ON, /**< somebody has come to the edge, or wants to be there */
    PROG_PAST_OVER,    /**< the run shall end: nothing can be gone back to any more */
    PROG_PAST_LOST,    /**< the process that had the turn has died */
};

/** Gives the turn to a traveller to `to`, or at and behind the edge to the live process. A copy
 *  does not return. The live process returns when it has the turn again; at once if that is what
 *  is asked for, or if there is no snapshot (PROG_PAST_LOST). */
enum prog_past_back prog_past_go(struct prog_past *past, sim_tick to);

/** A copy gives the turn back to the live process. */
_Noreturn void prog_past_leave(struct prog_past *past, enum prog_past_back why);

/**
 * Sends a traveller through [from, to), from the newest snapshot before `to`, and waits for it.
 * @param[out] from  where it begins: what is before that it does not see
 * @return false: there is no such snapshot, or the traveller has died, or the run shall end
 */
bool prog_past_search(struct prog_past *past, sim_tick to, sim_tick *from);

/** A traveller that searches has said what it has seen. */
_Noreturn void prog_past_found(struct prog_past *past);

/** The live process is about to do what no log has: what is before that can not be made again, and
 *  is forgotten. */
void prog_past_forget(struct prog_past *past);

/** How many snapshots there are, and what they keep from changing, at most [bytes]. */
unsigned prog_past_snapshots(const struct prog_past *past);
uint64_t prog_past_bytes(const struct prog_past *past);

#endif

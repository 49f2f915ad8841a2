/*
 * Locks and waiting of a run that keeps a profile: what is heard of calls (pc_profile_watch), of
 * sleeping threads (prog_hooks.turn) and of loops (pc_profile_spins) becomes struct doc_locks.
 *
 * Processors run ahead of each other, so what is heard is put aside until the machine stands behind
 * it, and taken by tick, then card.
 */
#ifndef RUN_LOCKING_H
#define RUN_LOCKING_H

#include "documents/rows/locks.h"
#include "documents/run.h"
#include "procard/profile.h"
#include "programs/program.h"

struct run_locking;

/** The address of a function of the program by name. @return false: it has none of that name */
typedef bool run_function_fn(void *ctx, const char *name, uint64_t *va);

/** Begins to listen, before the machine's first run. @return the caller's; it is to be released
 *  after the profile */
struct run_locking *run_locking_begin(struct pc_profile *profile, unsigned cards,
                                      run_function_fn *function, void *ctx);
void run_locking_free(struct run_locking *l);

/** As prog_hooks.turn. */
void run_locking_turn(struct run_locking *l, const struct prog_turn *turn);

/** What there is at the run's end, at `at`. The caller's (doc_locks_free). */
struct doc_locks run_locking_take(struct run_locking *l, sim_tick at);

/**
 * The time in which cards had nothing to do, because threads slept, must be what the cards show:
 * `waiting` of locks, `asleep` of the rest.
 * @return true, or false with one sentence about the first that is not
 */
bool run_locks_add_up(const struct doc_locks *locks, const struct doc_run *run, char *why,
                      size_t size);

#endif

/*
 * Threads that wait for others or for a date, as actors of SimGrid, each on the host of its
 * processor card. One second of SimGrid's is one tick.
 */
#ifndef PROG_SLEEPERS_H
#define PROG_SLEEPERS_H

#include "machine/machine.h"

struct prog_sleepers;
struct prog_sleeper;

/** Whether this process has started SimGrid, which it can do once: what SimGrid knows is in
 *  variables of its library. */
bool prog_sleepers_started(void);

/** SimGrid's library, as the dynamic linker looks for it: of the version that this was built with.
 */
const char *prog_sleepers_library(void);

/**
 * For a process that will not be able to read all files any more: SimGrid's library can be opened
 * as long as this directory can be read.
 * @param[out] path  PATH_MAX bytes; "" if there is no such directory: then the library is open now
 */
void prog_sleepers_directory(char *path);

/**
 * Starts SimGrid with a platform made from the machine.
 * @param[out] err  0, or -errno when SimGrid did not start: EALREADY if it had been started before,
 * by whomever; ELIBACC: its library is not there; else what the host said
 * @return the caller's; NULL if it did not start
 */
struct prog_sleepers *prog_sleepers_new(const struct nm_params *p, int *err);

/** After all of them have been freed. SimGrid stays started. */
void prog_sleepers_free(struct prog_sleepers *ss);

/** Moves SimGrid's clock to `to`; actors with a date up to then wake up. Not backwards. */
void prog_sleepers_advance(struct prog_sleepers *ss, sim_tick to);

/** An actor on `card`, awake. The caller's. */
struct prog_sleeper *prog_sleeper_new(struct prog_sleepers *ss, const char *name, unsigned card);

/** Ends it, asleep or awake. */
void prog_sleeper_free(struct prog_sleeper *s);

/** It moves to another card. */
void prog_sleeper_move(struct prog_sleeper *s, unsigned card);

/** Sleeps, if awake, until it is woken or `date` comes [ticks] (SIM_NEVER: no date). */
void prog_sleeper_sleep(struct prog_sleeper *s, sim_tick date);

/** Wakes it up, if it sleeps. */
void prog_sleeper_wake(struct prog_sleeper *s);

#endif

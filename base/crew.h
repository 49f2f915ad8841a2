/*
 * A crew: host threads that do one thing together, again and again, each its own part of it.
 *
 * The hard idea is the cost of waiting. A window of the machine takes some ten microseconds, and to
 * wake a sleeping thread takes as long. So members look for their next part for a while before they
 * sleep, and the caller wakes only members that sleep. OpenMP's threads do the same; but a race
 * detector sees the synchronisation of these (docs/performance.md).
 */
#ifndef SIM_CREW_H
#define SIM_CREW_H

struct sim_crew;

/** Member `member`'s part. */
typedef void sim_crew_fn(void *ctx, unsigned member);

/** @param members  at least 1: the caller, and a new thread for each other one, which takes no
 * signals. @return NULL: the host gives no thread */
struct sim_crew *sim_crew_new(unsigned members);

/** Ends its threads. `crew` may be NULL. */
void sim_crew_free(struct sim_crew *crew);

/** Each member does its part: the caller that of member 0. Comes back when all are done; what they
 *  have written can be read then. Not from a part. */
void sim_crew_run(struct sim_crew *crew, sim_crew_fn *part, void *ctx);

#endif

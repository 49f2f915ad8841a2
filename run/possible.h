/* Whether an experiment can have what it asks for, before anything is simulated. */
#ifndef RUN_POSSIBLE_H
#define RUN_POSSIBLE_H

#include "input/experiment.h"

/** The events of the experiment, then those its groups need.
 *  @return false, after a complaint: they cannot be counted together */
bool run_choose_events(const struct in_experiment *x, struct mon_choice *choice);

/** Whether a run of it, with these events, can have the statistics that are expected of it.
 *  @return false after a line on stderr for each that cannot be */
bool run_possible(const struct in_experiment *x, const struct mon_choice *choice);

/** What expectations have been held against. Zero is a good start; run_seen_free is due. */
struct run_seen {
    uint64_t *hash; /**< [count] of what names of statistics depend on */
    size_t count;
};

/** Both. Nothing is run.
 *  @param seen  a struct run_seen, of experiments that expect the same: those that are alike in
 * what decides it are looked at once */
bool run_possible_once(void *seen, const struct in_experiment *x);
void run_seen_free(struct run_seen *seen);

#endif

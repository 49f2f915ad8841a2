/*
 * An earlier run of an experiment that is there still, by which can be told how long this one will
 * go on. Nothing of it is in results.
 */
#ifndef RUN_EARLIER_H
#define RUN_EARLIER_H

#include "base/time.h"
#include "input/experiment.h"

struct run_earlier {
    char *path;     /**< its directory, as a user would name it; NULL: there is none */
    sim_tick ticks; /**< simulated, to its end */
    bool same;      /**< it depended on the same (doc_digest), so this one takes as many; else it is
                         one of the same name */
};

/**
 * Looks in the directory that results go to, and in the latest results/NAME-NNN, for runs that came
 * to their program's end. The same run is better than one of the same name, and of these the first
 * seen is taken.
 * @param git  of the program that simulates (doc_manifest)
 * @param out  NULL: none is named. To be called before this run replaces what is there
 * @return run_earlier_free is due
 */
struct run_earlier run_earlier_find(const struct in_experiment *x, const char *git,
                                    const char *out);
void run_earlier_free(struct run_earlier *earlier);

#endif

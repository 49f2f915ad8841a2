/*
 * sampling.csv and the estimate: what the samples of a run say (run.sample.every).
 */
#ifndef DOC_STATISTICS_SAMPLING_H
#define DOC_STATISTICS_SAMPLING_H

#include "documents/statistics/stats.h"

#include <jansson.h>

/** What it is called in the run directory. */
#define DOC_SAMPLING "sampling.csv"

/** [PCycles] Threads sleep often that go to sleep more often than once in so many, all together.
 * When a lock is handed over, and to whom, hangs on single PCycles. */
enum { DOC_OFTEN = 10000 };

/** What samples say, as a share: a mean, and its standard error. */
struct doc_observed {
    double mean, error;
};

/** An estimate of a sampled run. */
struct doc_estimate {
    double pcycles;    /**< what the part would have taken, had all of it been timed */
    double half_width; /**< [PCycles] of the interval that holds it, as far as samples tell; 0:
                          there are too few */
    double timed;      /**< share of it that was timed, 0 to 1 */
    double refused;    /**< share of processors' time in samples that went to requests which were
                            refused, 0 to 1 */
    double sleeps;     /**< [per PCycle] of all threads */
    struct doc_observed longer; /**< requests took longer than they would have been said to, as a
                                     share of processors' time; all three 0 with few samples */
    struct doc_observed faster; /**< more was got done in a PCycle between samples than beside */
    struct doc_observed slower; /**< and less in the second half of samples than in the first */
    size_t samples;
    const char *unsuited; /**< why the estimate is not to be trusted: a clause; NULL: it may be.
                               Static */
};

/** Whether the run was sampled. */
bool doc_sampling_is(const struct doc_run *run);

/** Precondition: it was. */
struct doc_estimate doc_estimate(const struct doc_run *run);

/** The same as JSON. @return the caller's, for json_decref */
json_t *doc_estimate_json(const struct doc_run *run);

/** Writes a row for each sample. */
void doc_write_sampling(const struct doc_run *run, FILE *out);

/** Calls `fn` for the estimate and what it rests on, as statistics of the machine. */
void doc_sampling_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx);

/** What stands in front of a figure that is an estimate; "" if the run was not sampled. */
const char *doc_tilde(const struct doc_run *run);

/** Writes for people the estimate, and of a run of which only parts were timed what its figures
 *  are of; of another run nothing. */
void doc_print_estimate(const struct doc_run *run, FILE *out);

/** For who sees no table: that the run was sampled, what the estimate is, and whether it is not to
 *  be trusted, a line each; of another run nothing. */
void doc_note_estimate(const struct doc_run *run, FILE *out);

#endif

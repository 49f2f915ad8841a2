/*
 * A profile being made: the phases of a run are the sets of regions that are open at once.
 */
#ifndef RUN_PROFILING_H
#define RUN_PROFILING_H

#include "documents/rows/profile.h"
#include "documents/rows/truth.h"
#include "documents/run.h"
#include "run/heap.h"

/** Zero profiles nothing. */
struct run_profiling {
    struct pc_profile *profile; /**< NULL: none */
    struct pc_misses *misses;   /**< NULL: nobody asks for their truth */
    uint32_t **phase;           /**< [phases] as in struct doc_profile */
    size_t phases;
    uint32_t now; /**< the present one */
};

/** Begins, before the machine's first run; in `whole` alone.
 *  @return false: the machine's cards cannot be profiled */
bool run_profiling_begin(struct run_profiling *p, struct nm_machine *m, pc_function_fn *function,
                         void *ctx);
/** Asks for the truth of misses, too, before the machine's first run.
 *  @param heap  knows what each request is for; outlives the machine's last run
 *  @return false: the machine's mode has none */
bool run_profiling_ask(struct run_profiling *p, struct run_heap *heap);
void run_profiling_free(struct run_profiling *p);

/** A region may have been begun or ended; the machine stands at `at`. */
void run_profiling_mark(struct run_profiling *p, const struct doc_run *run, sim_tick at);

/** What there is at `at`, at which the machine stands. The caller's (doc_profile_free). */
struct doc_profile run_profiling_take(const struct run_profiling *p, const struct doc_run *run,
                                      sim_tick at);

/** The truth of misses, once, after the machine's last run. The caller's (doc_truth_free).
 *  @param heap  the same */
struct doc_truth run_profiling_truth(struct run_profiling *p, const struct run_heap *heap,
                                     const struct nm_params *params);

/**
 * In each ended region, each column's sum must be what the cards show for all of them.
 * @return true, or false with one sentence about the first that is not
 */
bool run_profile_adds_up(const struct doc_profile *profile, const struct doc_run *run, char *why,
                         size_t size);

/** The same of the truth: the classes' sums must be the cards' misses and upgrades. */
bool run_truth_adds_up(const struct doc_truth *truth, const struct doc_profile *profile,
                       const struct doc_run *run, char *why, size_t size);

#endif

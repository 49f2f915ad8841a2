/*
 * A profile being made: the phases of a run are the sets of regions that are open at once.
 */
#ifndef REP_PROFILING_H
#define REP_PROFILING_H

#include "report/heap.h"
#include "report/profile.h"
#include "report/run.h"
#include "report/truth.h"

/** Zero profiles nothing. */
struct rep_profiling {
    struct pc_profile *profile; /**< NULL: none */
    struct pc_misses *misses;   /**< NULL: nobody asks for their truth */
    uint32_t **phase;           /**< [phases] as in struct rep_profile */
    size_t phases;
    uint32_t now; /**< the present one */
};

/** Begins, before the machine's first run; in `whole` alone.
 *  @return false: the machine's cards cannot be profiled */
bool rep_profiling_begin(struct rep_profiling *p, struct nm_machine *m, pc_function_fn *function,
                         void *ctx);
/** Asks for the truth of misses, too, before the machine's first run.
 *  @param heap  knows what each request is for; outlives the machine's last run
 *  @return false: the machine's mode has none */
bool rep_profiling_ask(struct rep_profiling *p, struct rep_heap *heap);
void rep_profiling_free(struct rep_profiling *p);

/** A region may have been begun or ended; the machine stands at `at`. */
void rep_profiling_mark(struct rep_profiling *p, const struct rep_run *run, sim_tick at);

/** What there is at `at`, at which the machine stands. The caller's (rep_profile_free). */
struct rep_profile rep_profiling_take(const struct rep_profiling *p, const struct rep_run *run,
                                      sim_tick at);

/** The truth of misses, once, after the machine's last run. The caller's (rep_truth_free).
 *  @param heap  the same */
struct rep_truth rep_profiling_truth(struct rep_profiling *p, const struct rep_heap *heap,
                                     const struct nm_params *params);

/**
 * In each ended region, each column's sum must be what the cards show for all of them.
 * @return true, or false with one sentence about the first that is not
 */
bool rep_profile_adds_up(const struct rep_profile *profile, const struct rep_run *run, char *why,
                         size_t size);

#endif

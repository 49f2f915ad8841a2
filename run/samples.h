/* The samples of a run being taken (documents/statistics/samples.h). */
#ifndef RUN_SAMPLES_H
#define RUN_SAMPLES_H

#include "documents/statistics/samples.h"

/** Prepares a run for samples every `interval` ticks (SIM_NEVER: none). @param now  totals at tick
 * 0
 */
void run_samples_init(struct doc_samples *samples, const struct doc_run *run, sim_tick interval,
                      const struct doc_sample *now);
void run_samples_free(struct doc_samples *samples);

/** Takes a sample; between two that are kept after doubling it does nothing. */
void run_samples_take(struct doc_samples *samples, const struct doc_run *run, sim_tick at,
                      const struct doc_sample *now);

/** Takes the last one, of an interval cut short; says in a remark if the interval was doubled. */
void run_samples_finish(struct doc_samples *samples, struct doc_run *run, sim_tick at,
                        const struct doc_sample *now);

#endif

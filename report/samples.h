/*
 * A time series: what each card counted in each interval of simulated time.
 */
#ifndef REP_SAMPLES_H
#define REP_SAMPLES_H

#include "report/run.h"

/**
 * Totals at the ends of intervals. Memory is bounded: when `room` samples are full, every second is
 * dropped and the interval doubles, so that a run of any length keeps its whole course.
 */
struct rep_samples {
    sim_tick next;      /**< the next sample is of this tick, or the first after it */
    sim_tick interval;  /**< [ticks] as it is now; 0: nothing is sampled */
    unsigned doubled;   /**< times it has been doubled */
    size_t count, room; /**< samples kept and kept at most */
    size_t words;       /**< of a sample: events * cards */
    sim_tick *at;       /**< [room] end of the sample */
    uint64_t *total;    /**< [room * words] totals since the run began */
    uint64_t *first;    /**< [words] totals at tick 0 */
};

/** Prepares a run for samples every `interval` ticks (SIM_NEVER: none). @param now  totals at tick
 * 0
 */
void rep_samples_init(struct rep_samples *samples, const struct rep_run *run, sim_tick interval,
                      const struct rep_sample *now);
void rep_samples_free(struct rep_samples *samples);

/** Takes a sample; between two that are kept after doubling it does nothing. */
void rep_samples_take(struct rep_samples *samples, const struct rep_run *run, sim_tick at,
                      const struct rep_sample *now);

/** Takes the last one, of an interval cut short; says in a remark if the interval was doubled. */
void rep_samples_finish(struct rep_samples *samples, struct rep_run *run, sim_tick at,
                        const struct rep_sample *now);

/** What the file is called in the run directory. */
#define REP_SAMPLES "monitor/samples.csv"

/** Writes what was counted in each interval, in the long form of stats.csv; counts that are 0 are
 *  left out. What all cards of a station (ring, machine) see alike is given once for it. */
void rep_write_samples(const struct rep_samples *samples, const struct rep_run *run, FILE *out);

#endif

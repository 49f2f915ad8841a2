/*
 * A time series: what each card counted in each interval of simulated time.
 */
#ifndef DOC_STATISTICS_SAMPLES_H
#define DOC_STATISTICS_SAMPLES_H

#include "documents/run.h"

/**
 * Totals at the ends of intervals. Memory is bounded: when `room` samples are full, every second is
 * dropped and the interval doubles, so that a run of any length keeps its whole course.
 */
struct doc_samples {
    sim_tick next;      /**< the next sample is of this tick, or the first after it */
    sim_tick interval;  /**< [ticks] as it is now; 0: nothing is sampled */
    unsigned doubled;   /**< times it has been doubled */
    size_t count, room; /**< samples kept and kept at most */
    size_t words;       /**< of a sample: events * cards */
    sim_tick *at;       /**< [room] end of the sample */
    uint64_t *total;    /**< [room * words] totals since the run began */
    uint64_t *first;    /**< [words] totals at tick 0 */
};

/** What the file is called in the run directory. */
#define DOC_SAMPLES "monitor/samples.csv"

/** Writes what was counted in each interval, in the long form of stats.csv; counts that are 0 are
 *  left out. What all cards of a station (ring, machine) see alike is given once for it. */
void doc_write_samples(const struct doc_samples *samples, const struct doc_run *run, FILE *out);

#endif

/*
 * The regions of a run while it lasts: begun and ended by marks, and counted up into struct
 * doc_run.
 */
#ifndef RUN_REGIONS_H
#define RUN_REGIONS_H

#include "documents/run.h"

/**
 * Starts a run: its events are placed, the region "whole" is begun at tick 0.
 * `experiment` and `program` must outlive the run.
 * @param now  the totals at tick 0
 */
void run_regions_init(struct doc_run *run, const struct in_experiment *experiment,
                      const char *program, unsigned cards, unsigned per_station,
                      const struct mon_choice *choice, const struct doc_sample *now);
void run_regions_free(struct doc_run *run);

/** A mark: begins (or ends) a region; unprintable bytes of its name become '_', and
 * where that name is taken by another, or by the whole run, it gets a number: "whole_2". What
 * cannot be so (ending what is not begun, or the name of one more region than there is room for)
 * becomes a remark and changes nothing. @param now  totals at `at` */
void run_regions_mark(struct doc_run *run, const char *mark, bool begin, sim_tick at,
                      const struct doc_sample *now);

/** Of a run of which only parts are timed: one begins, or ends (prog_hooks.measure).
 *  @param now  totals at `at` */
void run_regions_measure(struct doc_run *run, bool on, sim_tick at, const struct doc_sample *now);

/** Adds what the workload's own figures came to in a region to it, and to the whole run
 *  (prog_hooks.figures). What is said of a region that never began is left. */
void run_regions_figures(struct doc_run *run, const char *mark, const struct prog_quotient *figure);

/** Ends every open region, "whole" last; those the guest forgot become remarks. */
void run_regions_finish(struct doc_run *run, sim_tick at, const struct doc_sample *now);

/**
 * Copy of "whole" as if it ended now, for a look at a running simulation.
 * Release with run_region_free.
 */
struct doc_region run_regions_peek(const struct doc_run *run, sim_tick at,
                                   const struct doc_sample *now);
void run_region_free(struct doc_region *region);

/**
 * Every PCycle of a card is in exactly one of the 15 states and goes to exactly one use, so in each
 * ended region both must add up to the elapsed ticks of a card; where no thread is at work the
 * state is other stall.
 * @return true, or false with one sentence about the first card and region where they do not
 */
bool run_regions_add_up(const struct doc_run *run, char *why, size_t size);

#endif

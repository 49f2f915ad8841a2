/*
 * Sampling: short parts of the measured run are timed, and the machine is warmed in between;
 * or all of it is timed. Private to approach.c, which says where it begins and ends.
 */
#ifndef PROG_SAMPLE_H
#define PROG_SAMPLE_H

#include "programs/workload.h"

enum { PROG_REST_LOOKS = 64 /**< [PCycles] between two looks whether the machine rests */ };

struct prog_sampler;

/** The machine is to be timed from here on. @return the caller's, for prog_sampler_free */
struct prog_sampler *prog_sampler_new(struct prog_run *run);
/** What is sampled ends now, if it has not; the samples stay the outcome's. NULL: there is none. */
void prog_sampler_free(struct prog_sampler *s);

/** The machine must not run past this tick; SIM_NEVER: nothing is to come. */
sim_tick prog_sampler_date(const struct prog_sampler *s);

/** A number that grows while processors take pages from each other, or are about to: a page is
 * taken for another processor than the one before, or a thread begins. */
uint64_t prog_page_turns(const struct prog_run *run);

/** The machine stands. @param last  what is measured is over
 *  @return false: it is over, and the machine is not timed any more */
bool prog_sampler_step(struct prog_sampler *s, bool last);

#endif

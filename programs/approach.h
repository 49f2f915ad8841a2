/*
 * How a run comes to what is to be measured: functionally up to a point and again behind another
 * one, and between them all in detail, or in samples. Private to run.c and its workloads.
 */
#ifndef PROG_APPROACH_H
#define PROG_APPROACH_H

#include "programs/workload.h"

/** What a run with an approach does at present. */
enum prog_stage {
    PROG_STAGE_PLAIN,   /**< there is no approach, or nothing more to come of it */
    PROG_STAGE_FORWARD, /**< functional: to the first point, or to the next sample */
    PROG_STAGE_WARM,    /**< timed, before a sample */
    PROG_STAGE_SAMPLE,  /**< timed, a sample */
    PROG_STAGE_DETAIL,  /**< timed, up to the second point */
    PROG_STAGE_REST,    /**< timed, processors stand: the machine comes to rest */
    PROG_STAGE_AFTER,   /**< functional: behind the second point */
};

/** What a card had done when a sample began. */
struct prog_begun {
    uint64_t instructions, running;
};

/** An approach under way. */
struct prog_stages {
    struct prog_run *run;
    const struct prog_approach *approach;
    enum prog_stage stage;
    bool reached, passed;     /**< the first point, and the second */
    sim_tick next;            /**< [ticks] the stage ends, or is looked at again */
    sim_tick began;           /**< [ticks] the sample */
    struct prog_begun *begun; /**< [cards] */
    uint64_t *pace;           /**< [cards] 1/NM_PACE PCycles an instruction; 0: not known */
    double sum, squares;      /**< of the samples' PCycles per instruction */
    unsigned samples;
};

/** @return NULL: there is no approach. The caller's, for prog_stages_end. */
struct prog_stages *prog_stages_new(struct prog_run *run);
void prog_stages_end(struct prog_stages *s);

/** Before the first card starts. */
void prog_stages_begin(struct prog_stages *s);

/** The machine must not run past this tick; SIM_NEVER: nothing is to come. NULL: none. */
sim_tick prog_stages_date(const struct prog_stages *s);

/** The machine stands, and all of this tick has happened. NULL: none. */
void prog_stages_step(struct prog_stages *s);

/** A region begins or ends. NULL: none. */
void prog_stages_mark(struct prog_stages *s, const char *name, bool begin);

#endif

/*
 * Instructions on their way through a processor's pipeline (procard/steps.h), and as a log for
 * Konata, a viewer of pipelines.
 */
#ifndef WATCH_PIPELINE_H
#define WATCH_PIPELINE_H

#include "procard/steps.h"

#include <stdio.h>

/** One, with the ticks of its life; SIM_NEVER: it has not come so far. */
struct watch_instruction {
    uint64_t pc;
    const char *name; /**< mnemonic. Static; NULL: not known */
    bool in_order;    /**< of a core that issues in order: `fetched` is when it is next, `issued`
                           when it issues, and `left` when the following one is next */
    bool squashed;    /**< it has never been */
    sim_tick fetched, decoded;
    sim_tick issued; /**< SIM_NEVER: no unit executes it */
    sim_tick done;   /**< from here on it might graduate */
    sim_tick left;   /**< it graduates, or is squashed */
};

/** What is kept at most. */
enum { WATCH_INSTRUCTIONS_MOST = 1000000 };

struct watch_pipeline;

/** Collects what a core tells: give watch_pipeline_steps to it. */
struct watch_pipeline *watch_pipeline_new(void);
const struct pc_steps *watch_pipeline_steps(const struct watch_pipeline *p);
void watch_pipeline_free(struct watch_pipeline *p);

/** Those that have been told of since the last watch_pipeline_clear, in the order of their fetch.
 *  The pipeline's. @param[out] count  of them */
const struct watch_instruction *watch_instructions(const struct watch_pipeline *p, size_t *count);
void watch_pipeline_clear(struct watch_pipeline *p);

/** Writes the log. @param card  as its thread */
void watch_konata(const struct watch_instruction *instruction, size_t count, unsigned card,
                  FILE *out);

#endif

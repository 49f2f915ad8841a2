/* Patterns in experiment files (program.pattern): how they are read, and handed on. */
#ifndef IN_PATTERN_H
#define IN_PATTERN_H

#include "input/experiment.h"
#include "input/keys.h"

/** What a phase depends on beside its own keys. */
struct in_phase_context {
    uint64_t rate;                     /**< program.rate; IN_ABSENT: not given */
    const struct in_value *processors; /**< program.processors */
    bool has_machine;                  /**< the machine is known and good */
};

/** Reads program.pattern, every phase of it. @param v  what was given */
void in_pattern_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v,
                     const struct in_phase_context *context);
void in_pattern_free(struct in_experiment *x);

/** What in_workload_described is to run (prog_program.described): the caller's to free, and good as
 *  long as the experiment is. */
void *in_pattern_work(const struct in_experiment *x);

#endif

/*
 * A run that has ended, opened where it did (`gdb --at-end`): what its directory has of it, held
 * against what there is now, and against what the run comes to that is made of it.
 */
#ifndef DBG_AT_END_H
#define DBG_AT_END_H

#include "debug/debug.h"
#include "input/experiment.h"

#include <jansson.h>

/** Zero is a good start; dbg_at_end_free is due in any case. */
struct dbg_at_end {
    bool differs; /**< it has come to something else than the run did */
    bool quiet;   /**< the debugger says itself where it is first asked; else we do. The caller's */

    /* its own */
    char *directory; /**< of the run */
    json_t *manifest;
};

/** Reads a run's experiment, and enters the directory that it ran in. What of it is not the same
 *  any more is refused, with one line that says what mends it.
 *  @param sets  NULL-terminated "KEY=VALUE", which may give what the run has not kept; NULL: none
 *  @param git   as of doc_digest
 *  @return false after a complaint; in_experiment_free is due in any case */
bool dbg_at_end_load(struct dbg_at_end *end, struct in_experiment *x, const char *directory,
                     char *const *sets, const char *git);
void dbg_at_end_free(struct dbg_at_end *end);

/** Whether the run had somebody's standard input that no file has kept, and there is one now. */
bool dbg_at_end_reads(const struct dbg_at_end *end);

/** A dbg_arrive_fn: says if this is another end than the run's. */
dbg_arrive_fn dbg_at_end_arrives;

#endif

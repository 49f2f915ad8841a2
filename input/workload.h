/*
 * The workloads by rows (workloads.def): which of them runs a file. Code that reads experiments or
 * shows lists asks here, and knows no workload by name.
 */
#ifndef IN_WORKLOAD_H
#define IN_WORKLOAD_H

#include "programs/workload.h"

/** The i-th row; NULL after the last. */
const struct prog_workload *in_workload(size_t i);

/** The workload that runs the executable at `path`. @return NULL with one line in `why`: none does
 */
const struct prog_workload *in_workload_for(const char *path, char *why, size_t size);

/** The workload that runs what an experiment describes instead of a file. */
const struct prog_workload *in_workload_described(void);

/** Where the object or function `name` of an executable lies (prog_workload.symbol). */
bool in_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size);

/** Where the function `name` of an executable begins (prog_workload.entry). */
bool in_entry(const char *path, const char *name, uint64_t *at, char *why, size_t size);

#endif

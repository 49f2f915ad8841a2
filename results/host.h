/* What the host is and what a run cost it. Never part of results, only of the manifest and of what
 * people see. */
#ifndef RES_HOST_H
#define RES_HOST_H

#include "results/run.h"

/** Fills name, cpu, cores and start, and starts the stop-watch. */
void res_host_start(struct res_host *host);

/** Fills end, seconds and peak_bytes. */
void res_host_stop(struct res_host *host);

/** [bytes] that programs can still have of the host's memory, or of what it gives to its group of
 *  processes (a container). */
uint64_t res_host_memory(void);

/** [s] a clock that never jumps. */
double res_host_seconds(void);

#endif

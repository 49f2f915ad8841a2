/* What the host is and what a run cost it. Never part of results, only of the manifest and of what
 * people see. */
#ifndef REP_HOST_H
#define REP_HOST_H

#include "report/run.h"

/** Fills name, cpu, cores and start, and starts the stop-watch. */
void rep_host_start(struct rep_host *host);

/** Fills end, seconds and peak_bytes. */
void rep_host_stop(struct rep_host *host);

/** [bytes] that programs can still have of the host's memory, or of what it gives to its group of
 *  processes (a container). */
uint64_t rep_host_memory(void);

/** [s] a clock that never jumps. */
double rep_host_seconds(void);

#endif

/* What the host is and what a run cost it. Never part of results, only of the manifest and of what
 * people see. */
#ifndef DOC_HOST_H
#define DOC_HOST_H

#include "documents/run.h"

/** Fills name, cpu, cores and start, and starts the stop-watch. */
void doc_host_start(struct doc_host *host);

/** Fills end, seconds and peak_bytes. */
void doc_host_stop(struct doc_host *host);

/** [bytes] that programs can still have of the host's memory, or of what it gives to its group of
 *  processes (a container). */
uint64_t doc_host_memory(void);

/** [s] a clock that never jumps. */
double doc_host_seconds(void);

#endif

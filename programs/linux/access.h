/* What a thread is about to read or write, from its registers and the code at its pc. */
#ifndef LX_ACCESS_H
#define LX_ACCESS_H

#include "programs/workload.h"

/** As prog_workload.accesses. @param self  a struct lx_prog */
unsigned lx_accesses(void *self, unsigned card, struct prog_access out[PROG_ACCESSES_MAX]);

#endif

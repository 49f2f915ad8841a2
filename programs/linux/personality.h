/*
 * The Linux personality as a workload: it runs a struct prog_program, a static executable of one of
 * the kinds there are (kind.h), on a machine whose processors execute its instruction set.
 */
#ifndef LX_PERSONALITY_H
#define LX_PERSONALITY_H

#include "programs/workload.h"

extern const struct prog_workload lx_workload;

#endif

/*
 * The MIPS Linux personality as a workload: it runs a struct prog_program, a static big-endian
 * executable, o32 or n64, on a machine whose cards are R4400s (pc_r4400).
 */
#ifndef LX_PERSONALITY_H
#define LX_PERSONALITY_H

#include "programs/workload.h"

extern const struct prog_workload lx_workload;

#endif

/*
 * gdb's agent expressions: conditions of breakpoints as a small stack machine's code (gdb manual,
 * "The Agent Expression Mechanism").
 */
#ifndef DBG_AGENT_H
#define DBG_AGENT_H

#include "debug/debug.h"

/** Evaluates expressions, each with two bytes of its length in front.
 *  @param regs  of the thread, of its instruction set
 *  @return whether one of them is not 0, or cannot be evaluated: then who asked for it must look */
bool dbg_agent_any(struct dbg *d, const uint8_t *code, size_t count, const void *regs);

#endif

/* Exceptions that are no system calls (fault.c). */
#ifndef LX_FAULT_H
#define LX_FAULT_H

#include "programs/linux/process/process.h"

/** Handles one. */
void lx_fault_trap(struct lx_thread *t);

#endif

/* A program's beginning: its segments and its first thread's stack (load.c). */
#ifndef LX_LOAD_H
#define LX_LOAD_H

#include "programs/linux/process/process.h"

/** Loads the executable and builds the first thread's stack. @return 0 or -errno */
int lx_load(struct lx_prog *p, struct lx_thread *first);

#endif

/* A debugger that goes backwards, by programs/past.h. */
#ifndef DBG_PAST_H
#define DBG_PAST_H

#include "debug/debug.h"

/** The run that is debugged can be gone back over, if it can be at all: the debugger has `travel`
 *  then. To be called before the run begins. */
void dbg_past_keep(struct dbg *d);

#endif

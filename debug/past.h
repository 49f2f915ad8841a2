/* A debugger that goes backwards, by programs/past.h. */
#ifndef DBG_PAST_H
#define DBG_PAST_H

#include "debug/debug.h"

/** The run that is debugged can be gone back over: the debugger has `travel`, unless the run is one
 *  in functional mode, or with an approach, or the build is one whose actors are threads. To be
 *  called before the run begins. */
void dbg_past_keep(struct dbg *d);

#endif

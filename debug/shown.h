/* Whether a thread is shown ahead of the machine. What is shown of it is in debug.h. */
#ifndef DBG_SHOWN_H
#define DBG_SHOWN_H

#include "debug/debug.h"

/** The instruction at which it is shown; NULL: where it stands. */
const struct dbg_hit *dbg_ahead(const struct dbg *d, uint32_t thread);

#endif

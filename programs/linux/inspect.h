/* What a debugger asks of the Linux personality (programs/inspect.h). */
#ifndef LX_INSPECT_H
#define LX_INSPECT_H

#include "programs/inspect.h"

extern const struct prog_inspect lx_inspect;

#endif

/* IRIX's /proc, as far as the event counters go (docs/irix.md). */
#ifndef IRIX_SYS_PROCFS_H
#define IRIX_SYS_PROCFS_H

#include "hwperfctl.h"
#include "hwperftypes.h"

#endif

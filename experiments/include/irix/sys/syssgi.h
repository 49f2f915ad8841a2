/*
 * syssgi(2), as far as the event counters go (docs/irix.md): a system call of this simulator's.
 *
 *     long syssgi(int request, ...);
 *
 * Anywhere else it fails with ENOSYS.
 */
#ifndef IRIX_SYS_SYSSGI_H
#define IRIX_SYS_SYSSGI_H

#include "hwperfctl.h"
#include "hwperftypes.h"

#include <sgidefs.h>
#include <unistd.h>

#if _MIPS_SIM == _ABI64
#define syssgi(...) syscall(5000 + IRIX_NR_SYSSGI, __VA_ARGS__)
#else
#define syssgi(...) syscall(4000 + IRIX_NR_SYSSGI, __VA_ARGS__)
#endif

#endif

/*
 * Debugging information, read by libdw in a process of its own.
 */
#ifndef LX_DWARF_H
#define LX_DWARF_H

#include <elfutils/libdw.h>
#include <stdio.h>
#include <sys/types.h>

/** Sends what it finds to `out`. It runs in a process of its own, so a crash there does no harm. */
typedef void lx_dwarf_fn(Dwarf *dwarf, FILE *out);

/** That process ends here, with the text that it has sent. */
_Noreturn void lx_dwarf_stop(void);

/** Begins to read. Damaged information, or one that takes more than a few seconds or gigabytes,
 * does not come.
 *  @param fd     the executable
 *  @param child  [out] for lx_dwarf_end
 *  @return what is sent, a stream that ends; NULL: there is no process. lx_dwarf_end in any case */
FILE *lx_dwarf_begin(int fd, lx_dwarf_fn *read, pid_t *child);
void lx_dwarf_end(FILE *in, pid_t child);

#endif

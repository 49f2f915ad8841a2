/* System calls from trap to handler (syscall.c), and the table of them. */
#ifndef LX_SYSCALLS_H
#define LX_SYSCALLS_H

#include "programs/linux/process/call.h"

/** Handles t->trap's system call. */
void lx_syscall_trap(struct lx_thread *t);

/** The rows, for tests and lists. */
const struct lx_sys_row *lx_sys_rows(size_t *count);
/** What of Linux a call does not do (differences.def); "" if nothing. */
const char *lx_sys_differs(const struct lx_sys_row *row);

/** Names and sentences of differences.def. */
struct lx_sys_difference {
    const char *name, *sentence;
};
const struct lx_sys_difference *lx_sys_differences(size_t *count);

#endif

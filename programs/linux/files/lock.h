/* Locks on files: fcntl's of the process, fcntl's of an open file, and flock's. */
#ifndef LX_LOCK_H
#define LX_LOCK_H

#include "programs/linux/process/call.h"

/** fcntl's commands about locks. @return -EINVAL: not one of them */
int64_t lx_lock_fcntl(struct lx_call *c, uint64_t command, uint64_t va);

/** The program closes a descriptor of the file: its own locks on it go. */
void lx_lock_closed(struct lx_prog *p, const struct lx_file *f);
/** The file itself goes, and with it what was locked by it. */
void lx_lock_released(struct lx_prog *p, const struct lx_file *f);

void lx_lock_free(struct lx_prog *p, struct lx_inode *n);

#endif

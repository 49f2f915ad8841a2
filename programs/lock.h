/* Locks on files: fcntl's of the process, fcntl's of an open file, and flock's. */
#ifndef PROG_LOCK_H
#define PROG_LOCK_H

#include "programs/syscall.h"

/** fcntl's commands about locks. @return -EINVAL: not one of them */
int64_t lock_fcntl(struct call *c, uint64_t command, uint64_t va);

/** The program closes a descriptor of the file: its own locks on it go. */
void lock_closed(struct prog *p, const struct file *f);
/** The file itself goes, and with it what was locked by it. */
void lock_released(struct prog *p, const struct file *f);

void lock_free(struct inode *n);

#endif

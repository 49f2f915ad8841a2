/* The name of a thread as a file, through which others give it one (pthread_setname_np). It is read
 * as other texts are. */
#ifndef LX_NAME_H
#define LX_NAME_H

#include "programs/linux/files/file.h"

/** @return [bytes] written: all; -ESRCH: the thread has ended; -EFAULT */
int64_t lx_name_write(struct lx_call *c, const struct lx_file *f, uint64_t va, uint64_t len);

#endif

/* The name of a thread as a file, through which others give it one (pthread_setname_np). */
#ifndef LX_NAME_H
#define LX_NAME_H

#include "programs/linux/process/process.h"

/** Opens it for writing. @return the descriptor, -ENOENT: no such thread, -EMFILE */
int64_t lx_name_open(struct lx_prog *p, uint32_t tid, uint32_t flags);

#endif

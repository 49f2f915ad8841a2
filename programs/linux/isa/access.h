/* What a thread is about to read or write, from its registers and the code at its pc. */
#ifndef LX_ACCESS_H
#define LX_ACCESS_H

#include "programs/linux/process/process.h"

enum {
    LX_BLOCK = 48,          /**< [instructions] that are looked at */
    LX_BLOCK_ACCESSES = 16, /**< of a block, at most */
};

/** As prog_workload.accesses. @param self  a struct lx_prog */
unsigned lx_accesses(void *self, unsigned card, struct prog_access out[PROG_ACCESSES_MAX]);

/** The instruction of `width` bytes at an address. Looking must not give a page memory, or later
 *  ones would get another. @return false: there is none yet */
bool lx_read_code(struct lx_prog *p, uint64_t pc, unsigned width, uint32_t *word);

#endif

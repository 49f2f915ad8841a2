/*
 * Devices that exist to be mapped: /dev/numachine/uncached and /noncoherent give anonymous memory
 * whose pages have that attribute, /dev/numachine/cardK and /card give the registers of a
 * monitoring card. docs/special-functions.md is the guest's view.
 */
#ifndef LX_MAPPED_H
#define LX_MAPPED_H

#include "programs/linux/files/file.h"

/** Whether the file is one of these. */
static inline bool lx_mapped_kind(const struct lx_file *f)
{
    return f->kind >= FILE_UNCACHED;
}

/** @param name  behind "/dev/numachine/"
 *  @return a descriptor, -errno, -ENOENT: no such device */
int64_t lx_mapped_open(struct lx_call *c, const char *name, uint32_t flags);

/** mmap of such a file. @param rq  all but what the file decides */
int64_t lx_mapped_map(struct lx_call *c, const struct lx_file *f, struct lx_vm_request *rq);

/** As a Linux UIO device: waits for an interrupt since the last read, then gives 4 bytes: how many
 *  there have ever been. @return 4 or -errno */
int64_t lx_mapped_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);

/** Whether a read would not wait. */
bool lx_mapped_ready(const struct lx_prog *p, const struct lx_file *f);

/** Whether a sleeping program may still be woken by a monitoring card: one is open, and the machine
 *  is not asleep. */
bool lx_mapped_awaited(const struct lx_prog *p);

/** The monitoring card of `card` raises its interrupt. */
void lx_mapped_interrupt(struct lx_prog *p, unsigned card);

#endif

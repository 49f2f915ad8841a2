/*
 * Devices that exist to be mapped: /dev/numachine/uncached and /noncoherent give anonymous memory
 * whose pages have that attribute, /dev/numachine/cardK and /card give the registers of a
 * monitoring card. docs/special-functions.md is the guest's view.
 */
#ifndef PROG_MAPPED_H
#define PROG_MAPPED_H

#include "programs/syscall.h"

/** Whether the file is one of these. */
static inline bool mapped_kind(const struct file *f)
{
    return f->kind >= FILE_UNCACHED;
}

/** @param name  behind "/dev/numachine/"
 *  @return a descriptor, -errno, -ENOENT: no such device */
int64_t mapped_open(struct call *c, const char *name, uint32_t flags);

/** mmap of such a file. @param rq  all but what the file decides */
int64_t mapped_map(struct call *c, const struct file *f, struct vm_request *rq);

/** As a Linux UIO device: waits for an interrupt since the last read, then gives 4 bytes: how many
 *  there have ever been. @return 4 or -errno */
int64_t mapped_read(struct call *c, struct file *f, uint64_t va, uint64_t len);

/** Whether a read would not wait. */
bool mapped_ready(const struct prog *p, const struct file *f);

/** Whether a sleeping program may still be woken by a monitoring card: one is open, and the machine
 *  is not asleep. */
bool mapped_awaited(const struct prog *p);

/** The monitoring card of `card` raises its interrupt. */
void mapped_interrupt(struct prog *p, unsigned card);

#endif

/*
 * The edge between guest and host numbers: errno, structures laid out by width.
 *
 * Structures of o32 and n64 mostly have the same members in the same order and differ in the width
 * of `long`; a writer emits them member by member, a reader takes them apart.
 */
#ifndef PROG_ABI_H
#define PROG_ABI_H

#include "programs/vm.h"

/** MIPS Linux errno for a host errno; unknown ones become EINVAL. */
int abi_errno(int host);

enum { ABI_BYTES = 1024 };

/** A structure being built. */
struct out {
    unsigned word; /**< bytes of a guest long: 4 or 8 */
    size_t len;
    uint8_t buf[ABI_BYTES];
};

static inline void out_start(struct out *o, bool n64)
{
    o->word = n64 ? 8 : 4;
    o->len = 0;
}

/** A member of `width` bytes at the next place; no padding is added. */
void out_int(struct out *o, unsigned width, uint64_t v);
void out_long(struct out *o, uint64_t v);
/** Zeros up to offset `to`. */
void out_skip(struct out *o, size_t to);
/** Copies the structure to the guest; 0 or -EFAULT. */
int out_write(const struct out *o, struct vm *vm, uint64_t va);

/** A structure being read. */
struct in {
    unsigned word;
    size_t pos;
    uint8_t buf[ABI_BYTES];
};

/** Fetches `len` bytes from the guest; 0 or -EFAULT. */
int in_read(struct in *i, struct vm *vm, uint64_t va, size_t len);
uint64_t in_int(struct in *i, unsigned width);
uint64_t in_long(struct in *i);
void in_skip(struct in *i, size_t to);

/** A number of `width` bytes (4 or 8), sign extended. */
static inline int64_t abi_signed(uint64_t v, unsigned width)
{
    return width == 4 ? (int32_t)v : (int64_t)v;
}

#endif

/*
 * The edge between guest and host numbers: errno, structures laid out by width.
 *
 * Structures of the kinds of programs (kind.h) mostly have the same members in the same order and
 * differ in the width of `long` and in the order of bytes; a writer emits them member by member, a
 * reader takes them apart.
 */
#ifndef LX_ABI_H
#define LX_ABI_H

#include "programs/linux/memory/vm.h"

/** The guest's errno for a host errno; ones that it does not know become EINVAL. */
int lx_abi_errno(const struct lx_kind *kind, int host);

enum { ABI_BYTES = 1024 };

/** A structure being built. */
struct lx_out {
    const struct lx_kind *kind;
    unsigned word; /**< bytes of a guest long: 4 or 8 */
    size_t len;
    uint8_t buf[ABI_BYTES];
};

static inline void lx_out_start(struct lx_out *o, const struct lx_kind *kind)
{
    o->kind = kind;
    o->word = kind->word;
    o->len = 0;
}

/** A member of `width` bytes at the next place; no padding is added. */
void lx_out_int(struct lx_out *o, unsigned width, uint64_t v);
void lx_out_long(struct lx_out *o, uint64_t v);
/** Zeros up to offset `to`. */
void lx_out_skip(struct lx_out *o, size_t to);
/** Copies the structure to the guest; 0 or -EFAULT. */
int lx_out_write(const struct lx_out *o, struct lx_vm *vm, uint64_t va);

/** A structure being read. */
struct lx_in {
    const struct lx_kind *kind;
    unsigned word;
    size_t pos;
    uint8_t buf[ABI_BYTES];
};

/** Fetches `len` bytes from the guest; 0 or -EFAULT. */
int lx_in_read(struct lx_in *i, struct lx_vm *vm, uint64_t va, size_t len);
uint64_t lx_in_int(struct lx_in *i, unsigned width);
uint64_t lx_in_long(struct lx_in *i);
void lx_in_skip(struct lx_in *i, size_t to);

/** A number of `width` bytes (4 or 8), sign extended. */
static inline int64_t lx_abi_signed(uint64_t v, unsigned width)
{
    return width == 4 ? (int32_t)v : (int64_t)v;
}

#endif

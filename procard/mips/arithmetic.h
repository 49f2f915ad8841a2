/*
 * What instructions do to integers and to bytes in memory, for the expansions of semantics.def.
 * Functions that are here for several rows, or too long for one.
 */
#ifndef MIPS_ARITHMETIC_H
#define MIPS_ARITHMETIC_H

#include "procard/mips/mips.h"

#include <endian.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) mips_single; /* half of a floating-point register */

/* ---- bytes in memory, big-endian ------------------------------------------------------------- */

static inline uint16_t mips_get16(const uint8_t *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof v);
    return be16toh(v);
}

static inline uint32_t mips_get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return be32toh(v);
}

static inline uint64_t mips_get64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return be64toh(v);
}

static inline void mips_put16(uint8_t *p, uint16_t v)
{
    v = htobe16(v);
    memcpy(p, &v, sizeof v);
}

static inline void mips_put32(uint8_t *p, uint32_t v)
{
    v = htobe32(v);
    memcpy(p, &v, sizeof v);
}

static inline void mips_put64(uint8_t *p, uint64_t v)
{
    v = htobe64(v);
    memcpy(p, &v, sizeof v);
}

/*
 * Unaligned pairs. `p` is the addressed byte, `n` its place in its word. "Left" joins the bytes
 * from there to the word's end into the register's high end, "right" those from the word's start to
 * there into its low end (big-endian; [MIPS-A77] to [MIPS-A84]).
 */
static inline uint32_t mips_load_left32(uint32_t old, const uint8_t *p, unsigned n)
{
    return mips_get32(p - n) << 8 * n | (old & ~(UINT32_MAX << 8 * n));
}

static inline uint32_t mips_load_right32(uint32_t old, const uint8_t *p, unsigned n)
{
    const unsigned drop = 8 * (3 - n);

    return mips_get32(p - n) >> drop | (old & ~(UINT32_MAX >> drop));
}

static inline uint64_t mips_load_left64(uint64_t old, const uint8_t *p, unsigned n)
{
    return mips_get64(p - n) << 8 * n | (old & ~(UINT64_MAX << 8 * n));
}

static inline uint64_t mips_load_right64(uint64_t old, const uint8_t *p, unsigned n)
{
    const unsigned drop = 8 * (7 - n);

    return mips_get64(p - n) >> drop | (old & ~(UINT64_MAX >> drop));
}

/** The high end of a `size`-byte register to the addressed byte and those after it in the word. */
static inline void mips_store_left(uint8_t *p, unsigned n, uint64_t v, unsigned size)
{
    for (unsigned i = n; i < size; i++)
        *p++ = (uint8_t)(v >> 8 * (size - 1 - (i - n)));
}

/** Its low end to the addressed byte and those before it. */
static inline void mips_store_right(uint8_t *p, unsigned n, uint64_t v)
{
    for (unsigned i = 0; i <= n; i++)
        *p-- = (uint8_t)(v >> 8 * i);
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline uint64_t mips_sign32(uint64_t v)
{
    return (uint64_t)(int64_t)(int32_t)v;
}

static inline uint64_t mips_rotate32(uint64_t v, unsigned n)
{
    const uint32_t w = (uint32_t)v;

    n &= 31;
    return mips_sign32(w >> n | w << (-n & 31));
}

static inline uint64_t mips_rotate64(uint64_t v, unsigned n)
{
    n &= 63;
    return v >> n | v << (-n & 63);
}

static inline uint64_t mips_count_zeros32(uint32_t v)
{
    return v ? (uint64_t)__builtin_clz(v) : 32;
}

static inline uint64_t mips_count_zeros64(uint64_t v)
{
    return v ? (uint64_t)__builtin_clzll(v) : 64;
}

/** Mask of a bit field packed by the decoder, at bit 0. */
static inline uint64_t mips_field_mask(int32_t packed)
{
    return UINT64_MAX >> (64 - (packed >> 8));
}

static inline uint64_t mips_extract(uint64_t v, int32_t packed)
{
    return v >> (packed & 63) & mips_field_mask(packed);
}

static inline uint64_t mips_insert(uint64_t into, uint64_t v, int32_t packed)
{
    const uint64_t mask = mips_field_mask(packed) << (packed & 63);

    return (into & ~mask) | (v << (packed & 63) & mask);
}

static inline uint64_t mips_swap_in_halfwords(uint64_t v)
{
    return (v >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (v & UINT64_C(0x00ff00ff00ff00ff)) << 8;
}

static inline uint64_t mips_swap_halfwords(uint64_t v)
{
    v = (v >> 16 & UINT64_C(0x0000ffff0000ffff)) | (v & UINT64_C(0x0000ffff0000ffff)) << 16;
    return v >> 32 | v << 32;
}

/** Division as the R4400 leaves it where the manual calls the result undefined: by one. */
static inline void mips_divide64(struct mips_regs *regs, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        b = 1;
    regs->lo = (uint64_t)(a / b);
    regs->hi = (uint64_t)(a % b);
}

static inline void mips_divide64u(struct mips_regs *regs, uint64_t a, uint64_t b)
{
    b = b ? b : 1;
    regs->lo = a / b;
    regs->hi = a % b;
}

static inline void mips_divide32(struct mips_regs *regs, int32_t a, int32_t b)
{
    if (b == 0 || (a == INT32_MIN && b == -1))
        b = 1;
    regs->lo = (uint64_t)(int64_t)(a / b);
    regs->hi = (uint64_t)(int64_t)(a % b);
}

static inline void mips_divide32u(struct mips_regs *regs, uint32_t a, uint32_t b)
{
    b = b ? b : 1;
    regs->lo = mips_sign32(a / b);
    regs->hi = mips_sign32(a % b);
}

static inline void mips_set_hilo32(struct mips_regs *regs, uint64_t v)
{
    regs->lo = mips_sign32(v);
    regs->hi = mips_sign32(v >> 32);
}

static inline uint64_t mips_hilo32(const struct mips_regs *regs)
{
    return regs->hi << 32 | (uint32_t)regs->lo;
}

/** Signed overflow of sum = a + b, at bit 63 (32-bit operands are sign-extended). */
static inline bool mips_add_overflows(uint64_t a, uint64_t b, uint64_t sum)
{
    return (int64_t)((a ^ sum) & (b ^ sum)) < 0;
}

/** The same of difference = a - b. */
static inline bool mips_sub_overflows(uint64_t a, uint64_t b, uint64_t difference)
{
    return (int64_t)((a ^ b) & (a ^ difference)) < 0;
}

#endif

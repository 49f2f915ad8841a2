/* The arithmetic that rows of isa.def name. */
#ifndef ARM_ARITHMETIC_H
#define ARM_ARITHMETIC_H

#include "procard/arm/isa.h"

static inline uint64_t arm_pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static inline uint32_t arm_rotated(uint32_t v, unsigned n)
{
    n &= 31;
    return n ? v >> n | v << (32 - n) : v;
}

/** The upper half of a product, rounded if asked for. */
static inline uint32_t arm_high(uint64_t v, unsigned round)
{
    return (uint32_t)((v + (round ? UINT64_C(0x80000000) : 0)) >> 32);
}

/** v within `bits` bits, signed or from 0 on; sets *q if it was not. */
static inline uint32_t arm_saturate(int64_t v, unsigned bits, bool is_unsigned, uint8_t *q)
{
    const int64_t high = is_unsigned ? (INT64_C(1) << bits) - 1 : (INT64_C(1) << (bits - 1)) - 1;
    const int64_t low = is_unsigned ? 0 : -high - 1;
    const int64_t in = v > high ? high : v < low ? low : v;
    if (in != v)
        *q = 1;
    return (uint32_t)in;
}

/** What SSAT and USAT saturate: Rm shifted as their word says. */
static inline int64_t arm_sat_shift(uint32_t m, uint32_t word)
{
    const unsigned n = word >> 7 & 31;
    if (word >> 6 & 1)
        return (int32_t)m >> (n ? n : 31);
    return (int32_t)(m << n);
}

static inline uint32_t arm_saturate16(uint32_t m, uint32_t word, bool is_unsigned, uint8_t *q)
{
    const unsigned bits = (word >> 16 & 15) + !is_unsigned;
    const uint32_t low = arm_saturate((int16_t)m, bits, is_unsigned, q) & 0xffff;
    return low | arm_saturate((int16_t)(m >> 16), bits, is_unsigned, q) << 16;
}

/** Sum of the absolute differences of four bytes. */
static inline uint32_t arm_sad(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        const int d = (int)(a >> i & 255) - (int)(b >> i & 255);
        sum += (uint32_t)(d < 0 ? -d : d);
    }
    return sum;
}

/** The bytes 0 and 2, extended to halfwords. */
static inline uint32_t arm_bytes16(uint32_t v, bool is_signed)
{
    if (!is_signed)
        return v & 0xff00ff;
    return ((uint32_t)(int8_t)v & 0xffff) | (uint32_t)(int8_t)(v >> 16) << 16;
}

static inline uint32_t arm_add16(uint32_t a, uint32_t b)
{
    return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
}

static inline uint32_t arm_select(uint32_t a, uint32_t b, uint8_t ge)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= ge >> i & 1 ? UINT32_C(255) << 8 * i : 0;
    return (a & mask) | (b & ~mask);
}

/** A shift by an immediate. @param how  enum arm_shift << 5 | amount, which is 1 to 32, 32 as 0;
 *  RRX has none. @param[in,out] carry  the flag, then what was shifted out last
 *  @param v  the operand */
static inline uint32_t arm_shifted(uint32_t v, unsigned how, uint32_t *carry)
{
    const unsigned n = how & 31;
    const uint32_t c = *carry;
    switch (how >> 5) {
    case ARM_LSL:
        if (!n)
            return v;
        *carry = v >> (32 - n) & 1;
        return v << n;
    case ARM_LSR:
        *carry = v >> ((n - 1) & 31) & 1;
        return n ? v >> n : 0;
    case ARM_ASR:
        *carry = v >> ((n - 1) & 31) & 1;
        return (uint32_t)((int32_t)v >> (n ? n : 31));
    case ARM_ROR:
        *carry = v >> (n - 1) & 1;
        return arm_rotated(v, n);
    default:
        *carry = v & 1;
        return v >> 1 | c << 31;
    }
}

/** A shift by the low byte of a register. @param v  operand @param kind  enum arm_shift
 *  @param by  the register @param[in,out] carry  as above */
static inline uint32_t arm_shifted_by(uint32_t v, unsigned kind, uint32_t by, uint32_t *carry)
{
    const unsigned n = by & 255;
    if (!n)
        return v;
    if (kind == ARM_ROR) {
        const uint32_t result = arm_rotated(v, n);
        *carry = result >> 31;
        return result;
    }
    if (n < 32)
        return arm_shifted(v, kind << 5 | n, carry);
    if (kind == ARM_ASR) {
        *carry = v >> 31;
        return (uint32_t)((int32_t)v >> 31);
    }
    *carry = n > 32 ? 0 : kind == ARM_LSL ? v & 1 : v >> 31;
    return 0;
}

/* ---- parallel additions ---------------------------------------------------------------------- */

enum arm_prefix { ARM_S, ARM_Q, ARM_SH, ARM_U, ARM_UQ, ARM_UH };
enum arm_pairing { ARM_ADD16, ARM_ASX, ARM_SAX, ARM_SUB16, ARM_ADD8, ARM_SUB8 };

/** One lane of `bits` bits. @param[out] ge  what it sets of GE: 0 or 1
 *  @param how  enum arm_prefix @param a  operand @param b  operand @param subtract  a - b
 *  @param bits  8 or 16 */
static inline uint32_t arm_lane(unsigned how, uint32_t a, uint32_t b, bool subtract, unsigned bits,
                                unsigned *ge)
{
    const bool is_unsigned = how >= ARM_U;
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    const unsigned up = 32 - bits;
    const int32_t x = is_unsigned ? (int32_t)(a & mask) : (int32_t)(a << up) >> up;
    const int32_t y = is_unsigned ? (int32_t)(b & mask) : (int32_t)(b << up) >> up;
    const int32_t r = subtract ? x - y : x + y;
    uint8_t lost = 0;
    *ge = is_unsigned && !subtract ? r > (int32_t)mask : r >= 0;
    if (how == ARM_Q || how == ARM_UQ)
        return arm_saturate(r, bits, is_unsigned, &lost) & mask;
    if (how == ARM_SH || how == ARM_UH)
        return (uint32_t)(r >> 1) & mask;
    return (uint32_t)r & mask;
}

/** @param[out] ge  GE; NULL: it stays @param how  enum arm_prefix @param pairing  enum arm_pairing
 *  @param n  Rn @param m  Rm */
static inline uint32_t arm_parallel(unsigned how, unsigned pairing, uint32_t n, uint32_t m,
                                    uint8_t *ge)
{
    const bool bytes = pairing >= ARM_ADD8, crossed = pairing == ARM_ASX || pairing == ARM_SAX;
    const unsigned bits = bytes ? 8 : 16;
    uint32_t result = 0, set = 0;
    if (crossed)
        m = arm_rotated(m, 16);
    for (unsigned at = 0; at < 32; at += bits) {
        const bool subtract = pairing == ARM_SUB16 || pairing == ARM_SUB8 ||
                              (pairing == ARM_ASX && !at) || (pairing == ARM_SAX && at);
        unsigned lane;
        result |= arm_lane(how, n >> at, m >> at, subtract, bits, &lane) << at;
        set |= (lane ? bytes ? 1u : 3u : 0u) << at / 8;
    }
    if (ge)
        *ge = (uint8_t)set;
    return result;
}

/** Whether a condition holds. */
static inline bool arm_holds(const struct arm_regs *r, unsigned cond)
{
    bool is;
    switch (cond >> 1) {
    case 0:
        is = !r->z;
        break;
    case 1:
        is = r->c;
        break;
    case 2:
        is = r->n >> 31;
        break;
    case 3:
        is = r->v >> 31;
        break;
    case 4:
        is = r->c && r->z;
        break;
    case 5:
        is = !((r->n ^ r->v) >> 31);
        break;
    case 6:
        is = r->z && !((r->n ^ r->v) >> 31);
        break;
    default:
        return true;
    }
    return is != (cond & 1);
}

/** What a user may write of the status: flags and Q, GE, E (ARM Architecture Reference Manual, MSR:
 *  UserMask). @param r  takes it @param v  all of it @param fields  as MSR names them */
static inline void arm_set_status(struct arm_regs *r, uint32_t v, unsigned fields)
{
    enum { FLAGS = 8, STATUS = 4, EXTENSION = 2 };
    const uint32_t mask = (fields & FLAGS ? UINT32_C(0xf8000000) : 0) |
                          (fields & STATUS ? ARM_CPSR_GE : 0) |
                          (fields & EXTENSION ? ARM_CPSR_E : 0);
    const bool t = r->t;
    arm_set_cpsr(r, (arm_cpsr(r) & ~mask) | (v & mask));
    r->t = t;
}

#endif

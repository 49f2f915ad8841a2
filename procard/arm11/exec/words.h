/*
 * Private to the interpreter: the words in which rows of isa.def say what an instruction does. `c`
 * is the core, `op` the operation, `b` its block.
 */
#ifndef ARM11_EXEC_WORDS_H
#define ARM11_EXEC_WORDS_H

#include "procard/arm/arithmetic.h"
#include "procard/arm11/pipeline.h"

#define REG(i)  (c->r.r[i])
#define D       REG(op->a.d)
#define N       REG(op->a.n)
#define M       REG(op->a.m)
#define S       REG(op->a.s)
#define A       REG(op->a.a)
#define LO      REG(op->a.d)
#define HI      REG(op->a.e)
#define GE      (c->r.ge)
#define Q       (c->r.q)
#define CARRY   (c->r.c)
#define WORD    (op->a.imm)
#define PC_HERE (b->key.pc + 2u * op->at)

#define BITS(high, low)   (WORD >> (low) & ((UINT32_C(1) << ((high) - (low) + 1)) - 1))
#define HALF(v, bit)      ((int16_t)((bit) >= 0 && WORD >> ((bit)&31) & 1 ? (v) >> 16 : (v)))
#define DUAL_LOW          ((int16_t)(WORD >> 5 & 1 ? S >> 16 : S))
#define DUAL_HIGH         ((int16_t)(WORD >> 5 & 1 ? S : S >> 16))
#define DUAL(v)           dual((v), &Q)
#define ROTATED           arm_rotated(M, BITS(11, 10) * 8)
#define SATURATED(v)      arm_saturate((v), 32, false, &Q)
#define SATURATED16(m, u) arm_saturate16((m), WORD, (u), &Q)
#define ACCUMULATED(v)    D = dual((v) + (int32_t)A, &Q)
#define NZ(v)             (c->r.n = c->r.z = (v))
#define NZ64(lo, hi)      (c->r.n = (hi), c->r.z = (lo) | (hi))
#define LONG(v)                      \
    do {                             \
        const uint64_t both = (v);   \
        LO = (uint32_t)both;         \
        HI = (uint32_t)(both >> 32); \
    } while (0)

/* Sets Q if a sum does not fit 32 bits, and keeps these. */
static inline uint32_t dual(int64_t v, uint8_t *q)
{
    if (v != (int32_t)v)
        *q = 1;
    return (uint32_t)v;
}

#endif

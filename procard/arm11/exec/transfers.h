/*
 * Private to the interpreter: what loads and stores move, and where.
 */
#ifndef ARM11_EXEC_TRANSFERS_H
#define ARM11_EXEC_TRANSFERS_H

#include "procard/arm/arithmetic.h"
#include "procard/arm11/exec/variant.h"
#include "procard/arm11/profile.h"

#include <string.h>

/* A multiple transfer. */
struct multiple {
    uint32_t va, base; /* the lowest address; the base written back */
    unsigned n;
    uint8_t reg[ARM11_PARTS];
};

static inline void multiple_of(const struct arm11_op *op, uint32_t base, struct multiple *m)
{
    const uint32_t bytes = (uint32_t)__builtin_popcount(op->a.imm) * 4;
    const bool up = op->a.aux & ARM_UP, pre = op->a.aux & ARM_PRE;
    m->n = 0;
    m->va = up ? base + (pre ? 4 : 0) : base - bytes + (pre ? 0 : 4);
    m->base = up ? base + bytes : base - bytes;
    for (uint32_t left = op->a.imm; left; left &= left - 1)
        m->reg[m->n++] = (uint8_t)__builtin_ctz(left);
}

/* The offset of a transfer that is neither simple nor immediate. */
static inline uint32_t offset_of(const struct arm11_op *op, const struct arm_regs *r)
{
    uint32_t carry = r->c;
    if (!(op->a.aux & ARM_REGISTER))
        return op->a.imm;
    const uint32_t v = arm_shifted(r->r[op->a.m], op->a.imm, &carry);
    return op->a.aux & ARM_UP ? v : -v;
}

/* Words in lines that are shown go straight to or from registers. [PCycles] what each takes.
 * @return false: they are not; *lines is 0 then */
static inline bool transfer_words(struct arm11 *c, const struct arm11_op *op, sim_tick now,
                                  uint32_t va, const uint8_t *regs, unsigned n, bool store,
                                  unsigned *lines)
{
#if TIMED
    const uint32_t last = va + 4 * n - 4;
    const bool odd = va >> 2 & 1;
    *lines = 0;
    if (va & 3)
        return false;
    for (uint32_t at = va & ~UINT32_C(31); at - (va & ~UINT32_C(31)) <= last - (va & ~UINT32_C(31));
         at += 32) {
        const struct pc_line *line = VIEW(at);
        if (!(store ? pc_line_writes : pc_line_reads)(line, at, ~UINT64_C(0))) {
            *lines = 0;
            return false;
        }
        ++*lines;
    }
    if (OBSERVED)
        c->base.now = now;
    for (unsigned i = 0; i < n; i++, va += 4) {
        if (OBSERVED)
            arm11_refers_to(c, store ? PC_RECORDED_STORE : PC_RECORDED_LOAD, va, 4);
        uint8_t *p = (uint8_t *)(VIEW(va)->host + va);
        if (store) {
            memcpy(p, &c->r.r[regs[i]], 4);
            WROTE(va);
        } else {
            memcpy(&c->r.r[regs[i]], p, 4);
            c->ready[regs[i]] = now + op->latency + (i + odd) / 2;
        }
    }
    return true;
#else
    (void)c, (void)op, (void)now, (void)va, (void)regs, (void)n, (void)store;
    *lines = 0;
    return false;
#endif
}

/* A store-multiple waits for all its data, and then holds them. */
static inline sim_tick data_ready(const struct arm11 *c, uint32_t list, sim_tick at)
{
    for (; list; list &= list - 1) {
        const sim_tick other = c->ready[__builtin_ctz(list)];
        at = other > at ? other : at;
    }
    return at;
}

static inline void hold(struct arm11 *c, const struct multiple *m, sim_tick now)
{
    for (unsigned i = 0; i < m->n; i++)
        c->lock[m->reg[i]] = now + 1 + (i + 1) / 2;
    c->locked = now + 1 + (m->n + 1) / 2;
}

static inline uint32_t word_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static inline uint16_t half_at(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

#endif

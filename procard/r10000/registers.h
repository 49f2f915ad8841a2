/*
 * Physical registers: how values get from there to where they are computed (evaluate.c) and back,
 * and who is told when they do. Inline, because every instruction does it.
 */
#ifndef R10000_REGISTERS_H
#define R10000_REGISTERS_H

#include "procard/r10000/pipeline.h"

/** A register of the thread, by its offset in struct mips_regs. */
static inline uint64_t *r10k_place(struct mips_regs *r, unsigned where)
{
    return (uint64_t *)((char *)r + where);
}

static inline unsigned r10k_condition_bit(unsigned logical)
{
    return logical == R10K_LOGICAL_FCC ? 23 : 24 + logical - R10K_LOGICAL_FCC;
}

static inline uint64_t r10k_condition(const struct mips_regs *r, unsigned logical)
{
    return r->fcsr >> r10k_condition_bit(logical) & 1;
}

static inline void r10k_condition_put(struct mips_regs *r, unsigned logical, uint64_t value)
{
    const uint32_t bit = 1u << r10k_condition_bit(logical);
    r->fcsr = (r->fcsr & ~bit) | (value ? bit : 0);
}

/** Any of them. @param logical  enum r10k_logical */
static inline uint64_t r10k_register(struct mips_regs *r, unsigned logical)
{
    return r10k_file_of(logical) == R10K_FILE_CODES ? r10k_condition(r, logical)
                                                    : *r10k_place(r, r10k_location(logical));
}

/** Of an instruction that reads conditions, or registers of which only a half may be new. */
void r10k_gather_parts(struct r10k *c, const struct r10k_entry *e);

/** Puts an entry's operands into c->scratch. */
static inline void r10k_gather(struct r10k *c, const struct r10k_entry *e)
{
    const struct r10k_word *w = e->w;
    if (w->traits & (R10K_WHOLE | R10K_CODES)) {
        r10k_gather_parts(c, e);
        return;
    }
    for (unsigned i = 0; i < w->sources; i++)
        *r10k_place(&c->scratch, w->from[i]) = c->value[e->source[i]];
}

/** Places of the queues that have waited for a register. */
void r10k_told(struct r10k *c, uint32_t who);
/** Entries elsewhere that have. */
void r10k_told_others(struct r10k *c, uint64_t who);

/** A physical register has its value, for instructions that issue at `at` or later. */
static inline void r10k_ready(struct r10k *c, unsigned phys, sim_tick at)
{
    const uint32_t who = c->waiting[phys];
    const uint64_t others = c->asking[phys];
    c->ready[phys] = at;
    if (who) {
        c->waiting[phys] = 0;
        r10k_told(c, who);
    }
    if (others) {
        c->asking[phys] = 0;
        r10k_told_others(c, others);
    }
}

/** Takes an entry's results from c->scratch.
 *  @param low  [ticks] when the first is ready @param high  when the second is */
static inline void r10k_deliver(struct r10k *c, struct r10k_entry *e, sim_tick low, sim_tick high)
{
    const struct r10k_word *w = e->w;
    for (unsigned i = 0; i < w->results; i++) {
        const unsigned phys = e->result[i];
        c->value[phys] = w->file[i] == R10K_FILE_CODES ? r10k_condition(&c->scratch, w->result[i])
                                                       : *r10k_place(&c->scratch, w->into[i]);
        r10k_ready(c, phys, i ? high : low);
    }
}

static inline void r10k_register_free(struct r10k *c, unsigned phys)
{
    c->free[phys / R10K_FILE] |= UINT64_C(1) << phys % R10K_FILE;
}

/** A result of which a half is new, or that is a condition. */
void r10k_commit_part(struct r10k *c, const struct r10k_word *w, unsigned i, uint64_t value);

/** The oldest entry's results become the thread's, and what they replaced is free. */
static inline void r10k_commit(struct r10k *c, const struct r10k_entry *e)
{
    const struct r10k_word *w = e->w;
    for (unsigned i = 0; i < w->results; i++) {
        if (w->traits & (R10K_HALF | R10K_CODES))
            r10k_commit_part(c, w, i, c->value[e->result[i]]);
        else
            *r10k_place(&c->r, w->into[i]) = c->value[e->result[i]];
        r10k_register_free(c, e->before[i]);
    }
}

/** It has issued, or has never been. */
static inline void r10k_leave_places(struct r10k *c, const struct r10k_entry *e)
{
    const uint32_t others = ~(UINT32_C(1) << e->place);
    c->places.used &= others;
    c->places.ready &= others;
    c->places.coming &= others;
    c->places.own[e->w->own] &= others;
}

#endif

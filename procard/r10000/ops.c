/*
 * The R10000 as a core of a card.
 */
#include "machine/params.h"
#include "monitor/board/board.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/r10000/pipeline.h"
#include "procard/record.h"

#include <string.h>

static void ops_settle(struct pc_cpu *base)
{
    (void)base;
}

static void ops_totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT],
                       struct pc_tail *tail)
{
    memcpy(states, base->states, sizeof base->states);
    *tail = base->tail; /* its clock passes the horizon by nothing else */
}

static uint64_t ops_pc(const struct pc_cpu *base)
{
    return r10k_const_of(base)->r.pc;
}

/* Only the oldest stores where the card asks. */
static uint8_t r10000_ops_store_bytes(const struct pc_cpu *base, uint64_t pa, unsigned size)
{
    const struct r10k *c = r10k_const_of(base);
    return mips_store_bytes(c->entry[c->head].w->word, pa, size);
}

static void end_life(struct pc_cpu *base)
{
    r10k_look_at_books(r10k_of(base));
    r10k_free(r10k_of(base));
}

static void r10000_ops_truth(const struct pc_cpu *base, struct nm_truth *out)
{
    const struct r10k *c = r10k_const_of(base);
    out->loads = c->loads;
    out->stores = c->stores;
    out->l1i_misses += c->l1_misses[PC_SIDE_I];
    out->l1d_misses += c->l1_misses[PC_SIDE_D];
    out->l1_writebacks += c->l1_writebacks;
    out->tlb_misses += c->tlb_refills;
}

/* ---- in a profile ---------------------------------------------------------------------------- */

static uint64_t ops_sp(const struct pc_cpu *base)
{
    enum { REGISTER_SP = 29 };
    return r10k_const_of(base)->r.gpr[REGISTER_SP];
}

static void ops_placed(struct pc_cpu *base)
{
    pc_cursor_placed(base->cursor, base->tries.thread, r10k_of(base)->r.pc, ops_sp(base));
}

static uint64_t ops_argument(const struct pc_cpu *base, unsigned i)
{
    enum { REGISTER_A0 = 4 };
    return r10k_const_of(base)->r.gpr[REGISTER_A0 + i];
}

static uint64_t ops_result(const struct pc_cpu *base)
{
    enum { REGISTER_V0 = 2 };
    return r10k_const_of(base)->r.gpr[REGISTER_V0];
}

/* s0 to s7, gp, fp */
static const uint8_t kept[PC_KEPT] = {16, 17, 18, 19, 20, 21, 22, 23, 28, 30};

static void ops_general(const struct pc_cpu *base, const uint8_t *number, unsigned count,
                        uint64_t *out)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = r10k_const_of(base)->r.gpr[number[i] % 32];
}

/* ---- programs -------------------------------------------------------------------------------- */

static void r10000_ops_take(struct pc_cpu *base, void *regs, struct pc_call_site *call)
{
    const struct r10k *c = r10k_of(base);
    *(struct mips_regs *)regs = c->r;
    *call = (struct pc_call_site){c->call_pc, c->call_npc};
}

static void ops_put(struct pc_cpu *base, const void *regs)
{
    struct r10k *c = r10k_of(base);
    c->begun = false;
    if (regs != &c->r)
        c->r = *(const struct mips_regs *)regs;
}

static void *ops_registers(struct pc_cpu *base)
{
    return &r10k_of(base)->r;
}

static void ops_code_give(struct pc_cpu *base, void *code)
{
    r10k_of(base)->code = code;
}

/* Whether anything in the pipeline has been fetched from there. */
static bool has_fetched(struct r10k *c, uint64_t va, uint64_t len)
{
    for (unsigned i = 0; i < c->count; i++)
        if (r10k_entry(c, i)->pc - va < len)
            return true;
    for (unsigned i = 0; i < c->buffered; i++)
        if (r10k_fetched_at(c, i)->pc - va < len)
            return true;
    return false;
}

/* Words that have not been fetched are read from memory when they are. */
static void ops_code_changed(struct pc_cpu *base, uint64_t va, uint64_t len)
{
    if (!has_fetched(r10k_of(base), va, len))
        return;
    if (base->record)
        pc_record_forgets(base->card);
    r10k_leave(base);
}

static void begin_life(struct pc_cpu *base)
{
    static const struct pc_core_heeds heeds = {.os_wrote = r10k_os_wrote,
                                               .code_changed = ops_code_changed};
    r10k_new(r10k_of(base), base->card->p);
    pc_core_heed(base, &heeds);
    r10k_of(base)->away = true;
}

static const struct pc_program_ops programs = {.take = r10000_ops_take,
                                               .put = ops_put,
                                               .registers = ops_registers,
                                               .code_new = r10k_code_new,
                                               .code_give = ops_code_give,
                                               .code_await = r10k_code_await,
                                               .code_points = r10k_code_points,
                                               .code_free = r10k_code_free};

/* ---- the core -------------------------------------------------------------------------------- */

#define CORE                                                                                    \
    .name = "r10000", .size = sizeof(struct r10k), .create = begin_life, .free = end_life,      \
    .run = r10k_run, .settle = ops_settle, .totals = ops_totals, .leave = r10k_leave,           \
    .moved = r10k_leave, .pc = ops_pc, .truth = r10000_ops_truth, .requests = R10K_MISSES,      \
    .answered = r10k_answered, .loses = r10k_loses, .asked = r10k_asked, .leaves = r10k_leaves, \
    .signals = r10k_signals, .pipeline = r10k_pipeline, .store_bytes = r10000_ops_store_bytes,  \
    .programs = &programs

#define PROFILED                                                                              \
    CORE, .placed = ops_placed, .argument = ops_argument, .result = ops_result, .sp = ops_sp, \
          .general = ops_general, .kept = kept

/* What is touched is told where it graduates, if anybody asks (pc_touched). */
static const struct pc_core_ops touching = {PROFILED};
static const struct pc_core_ops profiled = {PROFILED, .touching = &touching};
static const struct pc_core_ops recording = {CORE}; /* asks for base.record where it graduates */
static const struct pc_core_ops core = {CORE,
                                        .sleeps = true,
                                        .together = true,
                                        .profiled = &profiled,
                                        .recording = &recording,
                                        .stepping = &recording};

const struct nm_card_kind pc_r10000 = {&pc_card_ops, &core, &mon_numachine};

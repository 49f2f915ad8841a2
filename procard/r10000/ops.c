/*
 * The R10000 as a core of a card, and what the rooms above do with it.
 */
#include "machine/params.h"
#include "monitor/board/board.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/r10000/pipeline.h"

#include <string.h>

static void settle(struct pc_cpu *base)
{
    (void)base;
}

static void totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT], struct pc_tail *tail)
{
    memcpy(states, base->states, sizeof base->states);
    *tail = base->tail; /* its clock passes the horizon by nothing else */
}

static uint64_t pc(const struct pc_cpu *base)
{
    return r10k_const_of(base)->r.pc;
}

static void signals(const struct pc_cpu *base, union mon_own_signals *out)
{
    out->r10000 = r10k_const_of(base)->signals;
}

static void begin_life(struct pc_cpu *base)
{
    r10k_new(r10k_of(base), base->card->p);
    r10k_of(base)->away = true;
}

static void end_life(struct pc_cpu *base)
{
    r10k_look_at_books(r10k_of(base));
    r10k_free(r10k_of(base));
}

static void truth(const struct pc_cpu *base, struct nm_truth *out)
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

static void placed(struct pc_cpu *base)
{
    enum { REGISTER_SP = 29 };
    const struct r10k *c = r10k_of(base);
    pc_cursor_placed(base->cursor, base->tries.thread, c->r.pc, c->r.gpr[REGISTER_SP]);
}

static uint64_t argument(const struct pc_cpu *base, unsigned i)
{
    enum { REGISTER_A0 = 4 };
    return r10k_const_of(base)->r.gpr[REGISTER_A0 + i];
}

static uint64_t result(const struct pc_cpu *base)
{
    enum { REGISTER_V0 = 2 };
    return r10k_const_of(base)->r.gpr[REGISTER_V0];
}

#define CORE                                                                                       \
    .name = "r10000", .size = sizeof(struct r10k), .create = begin_life, .free = end_life,         \
    .run = r10k_run, .settle = settle, .totals = totals, .leave = r10k_leave, .moved = r10k_leave, \
    .pc = pc, .truth = truth, .requests = R10K_MISSES, .answered = r10k_answered,                  \
    .loses = r10k_loses, .asked = r10k_asked, .leaves = r10k_leaves, .signals = signals

#define PROFILED CORE, .placed = placed, .argument = argument, .result = result

/* What is touched is told where it graduates, if anybody asks (pc_touched). */
static const struct pc_core_ops touching = {PROFILED};
static const struct pc_core_ops profiled = {PROFILED, .touching = &touching};
static const struct pc_core_ops recording = {CORE}; /* asks for base.record where it graduates */
static const struct pc_core_ops core = {CORE, .together = true, .profiled = &profiled,
                                        .recording = &recording};

const struct nm_card_kind pc_r10000 = {&pc_card_ops, &core, &mon_numachine};

/* ---- for the rooms above --------------------------------------------------------------------- */

static struct r10k *core_at(struct nm_machine *m, unsigned card)
{
    return r10k_of(&pc_card_of(nm_machine_card(m, card))->cpu);
}

struct mips_regs *r10k_registers(struct nm_machine *m, unsigned card)
{
    return &core_at(m, card)->r;
}

void r10k_resume(struct nm_machine *m, unsigned card, const struct mips_regs *regs, sim_tick at)
{
    struct r10k *c = core_at(m, card);
    c->begun = false;
    if (regs != &c->r)
        c->r = *regs;
    nm_card_resume(m, card, at);
}

void r10k_take(struct nm_machine *m, unsigned card, struct mips_regs *regs, uint64_t *call_pc,
               uint64_t *call_npc)
{
    const struct r10k *c = core_at(m, card);
    *regs = c->r;
    *call_pc = c->call_pc;
    *call_npc = c->call_npc;
    nm_card_take(m, card);
}

struct r10k_code *r10k_code_new(const uint8_t *(*fetch)(void *ctx, uint64_t va), void *ctx,
                                enum nm_isa isa)
{
    return r10k_words_new(fetch, ctx, mips_level(isa));
}

void r10k_give_code(struct nm_machine *m, unsigned card, struct r10k_code *code)
{
    core_at(m, card)->code = code;
}

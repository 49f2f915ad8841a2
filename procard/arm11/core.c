/*
 * The ARM11 as a core of a card, and what the rooms above do with it.
 */
#include "monitor/board/board.h"
#include "procard/arm11/exec/place.h"
#include "procard/arm11/profile.h"
#include "procard/card.h"

#include <string.h>

static void begin_life(struct pc_cpu *base)
{
    arm11_new(arm11_of(base), base->card->p);
}

static void end_life(struct pc_cpu *base)
{
    arm11_free(arm11_of(base));
}

static sim_tick run(struct pc_cpu *base, sim_tick horizon)
{
    return base->untimed ? arm11_run_untimed(base, horizon) : arm11_run(base, horizon);
}

static sim_tick run_observed(struct pc_cpu *base, sim_tick horizon)
{
    return base->untimed ? arm11_run_untimed_observed(base, horizon)
                         : arm11_run_observed(base, horizon);
}

static void settle(struct pc_cpu *base)
{
    (void)base;
}

static void totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT], struct pc_tail *tail)
{
    memcpy(states, base->states, sizeof base->states);
    *tail = base->tail;
}

static void forget_place(struct arm11 *c)
{
    arm11_hide_all(c);
    c->op = NULL;
    c->told_line = ~UINT64_C(0);
}

/* The thread goes on, or mappings or the mode have changed. */
static void leave(struct pc_cpu *base)
{
    struct arm11 *c = arm11_of(base);
    arm11_settle(c);
    forget_place(c);
}

/* Stores that wait and loads that are under way are done when the registers are taken (arm11_take);
 * an address that comes of one of these is not known before. */
static void interrupted(struct pc_cpu *base)
{
    struct arm11 *c = arm11_of(base);
    if (c->ready[ARM_PC] != ARM11_PENDING)
        arm11_settle_jump(c);
    forget_place(c);
}

/* One that has written the pc stands there until that is known. */
static uint64_t pc(const struct pc_cpu *base)
{
    const struct arm11 *c = arm11_const_of(base);
    return c->jump.waits ? c->jump.pc : c->r.r[ARM_PC];
}

static void truth(const struct pc_cpu *base, struct nm_truth *out)
{
    const struct arm11 *c = arm11_const_of(base);
    out->loads = c->loads;
    out->stores = c->stores;
    out->l1i_misses += c->l1_misses[PC_SIDE_I];
    out->l1d_misses += c->l1_misses[PC_SIDE_D];
    out->l1_writebacks += c->l1_writebacks;
    out->tlb_misses += c->signals.total[ARM11_SIGNAL_TLB_MISS];
}

static void signals(const struct pc_cpu *base, union mon_own_signals *out)
{
    out->arm11.core = arm11_const_of(base)->signals;
}

#define CORE                                                                                    \
    .name = "arm11", .little = true, .size = sizeof(struct arm11), .create = begin_life,        \
    .free = end_life, .settle = settle, .totals = totals, .leave = leave, .moved = leave,       \
    .interrupted = interrupted, .pc = pc, .truth = truth, .requests = PC_REQUESTS,              \
    .answered = arm11_answered, .loses = arm11_loses, .hides = arm11_hides, .signals = signals, \
    .look = arm11_look, .exports = arm11_exports

#define PROFILED                                                                   \
    CORE, .run = run_observed, .placed = arm11_placed, .argument = arm11_argument, \
          .result = arm11_result

/* What is touched is told where it is read or written, if anybody asks (pc_touched). */
static const struct pc_core_ops touching = {PROFILED};
static const struct pc_core_ops profiled = {PROFILED, .touching = &touching};
static const struct pc_core_ops recording = {CORE, .run = run_observed};
static const struct pc_core_ops core = {CORE, .run = run, .profiled = &profiled,
                                        .recording = &recording};

const struct nm_card_kind pc_arm11 = {&pc_card_ops, &core, &mon_numachine};

/* ---- for the rooms above --------------------------------------------------------------------- */

static struct arm11 *core_at(struct nm_machine *m, unsigned card)
{
    return arm11_of(&pc_card_of(nm_machine_card(m, card))->cpu);
}

struct arm_regs *arm11_registers(struct nm_machine *m, unsigned card)
{
    return &core_at(m, card)->r;
}

void arm11_resume(struct nm_machine *m, unsigned card, const struct arm_regs *regs, sim_tick at)
{
    struct arm11 *c = core_at(m, card);
    c->op = NULL;
    if (regs != &c->r)
        c->r = *regs;
    nm_card_resume(m, card, at);
}

void arm11_take(struct nm_machine *m, unsigned card, struct arm_regs *regs, uint64_t *call_pc,
                uint64_t *call_npc)
{
    struct arm11 *c = core_at(m, card);
    arm11_settle(c);
    *regs = c->r;
    *call_pc = c->call_pc;
    *call_npc = c->call_npc;
    nm_card_take(m, card);
}

void arm11_give_code(struct nm_machine *m, unsigned card, struct arm11_code *code)
{
    core_at(m, card)->code = code;
}

const struct arm11_unknown *arm11_unknown_event(struct nm_machine *m, unsigned card)
{
    return &core_at(m, card)->unknown;
}

void arm11_signals(struct nm_machine *m, unsigned card, struct arm11_signals *out)
{
    union mon_own_signals all;
    pc_own_signals(m, card, &all);
    *out = all.arm11.core;
}

/*
 * The ARM11 as a core of a card.
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

static sim_tick core_run(struct pc_cpu *base, sim_tick horizon)
{
    return base->untimed ? arm11_run_untimed(base, horizon) : arm11_run(base, horizon);
}

static sim_tick run_observed(struct pc_cpu *base, sim_tick horizon)
{
    return base->untimed ? arm11_run_untimed_observed(base, horizon)
                         : arm11_run_observed(base, horizon);
}

static void core_settle(struct pc_cpu *base)
{
    (void)base;
}

static void core_totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT],
                        struct pc_tail *tail)
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
static void core_leave(struct pc_cpu *base)
{
    struct arm11 *c = arm11_of(base);
    arm11_settle(c);
    forget_place(c);
}

/* Stores that wait and loads that are under way are done when the registers are taken (take);
 * an address that comes of one of these is not known before. */
static void core_interrupted(struct pc_cpu *base)
{
    struct arm11 *c = arm11_of(base);
    if (c->ready[ARM_PC] != ARM11_PENDING)
        arm11_settle_jump(c);
    forget_place(c);
}

/* One that has written the pc stands there until that is known. */
static uint64_t core_pc(const struct pc_cpu *base)
{
    const struct arm11 *c = arm11_const_of(base);
    return c->jump.waits ? c->jump.pc : c->r.r[ARM_PC];
}

static void core_truth(const struct pc_cpu *base, struct nm_truth *out)
{
    const struct arm11 *c = arm11_const_of(base);
    out->loads = c->loads;
    out->stores = c->stores;
    out->l1i_misses += c->l1_misses[PC_SIDE_I];
    out->l1d_misses += c->l1_misses[PC_SIDE_D];
    out->l1_writebacks += c->l1_writebacks;
    out->tlb_misses += c->signals.total[ARM11_SIGNAL_TLB_MISS];
}

static void core_signals(const struct pc_cpu *base, sim_tick at, union mon_own_signals *out)
{
    out->arm11.core = arm11_const_of(base)->signals;
    out->arm11.core.total[ARM11_SIGNAL_CYCLES] = at;
    out->arm11.l2 = pc_l2c_signals(base->card, at);
}

static const struct pc_unknown_event *unknown_event(const struct pc_cpu *base)
{
    const struct arm11 *c = arm11_const_of(base);
    return c->chose_unknown ? &c->unknown : NULL;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void core_take(struct pc_cpu *base, void *regs, struct pc_call_site *call)
{
    struct arm11 *c = arm11_of(base);
    arm11_settle(c);
    *(struct arm_regs *)regs = c->r;
    *call = (struct pc_call_site){c->call_pc, c->call_npc};
}

static void core_put(struct pc_cpu *base, const void *regs)
{
    struct arm11 *c = arm11_of(base);
    c->op = NULL;
    if (regs != &c->r)
        c->r = *(const struct arm_regs *)regs;
}

static void *core_registers(struct pc_cpu *base)
{
    return &arm11_of(base)->r;
}

static void core_code_give(struct pc_cpu *base, void *code)
{
    arm11_of(base)->code = code;
}

static const struct pc_program_ops programs = {.take = core_take,
                                               .put = core_put,
                                               .registers = core_registers,
                                               .code_new = arm11_code_new,
                                               .code_give = core_code_give,
                                               .code_flush = arm11_code_flush,
                                               .code_await = arm11_code_await,
                                               .code_points = arm11_code_points,
                                               .code_free = arm11_code_free};

/* ---- the core -------------------------------------------------------------------------------- */

#define CORE                                                                                  \
    .name = "arm11", .little = true, .size = sizeof(struct arm11), .create = begin_life,      \
    .free = end_life, .settle = core_settle, .totals = core_totals, .leave = core_leave,      \
    .moved = core_leave, .interrupted = core_interrupted, .pc = core_pc, .truth = core_truth, \
    .requests = PC_REQUESTS, .answered = arm11_answered, .loses = arm11_loses,                \
    .hides = arm11_hides, .signals = core_signals, .look = arm11_look,                        \
    .unknown_event = unknown_event, .exports = arm11_exports, .programs = &programs

#define PROFILED                                                                   \
    CORE, .run = run_observed, .placed = arm11_placed, .argument = arm11_argument, \
          .result = arm11_result, .sp = arm11_sp, .general = arm11_general, .kept = arm11_kept

/* What is touched is told where it is read or written, if anybody asks (pc_touched). */
static const struct pc_core_ops touching = {PROFILED};
static const struct pc_core_ops profiled = {PROFILED, .touching = &touching};
static const struct pc_core_ops recording = {CORE, .run = run_observed};
static const struct pc_core_ops core = {CORE, .run = core_run, .profiled = &profiled,
                                        .recording = &recording, .stepping = &recording};

const struct nm_card_kind pc_arm11 = {&pc_card_ops, &core, &mon_numachine};

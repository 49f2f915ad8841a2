/*
 * The R4400 as a core.
 */
#include "monitor/board/board.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/r4400/code.h"

static uint64_t r4400_core_pc(const struct pc_cpu *base)
{
    return r4400_const_of(base)->r.pc;
}

static uint8_t r4400_core_store_bytes(const struct pc_cpu *base, uint64_t pa, unsigned size)
{
    const struct r4400 *cpu = r4400_const_of(base);
    const uint8_t *word = cpu->code->fetch(cpu->code->ctx, cpu->r.pc);
    return mips_store_bytes(word ? (uint32_t)word[0] << 24 : 0, pa, size);
}

/* ---- in a profile ---------------------------------------------------------------------------- */

static void placed(struct pc_cpu *base)
{
    const struct r4400 *cpu = r4400_of(base);

    pc_cursor_placed(base->cursor, base->tries.thread, cpu->r.pc, cpu->r.gpr[29]);
}

static uint64_t core_argument(const struct pc_cpu *base, unsigned i)
{
    enum { REGISTER_A0 = 4 };
    return r4400_const_of(base)->r.gpr[REGISTER_A0 + i];
}

static uint64_t result(const struct pc_cpu *base)
{
    enum { REGISTER_V0 = 2 };
    return r4400_const_of(base)->r.gpr[REGISTER_V0];
}

static uint64_t core_sp(const struct pc_cpu *base)
{
    return r4400_const_of(base)->r.gpr[29];
}

/* s0 to s7, gp, fp */
static const uint8_t kept[PC_KEPT] = {16, 17, 18, 19, 20, 21, 22, 23, 28, 30};

static void general(const struct pc_cpu *base, const uint8_t *number, unsigned count, uint64_t *out)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = r4400_const_of(base)->r.gpr[number[i] % 32];
}

static void under_way(struct pc_cpu *base, int sign)
{
    struct r4400 *cpu = r4400_of(base);

    if (cpu->pipe.op)
        r4400_profile_leaves(cpu, sign);
}

static void harvest(struct pc_cpu *base)
{
    struct r4400_code *code = r4400_of(base)->pipe.code;

    if (code)
        r4400_profile_harvest(code);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void r4400_core_take(struct pc_cpu *base, void *regs, struct pc_call_site *call)
{
    const struct r4400 *cpu = r4400_const_of(base);

    *(struct mips_regs *)regs = cpu->r;
    *call = (struct pc_call_site){cpu->call_pc, cpu->call_npc};
}

static void r4400_core_put(struct pc_cpu *base, const void *regs)
{
    struct r4400 *cpu = r4400_of(base);

    if (regs != &cpu->r)
        cpu->r = *(const struct mips_regs *)regs;
}

static void *r4400_core_registers(struct pc_cpu *base)
{
    return &r4400_of(base)->r;
}

static void r4400_core_code_give(struct pc_cpu *base, void *code)
{
    r4400_of(base)->code = code;
}

static const struct pc_program_ops programs = {.take = r4400_core_take,
                                               .put = r4400_core_put,
                                               .registers = r4400_core_registers,
                                               .code_new = r4400_code_new,
                                               .code_give = r4400_core_code_give,
                                               .code_flush = r4400_code_flush,
                                               .code_await = r4400_code_await,
                                               .code_points = r4400_code_points,
                                               .code_free = r4400_code_free};

/* ---- the core -------------------------------------------------------------------------------- */

#define CORE                                                                                     \
    .name = "r4400", .size = sizeof(struct r4400), .free = r4400_detach, .settle = r4400_settle, \
    .totals = r4400_totals, .leave = r4400_refetch, .programs = &programs, .pc = r4400_core_pc,  \
    .store_bytes = r4400_core_store_bytes

static const struct pc_core_ops recording = {CORE, .run = r4400_run_recording};

static const struct pc_core_ops core = {CORE,
                                        .together = true,
                                        .run = r4400_run,
                                        .moved = r4400_detach,
                                        .profiled = &r4400_profiled,
                                        .recording = &recording};

#define PROFILED(how)                                                                       \
    CORE, .run = (how), .moved = r4400_detach, .placed = placed, .argument = core_argument, \
          .result = result, .sp = core_sp, .general = general, .kept = kept,                \
          .under_way = under_way, .harvest = harvest

static const struct pc_core_ops touching = {PROFILED(r4400_run_touching)};
const struct pc_core_ops r4400_profiled = {PROFILED(r4400_run_profiled), .touching = &touching};

_Static_assert(NM_MSG__COUNT <= 1 << MON_BITS_COMMAND, "a message's number fits COMMAND");

const struct nm_card_kind pc_r4400 = {&pc_card_ops, &core, &mon_numachine};

/*
 * A core of one's own in the tree (docs/extending.md): MIPS programs, an instruction after the
 * other, a PCycle each, and more for multiplications and divisions. Copied to procard/plain/, it is
 * there by its row of procard/cores.def.
 */
#include "base/alloc.h"
#include "machine/values.h"
#include "monitor/board/registers.h"
#include "procard/mips/arithmetic.h"
#include "procard/mips/isa.h"
#include "procard/procard.h"

#include <stdlib.h>

struct plain_code {
    unsigned level;
    uint64_t awaited, came, due;
};

struct plain {
    struct pc_cpu cpu; /* first: what the card knows */
    struct mips_regs r;
    struct pc_call_site call;
    struct plain_code *code;
};

static struct plain *plain_of(struct pc_cpu *cpu)
{
    return (struct plain *)cpu;
}

/* ---- an instruction -------------------------------------------------------------------------- */

/* What comes of one, beside its results. */
struct outcome {
    enum pc_status state;
    bool taken, nullifies; /* a branch or jump; its delay slot, if it is not taken */
    uint64_t target;
    enum pc_stop stop;
};

static bool raise(struct plain *c, struct outcome *out, enum pc_exc exc, uint64_t detail)
{
    c->cpu.exc = exc;
    c->cpu.trap_code = (uint32_t)detail;
    out->stop = PC_STOP_TRAP;
    return false;
}

#define REG(offset)      (*(uint64_t *)((char *)regs + (offset)))
#define SINGLE(offset)   (*(mips_single *)((char *)regs + (offset)))
#define D                REG(op->d)
#define S                REG(op->s)
#define T                REG(op->t)
#define IMM              ((uint64_t)(int64_t)op->imm)
#define FCC              (regs->fcsr >> op->t & 1)
#define REGS             regs
#define HI               (regs->hi)
#define LO               (regs->lo)
#define LEVEL            (c->code->level)
#define PC               (regs->pc)
#define TARGET           (out->target)
#define TAKEN            (out->taken)
#define LINK()           (regs->gpr[31] = PC + 8)
#define KEEP64(v)        (v)
#define RAISE(exc, what) return raise(c, out, exc, what)

#define DO(id, statement) \
    case MIPS_OP_##id: {  \
        statement;        \
        return true;      \
    }
#define CHECKED(id, calculation, overflows, b, keep)          \
    case MIPS_OP_##id: {                                      \
        const uint64_t x = S, y = (b), z = keep(calculation); \
        if (overflows(x, y, z))                               \
            RAISE(PC_EXC_OV, 0);                              \
        D = z;                                                \
        return true;                                          \
    }
#define ACCESS(id, state_of_it, where, call, statement)                           \
    case MIPS_OP_##id: {                                                          \
        const uint64_t sum = (where);                                             \
        const uint64_t va = regs->addr64 ? sum : (uint64_t)(int64_t)(int32_t)sum; \
        bool failed = false;                                                      \
        uint8_t *p = call;                                                        \
        if (!p && !failed)                                                        \
            return false;                                                         \
        out->state = (state_of_it);                                               \
        statement;                                                                \
        return true;                                                              \
    }
#define LOAD(id, size, address, statement) \
    ACCESS(id, PC_ST_LOAD, address, pc_load(cpu, va, size, cpu->now, &out->stop), statement)
#define STORE(id, size, address, statement) \
    ACCESS(id, PC_ST_STORE, address, pc_store(cpu, va, size, cpu->now, &out->stop), statement)
#define LINKED(id, size, statement) \
    ACCESS(id, PC_ST_LOAD, S + IMM, pc_load_linked(cpu, va, size, cpu->now, &out->stop), statement)
#define CONDITIONAL(id, size, statement)                                    \
    ACCESS(                                                                 \
        id, PC_ST_STORE, S + IMM,                                           \
        pc_store_conditional(cpu, va, size, cpu->now, &out->stop, &failed), \
        if (p) { statement; } D = !failed;                                  \
        cpu->scs_failed += failed)
#define BRANCH(id, condition)        DO(id, TAKEN = (condition))
#define BRANCH_LINK(id, condition)   DO(id, TAKEN = (condition); LINK())
#define LIKELY(id, condition, link)  DO(id, TAKEN = (condition); out->nullifies = !TAKEN; link)
#define TRAP_IF(id, condition, code) DO(id, if (condition) RAISE(PC_EXC_TR, code))
#define UNUSABLE(id, unit)           DO(id, RAISE(PC_EXC_CPU, unit))
#define RESERVED(id)                 DO(id, RAISE(PC_EXC_RI, 0))

/* @return false: it has had no effect, and out->stop says why */
static bool execute(struct plain *c, const struct mips_op *op, struct outcome *out)
{
    struct pc_cpu *cpu = &c->cpu;
    struct mips_regs *regs = &c->r;
    switch (op->code) {
#include "procard/mips/semantics.def"
    case MIPS_OP_SYSCALL:
        RAISE(PC_EXC_SYS, op->imm);
    case MIPS_OP_BREAK:
        RAISE(PC_EXC_BP, op->imm);
    case MIPS_OP_SYNC:
        return pc_sync(cpu, cpu->now, &out->stop);
    case MIPS_OP_RDHWR:
        if (op->imm != 29)
            RAISE(PC_EXC_RI, 0);
        D = regs->userlocal;
        return true;
    default:
        out->state = PC_ST_FP;
        return mips_fpu[op->code](regs, op) || raise(c, out, PC_EXC_FPE, 0);
    }
}

static bool fetch(struct plain *c, uint32_t *word, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &c->cpu;
    const struct pc_line *line = &cpu->i[c->r.pc >> cpu->ishift & cpu->imask];
    if (line->tag != c->r.pc >> cpu->ishift << cpu->ishift &&
        !pc_fetch(cpu, c->r.pc, cpu->now, stop))
        return false;
    *word = mips_get32((const uint8_t *)(line->host + c->r.pc));
    return true;
}

static uint64_t target_of(const struct plain *c, const struct mips_op *op, uint64_t by_register)
{
    const unsigned class = mips_class_of(op->code);
    return class == MIPS_CLASS_JUMPR  ? by_register
           : class == MIPS_CLASS_JUMP ? (c->r.npc & ~UINT64_C(0x0fffffff)) | (uint32_t)op->imm
                                      : c->r.pc + (uint64_t)(int64_t)op->imm;
}

/* A multiplication or division takes more PCycles than its own. They are slips behind it, which it
 * has in its tail: pc_complete(cpu, state, n) would be n instructions. */
static void takes_longer(struct pc_cpu *cpu, const struct mips_op *op)
{
    enum { SLIPS = 9 };
    if (cpu->untimed || op->code < MIPS_OP_MULT || op->code > MIPS_OP_DDIVU)
        return;
    cpu->tail.held = SLIPS;
    cpu->tail.holds = PC_ST_SLIP_INT;
    pc_charge(cpu, PC_ST_SLIP_INT, SLIPS);
}

static void completes(struct plain *c, const struct mips_op *op, const struct outcome *out)
{
    const uint64_t next = c->r.npc, to = out->taken ? target_of(c, op, out->target) : next + 4;
    c->r.pc = out->nullifies ? next + 4 : next;
    c->r.npc = out->nullifies ? next + 8 : to;
    c->r.passed = 0;
    c->cpu.instructions++;
    pc_complete(&c->cpu, out->state, 1);
    takes_longer(&c->cpu, op);
}

/* It stops before the instruction, for the so-manieth time that it comes there. */
static bool is_awaited(struct plain *c)
{
    if (!c->code->awaited || c->r.pc != c->code->awaited || c->r.passed == c->r.pc)
        return false;
    c->r.passed = c->r.pc;
    return ++c->code->came == c->code->due;
}

static bool step(struct plain *c, enum pc_stop *stop)
{
    const unsigned flags = (c->r.fr ? MIPS_FR : 0) | (c->r.addr64 ? MIPS_W64 : 0);
    struct outcome out = {.state = PC_ST_INT};
    struct mips_op op;
    struct mips_use use;
    uint32_t word;
    if (!fetch(c, &word, stop))
        return false;
    if (is_awaited(c)) {
        *stop = PC_STOP_TRAP;
        return raise(c, &out, PC_EXC_POINT, 0);
    }
    mips_translate(word, flags, c->code->level, &op, &use);
    if (!execute(c, &op, &out)) {
        *stop = out.stop;
        return false;
    }
    completes(c, &op, &out);
    return true;
}

/* A call is an instruction that completes. */
static void calls(struct plain *c)
{
    const struct mips_op none = {.code = MIPS_OP_NOP};
    const struct outcome out = {.state = PC_ST_INT};
    c->call = (struct pc_call_site){c->r.pc, c->r.npc};
    completes(c, &none, &out);
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    enum pc_stop stop = PC_STOP_HORIZON;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    while (cpu->now < horizon)
        if (!step(plain_of(cpu), &stop)) {
            if (stop == PC_STOP_TRAP && cpu->exc == PC_EXC_SYS)
                calls(plain_of(cpu));
            return pc_stopped(cpu, stop);
        }
    return cpu->now;
}

static uint64_t pc(const struct pc_cpu *cpu)
{
    return ((const struct plain *)cpu)->r.pc;
}

/* ---- programs
 * -------------------------------------------------------------------------------- */

static void take(struct pc_cpu *cpu, void *regs, struct pc_call_site *call)
{
    *(struct mips_regs *)regs = plain_of(cpu)->r;
    *call = plain_of(cpu)->call;
}

static void put(struct pc_cpu *cpu, const void *regs)
{
    const struct mips_regs r = *(const struct mips_regs *)regs;
    plain_of(cpu)->r = r;
}

static void *registers(struct pc_cpu *cpu)
{
    return &plain_of(cpu)->r;
}

static void *code_new(pc_fetch_fn *fetch_word, void *ctx, const struct nm_params *card)
{
    struct plain_code *code = sim_alloc(1, sizeof *code);
    (void)fetch_word, (void)ctx;
    code->level = mips_level((enum nm_isa)nm_value_isa(card));
    return code;
}

static void code_give(struct pc_cpu *cpu, void *code)
{
    plain_of(cpu)->code = code;
}

static bool code_await(void *its, uint64_t va, uint64_t times)
{
    struct plain_code *code = its;
    if (code->awaited != va)
        code->came = code->due = 0;
    code->awaited = va;
    code->due = times > UINT64_MAX - code->due ? UINT64_MAX : code->due + times;
    return va && code->came >= code->due;
}

static const struct pc_program_ops programs = {.take = take,
                                               .put = put,
                                               .registers = registers,
                                               .code_new = code_new,
                                               .code_give = code_give,
                                               .code_await = code_await,
                                               .code_free = free};

static const struct pc_core_ops core = {
    .name = "plain", .size = sizeof(struct plain), .run = run, .pc = pc, .programs = &programs};

extern const struct nm_card_kind pc_plain;
const struct nm_card_kind pc_plain = {&pc_card_ops, &core, &mon_numachine};

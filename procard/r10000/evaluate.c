/*
 * What instructions do to values, wherever those are kept: the rows of mips/semantics.def, once for
 * what needs no memory, and once each for addresses, loads and stores.
 *
 * Operands lie in a set of registers that is only a place to compute in: whoever renames registers
 * puts there what the instruction reads and takes from there what it writes.
 */
#include "procard/mips/arithmetic.h"
#include "procard/r10000/pipeline.h"

#define REG(offset)    (*(uint64_t *)((char *)regs + (offset)))
#define SINGLE(offset) (*(mips_single *)((char *)regs + (offset)))
#define D              REG(op->d)
#define S              REG(op->s)
#define T              REG(op->t)
#define IMM            ((uint64_t)(int64_t)op->imm)
#define FCC            (regs->fcsr >> op->t & 1)
#define REGS           regs
#define HI             (regs->hi)
#define LO             (regs->lo)
#define LEVEL          (out->level)
#define PC             (out->pc)
#define TARGET         (out->target)
#define TAKEN          (out->taken)
#define LINK()         (regs->gpr[31] = PC + 8)
#define KEEP64(v)      (v)

#define RAISE(code, detail)                  \
    do {                                     \
        out->exc = (code);                   \
        out->trap_code = (uint32_t)(detail); \
        return;                              \
    } while (0)

void r10k_compute(struct mips_regs *regs, const struct mips_op *op, struct r10k_outcome *out)
{
#define DO(id, statement) \
    case MIPS_OP_##id: {  \
        statement;        \
        return;           \
    }
#define CHECKED(id, calculation, overflows, b, keep)          \
    case MIPS_OP_##id: {                                      \
        const uint64_t x = S, y = (b), z = keep(calculation); \
        if (overflows(x, y, z))                               \
            RAISE(PC_EXC_OV, 0);                              \
        D = z;                                                \
        return;                                               \
    }
#define LOAD(id, size, address, statement)
#define STORE(id, size, address, statement)
#define LINKED(id, size, statement)
#define CONDITIONAL(id, size, statement)
#define BRANCH(id, condition) \
    case MIPS_OP_##id: {      \
        TAKEN = (condition);  \
        return;               \
    }
#define BRANCH_LINK(id, condition) \
    case MIPS_OP_##id: {           \
        TAKEN = (condition);       \
        LINK();                    \
        return;                    \
    }
#define LIKELY(id, condition, link) \
    case MIPS_OP_##id: {            \
        TAKEN = (condition);        \
        link;                       \
        return;                     \
    }
#define TRAP_IF(id, condition, code) \
    case MIPS_OP_##id: {             \
        if (condition)               \
            RAISE(PC_EXC_TR, code);  \
        return;                      \
    }
#define UNUSABLE(id, unit) \
    case MIPS_OP_##id:     \
        RAISE(PC_EXC_CPU, unit);
#define RESERVED(id)   \
    case MIPS_OP_##id: \
        RAISE(PC_EXC_RI, 0);
    switch (op->code) {
#include "procard/mips/semantics.def"
    case MIPS_OP_SYSCALL:
        RAISE(PC_EXC_SYS, op->imm);
    case MIPS_OP_BREAK:
        RAISE(PC_EXC_BP, op->imm);
    case MIPS_OP_SYNC:
    case MIPS_OP_RDHWR:
        return;
    default:
        if (!mips_fpu[op->code](regs, op))
            RAISE(PC_EXC_FPE, 0);
    }
#undef DO
#undef CHECKED
#undef BRANCH
#undef BRANCH_LINK
#undef LIKELY
#undef TRAP_IF
#undef UNUSABLE
#undef RESERVED
#undef LOAD
#undef STORE
#undef LINKED
#undef CONDITIONAL
}

/* The other expansions are of memory's rows only. */
#define DO(id, statement)
#define CHECKED(id, calculation, overflows, b, keep)
#define BRANCH(id, condition)
#define BRANCH_LINK(id, condition)
#define LIKELY(id, condition, link)
#define TRAP_IF(id, condition, code)
#define UNUSABLE(id, unit)
#define RESERVED(id)

unsigned r10k_access_size(unsigned code)
{
    switch (code) {
#define LOAD(id, size, address, statement) \
    case MIPS_OP_##id:                     \
        return (size);
#define STORE                            LOAD
#define LINKED(id, size, statement)      LOAD(id, size, , )
#define CONDITIONAL(id, size, statement) LOAD(id, size, , )
#include "procard/mips/semantics.def"
#undef LOAD
#undef STORE
#undef LINKED
#undef CONDITIONAL
    default:
        return 0;
    }
}

uint64_t r10k_address(const struct mips_regs *regs, const struct mips_op *op)
{
    switch (op->code) {
#define LOAD(id, size, address, statement) \
    case MIPS_OP_##id:                     \
        return (address);
#define STORE                            LOAD
#define LINKED(id, size, statement)      LOAD(id, size, S + IMM, )
#define CONDITIONAL(id, size, statement) LOAD(id, size, S + IMM, )
#include "procard/mips/semantics.def"
#undef LOAD
#undef STORE
#undef LINKED
#undef CONDITIONAL
    case MIPS_OP_PREFX:
        return S + T;
    default:
        return S + IMM;
    }
}

void r10k_load(struct mips_regs *regs, const struct mips_op *op, uint64_t va, const uint8_t *p)
{
    switch (op->code) {
#define LOAD(id, size, address, statement) \
    case MIPS_OP_##id:                     \
        statement;                         \
        return;
#define LINKED(id, size, statement) LOAD(id, size, , statement)
#define STORE(id, size, address, statement)
#define CONDITIONAL(id, size, statement)
#include "procard/mips/semantics.def"
#undef LOAD
#undef STORE
#undef LINKED
#undef CONDITIONAL
    }
    (void)va;
}

void r10k_store(const struct mips_regs *regs, const struct mips_op *op, uint64_t va, uint8_t *p)
{
    switch (op->code) {
#define STORE(id, size, address, statement) \
    case MIPS_OP_##id:                      \
        statement;                          \
        return;
#define CONDITIONAL(id, size, statement) STORE(id, size, , statement)
#define LOAD(id, size, address, statement)
#define LINKED(id, size, statement)
#include "procard/mips/semantics.def"
#undef LOAD
#undef STORE
#undef LINKED
#undef CONDITIONAL
    }
    (void)va;
}

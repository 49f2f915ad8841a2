/*
 * MIPS: registers and system calls. The number comes in v0, arguments in a0.. (o32: four registers,
 * then the stack), the result goes to v0 with a3 = 1 for an error.
 */
#include "programs/linux/isa/mips.h"

#include <xxhash.h>

enum { V0 = 2, V1 = 3, A0 = 4, A3 = 7, SP = 29, RA = 31 };
enum { O32_REGISTERS = 4, N64_REGISTERS = 8, O32_STACK_ARGS = 16 };
enum { TP_OFFSET = 0x7000 }; /* the thread pointer is so far behind the variables' start */

/** As a register has it: o32's addresses are sign extended. */
static uint64_t extended(const struct mips_regs *r, uint64_t v)
{
    return r->addr64 ? v : (uint64_t)(int64_t)(int32_t)v;
}

static uint64_t mips_pc_of(const union lx_regs *r)
{
    return r->mips.pc;
}

static uint64_t mips_sp_of(const union lx_regs *r)
{
    return r->mips.gpr[SP];
}

static uint64_t mips_back_of(const union lx_regs *r)
{
    return r->mips.gpr[RA];
}

static void mips_set_sp(union lx_regs *r, uint64_t va)
{
    r->mips.gpr[SP] = extended(&r->mips, va);
}

static uint64_t mips_tls_of(const union lx_regs *r)
{
    return r->mips.userlocal;
}

static void mips_set_tls(union lx_regs *r, uint64_t va)
{
    r->mips.userlocal = extended(&r->mips, va);
}

static uint64_t mips_variables(const struct lx_elf_image *image, uint64_t tls)
{
    (void)image;
    return tls - TP_OFFSET;
}

static uint64_t mips_state(const union lx_regs *r)
{
    return XXH64(&r->mips, offsetof(struct mips_regs, fcsr), r->mips.fcsr);
}

static void mips_begin(const struct lx_elf_image *image, union lx_regs *r)
{
    r->mips = (struct mips_regs){.fr = image->fr,
                                 .addr64 = image->kind->word == 8,
                                 .pc = image->entry,
                                 .npc = image->entry + 4};
}

static uint64_t mips_number(struct lx_thread *t)
{
    const struct mips_regs *r = &t->regs.mips;

    t->again[0] = r->gpr[V0];
    t->again[1] = r->gpr[A3];
    return r->addr64 ? r->gpr[V0] : (uint32_t)r->gpr[V0];
}

static void mips_arguments(struct lx_thread *t, unsigned skip, uint64_t raw[LX_RAW_ARGS])
{
    const struct mips_regs *r = &t->regs.mips;

    for (unsigned i = 0; i < LX_RAW_ARGS; i++) {
        const unsigned n = i + skip;
        uint32_t w = 0;
        if (r->addr64) {
            raw[i] = n < N64_REGISTERS ? r->gpr[A0 + n] : 0;
        } else if (n < O32_REGISTERS) {
            raw[i] = (uint32_t)r->gpr[A0 + n];
        } else {
            /* Calls with few arguments may have no such stack: unreadable words read as zero. */
            lx_vm_read32(&t->p->vm, (uint32_t)r->gpr[SP] + O32_STACK_ARGS + 4 * (n - O32_REGISTERS),
                         &w);
            raw[i] = w;
        }
    }
}

static void mips_set_result(struct lx_thread *t, uint64_t value, bool error)
{
    struct mips_regs *r = &t->regs.mips;

    r->gpr[V0] = extended(r, value);
    r->gpr[A3] = error;
}

static void mips_second(struct lx_thread *t, uint64_t value)
{
    t->regs.mips.gpr[V1] = value;
}

/** In its delay slot if it was in one. */
static void mips_again(struct lx_thread *t)
{
    struct mips_regs *r = &t->regs.mips;

    r->gpr[V0] = t->again[0];
    r->gpr[A3] = t->again[1];
    r->pc = t->call.pc;
    r->npc = t->call.npc;
}

const struct lx_isa lx_mips = {
    .name = "MIPS",
    .pc = mips_pc_of,
    .sp = mips_sp_of,
    .set_sp = mips_set_sp,
    .back = mips_back_of,
    .tls = mips_tls_of,
    .set_tls = mips_set_tls,
    .variables = mips_variables,
    .state = mips_state,
    .begin = mips_begin,
    .number = mips_number,
    .arguments = mips_arguments,
    .result = mips_set_result,
    .second = mips_second,
    .again = mips_again,
    .page = lx_mips_page,
    .enter = lx_mips_enter,
    .leave = lx_mips_leave,
    .unaligned = lx_mips_unaligned,
    .fault = lx_mips_fault,
    .accesses = lx_mips_accesses,
};

/*
 * ARM: registers and system calls of EABI. The number comes in r7, arguments in r0 to r6; r0 gets
 * the result, an error as a small negative number.
 */
#include "programs/linux/isa/arm.h"

#include <xxhash.h>

enum { R0 = 0, R7 = 7, ARGUMENTS = 7 };
enum { TCB_BYTES = 8 }; /* which stand between the thread pointer and the variables, at least */

static uint64_t arm_pc_of(const union lx_regs *r)
{
    return r->arm.r[ARM_PC];
}

static uint64_t arm_sp_of(const union lx_regs *r)
{
    return r->arm.r[ARM_SP];
}

static uint64_t arm_back_of(const union lx_regs *r)
{
    return r->arm.r[ARM_LR] & ~UINT32_C(1);
}

static void arm_set_sp(union lx_regs *r, uint64_t va)
{
    r->arm.r[ARM_SP] = (uint32_t)va;
}

static uint64_t arm_tls_of(const union lx_regs *r)
{
    return r->arm.tls;
}

static void arm_set_tls(union lx_regs *r, uint64_t va)
{
    r->arm.tls = (uint32_t)va;
}

static uint64_t arm_variables(const struct lx_elf_image *image, uint64_t tls)
{
    return tls + (image->tls_align > TCB_BYTES ? image->tls_align : TCB_BYTES);
}

static uint64_t arm_state(const union lx_regs *r)
{
    return XXH64(r->arm.r, ARM_SINK * sizeof *r->arm.r, arm_cpsr(&r->arm));
}

static void arm_begin(const struct lx_elf_image *image, union lx_regs *r)
{
    r->arm = (struct arm_regs){0};
    arm_set_cpsr(&r->arm, image->entry & 1 ? ARM_CPSR_T : 0);
    r->arm.r[ARM_PC] = (uint32_t)image->entry & ~1u;
}

static uint64_t arm_number(struct lx_thread *t)
{
    t->again[0] = t->regs.arm.r[R0];
    return t->regs.arm.r[R7];
}

static void arm_arguments(struct lx_thread *t, unsigned skip, uint64_t raw[LX_RAW_ARGS])
{
    for (unsigned i = 0; i < LX_RAW_ARGS; i++)
        raw[i] = i + skip < ARGUMENTS ? t->regs.arm.r[i + skip] : 0;
}

static void arm_set_result(struct lx_thread *t, uint64_t value, bool error)
{
    t->regs.arm.r[R0] = (uint32_t)(error ? 0 - value : value);
}

static void arm_again(struct lx_thread *t)
{
    t->regs.arm.r[R0] = (uint32_t)t->again[0];
    t->regs.arm.r[ARM_PC] = (uint32_t)t->call.pc;
}

const struct lx_isa lx_arm = {
    .name = "ARM",
    .pc = arm_pc_of,
    .sp = arm_sp_of,
    .set_sp = arm_set_sp,
    .back = arm_back_of,
    .tls = arm_tls_of,
    .set_tls = arm_set_tls,
    .variables = arm_variables,
    .state = arm_state,
    .begin = arm_begin,
    .number = arm_number,
    .arguments = arm_arguments,
    .result = arm_set_result,
    .again = arm_again,
    .page = lx_arm_page,
    .enter = lx_arm_enter,
    .leave = lx_arm_leave,
    .unaligned = lx_arm_unaligned,
    .fault = lx_arm_fault,
    .accesses = lx_arm_accesses,
};

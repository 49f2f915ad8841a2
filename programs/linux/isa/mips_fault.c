/*
 * MIPS: what Linux makes of exceptions for a user program.
 *
 * The hard idea: Linux on MIPS carries out ordinary loads and stores at unaligned addresses in
 * software, and programs rely on it; so do we, byte by byte, and go on at npc, which already is the
 * branch target when the access sits in a delay slot.
 */
#include "programs/linux/isa/mips.h"
#include "programs/linux/signals/signal.h"

enum {
    FPE_INTDIV_ = 1,
    FPE_INTOVF_ = 2,
    FPE_FLTDIV_ = 3,
    FPE_FLTOVF_ = 4,
    FPE_FLTUND_ = 5,
    FPE_FLTRES_ = 6,
    FPE_FLTINV_ = 7
};

/* Codes of BREAK and the trap instructions that mean an arithmetic error. */
enum { CODE_OVERFLOW = 6, CODE_DIVIDE = 7 };

/* Cause bits of the floating-point control register, most telling first. */
static const struct {
    uint32_t bit;
    int code;
} fp_causes[] = {
    {1 << 16, FPE_FLTINV_}, {1 << 15, FPE_FLTDIV_}, {1 << 14, FPE_FLTOVF_},
    {1 << 13, FPE_FLTUND_}, {1 << 12, FPE_FLTRES_},
};

/* ---- unaligned accesses ---------------------------------------------------------------------- */

enum access_kind { TO_GPR, TO_GPR_UNSIGNED, TO_FPR, FROM_GPR, FROM_FPR };

/** Loads and stores Linux carries out itself; LL, SC and the left/right halves are not among them.
 */
static const struct unaligned {
    uint8_t opcode, bytes;
    enum access_kind kind;
} unaligned_ops[] = {
    {0x21, 2, TO_GPR},          /* lh */
    {0x25, 2, TO_GPR_UNSIGNED}, /* lhu */
    {0x23, 4, TO_GPR},          /* lw */
    {0x27, 4, TO_GPR_UNSIGNED}, /* lwu */
    {0x37, 8, TO_GPR},          /* ld */
    {0x31, 4, TO_FPR},          /* lwc1 */
    {0x35, 8, TO_FPR},          /* ldc1 */
    {0x29, 2, FROM_GPR},        /* sh */
    {0x2b, 4, FROM_GPR},        /* sw */
    {0x3f, 8, FROM_GPR},        /* sd */
    {0x39, 4, FROM_FPR},        /* swc1 */
    {0x3d, 8, FROM_FPR},        /* sdc1 */
};

static const struct unaligned *find_op(uint32_t word)
{
    for (size_t i = 0; i < sizeof unaligned_ops / sizeof *unaligned_ops; i++)
        if (word >> 26 == unaligned_ops[i].opcode)
            return &unaligned_ops[i];
    return NULL;
}

/** Reads a floating-point register; with FR=0 an odd one is the upper half of its pair. */
static uint64_t get_fpr(const struct mips_regs *r, unsigned n, unsigned bytes)
{
    if (r->fr || !(n & 1))
        return bytes == 4 ? (uint32_t)r->fpr[n] : r->fpr[n];
    return r->fpr[n - 1] >> 32;
}

static void set_fpr(struct mips_regs *r, unsigned n, unsigned bytes, uint64_t v)
{
    uint64_t *pair = &r->fpr[r->fr ? n : n & ~1u];

    if (bytes == 8)
        *pair = v;
    else if (r->fr || !(n & 1))
        *pair = (*pair & ~UINT64_C(0xffffffff)) | (uint32_t)v;
    else
        *pair = (*pair & UINT64_C(0xffffffff)) | v << 32;
}

static uint64_t sign_extend(uint64_t v, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;

    return (uint64_t)((int64_t)(v << shift) >> shift);
}

static int mips_fault_load(struct lx_thread *t, const struct unaligned *op, unsigned reg)
{
    uint64_t v;

    if (lx_vm_read_word(&t->p->vm, t->badvaddr, op->bytes, &v) < 0)
        return -EFAULT;
    if (op->kind == TO_FPR)
        set_fpr(&t->regs.mips, reg, op->bytes, v);
    else if (reg != 0)
        t->regs.mips.gpr[reg] = op->kind == TO_GPR ? sign_extend(v, op->bytes) : v;
    return 0;
}

static int mips_fault_store(struct lx_thread *t, const struct unaligned *op, unsigned reg)
{
    uint64_t v =
        op->kind == FROM_FPR ? get_fpr(&t->regs.mips, reg, op->bytes) : t->regs.mips.gpr[reg];

    return lx_vm_write_word(&t->p->vm, t->badvaddr, op->bytes, v);
}

int lx_mips_unaligned(struct lx_thread *t)
{
    const struct lx_vm_area *area = lx_vm_find(&t->p->vm, t->badvaddr);
    const struct unaligned *op;
    uint32_t word;
    int err;

    if (area && area->kind == VM_REGISTERS) /* which have no bytes to be put together */
        return 0;
    if ((t->regs.mips.pc & 3) || lx_vm_read32(&t->p->vm, t->regs.mips.pc, &word) < 0)
        return 0;
    op = find_op(word);
    if (!op || t->badvaddr >= lx_vm_end(&t->p->vm))
        return 0;
    err = op->kind == FROM_GPR || op->kind == FROM_FPR ? mips_fault_store(t, op, word >> 16 & 31)
                                                       : mips_fault_load(t, op, word >> 16 & 31);
    if (err < 0)
        return err;
    t->regs.mips.pc = t->regs.mips.npc;
    t->regs.mips.npc = t->regs.mips.pc + 4;
    return 1;
}

/* ---- from exception to signal ---------------------------------------------------------------- */

/** BREAK and the trap instructions: `otherwise` is the si_code when the number says nothing. */
static void trap_code(struct lx_thread *t, uint32_t code, int otherwise)
{
    if (code == CODE_DIVIDE)
        lx_signal_force(t, SIG_FPE, FPE_INTDIV_, t->regs.mips.pc);
    else if (code == CODE_OVERFLOW)
        lx_signal_force(t, SIG_FPE, FPE_INTOVF_, t->regs.mips.pc);
    else
        lx_signal_force(t, SIG_TRAP, otherwise, t->regs.mips.pc);
}

/** Assemblers put a 10-bit BREAK code into the upper half of the 20-bit field. */
static uint32_t break_code(uint32_t field)
{
    return field >= 1 << 10 ? (field & 0x3ff) << 10 | field >> 10 : field;
}

static int fp_code(uint32_t fcsr)
{
    for (size_t i = 0; i < sizeof fp_causes / sizeof *fp_causes; i++)
        if (fcsr & fp_causes[i].bit)
            return fp_causes[i].code;
    return SI_KERNEL_;
}

/** Causes that are enabled do not stay: with one of them FCSR could not be written again. */
static void floating_point(struct lx_thread *t)
{
    enum { UNIMPLEMENTED = 1 << 17, ENABLES = 0xf80, CAUSES_ABOVE = 5 };
    uint32_t *fcsr = &t->regs.mips.fcsr;
    const int code = fp_code(*fcsr);

    *fcsr &= ~((*fcsr & ENABLES) << CAUSES_ABOVE | UNIMPLEMENTED);
    lx_signal_force(t, SIG_FPE, code, t->regs.mips.pc);
}

void lx_mips_fault(struct lx_thread *t)
{
    switch (t->exc) {
    case PC_EXC_BP:
        trap_code(t, break_code(t->trap_code), TRAP_BRKPT_);
        break;
    case PC_EXC_TR:
        trap_code(t, t->trap_code, SI_KERNEL_);
        break;
    case PC_EXC_OV:
        lx_signal_force(t, SIG_FPE, FPE_INTOVF_, t->regs.mips.pc);
        break;
    case PC_EXC_FPE:
        floating_point(t);
        break;
    default:
        lx_signal_force(t, SIG_ILL, SI_KERNEL_, 0);
        break;
    }
}

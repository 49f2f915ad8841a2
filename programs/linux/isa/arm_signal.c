/*
 * ARM: the frames that handlers run on, in exactly the layout Linux uses.
 *
 * struct sigframe { struct ucontext; u32 code[4]; }; struct rt_sigframe { siginfo; sigframe; }
 * A handler returns to what the program named (SA_RESTORER), as C libraries do, or to a trampoline
 * in the operating system's page.
 */
#include "programs/linux/isa/arm.h"
#include "programs/linux/signals/signal.h"

#include <errno.h>

enum {
    INFO_BYTES = 128,
    CONTEXT = 20, /* struct sigcontext within ucontext: behind flags, link and stack_t */
    CONTEXT_BYTES = 84,
    MASK = CONTEXT + CONTEXT_BYTES,
    COPROCESSORS = 232, /* their registers: none, so a 0 ends them */
    UCONTEXT_BYTES = COPROCESSORS + 512,
    FRAME_BYTES = UCONTEXT_BYTES + 16,
    STACK = 8, /* stack_t within ucontext */
};

#define OLD_FLAGS UINT32_C(0x5ac3c35a) /* what marks a frame without siginfo */
#define MODE      UINT32_C(0x1f)

enum { TRAP_DATA_ABORT = 14 };

/** Whether the thread has come here by an access to memory. */
static bool arm_signal_is_memory(const struct lx_thread *t)
{
    return t->exc == PC_EXC_ADEL || t->exc == PC_EXC_ADES || t->exc == PC_EXC_DBE;
}

/** The processor's fault status of such an access: alignment, translation or permission of a page;
 *  bit 11 is a store's. */
static uint32_t fault_status(const struct lx_thread *t)
{
    enum { ALIGNMENT = 1, TRANSLATION = 7, PERMISSION = 15, STORE = 0x800 };
    const uint32_t cause = t->unmapped ? TRANSLATION : t->protected ? PERMISSION : ALIGNMENT;

    return cause | (t->exc == PC_EXC_ADES ? STORE : 0u);
}

static void out_context(struct lx_out *o, const struct lx_thread *t, const struct lx_sigs *mask)
{
    const struct arm_regs *r = &t->regs.arm;
    const bool memory = arm_signal_is_memory(t);

    lx_out_int(o, 4, memory ? TRAP_DATA_ABORT : 0);
    lx_out_int(o, 4, memory ? fault_status(t) : 0);
    lx_out_int(o, 4, mask->w[0]);
    for (unsigned i = 0; i <= ARM_PC; i++)
        lx_out_int(o, 4, r->r[i]);
    lx_out_int(o, 4, arm_cpsr(r));
    lx_out_int(o, 4, memory ? t->badvaddr : 0);
}

/** @param flags  the first word */
static int write_ucontext(struct lx_thread *t, uint64_t at, uint32_t flags,
                          const struct lx_sigs *mask)
{
    struct lx_prog *p = t->p;
    struct lx_out o;

    lx_out_start(&o, p->kind);
    lx_out_int(&o, 4, flags);
    lx_out_int(&o, 4, 0); /* link */
    lx_signal_out_altstack(&o, t);
    lx_out_skip(&o, CONTEXT);
    out_context(&o, t, mask);
    lx_out_int(&o, 8, mask->w[0]);
    lx_out_skip(&o, UCONTEXT_BYTES);
    return lx_out_write(&o, &p->vm, at);
}

static int write_info(struct lx_thread *t, uint64_t at, const struct lx_siginfo *info)
{
    struct lx_out o;

    lx_out_start(&o, t->p->kind);
    lx_signal_out_info(&o, t->p, info);
    return lx_out_write(&o, &t->p->vm, at);
}

/** Where the handler returns to; bit 0 says Thumb. */
static uint64_t return_of(const struct lx_thread *t, const struct lx_action *a, bool rt)
{
    const uint64_t page = t->p->kind->os;

    if (a->flags & SA_RESTORER_)
        return a->restorer;
    if (a->handler & 1)
        return (page + (rt ? LX_ARM_RETURN_RT_T : LX_ARM_RETURN_T)) | 1;
    return page + (rt ? LX_ARM_RETURN_RT : LX_ARM_RETURN);
}

int lx_arm_enter(struct lx_thread *t, const struct lx_action *a, const struct lx_siginfo *info,
                 const struct lx_sigs *mask)
{
    const bool rt = lx_signal_tells(t->p, a);
    const unsigned size = FRAME_BYTES + (rt ? INFO_BYTES : 0);
    struct arm_regs *r = &t->regs.arm;
    const uint64_t at = ((uint32_t)(lx_signal_top(t, a, r->r[ARM_SP]) - size)) & ~UINT64_C(7);
    const uint64_t uc = at + (rt ? INFO_BYTES : 0);

    if ((rt && write_info(t, at, info) < 0) ||
        write_ucontext(t, uc, rt ? 0 : OLD_FLAGS, mask) < 0 ||
        lx_vm_zero(&t->p->vm, uc + UCONTEXT_BYTES, FRAME_BYTES - UCONTEXT_BYTES) < 0)
        return -EFAULT;
    r->r[0] = (uint32_t)info->signo;
    if (rt) {
        r->r[1] = (uint32_t)at;
        r->r[2] = (uint32_t)uc;
    }
    r->r[ARM_SP] = (uint32_t)at;
    r->r[ARM_LR] = (uint32_t)return_of(t, a, rt);
    r->r[ARM_PC] = (uint32_t)a->handler & ~1u;
    r->t = a->handler & 1;
    r->e = false;
    return 0;
}

int64_t lx_arm_leave(struct lx_thread *t, bool rt)
{
    struct arm_regs *r = &t->regs.arm;
    const uint64_t sp = r->r[ARM_SP], uc = sp + (rt ? INFO_BYTES : 0);
    struct lx_sigs mask;
    struct lx_in i;
    uint32_t cpsr;

    if ((sp & 7) || lx_in_read(&i, &t->p->vm, uc + CONTEXT, CONTEXT_BYTES) < 0 ||
        lx_signal_read_set(t->p, uc + MASK, &mask) < 0)
        return -EFAULT;
    lx_signal_set_mask(t, &mask);
    lx_in_skip(&i, 12); /* trap, error, old mask */
    for (unsigned n = 0; n <= ARM_PC; n++)
        r->r[n] = (uint32_t)lx_in_int(&i, 4);
    cpsr = (uint32_t)lx_in_int(&i, 4);
    arm_set_cpsr(r, cpsr);
    r->r[ARM_PC] &= r->t ? ~1u : ~3u;
    if ((cpsr & MODE) != ARM_CPSR_USER)
        return -EFAULT;
    if (rt) /* the frame may hold anything: what makes no stack changes none */
        lx_signal_set_altstack(t, uc + STACK);
    return 0;
}

/*
 * MIPS: the trampolines, and the frames that handlers run on, in exactly the layout Linux uses.
 */
#include "programs/linux/isa/mips.h"
#include "programs/linux/signals/signal.h"

#include <errno.h>

/** Where things lie in a frame, from its start. */
struct frame {
    unsigned info; /* siginfo, 128 bytes */
    unsigned uc;   /* ucontext */
    unsigned sc;   /* sigcontext within ucontext */
    unsigned sc_size;
    unsigned mask; /* signal mask within ucontext */
    unsigned size;
};

/* struct rt_sigframe { u32 ass[4]; u32 pad[2]; struct siginfo; struct ucontext; } */
static const struct frame rt_o32 = {24, 152, 24, 592, 616, 152 + 632};
static const struct frame rt_n64 = {24, 152, 40, 600, 640, 152 + 656};
/* struct sigframe { u32 ass[4]; u32 pad[2]; struct sigcontext; sigset_t; }, o32 without SA_SIGINFO
 */
enum { OLD_SC = 24, OLD_MASK = 24 + 592, OLD_SIZE = 24 + 592 + 16 };

static const struct frame *rt_frame(const struct lx_prog *p)
{
    return p->n64 ? &rt_n64 : &rt_o32;
}

/* ---- trampolines ----------------------------------------------------------------------------- */

enum { RT_TRAMPOLINE = 0, OLD_TRAMPOLINE = 8 };

int lx_mips_page(struct lx_prog *p)
{
    const uint32_t rt = p->n64 ? 5211 : 4193;
    /* li v0, NUMBER; syscall */
    const uint32_t code[] = {0x24020000 | rt, 0x0000000c, 0x24020000 | 4119, 0x0000000c};
    uint8_t bytes[sizeof code];

    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        lx_kind_put(p->kind, bytes + 4 * i, 4, code[i]);
    return lx_vm_os_page(&p->vm, bytes, sizeof bytes);
}

/* ---- the frame ------------------------------------------------------------------------------- */

/** EPC as the R4400 has it: in a delay slot the branch, which is executed again. */
static uint64_t exception_pc(const struct mips_regs *r)
{
    return r->npc == r->pc + 4 ? r->pc : r->pc - 4;
}

/** o32's struct sigcontext: 64-bit registers even so. */
static void out_context_o32(struct lx_out *o, const struct mips_regs *r)
{
    size_t start = o->len;

    lx_out_int(o, 4, 0); /* regmask */
    lx_out_int(o, 4, 0); /* status */
    lx_out_int(o, 8, exception_pc(r));
    for (int i = 0; i < 32; i++)
        lx_out_int(o, 8, r->gpr[i]);
    for (int i = 0; i < 32; i++)
        lx_out_int(o, 8, r->fpr[i]);
    lx_out_int(o, 4, 0); /* acx */
    lx_out_int(o, 4, r->fcsr);
    lx_out_int(o, 4, 0); /* fpc_eir */
    lx_out_int(o, 4, 1); /* used_math */
    lx_out_skip(o, start + 552);
    lx_out_int(o, 8, r->hi);
    lx_out_int(o, 8, r->lo);
    lx_out_skip(o, start + 592);
}

static void out_context_n64(struct lx_out *o, const struct mips_regs *r)
{
    size_t start = o->len;

    for (int i = 0; i < 32; i++)
        lx_out_int(o, 8, r->gpr[i]);
    for (int i = 0; i < 32; i++)
        lx_out_int(o, 8, r->fpr[i]);
    lx_out_int(o, 8, r->hi);
    lx_out_skip(o, start + 544);
    lx_out_int(o, 8, r->lo);
    lx_out_skip(o, start + 576);
    lx_out_int(o, 8, exception_pc(r));
    lx_out_int(o, 4, r->fcsr);
    lx_out_int(o, 4, 1); /* used_math */
    lx_out_skip(o, start + 600);
}

static void in_context_o32(struct lx_in *i, struct mips_regs *r)
{
    lx_in_skip(i, 8);
    r->pc = lx_in_int(i, 8);
    for (int n = 0; n < 32; n++)
        r->gpr[n] = lx_in_int(i, 8);
    for (int n = 0; n < 32; n++)
        r->fpr[n] = lx_in_int(i, 8);
    lx_in_int(i, 4);
    r->fcsr = (uint32_t)lx_in_int(i, 4);
    lx_in_skip(i, 552);
    r->hi = lx_in_int(i, 8);
    r->lo = lx_in_int(i, 8);
}

static void in_context_n64(struct lx_in *i, struct mips_regs *r)
{
    for (int n = 0; n < 32; n++)
        r->gpr[n] = lx_in_int(i, 8);
    for (int n = 0; n < 32; n++)
        r->fpr[n] = lx_in_int(i, 8);
    r->hi = lx_in_int(i, 8);
    lx_in_skip(i, 544);
    r->lo = lx_in_int(i, 8);
    lx_in_skip(i, 576);
    r->pc = lx_in_int(i, 8);
    r->fcsr = (uint32_t)lx_in_int(i, 4);
}

/** Address of a new frame of `size` bytes. */
static uint64_t frame_at(const struct lx_thread *t, const struct lx_action *a, unsigned size)
{
    uint64_t sp = t->regs.mips.gpr[29] - 32;

    if (!t->p->n64)
        sp = (uint32_t)sp;
    return (lx_signal_top(t, a, sp) - size) & ~UINT64_C(15);
}

static int write_rt_frame(struct lx_thread *t, uint64_t at, const struct lx_siginfo *info,
                          const struct lx_sigs *mask)
{
    struct lx_prog *p = t->p;
    const struct frame *f = rt_frame(p);
    struct lx_out o;

    lx_out_start(&o, p->kind);
    lx_signal_out_info(&o, p, info);
    if (lx_out_write(&o, &p->vm, at + f->info) < 0)
        return -EFAULT;
    lx_out_start(&o, p->kind);
    lx_out_long(&o, 0); /* flags */
    lx_out_long(&o, 0); /* link */
    lx_signal_out_altstack(&o, t);
    lx_out_skip(&o, f->sc);
    if (p->n64)
        out_context_n64(&o, &t->regs.mips);
    else
        out_context_o32(&o, &t->regs.mips);
    if (lx_out_write(&o, &p->vm, at + f->uc) < 0)
        return -EFAULT;
    return lx_signal_write_set(p, at + f->uc + f->mask, mask);
}

static int write_old_frame(struct lx_thread *t, uint64_t at, const struct lx_sigs *mask)
{
    struct lx_out o;

    lx_out_start(&o, t->p->kind);
    out_context_o32(&o, &t->regs.mips);
    if (lx_out_write(&o, &t->p->vm, at + OLD_SC) < 0)
        return -EFAULT;
    return lx_signal_write_set(t->p, at + OLD_MASK, mask);
}

static void set_address(struct mips_regs *r, int reg, uint64_t va, bool n64)
{
    r->gpr[reg] = n64 ? va : (uint64_t)(int64_t)(int32_t)va;
}

int lx_mips_enter(struct lx_thread *t, const struct lx_action *a, const struct lx_siginfo *info,
                  const struct lx_sigs *mask)
{
    struct lx_prog *p = t->p;
    const struct frame *f = rt_frame(p);
    const bool rt = p->n64 || lx_signal_tells(p, a);
    uint64_t at = frame_at(t, a, rt ? f->size : OLD_SIZE);
    int err = rt ? write_rt_frame(t, at, info, mask) : write_old_frame(t, at, mask);

    if (err < 0)
        return err;
    set_address(&t->regs.mips, 4, (uint64_t)info->signo, true);
    set_address(&t->regs.mips, 5, rt ? at + f->info : 0, p->n64);
    set_address(&t->regs.mips, 6, rt ? at + f->uc : at + OLD_SC, p->n64);
    set_address(&t->regs.mips, 29, at, p->n64);
    set_address(&t->regs.mips, 31, p->kind->os + (rt ? RT_TRAMPOLINE : OLD_TRAMPOLINE), p->n64);
    set_address(&t->regs.mips, 25, a->handler, p->n64);
    t->regs.mips.pc = a->handler;
    t->regs.mips.npc = a->handler + 4;
    return 0;
}

/** Puts back what a frame holds; the rest of the way into a handler. */
static int64_t leave_handler(struct lx_thread *t, uint64_t sc, uint64_t mask_at)
{
    struct lx_prog *p = t->p;
    struct lx_sigs mask;
    struct lx_in i;

    if (lx_in_read(&i, &p->vm, sc, p->n64 ? rt_n64.sc_size : rt_o32.sc_size) < 0 ||
        lx_signal_read_set(p, mask_at, &mask) < 0)
        return -EFAULT;
    if (p->n64)
        in_context_n64(&i, &t->regs.mips);
    else
        in_context_o32(&i, &t->regs.mips);
    t->regs.mips.gpr[0] = 0;
    t->regs.mips.npc = t->regs.mips.pc + 4;
    lx_signal_set_mask(t, &mask);
    return 0;
}

int64_t lx_mips_leave(struct lx_thread *t, bool rt)
{
    const struct frame *f = rt_frame(t->p);
    uint64_t at = t->p->n64 ? t->regs.mips.gpr[29] : (uint32_t)t->regs.mips.gpr[29];

    if (rt) {
        int64_t err = leave_handler(t, at + f->uc + f->sc, at + f->uc + f->mask);
        if (err == 0) /* the frame may hold anything: what makes no stack changes none */
            lx_signal_set_altstack(t, at + f->uc + (t->p->n64 ? 16 : 8));
        return err;
    }
    return leave_handler(t, at + OLD_SC, at + OLD_MASK);
}

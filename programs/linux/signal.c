/*
 * Signals: queues, which thread gets one, and the frame a handler runs on.
 *
 * The hard idea: a handler is a detour. Everything the thread had (registers, mask) is written to
 * its stack in exactly the layout Linux uses, the program counter is sent to the handler, and the
 * return address to a small trampoline that makes the sigreturn call which puts everything back.
 * Programs look into that frame, so its offsets are part of the ABI; they are named below.
 */
#include "programs/linux/signal.h"
#include "programs/linux/symbols.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    SA_SIGINFO = 8,
    SA_RESETHAND = (int)0x80000000u,
    SA_NODEFER = 0x40000000,
    SA_RESTART = 0x10000000,
    SA_ONSTACK = 0x08000000
};
/** Where things lie in a frame, from its start. */
struct frame {
    unsigned info; /* siginfo, 128 bytes */
    unsigned uc;   /* ucontext */
    unsigned sc;   /* sigcontext within ucontext */
    unsigned sc_size;
    unsigned mask; /* signal mask within ucontext */
    unsigned size;
};

/* struct rt_sigframe { u32 ass[4]; u32 pad[2]; struct lx_siginfo; struct ucontext; } */
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

int lx_signal_trampolines(struct lx_prog *p)
{
    uint64_t va = lx_vm_trampoline(&p->vm);
    uint32_t rt = p->n64 ? 5211 : 4193;
    struct lx_vm_request rq = {
        .addr = va, .len = p->vm.page, .fd = -1, .noreplace = true, .rights = LX_R | LX_W};
    /* li v0, NUMBER; syscall */
    const uint32_t code[] = {0x24020000 | rt, 0x0000000c, 0x24020000 | 4119, 0x0000000c};
    int64_t r = lx_vm_map(&p->vm, &rq);

    for (size_t i = 0; r >= 0 && i < sizeof code / sizeof *code; i++)
        r = lx_vm_write32(&p->vm, va + 4 * i, code[i]);
    if (r >= 0)
        r = lx_vm_protect(&p->vm, va, p->vm.page, LX_R | LX_X);
    return r < 0 ? (int)r : 0;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void sigs_add(struct lx_sigs *s, int sig)
{
    s->w[(sig - 1) >> 6] |= UINT64_C(1) << ((sig - 1) & 63);
}

/** A guest set is two 64-bit or four 32-bit words, the lowest signals first. */
int lx_signal_read_set(struct lx_prog *p, uint64_t va, struct lx_sigs *s)
{
    unsigned w = p->n64 ? 8 : 4;

    s->w[0] = s->w[1] = 0;
    for (unsigned i = 0; i < 16 / w; i++) {
        uint64_t v;
        if (lx_vm_read_word(&p->vm, va + i * w, w, &v) < 0)
            return -EFAULT;
        s->w[i * w / 8] |= v << (8 * (i * w % 8));
    }
    return 0;
}

int lx_signal_write_set(struct lx_prog *p, uint64_t va, const struct lx_sigs *s)
{
    unsigned w = p->n64 ? 8 : 4;

    for (unsigned i = 0; i < 16 / w; i++)
        if (lx_vm_write_word(&p->vm, va + i * w, w, s->w[i * w / 8] >> (8 * (i * w % 8))) < 0)
            return -EFAULT;
    return 0;
}

void lx_signal_set_mask(struct lx_thread *t, const struct lx_sigs *mask)
{
    t->mask = *mask;
    t->mask.w[0] &= ~(UINT64_C(1) << (SIG_KILL - 1) | UINT64_C(1) << (SIG_STOP - 1));
}

static void sigs_remove(struct lx_sigs *s, int sig)
{
    s->w[(sig - 1) >> 6] &= ~(UINT64_C(1) << ((sig - 1) & 63));
}

/* ---- queues ---------------------------------------------------------------------------------- */

/** What happens by default: these do nothing. */
static bool ignored_by_default(int sig)
{
    return sig == SIG_CHLD || sig == SIG_URG || sig == SIG_WINCH || sig == SIG_CONT ||
           sig == SIG_STOP || sig == SIG_TSTP || sig == SIG_TTIN || sig == SIG_TTOU;
}

static bool ignored(const struct lx_prog *p, int sig)
{
    uint64_t h = p->actions[sig].handler;

    return h == HANDLER_IGNORE || (h == HANDLER_DEFAULT && ignored_by_default(sig));
}

/** True if the thread would act on this signal now, or waits for it in sigtimedwait. */
static bool takes(const struct lx_thread *t, int sig)
{
    return !lx_sigs_has(&t->mask, sig) || lx_sigs_has(&t->wanted, sig);
}

static struct lx_sigqueue *queue_of(struct lx_prog *p, struct lx_thread *t)
{
    return t ? &t->pending : &p->pending;
}

bool lx_signal_dropped(const struct lx_prog *p, const struct lx_thread *t, int signo)
{
    const struct lx_thread *asked =
        t ? t : p->threads; /* the process is judged by its first thread */

    return ignored(p, signo) && !(asked && lx_sigs_has(&asked->mask, signo));
}

/** One that is not sent by kill and finds the queues full is refused; kill's is never lost, but
 *  waits once only. */
static bool refused(const struct lx_prog *p, const struct lx_siginfo *info)
{
    return info->signo >= SIG_RTMIN && info->code != SI_USER_ && info->code != SI_TIMER_ &&
           info->code <= 0 && p->pending_count >= p->limits[LIMIT_SIGPENDING].soft;
}

/** The thread that acts on it: the one it was sent to, or the first that takes it; or NULL. */
static struct lx_thread *taker(struct lx_prog *p, struct lx_thread *t, int signo)
{
    if (t)
        return takes(t, signo) ? t : NULL;
    for (t = p->threads; t && !takes(t, signo); t = t->next)
        continue;
    return t;
}

int lx_signal_post(struct lx_prog *p, struct lx_thread *t, const struct lx_siginfo *info)
{
    struct lx_sigqueue *q = queue_of(p, t);
    struct lx_thread *to = taker(p, t, info->signo);
    struct lx_pending *e;

    if (lx_signal_dropped(p, t, info->signo))
        return 0;
    if (lx_sigs_has(&q->set, info->signo) &&
        ((info->signo < SIG_RTMIN && info->code != SI_TIMER_) ||
         p->pending_count >= p->limits[LIMIT_SIGPENDING].soft))
        return refused(p, info) ? -EAGAIN : 0;
    if (refused(p, info))
        return -EAGAIN;
    e = sim_alloc(1, sizeof *e);
    e->info = *info;
    DL_APPEND(q->first[info->signo - 1], e);
    sigs_add(&q->set, info->signo);
    p->pending_count++;
    if (to)
        lx_thread_notify(to);
    if (p->watchers)
        lx_thread_wake_all(p, p->fds);
    return 0;
}

/** Takes the first waiting signal of that number away. */
static struct lx_siginfo unqueue(struct lx_prog *p, struct lx_sigqueue *q, int signo)
{
    struct lx_pending *e = q->first[signo - 1];
    struct lx_siginfo info = e->info;

    DL_DELETE(q->first[signo - 1], e);
    free(e);
    p->pending_count--;
    if (!q->first[signo - 1])
        sigs_remove(&q->set, signo);
    return info;
}

/** The lowest signal of both sets; 0: none. */
static int lowest(const struct lx_sigs *a, const struct lx_sigs *b)
{
    for (int i = 0; i < 2; i++)
        if (a->w[i] & b->w[i])
            return 64 * i + __builtin_ctzll(a->w[i] & b->w[i]) + 1;
    return 0;
}

static bool take_from(struct lx_prog *p, struct lx_sigqueue *q, const struct lx_sigs *set,
                      struct lx_siginfo *info)
{
    const int signo = lowest(&q->set, set);

    if (signo)
        *info = unqueue(p, q, signo);
    return signo;
}

bool lx_signal_take(struct lx_thread *t, const struct lx_sigs *set, struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    const bool got = take_from(p, &t->pending, set, info) || take_from(p, &p->pending, set, info);

    if (got)
        lx_timer_taken(p, info);
    return got;
}

bool lx_signal_waiting(const struct lx_thread *t)
{
    struct lx_sigs open;

    for (int i = 0; i < 2; i++)
        open.w[i] = ~t->mask.w[i] | t->wanted.w[i];
    return lowest(&t->pending.set, &open) || lowest(&t->p->pending.set, &open);
}

/** Whether the thread itself sent one of those that it would act on now, the first of their number.
 */
static bool sent_itself(const struct lx_thread *t, const struct lx_sigqueue *q)
{
    struct lx_sigs open;

    for (int i = 0; i < 2; i++)
        open.w[i] = ~t->mask.w[i];
    for (int signo; (signo = lowest(&q->set, &open)); sigs_remove(&open, signo))
        if (q->first[signo - 1]->info.sender == t->tid)
            return true;
    return false;
}

void lx_signal_spare(struct lx_thread *t)
{
    t->spared =
        lx_signal_waiting(t) && !sent_itself(t, &t->pending) && !sent_itself(t, &t->p->pending);
}

static void drop(struct lx_prog *p, struct lx_sigqueue *q, int signo)
{
    while (lx_sigs_has(&q->set, signo))
        unqueue(p, q, signo);
}

void lx_signal_settle(struct lx_prog *p, int signo)
{
    struct lx_thread *t;

    if (!ignored(p, signo))
        return;
    lx_timers_dropped(p, signo);
    drop(p, &p->pending, signo);
    DL_FOREACH(p->threads, t)
        drop(p, &t->pending, signo);
}

static void empty(struct lx_prog *p, struct lx_sigqueue *q)
{
    for (int signo = 1; signo <= SIGNALS; signo++)
        drop(p, q, signo);
}

void lx_signal_clear_thread(struct lx_thread *t)
{
    empty(t->p, &t->pending);
}

void lx_signal_free(struct lx_prog *p)
{
    empty(p, &p->pending);
}

void lx_signal_pending_set(const struct lx_thread *t, struct lx_sigs *s)
{
    for (int i = 0; i < 2; i++)
        s->w[i] = t->pending.set.w[i] | t->p->pending.set.w[i];
}

/* ---- the frame ------------------------------------------------------------------------------- */

void lx_signal_out_info(struct lx_out *o, const struct lx_prog *p, const struct lx_siginfo *info)
{
    size_t start = o->len;

    lx_out_int(o, 4, (uint64_t)info->signo);
    lx_out_int(o, 4, (uint64_t)info->code); /* MIPS: code before errno */
    lx_out_int(o, 4, 0);
    if (p->n64)
        lx_out_int(o, 4, 0);
    if (info->code > 0 && info->code < 0x80) {
        lx_out_long(o, info->addr);
    } else {
        lx_out_int(o, 4, info->pid);
        lx_out_int(o, 4, info->uid);
        lx_out_long(o, info->value);
    }
    lx_out_skip(o, start + 128);
}

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

bool lx_signal_on_altstack(const struct lx_thread *t)
{
    uint64_t sp = t->regs.gpr[29];

    return !(t->alt.flags & SS_AUTODISARM_) && sp > t->alt.sp && sp - t->alt.sp <= t->alt.size;
}

void lx_signal_out_altstack(struct lx_out *o, const struct lx_thread *t)
{
    uint32_t flags = !t->alt.size ? SS_DISABLE_ : lx_signal_on_altstack(t) ? SS_ONSTACK_ : 0;

    lx_out_long(o, t->alt.sp);
    lx_out_long(o, t->alt.size);
    lx_out_int(o, 4, flags | t->alt.flags);
    if (o->word == 8)
        lx_out_int(o, 4, 0);
}

int lx_signal_set_altstack(struct lx_thread *t, uint64_t va)
{
    const unsigned w = t->p->n64 ? 8 : 4;
    struct lx_altstack new;
    uint32_t mode;
    struct lx_in i;

    if (lx_in_read(&i, &t->p->vm, va, 2 * w + 4) < 0)
        return -EFAULT;
    new.sp = lx_in_long(&i);
    new.size = lx_in_long(&i);
    mode = (uint32_t)lx_in_int(&i, 4);
    new.flags = mode &SS_AUTODISARM_;
    mode &= ~SS_AUTODISARM_;
    if (lx_signal_on_altstack(t))
        return -EPERM;
    if (mode != SS_DISABLE_ && mode != SS_ONSTACK_ && mode != 0)
        return -EINVAL;
    if (mode == SS_DISABLE_)
        new.sp = new.size = 0;
    else if (new.size < SS_MINIMUM)
        return -ENOMEM;
    t->alt = new;
    return 0;
}

/** Address of a new frame of `size` bytes. */
static uint64_t frame_at(const struct lx_thread *t, const struct lx_action *a, unsigned size)
{
    uint64_t sp = t->regs.gpr[29] - 32;

    if (!t->p->n64)
        sp = (uint32_t)sp;
    if ((a->flags & SA_ONSTACK) && t->alt.size && !lx_signal_on_altstack(t))
        sp = t->alt.sp + t->alt.size;
    return (sp - size) & ~UINT64_C(15);
}

static int write_rt_frame(struct lx_thread *t, uint64_t at, const struct lx_siginfo *info,
                          const struct lx_sigs *mask)
{
    struct lx_prog *p = t->p;
    const struct frame *f = rt_frame(p);
    struct lx_out o;

    lx_out_start(&o, p->n64);
    lx_signal_out_info(&o, p, info);
    if (lx_out_write(&o, &p->vm, at + f->info) < 0)
        return -EFAULT;
    lx_out_start(&o, p->n64);
    lx_out_long(&o, 0); /* flags */
    lx_out_long(&o, 0); /* link */
    lx_signal_out_altstack(&o, t);
    lx_out_skip(&o, f->sc);
    if (p->n64)
        out_context_n64(&o, &t->regs);
    else
        out_context_o32(&o, &t->regs);
    if (lx_out_write(&o, &p->vm, at + f->uc) < 0)
        return -EFAULT;
    return lx_signal_write_set(p, at + f->uc + f->mask, mask);
}

static int write_old_frame(struct lx_thread *t, uint64_t at, const struct lx_sigs *mask)
{
    struct lx_out o;

    lx_out_start(&o, false);
    out_context_o32(&o, &t->regs);
    if (lx_out_write(&o, &t->p->vm, at + OLD_SC) < 0)
        return -EFAULT;
    return lx_signal_write_set(t->p, at + OLD_MASK, mask);
}

static void set_address(struct mips_regs *r, int reg, uint64_t va, bool n64)
{
    r->gpr[reg] = n64 ? va : (uint64_t)(int64_t)(int32_t)va;
}

/** Sends the thread to its handler. @return 0 or -EFAULT when its stack cannot take the frame */
static int enter_handler(struct lx_thread *t, const struct lx_action *a,
                         const struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    const struct frame *f = rt_frame(p);
    bool rt = p->n64 || (a->flags & SA_SIGINFO);
    uint64_t at = frame_at(t, a, rt ? f->size : OLD_SIZE);
    const struct lx_sigs *mask = t->restore_mask ? &t->saved_mask : &t->mask;
    int err = rt ? write_rt_frame(t, at, info, mask) : write_old_frame(t, at, mask);

    if (err < 0)
        return err;
    if (rt && t->alt.flags & SS_AUTODISARM_)
        t->alt = (struct lx_altstack){0}; /* until the handler returns */
    set_address(&t->regs, 4, (uint64_t)info->signo, true);
    set_address(&t->regs, 5, rt ? at + f->info : 0, p->n64);
    set_address(&t->regs, 6, rt ? at + f->uc : at + OLD_SC, p->n64);
    set_address(&t->regs, 29, at, p->n64);
    set_address(&t->regs, 31, lx_vm_trampoline(&p->vm) + (rt ? RT_TRAMPOLINE : OLD_TRAMPOLINE),
                p->n64);
    set_address(&t->regs, 25, a->handler, p->n64);
    t->regs.pc = a->handler;
    t->regs.npc = a->handler + 4;
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
        in_context_n64(&i, &t->regs);
    else
        in_context_o32(&i, &t->regs);
    t->regs.gpr[0] = 0;
    t->regs.npc = t->regs.pc + 4;
    lx_signal_set_mask(t, &mask);
    return 0;
}

int64_t lx_signal_return(struct lx_thread *t, bool rt)
{
    const struct frame *f = rt_frame(t->p);
    uint64_t at = t->p->n64 ? t->regs.gpr[29] : (uint32_t)t->regs.gpr[29];

    if (rt) {
        int64_t err = leave_handler(t, at + f->uc + f->sc, at + f->uc + f->mask);
        if (err == 0) /* the frame may hold anything: what makes no stack changes none */
            lx_signal_set_altstack(t, at + f->uc + (t->p->n64 ? 16 : 8));
        return err;
    }
    return leave_handler(t, at + OLD_SC, at + OLD_MASK);
}

/* ---- acting on them -------------------------------------------------------------------------- */

static const char *const names[] = {
    [1] = "SIGHUP",   [2] = "SIGINT",   [3] = "SIGQUIT",    [4] = "SIGILL",   [5] = "SIGTRAP",
    [6] = "SIGABRT",  [7] = "SIGEMT",   [8] = "SIGFPE",     [9] = "SIGKILL",  [10] = "SIGBUS",
    [11] = "SIGSEGV", [12] = "SIGSYS",  [13] = "SIGPIPE",   [14] = "SIGALRM", [15] = "SIGTERM",
    [16] = "SIGUSR1", [17] = "SIGUSR2", [18] = "SIGCHLD",   [19] = "SIGPWR",  [20] = "SIGWINCH",
    [21] = "SIGURG",  [22] = "SIGIO",   [23] = "SIGSTOP",   [24] = "SIGTSTP", [25] = "SIGCONT",
    [26] = "SIGTTIN", [27] = "SIGTTOU", [28] = "SIGVTALRM", [29] = "SIGPROF", [30] = "SIGXCPU",
    [31] = "SIGXFSZ",
};

static void signal_name(int sig, char *buf, size_t size)
{
    if (sig > 0 && sig < (int)(sizeof names / sizeof *names))
        snprintf(buf, size, "%s", names[sig]);
    else
        snprintf(buf, size, "signal %d", sig);
}

/** What an access did that its page's attribute does not allow. */
static const char *bus_error(const struct lx_thread *t)
{
    const struct lx_vm_area *a = lx_vm_find(&t->p->vm, t->badvaddr);

    if (t->trap_code == PC_FAILED_UPGRADE)
        return "bus error: the line was taken while its upgrade waited (agent.failed_upgrade)";
    if (!a || a->kind == VM_COHERENT)
        return "bus error";
    if (t->exc == PC_EXC_IBE)
        return "bus error: no instructions are fetched from an uncached page";
    return a->kind == VM_REGISTERS
               ? "bus error: registers are read and written as 32-bit words"
               : "bus error: LL and SC, so locks and atomics, need a coherent page";
}

/** The second half of the message: what was wrong with the address or the instruction. */
static void explain(const struct lx_thread *t, const struct lx_siginfo *info, char *buf,
                    size_t size)
{
    bool fault = info->code > 0 && info->code < 0x80;

    if (info->signo == SIG_SEGV && fault)
        snprintf(buf, size, ", address 0x%" PRIx64 ": %s", info->addr,
                 info->code == SEGV_MAPERR_ ? "nothing mapped there" : "access not allowed there");
    else if (info->signo == SIG_BUS && fault)
        snprintf(buf, size, ", address 0x%" PRIx64 ": %s", t->badvaddr,
                 t->exc == PC_EXC_DBE || t->exc == PC_EXC_IBE ? bus_error(t) : "not aligned");
    else if (info->signo == SIG_FPE && info->code == 1)
        snprintf(buf, size, ": division by zero");
    else if (info->signo == SIG_FPE && info->code == 2)
        snprintf(buf, size, ": integer overflow");
    else if (info->signo == SIG_ILL)
        snprintf(buf, size, ": reserved instruction");
    else
        buf[0] = '\0';
}

static void kill_program(struct lx_thread *t, const struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    char name[32], where[160], why[160];

    signal_name(info->signo, name, sizeof name);
    lx_elf_symbol(p->elf_fd, &p->image, t->regs.pc, where, sizeof where);
    explain(t, info, why, sizeof why);
    prog_finish(p->run, PROG_SIGNALED, info->signo,
                "killed by %s at pc 0x%" PRIx64 "%s%s%s%s; thread %u on card %u", name, t->regs.pc,
                *where ? " (" : "", where, *where ? ")" : "", why, t->tid, t->card);
}

/** An interrupted call begins again, in its delay slot if it was in one, or ends with EINTR. */
static void settle_call(struct lx_thread *t, const struct lx_action *handler)
{
    bool again = !handler || t->restart == ERESTART_NOINTR ||
                 (t->restart == ERESTART_SYS && (handler->flags & SA_RESTART));

    if (!t->restart)
        return;
    t->restart = 0;
    if (!again) {
        t->regs.gpr[2] = EINTR;
        t->regs.gpr[7] = 1;
        return;
    }
    t->regs.gpr[2] = t->restart_v0;
    t->regs.gpr[7] = t->restart_a3;
    t->regs.pc = t->call.pc;
    t->regs.npc = t->call.npc;
}

/** One signal. */
static void act(struct lx_thread *t, const struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    struct lx_action a = p->actions[info->signo];
    struct lx_sigs mask = t->mask;

    if (a.handler == HANDLER_DEFAULT || a.handler == HANDLER_IGNORE) {
        if (!ignored(p, info->signo))
            kill_program(t, info);
        return;
    }
    settle_call(t, &a);
    if (enter_handler(t, &a, info) < 0) {
        struct lx_siginfo segv = {.signo = SIG_SEGV, .code = SEGV_MAPERR_, .addr = t->regs.gpr[29]};
        kill_program(t, &segv);
        return;
    }
    t->restore_mask = false;
    for (int i = 0; i < 2; i++)
        mask.w[i] |= a.mask.w[i];
    if (!(a.flags & (uint32_t)SA_NODEFER))
        sigs_add(&mask, info->signo);
    lx_signal_set_mask(t, &mask);
    if (a.flags & (uint32_t)SA_RESETHAND)
        p->actions[info->signo].handler = HANDLER_DEFAULT;
}

void lx_signal_deliver(struct lx_thread *t)
{
    struct lx_siginfo info;
    struct lx_sigs open;

    for (;;) {
        open.w[0] = ~t->mask.w[0];
        open.w[1] = ~t->mask.w[1];
        if (t->p->run->over || t->spared || !lx_signal_take(t, &open, &info))
            break;
        t->usage.signals++;
        act(t, &info);
    }
    if (t->restore_mask) {
        t->restore_mask = false;
        lx_signal_set_mask(t, &t->saved_mask);
    }
    settle_call(t, NULL);
}

void lx_signal_force(struct lx_thread *t, int signo, int code, uint64_t addr)
{
    struct lx_siginfo info = {.signo = signo, .code = code, .addr = addr};
    struct lx_action *a = &t->p->actions[signo];

    if (a->handler == HANDLER_IGNORE || lx_sigs_has(&t->mask, signo))
        a->handler = HANDLER_DEFAULT;
    act(t, &info);
    lx_signal_deliver(t);
}

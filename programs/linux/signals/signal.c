/*
 * Signals: queues, which thread gets one, and what becomes of it.
 *
 * The hard idea: a handler is a detour. Everything the thread had (registers, mask) is written to
 * its stack in exactly the layout Linux uses, the program counter is sent to the handler, and the
 * return address to a small trampoline that makes the sigreturn call which puts everything back.
 * Programs look into that frame, so its offsets are part of the ABI; the file of each instruction
 * set has them (isa.h).
 *
 * The other one: a process's signal is for any thread that does not block it, but one of them is
 * told, and takes it when it next comes back from the kernel; the others leave it alone, even if
 * they come back sooner. Whoever was told and blocks it, or ends, before that passes it on. So
 * there is always one that was told, as long as there is one that takes it.
 */
#include "programs/linux/signals/signal.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/signals/foreign.h"

#include "base/alloc.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/time/timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

enum {
    SA_RESETHAND = (int)0x80000000u,
    SA_NODEFER = 0x40000000,
    SA_RESTART = 0x10000000,
};

/* ---- sets ------------------------------------------------------------------------------------ */

static void sigs_add(struct lx_sigs *s, int sig)
{
    s->w[(sig - 1) >> 6] |= UINT64_C(1) << ((sig - 1) & 63);
}

/** A guest set has words, the lowest signals first. */
int lx_signal_read_set(struct lx_prog *p, uint64_t va, struct lx_sigs *s)
{
    unsigned w = p->kind->word;

    s->w[0] = s->w[1] = 0;
    for (unsigned i = 0; i < lx_signal_set_bytes(p) / w; i++) {
        uint64_t v;
        if (lx_vm_read_word(&p->vm, va + i * w, w, &v) < 0)
            return -EFAULT;
        s->w[i * w / 8] |= v << (8 * (i * w % 8));
    }
    return 0;
}

int lx_signal_write_set(struct lx_prog *p, uint64_t va, const struct lx_sigs *s)
{
    unsigned w = p->kind->word;

    for (unsigned i = 0; i < lx_signal_set_bytes(p) / w; i++)
        if (lx_vm_write_word(&p->vm, va + i * w, w, s->w[i * w / 8] >> (8 * (i * w % 8))) < 0)
            return -EFAULT;
    return 0;
}

static bool sigs_meet(const struct lx_sigs *a, const struct lx_sigs *b)
{
    return (a->w[0] & b->w[0]) | (a->w[1] & b->w[1]);
}

/** Those of `a` that are not in `b`. */
static struct lx_sigs sigs_without(const struct lx_sigs *a, const struct lx_sigs *b)
{
    return (struct lx_sigs){{a->w[0] & ~b->w[0], a->w[1] & ~b->w[1]}};
}

void lx_signal_blockable(const struct lx_prog *p, struct lx_sigs *s)
{
    s->w[0] &= ~(UINT64_C(1) << (SIG_KILL - 1) | UINT64_C(1) << (lx_signo(p, SIG_STOP) - 1));
}

static void sigs_remove(struct lx_sigs *s, int sig)
{
    s->w[(sig - 1) >> 6] &= ~(UINT64_C(1) << ((sig - 1) & 63));
}

/* ---- queues ---------------------------------------------------------------------------------- */

/** Those that stop a process. @param sig  its name */
static bool signal_stops(int sig)
{
    return sig == SIG_STOP || sig == SIG_TSTP || sig == SIG_TTIN || sig == SIG_TTOU;
}

/** What happens by default: these do nothing. @param sig  its name */
static bool ignored_by_default(int sig)
{
    return sig == SIG_CHLD || sig == SIG_URG || sig == SIG_WINCH || sig == SIG_CONT ||
           signal_stops(sig);
}

static bool signal_ignored(const struct lx_prog *p, int sig)
{
    uint64_t h = p->actions[sig].handler;

    return h == HANDLER_IGNORE ||
           (h == HANDLER_DEFAULT && ignored_by_default(lx_signal_called(p, sig)));
}

/** True if the thread would act on this signal now, or waits for it in sigtimedwait. */
static bool signal_takes(const struct lx_thread *t, int sig)
{
    return !lx_sigs_has(&t->mask, sig) || lx_sigs_has(&t->wanted, sig);
}

static struct lx_sigqueue *signal_queue_of(struct lx_prog *p, struct lx_thread *t)
{
    return t ? &t->pending : &p->pending;
}

bool lx_signal_dropped(const struct lx_prog *p, const struct lx_thread *t, int signo)
{
    const struct lx_thread *asked =
        t ? t : p->leader; /* the process is judged by its first thread */

    return signal_ignored(p, signo) && !lx_sigs_has(&asked->mask, signo);
}

/** One that is not sent by kill and finds the queues full is refused; kill's is never lost, but
 *  waits once only. */
static bool signal_refused(const struct lx_prog *p, const struct lx_siginfo *info)
{
    return info->signo >= SIG_RTMIN && info->code != SI_USER_ && info->code != SI_TIMER_ &&
           info->code <= 0 && p->pending_count >= p->limits[LIMIT_SIGPENDING].soft;
}

/** The thread that acts on it: the one it was sent to (t), or `near` if it takes it, or the first
 *  that does; or NULL. */
static struct lx_thread *signal_taker(struct lx_prog *p, struct lx_thread *t,
                                      struct lx_thread *near, int signo)
{
    if (t)
        return signal_takes(t, signo) ? t : NULL;
    if (near && signal_takes(near, signo))
        return near;
    for (t = p->threads; t && !signal_takes(t, signo); t = t->next)
        continue;
    return t;
}

/** Takes the first waiting signal of that number away. */
static struct lx_siginfo signal_unqueue(struct lx_prog *p, struct lx_sigqueue *q, int signo)
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

static void signal_drop(struct lx_prog *p, struct lx_sigqueue *q, int signo)
{
    while (lx_sigs_has(&q->set, signo))
        signal_unqueue(p, q, signo);
}

/** Nobody has it waiting any more. */
static void drop_all(struct lx_prog *p, int signo)
{
    struct lx_thread *t;

    lx_timers_dropped(p, signo);
    signal_drop(p, &p->pending, signo);
    DL_FOREACH(p->threads, t)
        signal_drop(p, &t->pending, signo);
}

/** One that stops a process takes SIGCONT back, and SIGCONT those, whatever becomes of it itself.
 *  @param sig  its name */
static void take_back(struct lx_prog *p, int sig)
{
    if (signal_stops(sig))
        drop_all(p, lx_signo(p, SIG_CONT));
    for (int other = SIG_STOP; sig == SIG_CONT && other <= SIG_TTOU; other++)
        if (signal_stops(other))
            drop_all(p, lx_signo(p, other));
}

/** Whether it ends the process, whoever takes it. */
static bool signal_kills(const struct lx_prog *p, int signo)
{
    return p->actions[signo].handler == HANDLER_DEFAULT && !signal_ignored(p, signo);
}

/** The thread is to act on one of the process's. One that ends this all may take: Linux kills each
 *  of them as soon as it can, not when the one that it chose gets round to it. */
static void signal_tell(struct lx_prog *p, struct lx_thread *to, int signo)
{
    struct lx_thread *t;

    to->told = true;
    DL_FOREACH(p->threads, t)
        if (signal_kills(p, signo) && signal_takes(t, signo))
            t->told = true;
}

/** What the thread takes. */
static struct lx_sigs taken_by(const struct lx_thread *t)
{
    return (struct lx_sigs){{~t->mask.w[0] | t->wanted.w[0], ~t->mask.w[1] | t->wanted.w[1]}};
}

/** The thread does not take those of the set (any more): who does is told of those that wait for
 *  any thread of the process. It was told itself, or somebody else has been. */
static void pass_on(const struct lx_thread *t, struct lx_sigs set)
{
    struct lx_thread *other;

    for (int i = 0; i < 2; i++)
        set.w[i] &= t->told ? t->p->pending.set.w[i] : 0;
    DL_FOREACH(t->p->threads, other) {
        const struct lx_sigs takes = taken_by(other);
        if (other == t || !sigs_meet(&set, &takes))
            continue;
        set = sigs_without(&set, &takes);
        other->told = true;
        lx_thread_notify(other);
    }
}

void lx_signal_gone(struct lx_thread *t)
{
    pass_on(t, taken_by(t));
}

void lx_signal_want(struct lx_thread *t, const struct lx_sigs *set)
{
    const struct lx_sigs none = {{0, 0}}, before = taken_by(t);
    struct lx_sigs now;

    t->wanted = set ? *set : none;
    now = taken_by(t);
    pass_on(t, sigs_without(&before, &now));
}

void lx_signal_set_mask(struct lx_thread *t, const struct lx_sigs *mask)
{
    const struct lx_sigs before = taken_by(t);
    struct lx_sigs now;

    t->mask = *mask;
    lx_signal_blockable(t->p, &t->mask);
    now = taken_by(t);
    pass_on(t, sigs_without(&before, &now));
    t->told = t->told || sigs_meet(&t->p->pending.set, &now);
}

int lx_signal_post(struct lx_prog *p, struct lx_thread *t, const struct lx_siginfo *info)
{
    return lx_signal_post_near(p, t, NULL, info);
}

int lx_signal_post_near(struct lx_prog *p, struct lx_thread *t, struct lx_thread *near,
                        const struct lx_siginfo *info)
{
    struct lx_sigqueue *q = signal_queue_of(p, t);
    struct lx_thread *to = signal_taker(p, t, near, info->signo);
    struct lx_pending *e;

    take_back(p, lx_signal_called(p, info->signo));
    if (lx_signal_dropped(p, t, info->signo))
        return 0;
    if (lx_sigs_has(&q->set, info->signo) && info->code != SI_TIMER_ &&
        (info->signo < SIG_RTMIN || p->pending_count >= p->limits[LIMIT_SIGPENDING].soft))
        return signal_refused(p, info) ? -EAGAIN : 0;
    if (signal_refused(p, info))
        return -EAGAIN;
    e = sim_alloc(1, sizeof *e);
    e->info = *info;
    e->at = lx_now(p);
    DL_APPEND(q->first[info->signo - 1], e);
    sigs_add(&q->set, info->signo);
    p->pending_count++;
    if (to && !t)
        signal_tell(p, to, info->signo);
    if (to)
        lx_thread_notify(to);
    p->steps->told(p, &p->watchers);
    if (p->watchers)
        lx_thread_wake_all(p, p->fds);
    return 0;
}

/** The lowest signal of both sets; 0: none. */
static int signal_lowest(const struct lx_sigs *a, const struct lx_sigs *b)
{
    for (int i = 0; i < 2; i++)
        if (a->w[i] & b->w[i])
            return 64 * i + __builtin_ctzll(a->w[i] & b->w[i]) + 1;
    return 0;
}

/** Whether it was sent by then, or by the thread itself. @param until  [ticks] */
static bool sent_by(const struct lx_thread *t, const struct lx_pending *e, sim_tick until)
{
    return e->at <= until || e->info.sender == t->tid;
}

/** The lowest of the set that was sent by then, or by the thread itself; 0: none. */
static int lowest_by(const struct lx_thread *t, const struct lx_sigqueue *q, struct lx_sigs set,
                     sim_tick until)
{
    int signo;

    while ((signo = signal_lowest(&q->set, &set)) && !sent_by(t, q->first[signo - 1], until))
        sigs_remove(&set, signo);
    return signo;
}

/** The one that comes first: Linux takes those of faults before all others, sent by kill or not. */
static int first_by(const struct lx_thread *t, const struct lx_sigqueue *q,
                    const struct lx_sigs *set, sim_tick until)
{
    static const uint8_t faults[] = {SIG_ILL, SIG_TRAP, SIG_FPE, SIG_BUS, SIG_SEGV, SIG_SYS};
    struct lx_sigs of = {{0, 0}};
    int signo;

    for (unsigned i = 0; i < sizeof faults; i++)
        sigs_add(&of, lx_signo(t->p, faults[i]));
    of.w[0] &= set->w[0];
    signo = lowest_by(t, q, of, until);
    return signo ? signo : lowest_by(t, q, *set, until);
}

/** The queue that the next of them comes from, the thread's first; NULL: none was sent by then.
 *  @param any  the process's, too */
static struct lx_sigqueue *next_of(struct lx_thread *t, const struct lx_sigs *set, sim_tick until,
                                   bool any)
{
    return lowest_by(t, &t->pending, *set, until)             ? &t->pending
           : any && lowest_by(t, &t->p->pending, *set, until) ? &t->p->pending
                                                              : NULL;
}

static bool take_by(struct lx_thread *t, const struct lx_sigs *set, sim_tick until, bool any,
                    struct lx_siginfo *info)
{
    struct lx_sigqueue *q = next_of(t, set, until, any);

    if (!q)
        return false;
    *info = signal_unqueue(t->p, q, first_by(t, q, set, until));
    lx_timer_taken(t->p, info);
    return true;
}

bool lx_signal_take(struct lx_thread *t, const struct lx_sigs *set, struct lx_siginfo *info)
{
    return take_by(t, set, SIM_NEVER, true, info);
}

/** Signals whose handlers it would enter. */
static struct lx_sigs open_to(const struct lx_thread *t)
{
    return (struct lx_sigs){{~t->mask.w[0], ~t->mask.w[1]}};
}

/* Handlers in a row, and instructions: whom signals keep from its own work for so long is in a
 * storm, and gets on by as many instructions as there were handlers. Linux would let it stand. What
 * was sent before the last of them ended is no part of it: by signal(7) nothing comes before that.
 * Nor is what the thread sends itself. */
enum { STORM = 1024 };

void lx_signal_returned(struct lx_thread *t)
{
    const struct lx_sigs open = open_to(t);
    struct lx_storm *s = &t->storm;

    s->spared = SPARED;
    s->returns = next_of(t, &open, SIM_NEVER, t->told) ? s->returns + 1 : 0;
    if (s->returns <= STORM)
        s->until = s->returns < STORM ? SIM_NEVER : lx_now(t->p);
    if (s->returns >= STORM && !next_of(t, &open, s->until, t->told)) {
        s->spared = STORM;
        s->returns = 0;
    }
}

void lx_signal_settle(struct lx_prog *p, int signo)
{
    if (signal_ignored(p, signo))
        drop_all(p, signo);
}

static void signal_empty(struct lx_prog *p, struct lx_sigqueue *q)
{
    for (int signo = 1; signo <= SIGNALS; signo++)
        signal_drop(p, q, signo);
}

void lx_signal_clear_thread(struct lx_thread *t)
{
    signal_empty(t->p, &t->pending);
}

void lx_signal_free(struct lx_prog *p)
{
    signal_empty(p, &p->pending);
}

void lx_signal_pending_set(const struct lx_thread *t, struct lx_sigs *s)
{
    for (int i = 0; i < 2; i++)
        s->w[i] = t->pending.set.w[i] | t->p->pending.set.w[i];
}

/* ---- the frame ------------------------------------------------------------------------------- */

void lx_signal_out_info(struct lx_out *o, const struct lx_prog *p, const struct lx_siginfo *info)
{
    const size_t start = o->len, code = start + (p->kind->generic ? 8 : 4);

    lx_out_int(o, 4, (uint64_t)info->signo);
    lx_out_skip(o, code); /* generic: errno before the code */
    lx_out_int(o, 4, lx_number_out(p->kind, LX_CODE, (uint32_t)info->code));
    lx_out_skip(o, start + 8 + p->kind->word);
    if (info->code > 0 && info->code < 0x80) {
        lx_out_long(o, info->addr);
    } else {
        lx_out_int(o, 4, info->pid);
        lx_out_int(o, 4, info->uid);
        lx_out_long(o, info->value);
    }
    lx_out_skip(o, start + 128);
}

bool lx_signal_on_altstack(const struct lx_thread *t)
{
    uint64_t sp = lx_isa_of(t)->sp(&t->regs);

    return !(t->alt.flags & SS_AUTODISARM_) && sp > t->alt.sp && sp - t->alt.sp <= t->alt.size;
}

void lx_signal_out_altstack(struct lx_out *o, const struct lx_thread *t)
{
    uint32_t flags = !t->alt.size ? SS_DISABLE_ : lx_signal_on_altstack(t) ? SS_ONSTACK_ : 0;

    lx_out_long(o, t->alt.sp);
    if (o->kind->generic) /* the flags come second */
        lx_out_long(o, flags | t->alt.flags);
    lx_out_long(o, t->alt.size);
    if (o->kind->generic)
        return;
    lx_out_int(o, 4, flags | t->alt.flags);
    if (o->word == 8)
        lx_out_int(o, 4, 0);
}

int lx_signal_set_altstack(struct lx_thread *t, uint64_t va)
{
    const unsigned w = t->p->kind->word;
    struct lx_altstack new;
    uint32_t mode;
    struct lx_in i;

    if (lx_in_read(&i, &t->p->vm, va, 2 * w + 4) < 0)
        return -EFAULT;
    new.sp = lx_in_long(&i);
    mode = i.kind->generic ? (uint32_t)lx_in_long(&i) : 0;
    new.size = lx_in_long(&i);
    if (!i.kind->generic)
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

uint64_t lx_signal_top(const struct lx_thread *t, const struct lx_action *a, uint64_t sp)
{
    return (a->flags & SA_ONSTACK_) && t->alt.size && !lx_signal_on_altstack(t)
               ? t->alt.sp + t->alt.size
               : sp;
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

static void signal_name(const struct lx_prog *p, int signo, char *buf, size_t size)
{
    const int sig = lx_signal_called(p, signo);

    if (sig > 0 && sig < (int)(sizeof names / sizeof *names))
        snprintf(buf, size, "%s", names[sig]);
    else
        snprintf(buf, size, "signal %d", signo);
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
static void signal_explain(const struct lx_thread *t, const struct lx_siginfo *info, char *buf,
                           size_t size)
{
    const bool fault = info->code > 0 && info->code < 0x80;
    const int sig = lx_signal_called(t->p, info->signo);

    if (sig == SIG_SEGV && fault)
        snprintf(buf, size, ", address 0x%" PRIx64 ": %s", info->addr,
                 info->code == SEGV_MAPERR_ ? "nothing mapped there" : "access not allowed there");
    else if (sig == SIG_BUS && fault)
        snprintf(buf, size, ", address 0x%" PRIx64 ": %s", t->badvaddr,
                 t->exc == PC_EXC_DBE || t->exc == PC_EXC_IBE ? bus_error(t)
                 : t->absent                                  ? "behind the end of the mapped file"
                 : t->badvaddr == lx_isa_of(t)->pc(&t->regs)  ? "not aligned: MIPS16 or microMIPS "
                                                                "code, or no code at all"
                                                              : "not aligned");
    else if (sig == SIG_FPE && info->code == 1)
        snprintf(buf, size, ": division by zero");
    else if (sig == SIG_FPE && info->code == 2)
        snprintf(buf, size, ": integer overflow");
    else if (sig == SIG_ILL && info->forced)
        lx_foreign_explain(t, buf, size);
    else
        buf[0] = '\0';
}

/** Of a call that leads to where no code is: from where, which its address does not tell. */
static void explain_call(struct lx_thread *t, const struct lx_siginfo *info, char *buf, size_t size)
{
    struct lx_prog *p = t->p;
    const struct lx_isa *isa = lx_isa_of(t);
    const uint64_t back = isa->back(&t->regs);
    char where[160];

    buf[0] = '\0';
    if (info->code <= 0 || info->addr != isa->pc(&t->regs) || !lx_elf_executes(&p->image, back))
        return;
    lx_symbols_tell(&p->told, p->elf_fd, &p->image, back, where, sizeof where);
    snprintf(buf, size, ", perhaps called from pc 0x%" PRIx64 "%s%s%s", back, *where ? " (" : "",
             where, *where ? ")" : "");
}

static void kill_program(struct lx_thread *t, const struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    const uint64_t pc = lx_isa_of(t)->pc(&t->regs);
    char name[32], where[160], why[320], from[240];

    signal_name(p, info->signo, name, sizeof name);
    explain_call(t, info, from, sizeof from);
    lx_symbols_tell(&p->told, p->elf_fd, &p->image, pc, where, sizeof where);
    signal_explain(t, info, why, sizeof why);
    prog_finish(p->run, PROG_SIGNALED, info->signo,
                "killed by %s at pc 0x%" PRIx64 "%s%s%s%s%s; thread %u on card %u", name, pc,
                *where ? " (" : "", where, *where ? ")" : "", why, from, t->tid, t->card);
}

/** An interrupted call begins again, in its delay slot if it was in one, or ends with EINTR. */
static void settle_call(struct lx_thread *t, const struct lx_action *handler)
{
    bool again = !handler || t->restart == ERESTART_NOINTR ||
                 (t->restart == ERESTART_SYS && (handler->flags & SA_RESTART));

    if (!t->restart)
        return;
    t->restart = 0;
    if (again)
        lx_isa_of(t)->again(t);
    else
        lx_isa_of(t)->result(t, EINTR, true);
}

/** Who listens hears of it. @return false: it is thrown away */
static bool signal_told(const struct lx_thread *t, const struct lx_siginfo *info)
{
    const struct prog_hooks *hooks = t->p->run->hooks;

    return !hooks || !hooks->signalled ||
           hooks->signalled(hooks->ctx, t->tid, lx_signal_called(t->p, info->signo));
}

/** There is no room for the frame of a handler: a SIGSEGV, whose own handler may have a stack. */
static void no_frame(struct lx_thread *t, int signo)
{
    const int segv = lx_signo(t->p, SIG_SEGV);
    const struct lx_siginfo info = {
        .signo = segv, .code = SEGV_MAPERR_, .addr = lx_isa_of(t)->sp(&t->regs)};

    if (signo == segv || t->p->actions[segv].handler == HANDLER_DEFAULT ||
        t->p->actions[segv].handler == HANDLER_IGNORE || lx_sigs_has(&t->mask, segv))
        kill_program(t, &info);
    else
        lx_signal_force(t, SIG_SEGV, SI_KERNEL_, 0);
}

/** One signal. */
static void signal_act(struct lx_thread *t, const struct lx_siginfo *info)
{
    struct lx_prog *p = t->p;
    struct lx_action a = p->actions[info->signo];
    struct lx_sigs mask = t->mask;

    if (a.handler == HANDLER_DEFAULT || a.handler == HANDLER_IGNORE) {
        if (!signal_ignored(p, info->signo) && signal_told(t, info))
            kill_program(t, info);
        return;
    }
    if (!signal_told(t, info))
        return;
    settle_call(t, &a);
    if (lx_isa_of(t)->enter(t, &a, info, t->restore_mask ? &t->saved_mask : &t->mask) < 0) {
        no_frame(t, info->signo);
        return;
    }
    if (t->alt.flags & SS_AUTODISARM_) /* a frame with a ucontext brings it back */
        t->alt = (struct lx_altstack){0};
    t->restore_mask = false;
    for (int i = 0; i < 2; i++)
        mask.w[i] |= a.mask.w[i];
    if (!(a.flags & (uint32_t)SA_NODEFER))
        sigs_add(&mask, info->signo);
    lx_signal_set_mask(t, &mask);
    if (a.flags & (uint32_t)SA_RESETHAND)
        p->actions[info->signo].handler = HANDLER_DEFAULT;
}

/** [ticks] In a storm, a handler that returns leaves those waiting that were sent later. */
static sim_tick deliver_until(const struct lx_thread *t)
{
    return t->storm.spared ? t->storm.until : SIM_NEVER;
}

void lx_signal_deliver(struct lx_thread *t)
{
    struct lx_siginfo info;
    struct lx_sigs open = open_to(t);

    while (!t->p->run->over && take_by(t, &open, deliver_until(t), t->told, &info)) {
        t->usage.signals++;
        signal_act(t, &info);
        open = open_to(t);
    }
    if (t->restore_mask) {
        t->restore_mask = false;
        lx_signal_set_mask(t, &t->saved_mask);
        open = open_to(t);
    }
    t->told = t->told && sigs_meet(&t->p->pending.set, &open);
    settle_call(t, NULL);
}

bool lx_signal_comes(const struct lx_thread *t)
{
    const struct lx_sigs open = open_to(t);

    for (int signo = 1; signo <= (int)t->p->kind->signals; signo++)
        if (lx_sigs_has(&open, signo) && !signal_ignored(t->p, signo) &&
            (lx_sigs_has(&t->pending.set, signo) ||
             (t->told && lx_sigs_has(&t->p->pending.set, signo))))
            return true;
    return false;
}

void lx_signal_force(struct lx_thread *t, int name, int code, uint64_t addr)
{
    const int signo = lx_signo(t->p, name);
    struct lx_siginfo info = {.signo = signo, .code = code, .addr = addr, .forced = true};
    struct lx_action *a = &t->p->actions[signo];

    if (a->handler == HANDLER_IGNORE || lx_sigs_has(&t->mask, signo))
        a->handler = HANDLER_DEFAULT;
    signal_act(t, &info);
    lx_signal_deliver(t);
}

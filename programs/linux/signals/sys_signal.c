/* Signal calls. */
#include "programs/linux/process/isa.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

/** sigaction's structure: MIPS's flags, an int in the place of a long, come before the handler; the
 *  generic one has the handler first, and behind the flags what the handler returns to. */
static int read_action(struct lx_prog *p, uint64_t va, struct lx_action *a)
{
    const unsigned w = p->kind->word;
    const bool generic = p->kind->generic;
    uint64_t flags;

    if (lx_vm_read_word(&p->vm, generic ? va + w : va, 4, &flags) < 0 ||
        lx_vm_read_word(&p->vm, generic ? va : va + w, w, &a->handler) < 0 ||
        (generic && lx_vm_read_word(&p->vm, va + 2 * w, w, &a->restorer) < 0) ||
        lx_signal_read_set(p, va + (generic ? 3 : 2) * w, &a->mask) < 0)
        return -EFAULT;
    lx_signal_blockable(p, &a->mask);
    a->flags = (uint32_t)flags;
    return 0;
}

static int write_action(struct lx_prog *p, uint64_t va, const struct lx_action *a)
{
    const unsigned w = p->kind->word;
    const bool generic = p->kind->generic;

    if ((!generic && lx_vm_write_word(&p->vm, va, w, 0) < 0) ||
        lx_vm_write_word(&p->vm, generic ? va + w : va, 4, a->flags) < 0 ||
        lx_vm_write_word(&p->vm, generic ? va : va + w, w, a->handler) < 0 ||
        (generic && lx_vm_write_word(&p->vm, va + 2 * w, w, a->restorer) < 0) ||
        lx_signal_write_set(p, va + (generic ? 3 : 2) * w, &a->mask) < 0)
        return -EFAULT;
    return 0;
}

int64_t lx_sys_rt_sigaction(struct lx_call *c)
{
    struct lx_prog *p = c->p;
    struct lx_action *a, old, new = {0};

    if (c->a[3] != lx_signal_set_bytes(c->p) || c->a[0] < 1 || c->a[0] > c->p->kind->signals)
        return -EINVAL;
    a = &p->actions[c->a[0]];
    if (c->a[1]) {
        if (c->a[0] == SIG_KILL || lx_signal_called(p, (int)c->a[0]) == SIG_STOP)
            return -EINVAL;
        if (read_action(p, c->a[1], &new) < 0)
            return -EFAULT;
    }
    old = *a;
    if (c->a[1]) {
        *a = new;
        lx_signal_settle(p, (int)c->a[0]);
    }
    return c->a[2] ? write_action(p, c->a[2], &old) : 0; /* set, whether or not it can be stored */
}

int64_t lx_sys_rt_sigprocmask(struct lx_call *c)
{
    enum { BLOCK = 1, UNBLOCK = 2, SETMASK = 3 };
    const uint64_t how = lx_number_in(c->p->kind, LX_HOW, c->a[0]);
    struct lx_sigs old = c->t->mask, set;

    if (c->a[3] != lx_signal_set_bytes(c->p))
        return -EINVAL;
    if (c->a[1]) {
        if (lx_signal_read_set(c->p, c->a[1], &set) < 0)
            return -EFAULT;
        for (int i = 0; i < 2; i++) {
            if (how == BLOCK)
                set.w[i] |= old.w[i];
            else if (how == UNBLOCK)
                set.w[i] = old.w[i] & ~set.w[i];
            else if (how != SETMASK)
                return -EINVAL;
        }
        lx_signal_set_mask(c->t, &set);
    }
    return c->a[2] ? lx_signal_write_set(c->p, c->a[2], &old) : 0;
}

int64_t lx_sys_rt_sigpending(struct lx_call *c)
{
    unsigned w = c->p->kind->word;
    struct lx_sigs s;

    if (c->a[1] > lx_signal_set_bytes(c->p))
        return -EINVAL;
    lx_signal_pending_set(c->t, &s);
    for (uint64_t i = 0; i < c->a[1]; i++) { /* a shorter set gets that many bytes of it */
        uint64_t at = c->p->kind->little ? i : i / w * w + (w - 1 - i % w);
        uint8_t byte = (uint8_t)((s.w[at / 8] & c->t->mask.w[at / 8]) >> 8 * (at % 8));
        if (lx_vm_write(&c->p->vm, c->a[0] + i, &byte, 1) < 0)
            return -EFAULT;
    }
    return 0;
}

int64_t lx_sys_rt_sigsuspend(struct lx_call *c)
{
    struct lx_sigs s;

    if (c->a[1] != lx_signal_set_bytes(c->p))
        return -EINVAL;
    if (lx_signal_read_set(c->p, c->a[0], &s) < 0)
        return -EFAULT;
    c->t->saved_mask = c->t->mask;
    c->t->restore_mask = true;
    lx_signal_set_mask(c->t, &s);
    while (lx_thread_block(c->t, SIM_NEVER, true, NULL) != WAKE_SIGNAL)
        continue;
    return -ERESTART_NOHAND;
}

int64_t lx_sys_pause(struct lx_call *c)
{
    while (lx_thread_block(c->t, SIM_NEVER, true, NULL) != WAKE_SIGNAL)
        continue;
    return -ERESTART_NOHAND;
}

/** Waits for one of the set. Another thread may take it before this one can: then it was woken in
 *  vain, and waits on.
 *  @return 0, or what the call returns without one */
static int64_t wait_for(struct lx_thread *t, const struct lx_sigs *set, sim_tick deadline,
                        struct lx_siginfo *info)
{
    enum lx_wake w = WAKE_EVENT;
    bool got = lx_signal_take(t, set, info);

    while (!got && (w == WAKE_EVENT || (w == WAKE_SIGNAL && !lx_signal_waiting(t)))) {
        lx_signal_want(t, set);
        w = lx_thread_block(t, deadline, true, NULL);
        got = lx_signal_take(t, set, info);
        lx_signal_want(t, NULL);
    }
    return got ? 0 : w == WAKE_SIGNAL ? -EINTR : -EAGAIN;
}

/** sigtimedwait(set, info, timeout, size): the signals are taken without their handlers. */
int64_t lx_sys_rt_sigtimedwait(struct lx_call *c)
{
    sim_tick deadline = SIM_NEVER;
    struct lx_siginfo info;
    struct lx_sigs set;
    struct lx_out o;
    int64_t err;

    if (c->a[3] != lx_signal_set_bytes(c->p))
        return -EINVAL;
    if (lx_signal_read_set(c->p, c->a[0], &set) < 0)
        return -EFAULT;
    if (c->a[2]) {
        uint64_t ns;
        err = lx_call_time(c, 2, &ns);
        if (err < 0)
            return err;
        deadline = lx_call_deadline(c, false, false, ns);
    }
    err = wait_for(c->t, &set, deadline, &info);
    if (err < 0)
        return err;
    if (c->a[1]) {
        lx_out_start(&o, c->p->kind);
        lx_signal_out_info(&o, c->p, &info);
        if (lx_out_write(&o, &c->p->vm, c->a[1]) < 0)
            return -EFAULT;
    }
    return info.signo;
}

int64_t lx_sys_sigaltstack(struct lx_call *c)
{
    struct lx_out old;
    int err = 0;

    lx_out_start(&old, c->p->kind);
    lx_signal_out_altstack(&old, c->t);
    if (c->a[0])
        err = lx_signal_set_altstack(c->t, c->a[0]);
    return err < 0 || !c->a[1] ? err : lx_out_write(&old, &c->p->vm, c->a[1]);
}

static int64_t sys_signal_sigreturn(struct lx_call *c, bool rt)
{
    c->replaced = true;
    if (lx_isa_of(c->t)->leave(c->t, rt) < 0)
        lx_signal_force(c->t, SIG_SEGV, SI_KERNEL_, 0);
    else
        lx_signal_returned(c->t);
    return 0;
}

int64_t lx_sys_rt_sigreturn(struct lx_call *c)
{
    return sys_signal_sigreturn(c, true);
}

int64_t lx_sys_sigreturn(struct lx_call *c)
{
    return sys_signal_sigreturn(c, false);
}

/* ---- sending --------------------------------------------------------------------------------- */

enum { INIT = 1 /* the one other process, and not the guest's to send to */ };

/** To the process (t NULL) or a thread. Signal 0 only asks whether it exists; the first thread
 * takes none when it has ended. */
static int64_t sys_signal_post(struct lx_prog *p, struct lx_thread *t,
                               const struct lx_siginfo *info)
{
    if (!info->signo || (t && t->state == TH_DEAD))
        return 0;
    return lx_signal_post(p, t, info);
}

/** To the process (tid 0) or a thread of it. */
static int64_t sys_signal_send(struct lx_call *c, uint32_t tid, uint64_t sig, int code)
{
    struct lx_thread *t = tid ? lx_thread_named(c->p, tid) : NULL;
    struct lx_siginfo info = {
        .signo = (int)sig, .code = code, .pid = FIRST_TID, .uid = c->p->uid, .sender = c->t->tid};

    if (tid && !t)
        return -ESRCH;
    if (sig > c->p->kind->signals)
        return -EINVAL;
    return sys_signal_post(c->p, t, &info);
}

int64_t lx_sys_kill(struct lx_call *c)
{
    int32_t pid = (int32_t)c->a[0];

    if (pid == FIRST_TID || pid == 0 || pid == -FIRST_TID ||
        (pid > 0 && lx_thread_named(c->p, (uint32_t)pid)))
        return sys_signal_send(c, 0, c->a[1], SI_USER_);
    if (pid != INIT) /* all others (-1): there are none */
        return -ESRCH;
    return c->a[1] > c->p->kind->signals ? -EINVAL : -EPERM;
}

int64_t lx_sys_tkill(struct lx_call *c)
{
    if ((int32_t)c->a[0] <= 0)
        return -EINVAL;
    return c->a[0] == INIT ? -EPERM : sys_signal_send(c, (uint32_t)c->a[0], c->a[1], SI_TKILL_);
}

int64_t lx_sys_tgkill(struct lx_call *c)
{
    if ((int32_t)c->a[0] <= 0 || (int32_t)c->a[1] <= 0)
        return -EINVAL;
    if (c->a[0] == INIT && c->a[1] == INIT)
        return -EPERM;
    return c->a[0] == FIRST_TID ? sys_signal_send(c, (uint32_t)c->a[1], c->a[2], SI_TKILL_)
                                : -ESRCH;
}

/** Reads the caller's siginfo: code, then after errno: pid, uid, value. */
static int read_info(struct lx_call *c, uint64_t sig, uint64_t va, struct lx_siginfo *info)
{
    struct lx_in i;

    if (lx_in_read(&i, &c->p->vm, va, 128) < 0)
        return -EFAULT;
    lx_in_skip(&i, c->p->kind->generic ? 8 : 4);
    info->signo = (int)sig;
    info->code = (int32_t)lx_number_in(c->p->kind, LX_CODE, lx_in_int(&i, 4));
    lx_in_skip(&i, c->p->kind->word + 8);
    info->pid = (uint32_t)lx_in_int(&i, 4);
    info->uid = (uint32_t)lx_in_int(&i, 4);
    info->value = lx_in_long(&i);
    return 0;
}

/** Only to itself may a thread pretend to be the kernel, or kill. */
static bool may_pretend(const struct lx_call *c, const struct lx_siginfo *info, uint32_t to)
{
    return (info->code < 0 && info->code != SI_TKILL_) || to == c->t->tid;
}

int64_t lx_sys_rt_sigqueueinfo(struct lx_call *c)
{
    const uint64_t pid = c->a[0], sig = c->a[1];
    struct lx_siginfo info = {.sender = c->t->tid};

    if (read_info(c, sig, c->a[2], &info) < 0)
        return -EFAULT;
    if (!may_pretend(c, &info, (uint32_t)pid))
        return -EPERM;
    if (pid != FIRST_TID && !lx_thread_named(c->p, (uint32_t)pid))
        return pid == INIT ? -EPERM : -ESRCH;
    return sig > c->p->kind->signals ? -EINVAL : sys_signal_post(c->p, NULL, &info);
}

int64_t lx_sys_rt_tgsigqueueinfo(struct lx_call *c)
{
    struct lx_thread *t = lx_thread_named(c->p, (uint32_t)c->a[1]);
    const uint64_t sig = c->a[2];
    struct lx_siginfo info = {.sender = c->t->tid};

    if (read_info(c, sig, c->a[3], &info) < 0)
        return -EFAULT;
    if ((int32_t)c->a[0] <= 0 || (int32_t)c->a[1] <= 0)
        return -EINVAL;
    if (!may_pretend(c, &info, (uint32_t)c->a[1]) || (c->a[0] == INIT && c->a[1] == INIT))
        return -EPERM;
    if (!t || c->a[0] != FIRST_TID)
        return -ESRCH;
    return sig > c->p->kind->signals ? -EINVAL : sys_signal_post(c->p, t, &info);
}

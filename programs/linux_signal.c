/* Signal calls. Sets are 128 bits; sigaction's structure has its flags first. */
#include "programs/signal.h"

#include <string.h>

enum { SET_BYTES = 16 };

int64_t sys_rt_sigaction(struct call *c)
{
    struct prog *p = c->p;
    unsigned w = p->n64 ? 8 : 4;
    struct action *a, new = {0};
    uint64_t flags;

    if (c->a[3] != SET_BYTES || c->a[0] < 1 || c->a[0] > SIGNALS)
        return -EINVAL;
    a = &p->actions[c->a[0]];
    if (c->a[1]) {
        if (c->a[0] == SIG_KILL || c->a[0] == SIG_STOP)
            return -EINVAL;
        if (vm_read_word(&p->vm, c->a[1], 4, &flags) < 0 ||
            vm_read_word(&p->vm, c->a[1] + w, w, &new.handler) < 0 ||
            signal_read_set(p, c->a[1] + 2 * w, &new.mask) < 0)
            return -EFAULT;
        new.flags = (uint32_t)flags;
    }
    if (c->a[2] && (vm_write_word(&p->vm, c->a[2], w, 0) < 0 ||
                    vm_write_word(&p->vm, c->a[2], 4, a->flags) < 0 ||
                    vm_write_word(&p->vm, c->a[2] + w, w, a->handler) < 0 ||
                    signal_write_set(p, c->a[2] + 2 * w, &a->mask) < 0))
        return -EFAULT;
    if (c->a[1]) {
        *a = new;
        signal_settle(p, (int)c->a[0]);
    }
    return 0;
}

int64_t sys_rt_sigprocmask(struct call *c)
{
    enum { BLOCK = 1, UNBLOCK = 2, SETMASK = 3 };
    struct sigs old = c->t->mask, set;

    if (c->a[3] != SET_BYTES)
        return -EINVAL;
    if (c->a[1]) {
        if (signal_read_set(c->p, c->a[1], &set) < 0)
            return -EFAULT;
        for (int i = 0; i < 2; i++) {
            if (c->a[0] == BLOCK)
                set.w[i] |= old.w[i];
            else if (c->a[0] == UNBLOCK)
                set.w[i] = old.w[i] & ~set.w[i];
            else if (c->a[0] != SETMASK)
                return -EINVAL;
        }
        signal_set_mask(c->t, &set);
    }
    return c->a[2] ? signal_write_set(c->p, c->a[2], &old) : 0;
}

int64_t sys_rt_sigpending(struct call *c)
{
    unsigned w = c->p->n64 ? 8 : 4;
    struct sigs s;

    if (c->a[1] > SET_BYTES)
        return -EINVAL;
    signal_pending_set(c->t, &s);
    for (uint64_t i = 0; i < c->a[1]; i++) { /* a shorter set gets that many bytes of it */
        uint64_t at = i / w * w + (w - 1 - i % w);
        uint8_t byte = (uint8_t)((s.w[at / 8] & c->t->mask.w[at / 8]) >> 8 * (at % 8));
        if (vm_write(&c->p->vm, c->a[0] + i, &byte, 1) < 0)
            return -EFAULT;
    }
    return 0;
}

int64_t sys_rt_sigsuspend(struct call *c)
{
    struct sigs s;

    if (c->a[1] != SET_BYTES)
        return -EINVAL;
    if (signal_read_set(c->p, c->a[0], &s) < 0)
        return -EFAULT;
    c->t->saved_mask = c->t->mask;
    c->t->restore_mask = true;
    signal_set_mask(c->t, &s);
    while (thread_block(c->t, NM_NEVER, true, NULL) != WAKE_SIGNAL)
        continue;
    return -ERESTART_NOHAND;
}

int64_t sys_pause(struct call *c)
{
    while (thread_block(c->t, NM_NEVER, true, NULL) != WAKE_SIGNAL)
        continue;
    return -ERESTART_NOHAND;
}

/** sigtimedwait(set, info, timeout, size): the signals are taken without their handlers. */
int64_t sys_rt_sigtimedwait(struct call *c)
{
    struct thread *t = c->t;
    nm_tick deadline = NM_NEVER;
    struct siginfo info;
    struct sigs set;
    struct out o;
    bool got;

    if (c->a[3] != SET_BYTES)
        return -EINVAL;
    if (signal_read_set(c->p, c->a[0], &set) < 0)
        return -EFAULT;
    if (c->a[2]) {
        uint64_t ns;
        int err = call_time(c, 2, &ns);
        if (err < 0)
            return err;
        deadline = call_deadline(c, false, false, ns);
    }
    got = signal_take(t, &set, &info);
    if (!got) {
        enum wake w;
        t->wanted = set;
        w = thread_block(t, deadline, true, NULL);
        memset(&t->wanted, 0, sizeof t->wanted);
        got = signal_take(t, &set, &info);
        if (!got)
            return w == WAKE_SIGNAL ? -EINTR : -EAGAIN;
    }
    if (c->a[1]) {
        out_start(&o, c->p->n64);
        signal_out_info(&o, c->p, &info);
        if (out_write(&o, &c->p->vm, c->a[1]) < 0)
            return -EFAULT;
    }
    return info.signo;
}

int64_t sys_sigaltstack(struct call *c)
{
    struct out old;
    int err = 0;

    out_start(&old, c->p->n64);
    signal_out_altstack(&old, c->t);
    if (c->a[0])
        err = signal_set_altstack(c->t, c->a[0]);
    return err < 0 || !c->a[1] ? err : out_write(&old, &c->p->vm, c->a[1]);
}

static int64_t sigreturn(struct call *c, bool rt)
{
    c->replaced = true;
    if (signal_return(c->t, rt) < 0)
        signal_force(c->t, SIG_SEGV, SI_KERNEL_, 0);
    else
        signal_spare(c->t);
    return 0;
}

int64_t sys_rt_sigreturn(struct call *c)
{
    return sigreturn(c, true);
}

int64_t sys_sigreturn(struct call *c)
{
    return sigreturn(c, false);
}

/* ---- sending --------------------------------------------------------------------------------- */

enum { INIT = 1 /* the one other process, and not the guest's to send to */ };

/** To the process (tid 0) or a thread of it. Signal 0 only asks whether it exists. */
static int64_t send(struct call *c, uint32_t tid, uint64_t sig, int code)
{
    struct thread *t = tid ? thread_find(c->p, tid) : NULL;
    struct siginfo info = {
        .signo = (int)sig, .code = code, .pid = FIRST_TID, .uid = c->p->uid, .sender = c->t->tid};

    if (tid && !t)
        return -ESRCH;
    if (sig > SIGNALS)
        return -EINVAL;
    return sig ? signal_post(c->p, t, &info) : 0;
}

int64_t sys_kill(struct call *c)
{
    int32_t pid = (int32_t)c->a[0];

    if (pid == FIRST_TID || pid == 0 || pid == -FIRST_TID ||
        (pid > 0 && thread_find(c->p, (uint32_t)pid)))
        return send(c, 0, c->a[1], SI_USER_);
    if (c->a[1] > SIGNALS)
        return pid == INIT || pid == -INIT ? -EINVAL : -ESRCH;
    return pid == INIT || pid == -INIT ? -EPERM : -ESRCH;
}

int64_t sys_tkill(struct call *c)
{
    if ((int32_t)c->a[0] <= 0)
        return -EINVAL;
    return c->a[0] == INIT ? -EPERM : send(c, (uint32_t)c->a[0], c->a[1], SI_TKILL_);
}

int64_t sys_tgkill(struct call *c)
{
    if ((int32_t)c->a[0] <= 0 || (int32_t)c->a[1] <= 0)
        return -EINVAL;
    if (c->a[0] == INIT && c->a[1] == INIT)
        return -EPERM;
    return c->a[0] == FIRST_TID ? send(c, (uint32_t)c->a[1], c->a[2], SI_TKILL_) : -ESRCH;
}

/** Reads the caller's siginfo: code, then after errno: pid, uid, value. */
static int read_info(struct call *c, uint64_t sig, uint64_t va, struct siginfo *info)
{
    struct in i;

    if (in_read(&i, &c->p->vm, va, 128) < 0)
        return -EFAULT;
    in_skip(&i, 4);
    info->signo = (int)sig;
    info->code = (int32_t)in_int(&i, 4);
    in_skip(&i, c->p->n64 ? 16 : 12);
    info->pid = (uint32_t)in_int(&i, 4);
    info->uid = (uint32_t)in_int(&i, 4);
    info->value = in_long(&i);
    return 0;
}

/** Sends what the caller says; only to itself may it pretend to be the kernel or kill. */
static int64_t queue(struct call *c, uint64_t pid, struct thread *t, uint64_t sig, uint64_t va)
{
    struct siginfo info;

    if (read_info(c, sig, va, &info) < 0)
        return -EFAULT;
    info.sender = c->t->tid;
    if (pid != FIRST_TID && !thread_find(c->p, (uint32_t)pid))
        return pid == INIT ? -EPERM : -ESRCH;
    if (sig > SIGNALS)
        return -EINVAL;
    return sig ? signal_post(c->p, t, &info) : 0;
}

int64_t sys_rt_sigqueueinfo(struct call *c)
{
    return queue(c, c->a[0], NULL, c->a[1], c->a[2]);
}

int64_t sys_rt_tgsigqueueinfo(struct call *c)
{
    struct thread *t = thread_find(c->p, (uint32_t)c->a[1]);
    struct siginfo info;

    if (read_info(c, c->a[2], c->a[3], &info) < 0)
        return -EFAULT;
    if ((int32_t)c->a[0] <= 0 || (int32_t)c->a[1] <= 0)
        return -EINVAL;
    if (c->a[0] == INIT && c->a[1] == INIT)
        return -EPERM;
    return t && c->a[0] == FIRST_TID ? queue(c, c->a[0], t, c->a[2], c->a[3]) : -ESRCH;
}

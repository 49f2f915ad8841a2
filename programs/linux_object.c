/*
 * Descriptors that are not files: how they are made and waited for, and two small kinds, counters
 * (eventfd) and signals one reads (signalfd).
 *
 * All who wait for any descriptor wait on one channel and look again when woken, so an object only
 * has to say whether it is ready.
 */
#include "programs/linux_object.h"

#include "base/alloc.h"
#include "programs/signal.h"

#include <stdlib.h>
#include <string.h>

int64_t object_open(struct prog *p, const struct file_ops *ops, void *object, uint32_t flags)
{
    struct file *f = file_new(p, FILE_OBJECT, -1, flags);

    f->ops = ops;
    f->object = object;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

int64_t object_wait(struct call *c, const struct file *f)
{
    if (f->flags & G_O_NONBLOCK)
        return -EAGAIN;
    return thread_block(c->t, NM_NEVER, true, c->p->fds) == WAKE_SIGNAL ? -ERESTART_SYS : 0;
}

int64_t object_read(struct call *c, struct file *f, uint64_t va, uint64_t len)
{
    f->moved++;
    return f->ops->read ? f->ops->read(c, f, va, len) : -EINVAL;
}

int64_t object_write(struct call *c, struct file *f, uint64_t va, uint64_t len)
{
    f->moved++;
    return f->ops->write ? f->ops->write(c, f, va, len) : -EINVAL;
}

int mask_enter(struct call *c, uint64_t va, uint64_t size)
{
    struct sigs mask;

    if (!va)
        return 0;
    if (size != sizeof mask)
        return -EINVAL;
    if (signal_read_set(c->p, va, &mask) < 0)
        return -EFAULT;
    c->t->saved_mask = c->t->mask;
    c->t->restore_mask = true;
    signal_set_mask(c->t, &mask);
    return 0;
}

int64_t mask_leave(struct call *c, int64_t result)
{
    /* A signal that ended the wait is handled under the mask it came through. */
    if (c->t->restore_mask && result != -ERESTART_NOHAND && result != -EINTR) {
        c->t->restore_mask = false;
        signal_set_mask(c->t, &c->t->saved_mask);
    }
    return result;
}

/* ---- counters -------------------------------------------------------------------------------- */

#define COUNT_MAX (UINT64_MAX - 1)

struct counter {
    uint64_t value;
    bool semaphore; /**< a read takes one, not all */
};

static unsigned counter_ready(struct thread *t, const struct file *f)
{
    const struct counter *n = f->object;

    (void)t;
    return (n->value > 0 ? POLL_IN : 0) | (n->value < COUNT_MAX ? POLL_OUT : 0);
}

static int64_t counter_read(struct call *c, struct file *f, uint64_t va, uint64_t len)
{
    struct counter *n = f->object;
    uint64_t got;

    if (len < sizeof got)
        return -EINVAL;
    while (n->value == 0) {
        int64_t err = object_wait(c, f);
        if (err < 0)
            return err;
    }
    got = n->semaphore ? 1 : n->value;
    n->value -= got;
    thread_wake_all(c->p, c->p->fds);
    return vm_write_word(&c->p->vm, va, sizeof got, got) < 0 ? -EFAULT : (int64_t)sizeof got;
}

static int64_t counter_write(struct call *c, struct file *f, uint64_t va, uint64_t len)
{
    struct counter *n = f->object;
    uint64_t more;

    if (len < sizeof more)
        return -EINVAL;
    if (vm_read_word(&c->p->vm, va, sizeof more, &more) < 0)
        return -EFAULT;
    if (more == UINT64_MAX)
        return -EINVAL;
    while (more > COUNT_MAX - n->value) {
        int64_t err = object_wait(c, f);
        if (err < 0)
            return err;
    }
    n->value += more;
    thread_wake_all(c->p, c->p->fds);
    return sizeof more;
}

static void counter_release(struct prog *p, struct file *f)
{
    (void)p;
    free(f->object);
}

static const struct file_ops counter_ops = {
    .ready = counter_ready,
    .read = counter_read,
    .write = counter_write,
    .release = counter_release,
};

int64_t sys_eventfd2(struct call *c)
{
    enum { SEMAPHORE = 1 };
    const uint64_t flags = c->row->args[1] ? c->a[1] : 0; /* eventfd has none */
    struct counter *n;

    if (flags & ~(uint64_t)(SEMAPHORE | G_O_NONBLOCK | G_O_CLOEXEC))
        return -EINVAL;
    n = nm_alloc(1, sizeof *n);
    n->value = c->a[0];
    n->semaphore = flags & SEMAPHORE;
    return object_open(c->p, &counter_ops, n, ((uint32_t)flags & ~(uint32_t)SEMAPHORE) | 2);
}

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGNAL_BYTES = 128 /* of struct signalfd_siginfo */ };

static unsigned signals_ready(struct thread *t, const struct file *f)
{
    const struct sigs *set = f->object;
    struct sigs waiting;

    signal_pending_set(t, &waiting);
    return (waiting.w[0] & set->w[0]) | (waiting.w[1] & set->w[1]) ? POLL_IN : 0;
}

static int put_signal(struct call *c, uint64_t va, const struct siginfo *info)
{
    struct out o;

    out_start(&o, c->p->n64);
    out_int(&o, 4, (uint64_t)info->signo);
    out_int(&o, 4, 0);
    out_int(&o, 4, (uint64_t)info->code);
    out_int(&o, 4, info->code == SI_TIMER_ ? 0 : info->pid);
    out_int(&o, 4, info->code == SI_TIMER_ ? 0 : info->uid);
    out_int(&o, 4, 0);
    out_int(&o, 4, info->code == SI_TIMER_ ? info->pid : 0);
    out_int(&o, 4, 0);
    out_int(&o, 4, info->code == SI_TIMER_ ? info->uid : 0);
    out_skip(&o, 44);
    out_int(&o, 4, c->p->n64 ? info->value >> 32 : info->value); /* sival_int */
    out_int(&o, 8, info->value);
    out_skip(&o, SIGNAL_BYTES);
    return out_write(&o, &c->p->vm, va);
}

static int64_t signals_read(struct call *c, struct file *f, uint64_t va, uint64_t len)
{
    const struct sigs *set = f->object;
    struct siginfo info;
    uint64_t done = 0;

    if (len < SIGNAL_BYTES)
        return -EINVAL;
    while (!signals_ready(c->t, f)) {
        int64_t err = object_wait(c, f);
        if (err < 0)
            return err;
    }
    while (len - done >= SIGNAL_BYTES && signal_take(c->t, set, &info)) {
        if (put_signal(c, va + done, &info) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        done += SIGNAL_BYTES;
    }
    return (int64_t)done;
}

static void signals_release(struct prog *p, struct file *f)
{
    p->watchers--;
    free(f->object);
}

static const struct file_ops signals_ops = {
    .ready = signals_ready, .read = signals_read, .release = signals_release};

/** signalfd4(descriptor or -1, mask, size, flags) */
int64_t sys_signalfd4(struct call *c)
{
    const uint64_t flags = c->row->args[3] ? c->a[3] : 0; /* signalfd has none */
    struct file *f = NULL;
    struct sigs *set, mask;

    if (flags & ~(uint64_t)(G_O_NONBLOCK | G_O_CLOEXEC) || c->a[2] != sizeof mask)
        return -EINVAL;
    if (signal_read_set(c->p, c->a[1], &mask) < 0)
        return -EFAULT;
    if ((int32_t)c->a[0] != -1) {
        f = file_get(c->p, (int32_t)c->a[0]);
        if (!f)
            return -EBADF;
        if (f->ops != &signals_ops)
            return -EINVAL;
        *(struct sigs *)f->object = mask;
        return (int32_t)c->a[0];
    }
    set = nm_alloc(1, sizeof *set);
    *set = mask;
    c->p->watchers++;
    return object_open(c->p, &signals_ops, set, (uint32_t)flags | 2);
}

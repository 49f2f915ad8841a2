/*
 * Descriptors that are not files: how they are made and waited for, and two small kinds, counters
 * (eventfd) and signals one reads (signalfd).
 *
 * All threads that wait for any descriptor wait on one channel and look again when woken, so an
 * object only has to say whether it is ready.
 */
#include "programs/linux/files/object.h"

#include "base/alloc.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>

int64_t lx_object_open(struct lx_prog *p, const struct lx_file_ops *ops, void *object,
                       uint32_t flags)
{
    struct lx_file *f = lx_file_new(p, FILE_OBJECT, -1, flags);

    f->ops = ops;
    f->object = object;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

int64_t lx_object_wait(struct lx_call *c, const struct lx_file *f)
{
    if (f->flags & G_O_NONBLOCK)
        return -EAGAIN;
    return lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL ? -ERESTART_SYS : 0;
}

int64_t lx_object_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    uint64_t got;
    int64_t err;

    if (!f->ops->number)
        return f->ops->read ? f->ops->read(c, f, va, len) : -EINVAL;
    err = lx_object_number(c, f, len, &got);
    if (err < 0)
        return err;
    return lx_vm_write_word(&c->p->vm, va, sizeof got, got) < 0 ? -EFAULT : (int64_t)sizeof got;
}

int64_t lx_object_number(struct lx_call *c, struct lx_file *f, uint64_t len, uint64_t *got)
{
    return len < sizeof *got ? -EINVAL : f->ops->number(c, f, got);
}

int64_t lx_object_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    return f->ops->write ? f->ops->write(c, f, va, len) : -EINVAL;
}

int lx_mask_enter(struct lx_call *c, uint64_t va, uint64_t size)
{
    struct lx_sigs mask;

    if (!va)
        return 0;
    if (size != lx_signal_set_bytes(c->p))
        return -EINVAL;
    if (lx_signal_read_set(c->p, va, &mask) < 0)
        return -EFAULT;
    c->t->saved_mask = c->t->mask;
    c->t->restore_mask = true;
    lx_signal_set_mask(c->t, &mask);
    return 0;
}

int64_t lx_mask_leave(struct lx_call *c, int64_t result)
{
    /* A signal that ended the wait is handled under the mask it came through. */
    if (c->t->restore_mask && result != -ERESTART_NOHAND && result != -EINTR) {
        c->t->restore_mask = false;
        lx_signal_set_mask(c->t, &c->t->saved_mask);
    }
    return result;
}

/* ---- counters -------------------------------------------------------------------------------- */

#define COUNT_MAX (UINT64_MAX - 1)

struct counter {
    uint64_t value;
    bool semaphore; /**< a read takes one, not all */
};

static unsigned counter_ready(struct lx_thread *t, const struct lx_file *f)
{
    const struct counter *n = f->object;

    (void)t;
    return (n->value > 0 ? POLL_IN : 0) | (n->value < COUNT_MAX ? POLL_OUT : 0);
}

static int64_t counter_number(struct lx_call *c, struct lx_file *f, uint64_t *got)
{
    struct counter *n = f->object;

    while (n->value == 0) {
        int64_t err = lx_object_wait(c, f);
        if (err < 0)
            return err;
    }
    *got = n->semaphore ? 1 : n->value;
    n->value -= *got;
    lx_epoll_tell(c->p, n, POLL_OUT);
    lx_thread_wake_all(c->p, c->p->fds);
    return 0;
}

static int64_t counter_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    struct counter *n = f->object;
    uint64_t more;

    if (len < sizeof more)
        return -EINVAL;
    if (lx_vm_read_word(&c->p->vm, va, sizeof more, &more) < 0)
        return -EFAULT;
    if (more == UINT64_MAX)
        return -EINVAL;
    while (more > COUNT_MAX - n->value) {
        int64_t err = lx_object_wait(c, f);
        if (err < 0)
            return err;
    }
    n->value += more;
    lx_epoll_tell(c->p, n, POLL_IN);
    lx_thread_wake_all(c->p, c->p->fds);
    return sizeof more;
}

static void counter_release(struct lx_prog *p, struct lx_file *f)
{
    (void)p;
    free(f->object);
}

static const struct lx_file_ops counter_ops = {
    .ready = counter_ready,
    .number = counter_number,
    .write = counter_write,
    .release = counter_release,
    .name = "anon_inode:[eventfd]",
};

int64_t lx_sys_eventfd2(struct lx_call *c)
{
    enum { SEMAPHORE = 1 };
    const uint64_t flags = c->row->args[1] ? c->a[1] : 0; /* eventfd has none */
    struct counter *n;

    if (flags & ~(uint64_t)(SEMAPHORE | G_O_NONBLOCK | G_O_CLOEXEC))
        return -EINVAL;
    n = sim_alloc(1, sizeof *n);
    n->value = c->a[0];
    n->semaphore = flags & SEMAPHORE;
    return lx_object_open(c->p, &counter_ops, n, ((uint32_t)flags & ~(uint32_t)SEMAPHORE) | 2);
}

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGNAL_BYTES = 128 /* of struct signalfd_siginfo */ };

static unsigned signals_ready(struct lx_thread *t, const struct lx_file *f)
{
    const struct lx_sigs *set = f->object;
    struct lx_sigs waiting;

    lx_signal_pending_set(t, &waiting);
    return (waiting.w[0] & set->w[0]) | (waiting.w[1] & set->w[1]) ? POLL_IN : 0;
}

static int put_signal(struct lx_call *c, uint64_t va, const struct lx_siginfo *info)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 4, (uint64_t)info->signo);
    lx_out_int(&o, 4, 0);
    lx_out_int(&o, 4, lx_number_out(c->p->kind, LX_CODE, (uint32_t)info->code));
    lx_out_int(&o, 4, info->code == SI_TIMER_ ? 0 : info->pid);
    lx_out_int(&o, 4, info->code == SI_TIMER_ ? 0 : info->uid);
    lx_out_int(&o, 4, 0);
    lx_out_int(&o, 4, info->code == SI_TIMER_ ? info->pid : 0);
    lx_out_int(&o, 4, 0);
    lx_out_int(&o, 4, info->code == SI_TIMER_ ? info->uid : 0);
    lx_out_skip(&o, 44);
    lx_out_int(&o, 4, lx_kind_int(c->p->kind, info->value)); /* sival_int */
    lx_out_int(&o, 8, info->value);
    lx_out_skip(&o, SIGNAL_BYTES);
    return lx_out_write(&o, &c->p->vm, va);
}

static int64_t signals_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    const struct lx_sigs *set = f->object;
    struct lx_siginfo info;
    uint64_t done = 0;

    if (len < SIGNAL_BYTES)
        return -EINVAL;
    while (!signals_ready(c->t, f)) {
        int64_t err = lx_object_wait(c, f);
        if (err < 0)
            return err;
    }
    while (len - done >= SIGNAL_BYTES && lx_signal_take(c->t, set, &info)) {
        if (put_signal(c, va + done, &info) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        done += SIGNAL_BYTES;
    }
    return (int64_t)done;
}

static void signals_release(struct lx_prog *p, struct lx_file *f)
{
    p->watchers--;
    free(f->object);
}

static const struct lx_file_ops signals_ops = {.ready = signals_ready,
                                               .read = signals_read,
                                               .release = signals_release,
                                               .name = "anon_inode:[signalfd]"};

const void *lx_object_queue(const struct lx_prog *p, const struct lx_file *f)
{
    return f->ops == &signals_ops ? &p->watchers : f->object;
}

/** signalfd4(descriptor or -1, mask, size, flags) */
int64_t lx_sys_signalfd4(struct lx_call *c)
{
    const uint64_t flags = c->row->args[3] ? c->a[3] : 0; /* signalfd has none */
    struct lx_file *f = NULL;
    struct lx_sigs *set, mask;

    if (flags & ~(uint64_t)(G_O_NONBLOCK | G_O_CLOEXEC) || c->a[2] != lx_signal_set_bytes(c->p))
        return -EINVAL;
    if (lx_signal_read_set(c->p, c->a[1], &mask) < 0)
        return -EFAULT;
    if ((int32_t)c->a[0] != -1) {
        f = lx_file_get(c->p, (int32_t)c->a[0]);
        if (!f)
            return -EBADF;
        if (f->ops != &signals_ops)
            return -EINVAL;
        *(struct lx_sigs *)f->object = mask;
        lx_epoll_tell(c->p, &c->p->watchers, POLL_ANY);
        lx_thread_wake_all(c->p, c->p->fds); /* what waits already may be in it now */
        return (int32_t)c->a[0];
    }
    set = sim_alloc(1, sizeof *set);
    *set = mask;
    c->p->watchers++;
    return lx_object_open(c->p, &signals_ops, set, (uint32_t)flags | 2);
}

/*
 * Threads: clone as glibc's pthread_create calls it, ends, and which card a thread may use.
 *
 * Other kinds of clone (a new process) are not provided: the machine runs one program.
 */
#include "programs/syscall.h"

#include <inttypes.h>
#include <string.h>

enum {
    CLONE_VM = 0x100,
    CLONE_THREAD = 0x10000,
    CLONE_SETTLS = 0x80000,
    CLONE_PARENT_SETTID = 0x100000,
    CLONE_CHILD_CLEARTID = 0x200000,
    CLONE_CHILD_SETTID = 0x1000000,
    THREADS_MAX = 4096,
};

/** clone(flags, stack, parent_tid, tls, child_tid) */
int64_t sys_clone(struct call *c)
{
    struct prog *p = c->p;
    uint64_t flags = c->a[0];
    struct thread *t;

    if (!(flags & CLONE_THREAD) || !(flags & CLONE_VM))
        return sys_unprovided(c);
    if (p->alive >= THREADS_MAX)
        return -EAGAIN;
    t = thread_new(p, &c->t->regs);
    t->regs.gpr[2] = 0;
    t->regs.gpr[7] = 0;
    if (c->a[1])
        t->regs.gpr[29] = p->n64 ? c->a[1] : (uint64_t)(int64_t)(int32_t)c->a[1];
    if (flags & CLONE_SETTLS)
        t->regs.userlocal = p->n64 ? c->a[3] : (uint64_t)(int64_t)(int32_t)c->a[3];
    t->mask = c->t->mask;
    memcpy(t->affinity, c->t->affinity, sizeof t->affinity);
    if (flags & CLONE_CHILD_CLEARTID)
        t->clear_tid = c->a[4];
    if ((flags & CLONE_PARENT_SETTID) && vm_write32(&p->vm, c->a[2], t->tid) < 0)
        return -EFAULT;
    if ((flags & CLONE_CHILD_SETTID) && vm_write32(&p->vm, c->a[4], t->tid) < 0)
        return -EFAULT;
    thread_start(t);
    return t->tid;
}

int64_t sys_exit(struct call *c)
{
    struct thread *t = c->t;
    struct prog *p = c->p;

    futex_thread_exit(t);
    if (t->clear_tid && vm_write32(&p->vm, t->clear_tid, 0) == 0)
        futex_wake(p, t->clear_tid, 1, ~0u);
    thread_end(t);
    if (p->alive == 0)
        prog_finish(p, PROG_EXITED, (int)(c->a[0] & 0xff), NULL);
    return 0;
}

int64_t sys_exit_group(struct call *c)
{
    prog_finish(c->p, PROG_EXITED, (int)(c->a[0] & 0xff), NULL);
    return 0;
}

/** There are no other processes to wait for. */
int64_t sys_no_child(struct call *c)
{
    (void)c;
    return -ECHILD;
}

int64_t sys_set_tid_address(struct call *c)
{
    c->t->clear_tid = c->a[0];
    return c->t->tid;
}

int64_t sys_set_robust_list(struct call *c)
{
    if (c->a[1] != (c->p->n64 ? 24 : 12))
        return -EINVAL;
    c->t->robust_list = c->a[0];
    return 0;
}

int64_t sys_get_robust_list(struct call *c)
{
    unsigned w = c->p->n64 ? 8 : 4;
    struct thread *t = c->a[0] ? thread_find(c->p, (uint32_t)c->a[0]) : c->t;

    if (!t)
        return -ESRCH;
    if (vm_write_word(&c->p->vm, c->a[1], w, t->robust_list) < 0 ||
        vm_write_word(&c->p->vm, c->a[2], w, 3 * w) < 0)
        return -EFAULT;
    return 0;
}

int64_t sys_set_thread_area(struct call *c)
{
    c->t->regs.userlocal = c->p->n64 ? c->a[0] : (uint64_t)(int64_t)(int32_t)c->a[0];
    return 0;
}

/* ---- scheduling ------------------------------------------------------------------------------ */

int64_t sys_sched_yield(struct call *c)
{
    c->t->yield = true;
    return 0;
}

/** The thread a tid (0: the caller) means. */
static struct thread *target(struct call *c)
{
    return c->a[0] ? thread_find(c->p, (uint32_t)c->a[0]) : c->t;
}

/** CPU masks are arrays of the guest's long. */
int64_t sys_sched_getaffinity(struct call *c)
{
    const struct thread *t = target(c);
    unsigned w = c->p->n64 ? 8 : 4;
    uint64_t len = (c->p->processors + 8 * w - 1) / (8 * w) * w;

    if (!t)
        return -ESRCH;
    if (c->a[1] < len || c->a[1] % w)
        return -EINVAL;
    for (uint64_t at = 0; at < len; at += w) {
        uint64_t word = t->affinity[at / 8] >> (8 * (at % 8));
        if (vm_write_word(&c->p->vm, c->a[2] + at, w, word) < 0)
            return -EFAULT;
    }
    return (int64_t)len;
}

int64_t sys_sched_setaffinity(struct call *c)
{
    struct thread *t = target(c);
    unsigned w = c->p->n64 ? 8 : 4;
    uint64_t mask[CARDS_MAX / 64] = {0}, any = 0;

    if (!t)
        return -ESRCH;
    for (uint64_t at = 0; at + w <= c->a[1] && at < sizeof mask; at += w) {
        uint64_t word;
        if (vm_read_word(&c->p->vm, c->a[2] + at, w, &word) < 0)
            return -EFAULT;
        mask[at / 8] |= word << (8 * (at % 8));
    }
    for (unsigned i = 0; i < CARDS_MAX; i++) {
        if (i >= c->p->processors)
            mask[i / 64] &= ~(UINT64_C(1) << (i % 64));
        any |= mask[i / 64] >> (i % 64) & 1;
    }
    if (!any)
        return -EINVAL;
    memcpy(t->affinity, mask, sizeof mask);
    sched_affinity(t);
    return 0;
}

int64_t sys_getcpu(struct call *c)
{
    if (c->a[0] && vm_write32(&c->p->vm, c->a[0], c->t->card) < 0)
        return -EFAULT;
    if (c->a[1] && vm_write32(&c->p->vm, c->a[1], c->t->card / (uint32_t)c->p->par->processors) < 0)
        return -EFAULT;
    return 0;
}

/** Only SCHED_OTHER exists, with priority 0. */
int64_t sys_sched_setscheduler(struct call *c)
{
    return target(c) ? (c->a[1] == 0 ? 0 : -EPERM) : -ESRCH;
}

int64_t sys_sched_getparam(struct call *c)
{
    if (!target(c))
        return -ESRCH;
    return vm_write32(&c->p->vm, c->a[1], 0);
}

/** A bound of a policy's priorities: `realtime` for those that have any. */
static int64_t priority(uint64_t policy, int64_t realtime)
{
    enum { OTHER = 0, FIFO, RR, BATCH, IDLE = 5 };

    if (policy == FIFO || policy == RR)
        return realtime;
    return policy == OTHER || policy == BATCH || policy == IDLE ? 0 : -EINVAL;
}

int64_t sys_sched_priority_max(struct call *c)
{
    return priority(c->a[0], 99);
}

int64_t sys_sched_priority_min(struct call *c)
{
    return priority(c->a[0], 1);
}

int64_t sys_sched_rr_get_interval(struct call *c)
{
    if (!target(c))
        return -ESRCH;
    return call_put_time(c, 1, prog_ns(c->p, c->p->par->os_quantum));
}

/* ---- names and odds -------------------------------------------------------------------------- */

int64_t sys_prctl(struct call *c)
{
    enum { SET_DUMPABLE = 4, SET_NAME = 15, GET_NAME = 16, SET_NO_NEW_PRIVS = 38 };
    char name[sizeof c->t->name] = "";

    switch (c->a[0]) {
    case SET_NAME:
        for (size_t i = 0; i + 1 < sizeof name; i++) {
            if (vm_read(&c->p->vm, c->a[1] + i, &name[i], 1) < 0)
                return -EFAULT;
            if (!name[i])
                break;
        }
        memcpy(c->t->name, name, sizeof name);
        return 0;
    case GET_NAME:
        return vm_write(&c->p->vm, c->a[1], c->t->name, sizeof c->t->name);
    case SET_DUMPABLE:
    case SET_NO_NEW_PRIVS:
        return 0;
    default:
        return -EINVAL;
    }
}

/** sysmips(MIPS_ATOMIC_SET, address, new): exchanges a word; the old one is the result. */
int64_t sys_sysmips(struct call *c)
{
    enum { FLUSH_CACHE = 3, MIPS_FIXADE = 7, ATOMIC_SET = 2001 };
    uint32_t old;

    if (c->a[0] == FLUSH_CACHE || c->a[0] == MIPS_FIXADE)
        return 0;
    if (c->a[0] != ATOMIC_SET || (c->a[1] & 3))
        return -EINVAL;
    if (vm_read32(&c->p->vm, c->a[1], &old) < 0 ||
        vm_write32(&c->p->vm, c->a[1], (uint32_t)c->a[2]) < 0)
        return -EFAULT;
    /* The result may be any word, negative ones too: set it here. */
    c->t->regs.gpr[2] = (uint64_t)(int64_t)(int32_t)old;
    c->t->regs.gpr[7] = 0;
    c->replaced = true;
    return 0;
}

int64_t sys_membarrier(struct call *c)
{
    enum { QUERY = 0, ALL = 0x1ff };

    return c->a[0] == QUERY ? ALL : 0;
}

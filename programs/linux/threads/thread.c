/*
 * Threads: clone as glibc's pthread_create calls it, and ends.
 *
 * Other kinds of clone (a new process) are not provided: the machine runs one program.
 */
#include "programs/linux/process/call.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/threads/futex.h"
#include "programs/linux/threads/threads.h"

#include <inttypes.h>
#include <string.h>

enum {
    CLONE_VM = 0x100,
    CLONE_FS = 0x200,
    CLONE_SIGHAND = 0x800,
    CLONE_THREAD = 0x10000,
    CLONE_SETTLS = 0x80000,
    CLONE_PARENT_SETTID = 0x100000,
    CLONE_CHILD_CLEARTID = 0x200000,
    CLONE_CHILD_SETTID = 0x1000000,
    CLONE_NEWNS = 0x20000,
    SCHED_RESET_ON_FORK_ = 0x40000000,
};

/** clone(flags, stack, parent_tid, tls, child_tid) */
int64_t lx_sys_clone(struct lx_call *c)
{
    struct lx_prog *p = c->p;
    uint64_t flags = c->a[0];
    struct lx_thread *t;

    if (((flags & CLONE_THREAD) && !(flags & CLONE_SIGHAND)) ||
        ((flags & CLONE_SIGHAND) && !(flags & CLONE_VM)) ||
        ((flags & CLONE_NEWNS) && (flags & CLONE_FS)))
        return -EINVAL;
    if (!(flags & CLONE_THREAD))
        return lx_sys_unprovided(c);
    if (p->alive >= THREADS_MAX || (p->uid && p->alive >= p->limits[LIMIT_NPROC].soft))
        return -EAGAIN;
    t = lx_thread_new(p, &c->t->regs);
    p->kind->isa->result(t, 0, false);
    if (c->a[1])
        p->kind->isa->set_sp(&t->regs, c->a[1]);
    if (flags & CLONE_SETTLS)
        p->kind->isa->set_tls(&t->regs, c->a[3]);
    t->mask = c->t->mask;
    p->steps->born(t, c->t);
    memcpy(t->name, c->t->name, sizeof t->name);
    t->nice = c->t->nice;
    t->slack = t->slack_born = c->t->slack;
    if (!(c->t->policy & SCHED_RESET_ON_FORK_))
        t->policy = c->t->policy;
    memcpy(t->affinity, c->t->affinity, sizeof t->affinity);
    if (flags & CLONE_CHILD_CLEARTID)
        t->clear_tid = c->a[4];
    /* Linux does not care whether these can be stored, and the thread is there already. */
    if (flags & CLONE_PARENT_SETTID)
        lx_vm_write32(&p->vm, c->a[2], t->tid);
    if (flags & CLONE_CHILD_SETTID)
        lx_vm_write32(&p->vm, c->a[4], t->tid);
    lx_thread_start(t);
    return t->tid;
}

int64_t lx_sys_exit(struct lx_call *c)
{
    struct lx_thread *t = c->t;
    struct lx_prog *p = c->p;

    lx_futex_thread_exit(t);
    p->steps->gone(t);
    if (t->clear_tid && lx_vm_write32(&p->vm, t->clear_tid, 0) == 0)
        lx_futex_call(p, t->clear_tid);
    lx_thread_end(t);
    if (p->alive == 0)
        prog_finish(p->run, PROG_EXITED, (int)(c->a[0] & 0xff), NULL);
    return 0;
}

int64_t lx_sys_exit_group(struct lx_call *c)
{
    lx_thread_exits(c->t);
    prog_finish(c->p->run, PROG_EXITED, (int)(c->a[0] & 0xff), NULL);
    return 0;
}

int64_t lx_sys_set_tid_address(struct lx_call *c)
{
    c->t->clear_tid = c->a[0];
    return c->t->tid;
}

int64_t lx_sys_set_robust_list(struct lx_call *c)
{
    if (c->a[1] != 3 * c->p->kind->word)
        return -EINVAL;
    c->t->robust_list = c->a[0];
    return 0;
}

int64_t lx_sys_get_robust_list(struct lx_call *c)
{
    unsigned w = c->p->kind->word;
    struct lx_thread *t = c->a[0] ? lx_thread_named(c->p, (uint32_t)c->a[0]) : c->t;

    if (!t)
        return -ESRCH;
    if (lx_vm_write_word(&c->p->vm, c->a[2], w, 3 * w) < 0 ||
        lx_vm_write_word(&c->p->vm, c->a[1], w, t->robust_list) < 0)
        return -EFAULT;
    return 0;
}

int64_t lx_sys_set_thread_area(struct lx_call *c)
{
    lx_isa_of(c->t)->set_tls(&c->t->regs, c->a[0]);
    lx_thread_tell(c->t);
    return 0;
}

int64_t lx_sys_arm_get_tls(struct lx_call *c)
{
    lx_isa_of(c->t)->result(c->t, lx_isa_of(c->t)->tls(&c->t->regs), false); /* may be any word */
    c->replaced = true;
    return 0;
}

/* ---- odds ------------------------------------------------------------------------------------ */

/** sysmips(MIPS_ATOMIC_SET, address, new): exchanges a word; the old one is the result. */
int64_t lx_sys_sysmips(struct lx_call *c)
{
    enum { FLUSH_CACHE = 3, MIPS_FIXADE = 7, ATOMIC_SET = 2001 };
    uint32_t old;

    if (c->a[0] == FLUSH_CACHE || c->a[0] == MIPS_FIXADE)
        return 0;
    if (c->a[0] != ATOMIC_SET || (c->a[1] & 3))
        return -EINVAL;
    if (lx_vm_read32(&c->p->vm, c->a[1], &old) < 0 ||
        lx_vm_write32(&c->p->vm, c->a[1], (uint32_t)c->a[2]) < 0)
        return -EFAULT;
    /* The result may be any word, negative ones too: set it here. */
    lx_isa_of(c->t)->result(c->t, old, false);
    c->replaced = true;
    return 0;
}

/** Memory is sequentially consistent: the commands have nothing to do but be known. */
int64_t lx_sys_membarrier(struct lx_call *c)
{
    enum { QUERY = 0, PRIVATE = 8, REGISTER_PRIVATE = 16, ALL = 0x1f };
    const uint64_t command = c->a[0];

    if (c->a[1] || command & ~(uint64_t)ALL || command & (command - 1))
        return -EINVAL;
    if (command == QUERY)
        return ALL;
    if (command == REGISTER_PRIVATE)
        c->p->membarrier = true;
    return command == PRIVATE && !c->p->membarrier ? -EPERM : 0;
}

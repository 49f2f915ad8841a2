/*
 * Who the program is: a user without rights, alone. Identities can be set to what they are and to
 * nothing else.
 */
#include "programs/linux/process/call.h"
#include "programs/linux/threads/threads.h"

int64_t lx_sys_getpid(struct lx_call *c)
{
    (void)c;
    return FIRST_TID;
}

int64_t lx_sys_gettid(struct lx_call *c)
{
    return c->t->tid;
}

int64_t lx_sys_getppid(struct lx_call *c)
{
    (void)c;
    return PARENT;
}

/** The group and the session of a process (argument 0): the program leads its own, and
 *  process 1 leads another. */
int64_t lx_sys_getpgid(struct lx_call *c)
{
    if (c->a[0] == PARENT)
        return PARENT;
    return c->a[0] == 0 || lx_thread_named(c->p, (uint32_t)c->a[0]) ? FIRST_TID : -ESRCH;
}

int64_t lx_sys_setpgid(struct lx_call *c)
{
    const int32_t process = c->a[0] ? (int32_t)c->a[0] : FIRST_TID;

    if ((c->a[1] ? (int32_t)c->a[1] : process) < 0) /* the group is its own */
        return -EINVAL;
    if (process != FIRST_TID)
        return -ESRCH;
    return -EPERM; /* it leads a session */
}

int64_t lx_sys_setsid(struct lx_call *c)
{
    (void)c;
    return -EPERM; /* it leads one */
}

int64_t lx_sys_getuid(struct lx_call *c)
{
    return c->p->uid;
}

int64_t lx_sys_getgid(struct lx_call *c)
{
    return c->p->gid;
}

static int64_t put_three(struct lx_call *c, uint32_t id)
{
    for (int i = 0; i < 3; i++)
        if (lx_vm_write32(&c->p->vm, c->a[i], id) < 0)
            return -EFAULT;
    return 0;
}

int64_t lx_sys_getresuid(struct lx_call *c)
{
    return put_three(c, c->p->uid);
}

int64_t lx_sys_getresgid(struct lx_call *c)
{
    return put_three(c, c->p->gid);
}

/** The same in 16 bits each. */
static int64_t put_three16(struct lx_call *c, uint32_t id)
{
    for (int i = 0; i < 3; i++)
        if (lx_vm_write_word(&c->p->vm, c->a[i], 2, id) < 0)
            return -EFAULT;
    return 0;
}

int64_t lx_sys_getresuid16(struct lx_call *c)
{
    return put_three16(c, c->p->uid);
}

int64_t lx_sys_getresgid16(struct lx_call *c)
{
    return put_three16(c, c->p->gid);
}

enum { KEEP = -1 /* as an identity: leave it */ };

static int64_t set_one(uint64_t to, uint32_t id)
{
    if ((int32_t)to == KEEP)
        return -EINVAL;
    return to == id ? 0 : -EPERM;
}

/** The first `n` arguments, each kept or what it is. */
static int64_t set_several(const struct lx_call *c, unsigned n, uint32_t id)
{
    for (unsigned i = 0; i < n; i++)
        if ((int32_t)c->a[i] != KEEP && c->a[i] != id)
            return -EPERM;
    return 0;
}

int64_t lx_sys_setuid(struct lx_call *c)
{
    return set_one(c->a[0], c->p->uid);
}

int64_t lx_sys_setgid(struct lx_call *c)
{
    return set_one(c->a[0], c->p->gid);
}

int64_t lx_sys_setreuid(struct lx_call *c)
{
    return set_several(c, 2, c->p->uid);
}

int64_t lx_sys_setregid(struct lx_call *c)
{
    return set_several(c, 2, c->p->gid);
}

int64_t lx_sys_setresuid(struct lx_call *c)
{
    return set_several(c, 3, c->p->uid);
}

int64_t lx_sys_setresgid(struct lx_call *c)
{
    return set_several(c, 3, c->p->gid);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/** @param width  [bytes] of a group's number */
static int64_t get_groups(struct lx_call *c, unsigned width)
{
    if ((int32_t)c->a[0] < 0)
        return -EINVAL;
    if (c->a[0] == 0)
        return 1;
    return lx_vm_write_word(&c->p->vm, c->a[1], width, c->p->gid) < 0 ? -EFAULT : 1;
}

int64_t lx_sys_getgroups(struct lx_call *c)
{
    return get_groups(c, 4);
}

int64_t lx_sys_getgroups16(struct lx_call *c)
{
    return get_groups(c, 2);
}

int64_t lx_sys_not_permitted(struct lx_call *c)
{
    (void)c;
    return -EPERM;
}

/* ---- capabilities: none, and none to be had ----------------------------------------------------
 */

enum { CAPABILITY_SETS = 3 /* effective, permitted, inheritable */ };

/** Reads the head of a structure of capabilities: its version, and whose they are. @param[out]
 * words of 32 bits that each set has @return 0, -EFAULT; -EINVAL: another version, and the newest
 * one is written there */
static int64_t capability_head(struct lx_call *c, unsigned *words, uint32_t *whose)
{
    enum { FIRST = 0x19980330, SECOND = 0x20071026, THIRD = 0x20080522 };
    uint32_t version;

    if (lx_vm_read32(&c->p->vm, c->a[0], &version) < 0)
        return -EFAULT;
    *words = version == FIRST ? 1 : 2;
    if (version != FIRST && version != SECOND && version != THIRD)
        return lx_vm_write32(&c->p->vm, c->a[0], THIRD) < 0 ? -EFAULT : -EINVAL;
    return lx_vm_read32(&c->p->vm, c->a[0] + 4, whose);
}

int64_t lx_sys_capget(struct lx_call *c)
{
    unsigned words;
    uint32_t whose;
    const int64_t err = capability_head(c, &words, &whose);

    if (!c->a[1])
        return err == -EINVAL ? 0 : err;
    if (err < 0)
        return err;
    if ((int32_t)whose < 0)
        return -EINVAL;
    if (whose && whose != PARENT && !lx_thread_named(c->p, whose))
        return -ESRCH;
    return lx_vm_zero(&c->p->vm, c->a[1], (size_t)CAPABILITY_SETS * words * 4);
}

int64_t lx_sys_capset(struct lx_call *c)
{
    unsigned words;
    uint32_t whose, any = 0;
    const int64_t err = capability_head(c, &words, &whose);

    if (err < 0)
        return err;
    if (whose && whose != c->t->tid)
        return -EPERM;
    for (unsigned i = 0; i < CAPABILITY_SETS * words; i++) {
        uint32_t set;
        if (lx_vm_read32(&c->p->vm, c->a[1] + 4 * i, &set) < 0)
            return -EFAULT;
        any |= set;
    }
    return any ? -EPERM : 0;
}

/* ---- children -------------------------------------------------------------------------------- */

enum { WNOHANG_ = 1, WUNTRACED_ = 2, WEXITED_ = 4, WCONTINUED_ = 8, WNOWAIT_ = 0x1000000 };
#define W_THREADS UINT64_C(0xe0000000) /* __WNOTHREAD, __WALL, __WCLONE */

/** There are no other processes to wait for. */
int64_t lx_sys_wait4(struct lx_call *c)
{
    if (c->a[2] & ~(WNOHANG_ | WUNTRACED_ | WCONTINUED_ | W_THREADS))
        return -EINVAL;
    return (int32_t)c->a[0] == INT32_MIN ? -ESRCH : -ECHILD; /* no group has that number */
}

int64_t lx_sys_waitid(struct lx_call *c)
{
    enum { KINDS = 4 /* all, pid, group, pidfd */, KIND_PIDFD = 3 };
    const uint64_t what = WEXITED_ | WUNTRACED_ | WCONTINUED_;

    if (c->a[3] & ~(what | WNOHANG_ | WNOWAIT_ | W_THREADS) || !(c->a[3] & what))
        return -EINVAL;
    return c->a[0] >= KINDS ? -EINVAL : c->a[0] == KIND_PIDFD ? -EBADF : -ECHILD;
}

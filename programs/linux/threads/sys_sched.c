/*
 * Scheduling calls. Threads take turns whatever they ask for: policies and nice values are kept and
 * given back, and what a user without rights may not have is refused as Linux refuses it.
 */
#include "programs/linux/process/call.h"
#include "programs/linux/threads/threads.h"

#include "machine/values.h"

#include <string.h>

/** Linux policy numbers, and the flag beside them. */
enum { OTHER = 0, FIFO, RR, BATCH, IDLE = 5, DEADLINE, RESET_ON_FORK = 0x40000000 };

enum { PRIORITY_MAX = 99 };

int64_t lx_sys_sched_yield(struct lx_call *c)
{
    c->t->yield = true;
    return 0;
}

/** The thread a tid (0: the caller) means, or NULL. */
static struct lx_thread *sys_sched_target(struct lx_call *c)
{
    return c->a[0] ? lx_thread_named(c->p, (uint32_t)c->a[0]) : c->t;
}

/** Why there is no such thread that could be changed. */
static int64_t no_target(const struct lx_call *c)
{
    return c->a[0] == PARENT ? -EPERM : -ESRCH;
}

/* ---- cards ----------------------------------------------------------------------------------- */

/** CPU masks are arrays of the guest's long. */
int64_t lx_sys_sched_getaffinity(struct lx_call *c)
{
    const struct lx_thread *t = sys_sched_target(c);
    unsigned w = c->p->kind->word;
    uint64_t len = (c->p->processors + 8 * w - 1) / (8 * w) * w;

    if (c->a[1] < len || c->a[1] % w)
        return -EINVAL;
    if (!t)
        return -ESRCH;
    for (uint64_t at = 0; at < len; at += w) {
        uint64_t word = t->affinity[at / 8] >> (8 * (at % 8));
        if (lx_vm_write_word(&c->p->vm, c->a[2] + at, w, word) < 0)
            return -EFAULT;
    }
    return (int64_t)len;
}

/** Reads one of any length: what it does not have is 0, and what is too much is not read. */
static int read_cards(struct lx_call *c, uint64_t mask[CARDS_MAX / 64])
{
    const unsigned w = c->p->kind->word;

    for (uint64_t at = 0; at < c->a[1] && at < CARDS_MAX / 8; at++) {
        const uint64_t place = c->p->kind->little ? at : at / w * w + (w - 1 - at % w);
        uint8_t byte;
        if (lx_vm_read(&c->p->vm, c->a[2] + at, &byte, 1) < 0)
            return -EFAULT;
        mask[place / 8] |= (uint64_t)byte << (8 * (place % 8));
    }
    return 0;
}

int64_t lx_sys_sched_setaffinity(struct lx_call *c)
{
    struct lx_thread *t = sys_sched_target(c);
    uint64_t mask[CARDS_MAX / 64] = {0}, any = 0;

    if (read_cards(c, mask) < 0)
        return -EFAULT;
    if (!t)
        return no_target(c);
    for (unsigned i = 0; i < CARDS_MAX; i++) {
        if (i >= c->p->processors)
            mask[i / 64] &= ~(UINT64_C(1) << (i % 64));
        any |= mask[i / 64] >> (i % 64) & 1;
    }
    if (!any)
        return -EINVAL;
    memcpy(t->affinity, mask, sizeof mask);
    lx_sched_affinity(t);
    return 0;
}

int64_t lx_sys_getcpu(struct lx_call *c)
{
    if (c->a[0] && lx_vm_write32(&c->p->vm, c->a[0], c->t->card) < 0)
        return -EFAULT;
    if (c->a[1] &&
        lx_vm_write32(&c->p->vm, c->a[1], c->t->card / (uint32_t)c->p->par->processors) < 0)
        return -EFAULT;
    return 0;
}

/* ---- policies -------------------------------------------------------------------------------- */

static bool is_realtime(uint32_t policy)
{
    return policy == FIFO || policy == RR;
}

/** What is wrong with such a policy for the thread. @return 0, -EINVAL, -EPERM */
static int check_policy(const struct lx_prog *p, const struct lx_thread *t, uint32_t asked,
                        int32_t priority)
{
    const uint32_t policy = asked & ~(uint32_t)RESET_ON_FORK;
    const uint32_t old = t->policy & ~(uint32_t)RESET_ON_FORK;
    const uint64_t nice = p->limits[LIMIT_NICE].soft;

    if (policy > IDLE || (policy > BATCH && policy < IDLE) || priority < 0 ||
        priority > PRIORITY_MAX || is_realtime(policy) != (priority != 0))
        return -EINVAL;
    if (is_realtime(policy) && p->limits[LIMIT_RTPRIO].soft < (uint64_t)priority)
        return -EPERM;
    if (old == IDLE && policy != IDLE && nice < (uint64_t)(20 - t->nice))
        return -EPERM;
    return t->policy & RESET_ON_FORK && !(asked & RESET_ON_FORK) ? -EPERM : 0;
}

/** @param policy  with flags; negative: as it is */
static int64_t set_policy(struct lx_call *c, int64_t policy, uint64_t param)
{
    struct lx_thread *t;
    uint32_t priority;
    int err;

    if (!param || (int32_t)c->a[0] < 0)
        return -EINVAL;
    if (lx_vm_read32(&c->p->vm, param, &priority) < 0)
        return -EFAULT;
    t = sys_sched_target(c);
    if (!t)
        return no_target(c);
    if (policy < 0)
        policy = t->policy;
    err = check_policy(c->p, t, (uint32_t)policy, (int32_t)priority);
    if (err == 0)
        t->policy = (uint32_t)policy;
    return err;
}

int64_t lx_sys_sched_setscheduler(struct lx_call *c)
{
    return (int32_t)c->a[1] < 0 ? -EINVAL : set_policy(c, (int64_t)c->a[1], c->a[2]);
}

int64_t lx_sys_sched_setparam(struct lx_call *c)
{
    return set_policy(c, -1, c->a[1]);
}

int64_t lx_sys_sched_getscheduler(struct lx_call *c)
{
    const struct lx_thread *t = sys_sched_target(c);

    if ((int32_t)c->a[0] < 0)
        return -EINVAL;
    return t ? (int64_t)t->policy : c->a[0] == PARENT ? OTHER : -ESRCH;
}

/** The priority is 0: nobody may have another. */
int64_t lx_sys_sched_getparam(struct lx_call *c)
{
    if (!c->a[1] || (int32_t)c->a[0] < 0)
        return -EINVAL;
    return sys_sched_target(c) || c->a[0] == PARENT ? lx_vm_write32(&c->p->vm, c->a[1], 0) : -ESRCH;
}

/** A bound of a policy's priorities: `realtime` for those that have any. */
static int64_t sys_sched_bound(uint64_t policy, int64_t realtime)
{
    if (policy == FIFO || policy == RR)
        return realtime;
    return policy == OTHER || policy == BATCH || policy == IDLE || policy == DEADLINE ? 0 : -EINVAL;
}

int64_t lx_sys_sched_priority_max(struct lx_call *c)
{
    return sys_sched_bound(c->a[0], PRIORITY_MAX);
}

int64_t lx_sys_sched_priority_min(struct lx_call *c)
{
    return sys_sched_bound(c->a[0], 1);
}

int64_t lx_sys_sched_rr_get_interval(struct lx_call *c)
{
    if ((int32_t)c->a[0] < 0)
        return -EINVAL;
    if (!sys_sched_target(c))
        return -ESRCH;
    return lx_call_put_time(c, 1, lx_ns(c->p, c->p->par->os_quantum));
}

/* ---- nice values ----------------------------------------------------------------------------- */

enum { OF_PROCESS = 0, OF_GROUP, OF_USER, NICE_MAX = 19, NICE_MIN = -20 };

/** The threads a pair of `which` and `who` means: one, all (NULL), or -errno. */
static int sys_sched_named(struct lx_call *c, struct lx_thread **t)
{
    const int32_t who = (int32_t)c->a[1];

    *t = NULL;
    if (c->a[0] > OF_USER)
        return -EINVAL;
    if (c->a[0] == OF_PROCESS) {
        *t = who ? lx_thread_named(c->p, (uint32_t)who) : c->t;
        return *t ? 0 : -ESRCH;
    }
    return who == 0 || (uint32_t)who == (c->a[0] == OF_GROUP ? FIRST_TID : c->p->uid) ? 0 : -ESRCH;
}

static bool is_parent(const struct lx_call *c)
{
    return c->a[0] <= OF_GROUP && c->a[1] == PARENT;
}

/** The kernel gives 20 less the lowest of them; process 1 has 0. */
int64_t lx_sys_getpriority(struct lx_call *c)
{
    struct lx_thread *t;
    int64_t err = sys_sched_named(c, &t);
    int best = NICE_MAX;

    if (err == -ESRCH && is_parent(c))
        return 20;
    if (err < 0 || t)
        return err < 0 ? err : 20 - t->nice;
    for (t = c->p->threads; t; t = t->next)
        best = t->nice < best ? t->nice : best;
    return 20 - best;
}

static int set_nice(const struct lx_prog *p, struct lx_thread *t, int nice)
{
    if (nice < t->nice && p->limits[LIMIT_NICE].soft < (uint64_t)(20 - nice))
        return -EACCES;
    t->nice = nice;
    return 0;
}

int64_t lx_sys_setpriority(struct lx_call *c)
{
    const int64_t asked = (int64_t)c->a[2];
    const int nice = (int)(asked > NICE_MAX ? NICE_MAX : asked < NICE_MIN ? NICE_MIN : asked);
    struct lx_thread *t;
    int err = sys_sched_named(c, &t);

    if (err == -ESRCH && is_parent(c))
        return -EPERM;
    if (err < 0 || t)
        return err < 0 ? err : set_nice(c->p, t, nice);
    for (t = c->p->threads; t; t = t->next) {
        int one = set_nice(c->p, t, nice);
        err = one < 0 ? one : err;
    }
    return err;
}

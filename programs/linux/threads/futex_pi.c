/*
 * Futexes with an owner (priority inheritance): the word holds the owner's thread number, and
 * unlocking hands the lock to the first who waits, so that it never passes through "free".
 *
 * There is one priority, so what is inherited is the place in the queue: first come, first served.
 * What remains of the idea is the hand-over, the owner's death, and that a circle of owners is
 * found (EDEADLK).
 */
#include "programs/linux/threads/futex.h"
#include "programs/linux/threads/threads.h"

#include <utlist.h>

/** The first thread that waits for that lock, or NULL. One that has given up, and has not
 *  had its turn to leave the queue yet, does not. */
static struct lx_thread *first_waiter(struct lx_prog *p, const struct lx_futex *lock)
{
    struct lx_thread *t;

    DL_FOREACH2(p->futexes, t, f_next)
        if (t->futex_kind == FUTEX_LOCK && lx_futex_same(&t->futex, lock) && t->waiting)
            return t;
    return NULL;
}

/** Gives the lock to the first who waits. @return false: nobody does */
static bool hand_over(struct lx_prog *p, const struct lx_futex *lock, uint32_t flags)
{
    struct lx_thread *to = first_waiter(p, lock), *t;

    if (!to)
        return false;
    lx_vm_write32(&p->vm, lock->addr, to->tid | FUTEX_WAITERS | flags);
    lx_futex_rouse(to);
    lx_futex_called(p);
    DL_FOREACH2(p->futexes, t, f_next)
        if (t->futex_kind == FUTEX_LOCK && lx_futex_same(&t->futex, lock))
            t->lock_owner = to->tid;
    return true;
}

/** Whether waiting for `owner` would close a circle with `t`. */
static bool futex_pi_circle(struct lx_prog *p, const struct lx_thread *t, uint32_t owner)
{
    const struct lx_thread *o = lx_thread_find(p, owner);

    for (unsigned steps = 0; o && steps < p->alive; steps++) {
        if (o == t)
            return true;
        if (!o->on_futex || o->futex_kind != FUTEX_LOCK)
            return false;
        o = lx_thread_find(p, o->lock_owner);
    }
    return false;
}

/** Tries to take the lock for `t`. @return 1 taken, 0 another has it (the word says that somebody
 *  waits), or -errno */
static int64_t futex_pi_take(struct lx_thread *t, uint64_t addr, bool waiters)
{
    struct lx_vm *vm = &t->p->vm;
    uint32_t v, owner;

    if (lx_vm_read32(vm, addr, &v) < 0)
        return -EFAULT;
    owner = v & FUTEX_TID_MASK;
    if (owner == t->tid)
        return -EDEADLK;
    if (owner == 0) {
        v = t->tid | (v & FUTEX_OWNER_DIED) | (waiters ? FUTEX_WAITERS : 0);
        return lx_vm_write32(vm, addr, v) < 0 ? -EFAULT : 1;
    }
    if (!lx_thread_find(t->p, owner))
        return -ESRCH;
    if (futex_pi_circle(t->p, t, owner))
        return -EDEADLK;
    if (lx_vm_write32(vm, addr, v | FUTEX_WAITERS) < 0)
        return -EFAULT;
    t->lock_owner = owner;
    return 0;
}

int64_t lx_futex_lock_pi(struct lx_call *c, bool realtime)
{
    struct lx_futex lock;
    sim_tick deadline;
    int64_t r = lx_futex_deadline(c, true, realtime, &deadline);

    if (r == 0)
        r = lx_futex_word(c, c->a[0], &lock);
    if (r == 0)
        r = futex_pi_take(c->t, c->a[0], false);
    if (r != 0)
        return r < 0 ? r : 0;
    switch (lx_futex_sleep(c->t, &lock, FUTEX_LOCK, deadline)) {
    case WAKE_EVENT:
        return 0;
    case WAKE_TIMEOUT:
        return -ETIMEDOUT;
    default:
        return -ERESTART_NOINTR;
    }
}

int64_t lx_futex_trylock_pi(struct lx_call *c)
{
    struct lx_futex lock;
    int64_t r = lx_futex_word(c, c->a[0], &lock);

    if (r == 0)
        r = futex_pi_take(c->t, c->a[0], false);
    return r == 0 ? -EAGAIN : r < 0 ? r : 0;
}

int64_t lx_futex_unlock_pi(struct lx_call *c)
{
    struct lx_futex lock;
    int64_t r = lx_futex_word(c, c->a[0], &lock);
    uint32_t v;

    if (r < 0)
        return r;
    if (lx_vm_read32(&c->p->vm, c->a[0], &v) < 0)
        return -EFAULT;
    if ((v & FUTEX_TID_MASK) != c->t->tid)
        return -EPERM;
    if (!hand_over(c->p, &lock, 0) && lx_vm_write32(&c->p->vm, c->a[0], 0) < 0)
        return -EFAULT;
    return 0;
}

/* ---- condition variables --------------------------------------------------------------------- */

/** The two words of a requeue: usable, different, and the first still has that value. */
static int64_t check_words(struct lx_call *c, uint32_t expected, struct lx_futex *condition,
                           struct lx_futex *lock)
{
    uint32_t now;
    int64_t r;

    if (c->a[0] == c->a[4])
        return -EINVAL;
    r = lx_futex_word(c, c->a[0], condition);
    if (r == 0)
        r = lx_futex_word(c, c->a[4], lock);
    if (r == 0 && lx_futex_same(condition, lock))
        r = -EINVAL;
    if (r < 0)
        return r;
    if (lx_vm_read32(&c->p->vm, c->a[0], &now) < 0)
        return -EFAULT;
    return now == expected ? 0 : -EAGAIN;
}

/** futex(word, FUTEX_WAIT_REQUEUE_PI, value, deadline, lock): returns as the lock's owner. */
int64_t lx_futex_wait_requeue_pi(struct lx_call *c, bool realtime)
{
    struct lx_thread *t = c->t;
    struct lx_futex condition;
    sim_tick deadline;
    int64_t r = lx_futex_deadline(c, true, realtime, &deadline);

    if (r < 0)
        return r;
    r = check_words(c, (uint32_t)c->a[2], &condition, &t->lock_wanted);
    if (r < 0)
        return r;
    switch (lx_futex_sleep(t, &condition, FUTEX_CONDITION, deadline)) {
    case WAKE_EVENT:
        return 0;
    case WAKE_TIMEOUT:
        return -ETIMEDOUT;
    default: /* the lock's queue is not the one to begin in again */
        return t->futex_kind == FUTEX_LOCK ? -EAGAIN : -ERESTART_NOINTR;
    }
}

/** One who waits for the condition gets the lock, or a place in its queue. */
static int64_t futex_pi_pass_on(struct lx_thread *t, const struct lx_futex *lock)
{
    int64_t r;

    if (t->futex_kind != FUTEX_CONDITION || !lx_futex_same(&t->lock_wanted, lock))
        return -EINVAL;
    r = futex_pi_take(t, lock->addr, true);
    if (r > 0) {
        lx_futex_rouse(t);
        lx_futex_called(t->p);
    } else if (r == 0) {
        lx_futex_move(t, lock, FUTEX_LOCK);
    }
    return r;
}

/** futex(word, FUTEX_CMP_REQUEUE_PI, 1, others, lock, value) */
int64_t lx_futex_cmp_requeue_pi(struct lx_call *c)
{
    const int64_t most = 1 + (int64_t)c->a[3];
    struct lx_thread *t, *tmp;
    struct lx_futex condition, lock;
    int64_t n = 0, r;

    if (c->a[2] != 1 || (int32_t)c->a[3] < 0)
        return -EINVAL;
    r = check_words(c, (uint32_t)c->a[5], &condition, &lock);
    if (r < 0)
        return r;
    DL_FOREACH_SAFE2(c->p->futexes, t, tmp, f_next) {
        if (n >= most)
            break;
        if (!lx_futex_same(&t->futex, &condition) || !t->waiting)
            continue;
        r = futex_pi_pass_on(t, &lock);
        if (r < 0)
            return n > 0 ? n : r;
        n++;
    }
    return n;
}

void lx_futex_pi_exit(struct lx_thread *t)
{
    struct lx_thread *i;
    bool again = true;

    while (again) { /* every hand-over changes the queue */
        again = false;
        for (i = t->p->futexes; i && !again; i = i->f_next)
            if (i->futex_kind == FUTEX_LOCK && i->lock_owner == t->tid)
                again = hand_over(t->p, &i->futex, FUTEX_OWNER_DIED);
    }
}

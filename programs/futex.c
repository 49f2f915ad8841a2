/*
 * Futexes: the kernel's half of every lock. A thread sleeps if a word still has the value it saw;
 * another wakes sleepers on that word.
 *
 * All sleepers are in one list, first come first; the address is looked for in it. There are at
 * most as many as threads, and one address space, so this is short and its order is the
 * simulation's.
 */
#include "programs/syscall.h"
#include "programs/watch.h"

#include <utlist.h>

enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_REQUEUE = 3,
    FUTEX_CMP_REQUEUE = 4,
    FUTEX_WAKE_OP = 5,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_OPS = 127, /* without PRIVATE (128) and CLOCK_REALTIME */
    FUTEX_CLOCK_REALTIME = 256,
};

enum {
    WAITERS = (int)0x80000000u,
    OWNER_DIED = 0x40000000,
    TID_MASK = 0x3fffffff,
    ROBUST_LIMIT = 2048,
};

static void leave(struct thread *t)
{
    if (!t->on_futex)
        return;
    DL_DELETE2(t->p->futexes, t, f_prev, f_next);
    t->on_futex = false;
}

static void join(struct thread *t, uint64_t addr)
{
    t->futex = addr;
    t->on_futex = true;
    DL_APPEND2(t->p->futexes, t, f_prev, f_next);
}

unsigned futex_wake(struct prog *p, uint64_t addr, unsigned count, uint32_t bits)
{
    struct thread *t, *tmp;
    unsigned n = 0;

    DL_FOREACH_SAFE2(p->futexes, t, tmp, f_next)
    {
        if (n >= count)
            break;
        if (t->futex != addr || !(t->futex_bits & bits) || !t->waiting)
            continue;
        leave(t);
        thread_wake(t, WAKE_EVENT);
        n++;
    }
    return n;
}

/** Moves up to `count` sleepers from one address to another. */
static unsigned requeue(struct prog *p, uint64_t from, uint64_t to, unsigned count)
{
    struct thread *t, *tmp;
    unsigned n = 0;

    DL_FOREACH_SAFE2(p->futexes, t, tmp, f_next)
    {
        if (n >= count)
            break;
        if (t->futex != from || from == to)
            continue;
        leave(t);
        join(t, to);
        n++;
    }
    return n;
}

static int64_t wait(struct call *c, uint64_t op, uint32_t bits)
{
    bool absolute = (op & FUTEX_OPS) == FUTEX_WAIT_BITSET;
    nm_tick deadline = NM_NEVER;
    enum wake w;
    uint32_t now;

    if (!bits)
        return -EINVAL;
    if (c->a[3]) {
        uint64_t ns;
        int err = call_time(c, 3, &ns);
        if (err < 0)
            return err;
        deadline = call_deadline(c, absolute, op & FUTEX_CLOCK_REALTIME, ns);
    }
    if (vm_read32(&c->p->vm, c->a[0], &now) < 0)
        return -EFAULT;
    watch_sleep(c->t, c->a[0], (uint32_t)c->a[2]);
    if (now != (uint32_t)c->a[2])
        return -EAGAIN;
    c->t->futex_bits = bits;
    join(c->t, c->a[0]);
    w = thread_block(c->t, deadline, true, NULL);
    leave(c->t);
    if (w == WAKE_EVENT)
        return 0;
    if (w == WAKE_TIMEOUT)
        return -ETIMEDOUT;
    return deadline == NM_NEVER ? -ERESTART_SYS : -EINTR;
}

/** The first half of FUTEX_WAKE_OP's code: what becomes of the second word. */
static bool new_value(uint32_t code, uint32_t old, uint32_t *new)
{
    uint32_t operand = (uint32_t)((int32_t)(code << 8) >> 20);

    if (code >> 31) /* FUTEX_OP_OPARG_SHIFT */
        operand = 1u << (operand & 31);
    switch (code >> 28 & 7) {
    case 0:
        *new = operand;
        return true;
    case 1:
        *new = old + operand;
        return true;
    case 2:
        *new = old | operand;
        return true;
    case 3:
        *new = old & ~operand;
        return true;
    case 4:
        *new = old ^ operand;
        return true;
    default:
        return false;
    }
}

/** The second half: does the old value compare so that sleepers on the second word wake too? */
static bool compares(uint32_t code, int32_t old)
{
    int32_t with = (int32_t)(code << 20) >> 20;

    switch (code >> 24 & 15) {
    case 0:
        return old == with;
    case 1:
        return old != with;
    case 2:
        return old < with;
    case 3:
        return old <= with;
    case 4:
        return old > with;
    case 5:
        return old >= with;
    default:
        return false;
    }
}

/** FUTEX_WAKE_OP: changes the second word, wakes on the first, and on the second if it compares. */
static int64_t wake_op(struct call *c)
{
    uint32_t code = (uint32_t)c->a[5], old, new;
    unsigned n;

    if (vm_read32(&c->p->vm, c->a[4], &old) < 0)
        return -EFAULT;
    if (!new_value(code, old, &new))
        return -ENOSYS;
    if (vm_write32(&c->p->vm, c->a[4], new) < 0)
        return -EFAULT;
    n = futex_wake(c->p, c->a[0], (unsigned)c->a[2], ~0u);
    if (compares(code, (int32_t)old))
        n += futex_wake(c->p, c->a[4], (unsigned)c->a[3], ~0u);
    return n;
}

static int64_t wake_and_requeue(struct call *c, bool compare)
{
    uint32_t now;
    unsigned n;

    if (vm_read32(&c->p->vm, c->a[0], &now) < 0)
        return -EFAULT;
    if (compare && now != (uint32_t)c->a[5])
        return -EAGAIN;
    n = futex_wake(c->p, c->a[0], (unsigned)c->a[2], ~0u);
    return n + requeue(c->p, c->a[0], c->a[4], (unsigned)c->a[3]);
}

/** futex(word, op, value, timeout or value2, word2, value3) */
int64_t sys_futex(struct call *c)
{
    uint64_t op = c->a[1];

    if (c->a[0] & 3)
        return -EINVAL;
    switch (op & FUTEX_OPS) {
    case FUTEX_WAIT:
        return wait(c, op, ~0u);
    case FUTEX_WAIT_BITSET:
        return wait(c, op, (uint32_t)c->a[5]);
    case FUTEX_WAKE:
        return futex_wake(c->p, c->a[0], (unsigned)c->a[2], ~0u);
    case FUTEX_WAKE_BITSET:
        if (!c->a[5])
            return -EINVAL;
        return futex_wake(c->p, c->a[0], (unsigned)c->a[2], (uint32_t)c->a[5]);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return wake_and_requeue(c, (op & FUTEX_OPS) == FUTEX_CMP_REQUEUE);
    case FUTEX_WAKE_OP:
        return wake_op(c);
    default:
        return sys_unprovided(c);
    }
}

/* ---- robust locks ---------------------------------------------------------------------------- */

/** The owner of the lock at `addr` ends: say so in the lock and wake one who waits for it. */
static void owner_died(struct thread *t, uint64_t addr)
{
    struct vm *vm = &t->p->vm;
    uint32_t v;

    if ((addr & 3) || vm_read32(vm, addr, &v) < 0 || (v & TID_MASK) != t->tid)
        return;
    vm_write32(vm, addr, (v & (uint32_t)WAITERS) | OWNER_DIED);
    if (v & (uint32_t)WAITERS)
        futex_wake(t->p, addr, 1, ~0u);
}

void futex_thread_exit(struct thread *t)
{
    struct vm *vm = &t->p->vm;
    unsigned w = t->p->n64 ? 8 : 4;
    uint64_t head = t->robust_list, entry, offset, pending;

    if (!head || vm_read_word(vm, head, w, &entry) < 0 ||
        vm_read_word(vm, head + w, w, &offset) < 0 ||
        vm_read_word(vm, head + 2 * w, w, &pending) < 0)
        return;
    if (w == 4)
        offset = (uint64_t)(int64_t)(int32_t)offset;
    /* Bit 0 of a pointer marks a priority-inheritance lock. */
    for (int n = 0; (entry & ~UINT64_C(1)) != head && n < ROBUST_LIMIT; n++) {
        uint64_t next;
        int bad = vm_read_word(vm, entry & ~UINT64_C(1), w, &next);
        if ((entry & ~UINT64_C(1)) != (pending & ~UINT64_C(1)))
            owner_died(t, (entry & ~UINT64_C(1)) + offset);
        if (bad < 0)
            return;
        entry = next;
    }
    if (pending & ~UINT64_C(1))
        owner_died(t, (pending & ~UINT64_C(1)) + offset);
}

/*
 * Futexes: the kernel's half of every lock. A thread sleeps if a word still has the value it saw;
 * another wakes sleepers on that word.
 *
 * All sleepers are in one list, first come first; the word is looked for in it. There are at most
 * as many as threads, so this is short and its order is the simulation's. The hard idea is what a
 * word is known by (struct lx_futex): who waits for one as private and who wakes it as shared do
 * not meet.
 */
#include "programs/linux/threads/futex.h"
#include "programs/linux/memory/vm_file.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/threads/watch.h"

#include <utlist.h>

enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_REQUEUE = 3,
    FUTEX_CMP_REQUEUE = 4,
    FUTEX_WAKE_OP = 5,
    FUTEX_LOCK_PI = 6,
    FUTEX_UNLOCK_PI = 7,
    FUTEX_TRYLOCK_PI = 8,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_WAIT_REQUEUE_PI = 11,
    FUTEX_CMP_REQUEUE_PI = 12,
    FUTEX_LOCK_PI2 = 13,
    FUTEX_PRIVATE = 128,
    FUTEX_CLOCK_REALTIME = 256,
};

enum { ROBUST_LIMIT = 2048 };

static void futex_leave(struct lx_thread *t)
{
    if (!t->on_futex)
        return;
    DL_DELETE2(t->p->futexes, t, f_prev, f_next);
    t->on_futex = false;
}

static void futex_join(struct lx_thread *t, const struct lx_futex *w)
{
    t->futex = *w;
    t->on_futex = true;
    DL_APPEND2(t->p->futexes, t, f_prev, f_next);
}

enum lx_wake lx_futex_sleep(struct lx_thread *t, const struct lx_futex *w, enum lx_futex_kind kind,
                            sim_tick deadline)
{
    enum lx_wake why;

    t->futex_kind = kind;
    futex_join(t, w);
    why = lx_thread_block(t, deadline, true, NULL);
    futex_leave(t);
    if (why == WAKE_EVENT)
        nm_card_os_counts(t->p->m, t->card)->sleeps++;
    return why;
}

void lx_futex_called(struct lx_prog *p)
{
    nm_card_os_counts(p->m, p->vm.toucher)->wakes++;
}

void lx_futex_rouse(struct lx_thread *t)
{
    futex_leave(t);
    lx_thread_wake(t, WAKE_EVENT);
}

void lx_futex_move(struct lx_thread *t, const struct lx_futex *w, enum lx_futex_kind kind)
{
    futex_leave(t);
    t->futex_kind = kind;
    futex_join(t, w);
}

/* ---- words ----------------------------------------------------------------------------------- */

bool lx_futex_same(const struct lx_futex *a, const struct lx_futex *b)
{
    return a->shared == b->shared && a->dev == b->dev && a->ino == b->ino && a->at == b->at;
}

/** The word at `addr` as other programs would know it. @return 0 or -EFAULT */
static int shared_word(const struct lx_prog *p, uint64_t addr, struct lx_futex *w)
{
    const struct lx_vm_area *area = lx_vm_find(&p->vm, addr);

    if (!area || !area->rights)
        return -EFAULT;
    *w = (struct lx_futex){.addr = addr, .shared = true, .at = addr};
    /* Of private memory of a file only what cannot be written is the file's. */
    if (area->file && (area->shared || !(area->rights & LX_W))) {
        w->dev = area->file->dev;
        w->ino = area->file->ino;
        w->at = area->offset + addr - area->start;
    }
    return 0;
}

int lx_futex_word(const struct lx_call *c, uint64_t addr, struct lx_futex *w)
{
    if (addr & 3)
        return -EINVAL;
    if (addr >= lx_vm_end(&c->p->vm))
        return -EFAULT;
    *w = (struct lx_futex){.addr = addr, .at = addr};
    return c->a[1] & FUTEX_PRIVATE ? 0 : shared_word(c->p, addr, w);
}

int lx_futex_deadline(struct lx_call *c, bool absolute, bool realtime, sim_tick *deadline)
{
    uint64_t ns;
    int err = 0;

    *deadline = SIM_NEVER;
    if (c->a[3] && !(err = lx_call_time(c, 3, &ns)))
        *deadline = lx_call_deadline(c, absolute, realtime, ns);
    return err;
}

static unsigned futex_wake(struct lx_prog *p, const struct lx_futex *w, unsigned count,
                           uint32_t bits)
{
    struct lx_thread *t, *tmp;
    unsigned n = 0;

    DL_FOREACH_SAFE2(p->futexes, t, tmp, f_next) {
        if (!lx_futex_same(&t->futex, w) || t->futex_kind != FUTEX_WORD ||
            !(t->futex_bits & bits) || !t->waiting)
            continue;
        if (n == count) {
            t->watched.free_at = lx_now(p); /* for who is next */
            break;
        }
        lx_futex_rouse(t);
        n++;
    }
    if (n)
        lx_futex_called(p);
    return n;
}

void lx_futex_call(struct lx_prog *p, uint64_t addr)
{
    struct lx_futex w;

    if (!(addr & 3) && shared_word(p, addr, &w) == 0)
        futex_wake(p, &w, 1, ~0u);
}

/** Moves up to `count` sleepers from one word to another. Where that is the same they stay, and
 *  count. */
static unsigned futex_requeue(struct lx_prog *p, const struct lx_futex *from,
                              const struct lx_futex *to, unsigned count)
{
    struct lx_thread *t, *tmp;
    unsigned n = 0;

    DL_FOREACH_SAFE2(p->futexes, t, tmp, f_next) {
        if (n >= count)
            break;
        if (!lx_futex_same(&t->futex, from) || t->futex_kind != FUTEX_WORD || !t->waiting)
            continue;
        if (!lx_futex_same(from, to))
            lx_futex_move(t, to, FUTEX_WORD);
        n++;
    }
    return n;
}

/** Waiters on a lock, or for one, are not for plain commands. */
static bool has_lock_waiters(const struct lx_prog *p, const struct lx_futex *w)
{
    const struct lx_thread *t;

    DL_FOREACH2(p->futexes, t, f_next)
        if (lx_futex_same(&t->futex, w) && t->waiting && t->futex_kind != FUTEX_WORD)
            return true;
    return false;
}

/** Wakes at least one. */
static int64_t checked_wake(struct lx_call *c, uint64_t addr, uint64_t count, uint32_t bits)
{
    struct lx_futex w;
    int err = lx_futex_word(c, addr, &w);

    if (err < 0)
        return err;
    if (has_lock_waiters(c->p, &w))
        return -EINVAL;
    return futex_wake(c->p, &w, (int32_t)count > 1 ? (unsigned)count : 1, bits);
}

static int64_t futex_wait(struct lx_call *c, bool absolute, bool realtime, uint32_t bits)
{
    struct lx_futex w;
    sim_tick deadline;
    uint32_t now;
    int err = lx_futex_deadline(c, absolute, realtime, &deadline);

    if (err == 0 && !bits)
        err = -EINVAL;
    if (err == 0)
        err = lx_futex_word(c, c->a[0], &w);
    if (err < 0)
        return err;
    if (lx_vm_read32(&c->p->vm, c->a[0], &now) < 0)
        return -EFAULT;
    lx_watch_sleep(c->t, c->a[0], (uint32_t)c->a[2]);
    if (now != (uint32_t)c->a[2])
        return -EAGAIN;
    c->t->futex_bits = bits;
    switch (lx_futex_sleep(c->t, &w, FUTEX_WORD, deadline)) {
    case WAKE_EVENT:
        return 0;
    case WAKE_TIMEOUT:
        return -ETIMEDOUT;
    default:
        return deadline == SIM_NEVER ? -ERESTART_SYS : -ERESTART_NOHAND;
    }
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

enum { COMPARISONS = 6 };

static unsigned comparison_of(uint32_t code)
{
    return code >> 24 & 15;
}

/** The second half: does the old value compare so that sleepers on the second word wake too? */
static bool futex_compares(uint32_t code, int32_t old)
{
    int32_t with = (int32_t)(code << 20) >> 20;

    switch (comparison_of(code)) {
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
static int64_t wake_op(struct lx_call *c)
{
    uint32_t code = (uint32_t)c->a[5], old, new;
    struct lx_futex w;
    int64_t n = lx_futex_word(c, c->a[0], &w), more;

    if (n == 0)
        n = lx_futex_word(c, c->a[4], &w);
    if (n < 0)
        return n;
    if (!new_value(code, 0, &new))
        return -ENOSYS;
    if (lx_vm_read32(&c->p->vm, c->a[4], &old) < 0)
        return -EFAULT;
    new_value(code, old, &new);
    if (lx_vm_write32(&c->p->vm, c->a[4], new) < 0)
        return -EFAULT;
    if (comparison_of(code) >= COMPARISONS) /* the word has changed all the same */
        return -ENOSYS;
    n = checked_wake(c, c->a[0], c->a[2], ~0u);
    if (n < 0 || !futex_compares(code, (int32_t)old))
        return n;
    more = checked_wake(c, c->a[4], c->a[3], ~0u);
    return more < 0 ? more : n + more;
}

static int64_t wake_and_requeue(struct lx_call *c, bool compare)
{
    struct lx_futex from, to;
    int64_t err = lx_futex_word(c, c->a[0], &from);
    uint32_t now;
    unsigned n = 0;

    if ((int32_t)c->a[2] < 0 || (int32_t)c->a[3] < 0)
        return -EINVAL;
    if (err == 0)
        err = lx_futex_word(c, c->a[4], &to);
    if (err < 0)
        return err;
    if (compare && lx_vm_read32(&c->p->vm, c->a[0], &now) < 0)
        return -EFAULT;
    if (compare && now != (uint32_t)c->a[5])
        return -EAGAIN;
    if (has_lock_waiters(c->p, &from))
        return -EINVAL;
    n = futex_wake(c->p, &from, (unsigned)c->a[2], ~0u);
    return n + futex_requeue(c->p, &from, &to, (unsigned)c->a[3]);
}

/** futex(word, op, value, timeout or value2, word2, value3) */
int64_t lx_sys_futex(struct lx_call *c)
{
    const uint32_t op = (uint32_t)c->a[1] & ~(uint32_t)(FUTEX_PRIVATE | FUTEX_CLOCK_REALTIME);
    const bool realtime = c->a[1] & FUTEX_CLOCK_REALTIME;

    if (realtime && op != FUTEX_WAIT_BITSET && op != FUTEX_WAIT_REQUEUE_PI && op != FUTEX_LOCK_PI2)
        return -ENOSYS;
    switch (op) {
    case FUTEX_WAIT:
        return futex_wait(c, false, false, ~0u);
    case FUTEX_WAIT_BITSET:
        return futex_wait(c, true, realtime, (uint32_t)c->a[5]);
    case FUTEX_WAKE:
        return checked_wake(c, c->a[0], c->a[2], ~0u);
    case FUTEX_WAKE_BITSET:
        return c->a[5] ? checked_wake(c, c->a[0], c->a[2], (uint32_t)c->a[5]) : -EINVAL;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return wake_and_requeue(c, op == FUTEX_CMP_REQUEUE);
    case FUTEX_WAKE_OP:
        return wake_op(c);
    case FUTEX_LOCK_PI:
        return lx_futex_lock_pi(c, true);
    case FUTEX_LOCK_PI2:
        return lx_futex_lock_pi(c, realtime);
    case FUTEX_UNLOCK_PI:
        return lx_futex_unlock_pi(c);
    case FUTEX_TRYLOCK_PI:
        return lx_futex_trylock_pi(c);
    case FUTEX_WAIT_REQUEUE_PI:
        return lx_futex_wait_requeue_pi(c, realtime);
    case FUTEX_CMP_REQUEUE_PI:
        return lx_futex_cmp_requeue_pi(c);
    default:
        return -ENOSYS;
    }
}

/* ---- robust locks ---------------------------------------------------------------------------- */

/** An entry of the robust list: the lock, and whether it is one with an owner. */
struct held {
    uint64_t lock;
    bool pi;
};

static struct held futex_held(uint64_t entry, uint64_t offset)
{
    return (struct held){(entry & ~UINT64_C(1)) + offset, entry & 1};
}

/** The owner of a lock ends: say so in the lock and wake one who waits for it. One `pending` was
 *  just being locked or unlocked: the owner may have freed it without waking anybody. */
static void owner_died(struct lx_thread *t, struct held h, bool pending)
{
    struct lx_vm *vm = &t->p->vm;
    uint32_t v;

    if ((h.lock & 3) || lx_vm_read32(vm, h.lock, &v) < 0)
        return;
    if (pending && !h.pi && v == 0)
        lx_futex_call(t->p, h.lock);
    if ((v & FUTEX_TID_MASK) != t->tid)
        return;
    lx_vm_write32(vm, h.lock, (v & FUTEX_WAITERS) | FUTEX_OWNER_DIED);
    if ((v & FUTEX_WAITERS) && !h.pi)
        lx_futex_call(t->p, h.lock);
}

static void end_robust(struct lx_thread *t)
{
    struct lx_vm *vm = &t->p->vm;
    unsigned w = t->p->kind->word;
    uint64_t head = t->robust_list, entry, offset, pending;

    if (!head || lx_vm_read_word(vm, head, w, &entry) < 0 ||
        lx_vm_read_word(vm, head + w, w, &offset) < 0 ||
        lx_vm_read_word(vm, head + 2 * w, w, &pending) < 0)
        return;
    offset = (uint64_t)lx_abi_signed(offset, w);
    /* Bit 0 of a pointer marks a lock with an owner. */
    for (int n = 0; (entry & ~UINT64_C(1)) != head && n < ROBUST_LIMIT; n++) {
        uint64_t next;
        int bad = lx_vm_read_word(vm, entry & ~UINT64_C(1), w, &next);
        if ((entry & ~UINT64_C(1)) != (pending & ~UINT64_C(1)))
            owner_died(t, futex_held(entry, offset), false);
        if (bad < 0)
            return;
        entry = next;
    }
    if (pending & ~UINT64_C(1))
        owner_died(t, futex_held(pending, offset), true);
}

void lx_futex_thread_exit(struct lx_thread *t)
{
    end_robust(t);
    t->robust_list = 0; /* nobody is told of it who asks for an ended thread's */
    lx_futex_pi_exit(t);
}

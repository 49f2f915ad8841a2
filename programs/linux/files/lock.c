/*
 * Locks on files, as Linux has them: fcntl's belong to the process or, with F_OFD, to an open file,
 * and cover bytes; flock's belong to an open file and cover all of it.
 *
 * There is one process, so its own locks never stand in its way; those of open files can.
 */
#include "programs/linux/files/lock.h"
#include "base/alloc.h"
#include "programs/host.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

enum lock_type { READ_LOCK, WRITE_LOCK, NO_LOCK };

struct lock {
    struct lock *prev, *next;
    const struct lx_file *owner; /* NULL: the process */
    bool whole;                  /* flock's */
    enum lock_type type;
    int64_t start, end; /* the last byte */
    unsigned turn;      /* owners come in the order of their first locks, then by start */
};

/** [bytes] By how much setting one makes them more at most: it divides another. */
enum { GROWTH = 2 * sizeof(struct lock) };

/** Whether two locks are of one kind and one owner. */
static bool same_owner(const struct lock *a, const struct lock *b)
{
    return a->owner == b->owner && a->whole == b->whole;
}

static bool lock_overlaps(const struct lock *a, const struct lock *b)
{
    return a->start <= b->end && b->start <= a->end;
}

/** A lock that stands in the way of another. */
static const struct lock *lock_conflict(const struct lx_inode *n, const struct lock *want)
{
    const struct lock *l;

    DL_FOREACH(n->locks, l)
        if (l->whole == want->whole && !same_owner(l, want) && lock_overlaps(l, want) &&
            (l->type == WRITE_LOCK || want->type == WRITE_LOCK))
            return l;
    return NULL;
}

static int lock_compare(const struct lock *a, const struct lock *b)
{
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/** The turn of an owner: the one it has, or one after all others. */
static unsigned turn_of(const struct lx_inode *n, const struct lock *want)
{
    const struct lock *l;
    unsigned last = 0;

    DL_FOREACH(n->locks, l) {
        if (same_owner(l, want))
            return l->turn;
        last = l->turn;
    }
    return last + 1;
}

static void lock_add(struct lx_prog *p, struct lx_inode *n, const struct lock *from, int64_t start,
                     int64_t end)
{
    struct lock *l = sim_alloc(1, sizeof *l);

    lx_keep(p, sizeof *l);
    *l = *from;
    l->start = start;
    l->end = end;
    DL_INSERT_INORDER(n->locks, l, lock_compare);
}

static void lock_drop(struct lx_prog *p, struct lx_inode *n, struct lock *l)
{
    lx_give_back(p, sizeof *l);
    DL_DELETE(n->locks, l);
    free(l);
}

/** Makes [start, end] of the owner what `want` says; neighbours of one type become one. */
static void lock_set(struct lx_prog *p, struct lx_inode *n, struct lock want)
{
    struct lock *l, *tmp;

    want.turn = turn_of(n, &want);
    DL_FOREACH_SAFE(n->locks, l, tmp) {
        const struct lock old = *l;
        if (!same_owner(l, &want))
            continue;
        if (l->type == want.type && l->start <= want.end + (want.end < INT64_MAX) &&
            want.start <= l->end + (l->end < INT64_MAX)) {
            want.start = l->start < want.start ? l->start : want.start;
            want.end = l->end > want.end ? l->end : want.end;
            lock_drop(p, n, l);
        } else if (lock_overlaps(l, &want)) {
            lock_drop(p, n, l);
            if (old.start < want.start)
                lock_add(p, n, &old, old.start, want.start - 1);
            if (old.end > want.end)
                lock_add(p, n, &old, want.end + 1, old.end);
        }
    }
    if (want.type != NO_LOCK)
        lock_add(p, n, &want, want.start, want.end);
}

/** Sets a lock, or waits until it can be. */
static int64_t lock_acquire(struct lx_call *c, const struct lock *want, bool wait)
{
    struct lx_inode *n = c->f->inode;

    while (want->type != NO_LOCK && lock_conflict(n, want)) {
        if (!wait)
            return -EAGAIN;
        if (lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL)
            return -ERESTART_SYS;
    }
    if (!lx_keep(c->p, GROWTH))
        return -ENOLCK;
    lx_give_back(c->p, GROWTH); /* for set to take */
    lock_set(c->p, n, *want);
    lx_thread_wake_all(c->p, c->p->fds);
    return 0;
}

/* ---- fcntl ----------------------------------------------------------------------------------- */

/** Waits for a lock of the process. Who closes the descriptor meanwhile gives up the process's
 *  locks, and one that comes later would stay: it is taken back. */
static int64_t lock_await(struct lx_call *c, struct lock want)
{
    const int64_t err = lock_acquire(c, &want, true);

    if (err < 0 || want.owner || lx_file_get(c->p, (int32_t)c->a[0]) == c->f)
        return err;
    want.type = NO_LOCK;
    lock_acquire(c, &want, false);
    return -EBADF;
}

/** struct flock: of longs in the old calls of o32, else with 64-bit places. */
struct layout {
    unsigned width, start, len, pid;
};

static const struct layout flock_narrow = {4, 4, 8, 16}, flock_wide = {8, 8, 16, 24};
static const struct layout flock_generic_narrow = {4, 4, 8, 12};

/** First and last byte a struct flock means. @return 0, -EINVAL, -EOVERFLOW */
static int lock_range(const struct lx_file *f, uint64_t whence, int64_t start, int64_t len,
                      struct lock *l)
{
    struct stat st = {0};
    int64_t base = 0;

    if (whence > SEEK_END)
        return -EINVAL;
    if (whence == SEEK_END && prog_host_fstat(f->host, &st) == 0)
        base = st.st_size;
    else if (whence == SEEK_CUR)
        base = (int64_t)f->at;
    if (__builtin_add_overflow(base, start, &l->start))
        return -EOVERFLOW;
    l->end = INT64_MAX;
    if (len > 0 && __builtin_add_overflow(l->start, len - 1, &l->end))
        return -EOVERFLOW;
    if (len < 0) {
        l->end = l->start - 1;
        l->start += len;
    }
    return l->start < 0 ? -EINVAL : 0;
}

static int64_t read_lock(struct lx_call *c, uint64_t va, const struct layout *at, bool of_file,
                         struct lock *l)
{
    struct lx_vm *vm = &c->p->vm;
    uint64_t type, whence, start, len, pid;

    if (lx_vm_read_word(vm, va, 2, &type) < 0 || lx_vm_read_word(vm, va + 2, 2, &whence) < 0 ||
        lx_vm_read_word(vm, va + at->start, at->width, &start) < 0 ||
        lx_vm_read_word(vm, va + at->len, at->width, &len) < 0 ||
        lx_vm_read_word(vm, va + at->pid, 4, &pid) < 0)
        return -EFAULT;
    if (type > NO_LOCK || (of_file && pid))
        return -EINVAL;
    if (at->width == 4) {
        start = (uint64_t)(int64_t)(int32_t)start;
        len = (uint64_t)(int64_t)(int32_t)len;
    }
    *l = (struct lock){.owner = of_file ? c->f : NULL, .type = (enum lock_type)type};
    return lock_range(c->f, whence, (int64_t)start, (int64_t)len, l);
}

/** F_GETLK: tells of the first lock in the way. */
static int64_t lock_tell(struct lx_call *c, uint64_t va, const struct layout *at,
                         const struct lock *want)
{
    struct lx_vm *vm = &c->p->vm;
    const struct lock *l = want->type == NO_LOCK ? NULL : lock_conflict(c->f->inode, want);

    if (want->type == NO_LOCK)
        return -EINVAL;
    if (!l)
        return lx_vm_write_word(vm, va, 2, NO_LOCK);
    if (at->width == 4 && (l->start > INT32_MAX || (l->end > INT32_MAX && l->end != INT64_MAX)))
        return -EOVERFLOW;
    if (lx_vm_write_word(vm, va, 2, l->type) < 0 || lx_vm_write_word(vm, va + 2, 2, SEEK_SET) < 0 ||
        lx_vm_write_word(vm, va + at->start, at->width, (uint64_t)l->start) < 0 ||
        lx_vm_write_word(vm, va + at->len, at->width,
                         l->end == INT64_MAX ? 0 : (uint64_t)(l->end - l->start + 1)) < 0)
        return -EFAULT;
    return lx_vm_write_word(vm, va + at->pid, 4, l->owner ? UINT32_MAX : FIRST_TID);
}

int64_t lx_lock_fcntl(struct lx_call *c, uint64_t command, uint64_t va)
{
    enum { GET, SET, WAIT };
    static const struct {
        uint16_t command;
        uint8_t what;
        bool of_file, wide;
    } commands[] = {
        {14, GET, false, false}, {6, SET, false, false}, {7, WAIT, false, false},
        {33, GET, false, true},  {34, SET, false, true}, {35, WAIT, false, true},
        {36, GET, true, true},   {37, SET, true, true},  {38, WAIT, true, true},
    };
    struct lock want;
    int64_t err;

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct layout *at = commands[i].wide || c->p->n64 ? &flock_wide
                                  : c->p->kind->generic         ? &flock_generic_narrow
                                                                : &flock_narrow;
        if (commands[i].command != command || (c->p->n64 && command >= 33 && command <= 35))
            continue;
        err = read_lock(c, va, at, commands[i].of_file, &want);
        if (err < 0)
            return err;
        if (!c->f->inode) /* a pipe: nobody else has it */
            return commands[i].what == GET ? lx_vm_write_word(&c->p->vm, va, 2, NO_LOCK) : 0;
        if (commands[i].what == GET)
            return lock_tell(c, va, at, &want);
        if ((want.type == READ_LOCK && !lx_may_read(c->f)) ||
            (want.type == WRITE_LOCK && !lx_may_write(c->f)))
            return -EBADF;
        return commands[i].what == WAIT ? lock_await(c, want) : lock_acquire(c, &want, false);
    }
    return -EINVAL;
}

/* ---- flock, and the end of locks ------------------------------------------------------------- */

/** As Linux does it: who asks for another type gives back what is held before it waits. So two that
 *  share a file and both want it alone do not wait for each other. */
static void flock_changes(struct lx_call *c, const struct lock *want)
{
    struct lock *l, *tmp;

    DL_FOREACH_SAFE(c->f->inode->locks, l, tmp)
        if (l->whole && l->owner == want->owner && l->type != want->type) {
            lock_drop(c->p, c->f->inode, l);
            lx_thread_wake_all(c->p, c->p->fds);
        }
}

int64_t lx_sys_flock(struct lx_call *c)
{
    enum { SHARED = 1, EXCLUSIVE = 2, NONBLOCK = 4, UNLOCK = 8 };
    struct lock want = {.owner = c->f, .whole = true, .end = INT64_MAX};

    switch (c->a[1] & ~(uint64_t)NONBLOCK) {
    case SHARED:
        want.type = READ_LOCK;
        break;
    case EXCLUSIVE:
        want.type = WRITE_LOCK;
        break;
    case UNLOCK:
        want.type = NO_LOCK;
        break;
    default:
        return -EINVAL;
    }
    if (lx_file_is_name(c->f))
        return -EBADF;
    if (!c->f->inode)
        return 0;
    flock_changes(c, &want);
    return lock_acquire(c, &want, !(c->a[1] & NONBLOCK));
}

static void drop_all(struct lx_prog *p, struct lx_inode *n, const struct lx_file *owner)
{
    struct lock *l, *tmp;

    DL_FOREACH_SAFE(n->locks, l, tmp)
        if (l->owner == owner) {
            lock_drop(p, n, l);
            lx_thread_wake_all(p, p->fds);
        }
}

void lx_lock_closed(struct lx_prog *p, const struct lx_file *f)
{
    if (f->inode)
        drop_all(p, f->inode, NULL);
}

void lx_lock_released(struct lx_prog *p, const struct lx_file *f)
{
    if (f->inode)
        drop_all(p, f->inode, f);
}

void lx_lock_free(struct lx_prog *p, struct lx_inode *n)
{
    while (n->locks)
        lock_drop(p, n, n->locks);
}

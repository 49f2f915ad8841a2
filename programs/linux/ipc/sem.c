/*
 * System V semaphores. A call's operations happen all at once or not at all; those that cannot
 * stand in line (ipc.h), and whenever a value changes the line is tried from its head.
 *
 * SEM_UNDO is remembered nowhere: it acts when the process ends, and with it ends all that could
 * see it.
 */
#include "programs/linux/ipc/sysv.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { VALUE_MAX = 32767 };

struct semaphore {
    uint16_t value;
    uint32_t pid; /* of the last operation */
};

struct semaphores {
    struct lx_sysv head;
    unsigned count;
    uint64_t operated; /* [s] */
    struct lx_waiter *line;
    struct semaphore each[];
};

struct op {
    uint16_t number;
    int16_t change;
    uint16_t flags;
};

/** What a waiting call asks for. */
struct asked {
    const struct op *ops;
    unsigned count;
    unsigned stuck; /* the operation that could not be done */
};

static struct semaphores *set_of(struct lx_prog *p, uint64_t id)
{
    return (struct semaphores *)(void *)lx_sysv_find(p, SYSV_SEMAPHORES, id);
}

static uint64_t sem_bytes_of(uint64_t count)
{
    return sizeof(struct semaphores) + count * sizeof(struct semaphore);
}

void lx_sem_free(struct lx_prog *p, struct lx_sysv *s)
{
    lx_give_back(p, sem_bytes_of(((const struct semaphores *)(const void *)s)->count));
    free(s);
}

/* ---- making ---------------------------------------------------------------------------------- */

static int64_t sem_fits(struct lx_call *c, const struct lx_sysv *s)
{
    return c->size > ((const struct semaphores *)(const void *)s)->count ? -EINVAL : 0;
}

static int64_t sem_make(struct lx_call *c, struct lx_sysv **s)
{
    struct semaphores *set;
    struct lx_sysv *i;
    unsigned sets;

    if (c->size == 0)
        return -EINVAL;
    DL_COUNT(c->p->sysv[SYSV_SEMAPHORES], i, sets);
    if (sets >= LX_SEM_SETS || !lx_keep(c->p, sem_bytes_of(c->size)))
        return -ENOSPC;
    set = sim_alloc(1, sem_bytes_of(c->size));
    set->count = (unsigned)c->size;
    *s = &set->head;
    return 0;
}

int64_t lx_sem_get(struct lx_call *c, uint32_t key, int32_t count, uint32_t flags)
{
    if (count < 0 || count > LX_SEM_OF_SET)
        return -EINVAL;
    c->size = (uint64_t)count;
    return lx_sysv_get(c, SYSV_SEMAPHORES, key, flags, sem_fits, sem_make);
}

/* ---- operations ------------------------------------------------------------------------------ */

/** Does all operations or none. @return 0, -EAGAIN (at `stuck`), -ERANGE */
static int64_t sem_attempt(struct semaphores *s, struct asked *a)
{
    uint16_t before[LX_SEM_OPERATIONS];
    int64_t err = 0;
    unsigned i;

    for (i = 0; i < a->count && !err; i++) {
        struct semaphore *one = &s->each[a->ops[i].number];
        const int32_t value = one->value + a->ops[i].change;
        before[i] = one->value;
        if (value < 0 || (a->ops[i].change == 0 && one->value != 0))
            err = -EAGAIN;
        else if (value > VALUE_MAX)
            err = -ERANGE;
        else
            one->value = (uint16_t)value;
    }
    if (err)
        a->stuck = i - 1;
    for (; err && i-- > 0;)
        s->each[a->ops[i].number].value = before[i];
    return err;
}

static void note_pid(struct semaphores *s, const struct asked *a, const struct lx_prog *p)
{
    for (unsigned i = 0; i < a->count; i++)
        s->each[a->ops[i].number].pid = FIRST_TID;
    s->operated = lx_sysv_now(p);
}

/** Tries those in line until none can. */
static void sem_retry(struct lx_prog *p, struct semaphores *s)
{
    struct lx_waiter *w, *tmp;
    bool changed = true;

    while (changed) {
        changed = false;
        DL_FOREACH_SAFE(s->line, w, tmp) {
            struct asked *a = (struct asked *)(uintptr_t)w->request;
            int64_t r = sem_attempt(s, a);
            if (r == -EAGAIN)
                continue;
            if (r == 0)
                note_pid(s, a, p);
            changed = changed || r == 0;
            lx_waiter_serve(&s->line, w, r);
        }
    }
}

static int read_ops(struct lx_call *c, uint64_t va, struct op *ops, uint64_t count)
{
    struct lx_in i;

    for (uint64_t n = 0; n < count; n++) {
        if (lx_in_read(&i, &c->p->vm, va + 6 * n, 6) < 0)
            return -EFAULT;
        ops[n].number = (uint16_t)lx_in_int(&i, 2);
        ops[n].change = (int16_t)lx_in_int(&i, 2);
        ops[n].flags = (uint16_t)lx_in_int(&i, 2);
    }
    return 0;
}

/** Deadline of the timespec at `va`, of the ABI's own kind unless the call is a 64-bit one. */
static int read_deadline(struct lx_call *c, uint64_t va, sim_tick *deadline)
{
    uint64_t ns;
    int err;

    *deadline = SIM_NEVER;
    if (!va)
        return 0;
    err = lx_call_time_at(c, va, c->p->n64 || strchr(c->row->args, 'T') ? 8 : 4, &ns);
    if (err == 0)
        *deadline = lx_call_deadline(c, false, false, ns);
    return err;
}

static int check_ops(const struct semaphores *s, const struct asked *a)
{
    bool alters = false;

    for (unsigned i = 0; i < a->count; i++) {
        if (a->ops[i].number >= s->count)
            return -EFBIG;
        alters = alters || a->ops[i].change != 0;
    }
    return lx_sysv_allows(&s->head, alters ? 2 : 4) ? 0 : -EACCES;
}

static int64_t sem_wait(struct lx_call *c, struct semaphores *s, struct asked *a, sim_tick deadline)
{
    struct lx_waiter w = {.request = a};

    c->t->waits_in = "semop"; /* not in ipc() */
    if (a->ops[a->stuck].flags & IPC_NOWAIT_)
        return -EAGAIN;
    switch (lx_waiter_wait(&s->line, &w, c->t, deadline)) {
    case WAKE_EVENT:
        return w.result;
    case WAKE_TIMEOUT:
        return -EAGAIN;
    default:
        return -EINTR;
    }
}

int64_t lx_sem_operate(struct lx_call *c, uint64_t id, uint64_t va, uint64_t count,
                       uint64_t timeout)
{
    struct op ops[LX_SEM_OPERATIONS];
    struct asked a = {.ops = ops, .count = (unsigned)count};
    struct semaphores *s;
    sim_tick deadline;
    int64_t err = read_deadline(c, timeout, &deadline);

    if (err == 0 && (count < 1 || (int32_t)id < 0))
        err = -EINVAL;
    if (err == 0 && count > LX_SEM_OPERATIONS)
        err = -E2BIG;
    if (err == 0)
        err = read_ops(c, va, ops, count);
    if (err < 0)
        return err;
    s = set_of(c->p, id);
    if (!s)
        return -EINVAL;
    err = check_ops(s, &a);
    if (err < 0)
        return err;
    err = sem_attempt(s, &a);
    if (err == -EAGAIN)
        return sem_wait(c, s, &a, deadline);
    if (err == 0) {
        note_pid(s, &a, c->p);
        sem_retry(c->p, s);
    }
    return err;
}

/* ---- control --------------------------------------------------------------------------------- */

enum { GETPID = 11, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL };

/** How many wait for the value to grow, or (`zero`) to become 0. */
static int64_t sem_waiting(const struct semaphores *s, uint64_t number, bool zero)
{
    const struct lx_waiter *w;
    int64_t n = 0;

    DL_FOREACH(s->line, w) {
        const struct asked *a = w->request;
        const struct op *op = &a->ops[a->stuck];
        n += op->number == number && (op->change == 0) == zero;
    }
    return n;
}

static int64_t get_all(struct lx_call *c, const struct semaphores *s, uint64_t va)
{
    for (unsigned i = 0; i < s->count; i++)
        if (lx_vm_write_word(&c->p->vm, va + 2 * i, 2, s->each[i].value) < 0)
            return -EFAULT;
    return 0;
}

static int64_t set_all(struct lx_call *c, struct semaphores *s, uint64_t va)
{
    uint64_t v;

    for (int store = 0; store < 2; store++) /* looks at all of them first */
        for (unsigned i = 0; i < s->count; i++) {
            if (lx_vm_read_word(&c->p->vm, va + 2 * i, 2, &v) < 0)
                return -EFAULT;
            if (v > VALUE_MAX)
                return -ERANGE;
            if (store)
                s->each[i] = (struct semaphore){(uint16_t)v, FIRST_TID};
        }
    s->head.changed = lx_sysv_now(c->p);
    sem_retry(c->p, s);
    return 0;
}

static int64_t set_value(struct lx_call *c, struct semaphores *s, uint64_t number, uint64_t arg)
{
    const int32_t v = (int32_t)lx_kind_int(c->p->kind, arg); /* of union semun, which is alike */

    if (v < 0 || v > VALUE_MAX)
        return -ERANGE;
    s->each[number] = (struct semaphore){(uint16_t)v, FIRST_TID};
    s->head.changed = lx_sysv_now(c->p);
    sem_retry(c->p, s);
    return 0;
}

static int64_t of_one(struct lx_call *c, struct semaphores *s, uint64_t number, uint64_t command,
                      uint64_t arg)
{
    if (number >= s->count)
        return -EINVAL;
    switch (command) {
    case GETPID:
        return s->each[number].pid;
    case GETVAL:
        return s->each[number].value;
    case SETVAL:
        return set_value(c, s, number, arg);
    default:
        return sem_waiting(s, number, command == GETZCNT);
    }
}

static int64_t stat_set(struct lx_call *c, const struct semaphores *s, uint64_t va)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_sysv_out(&o, &s->head);
    lx_sysv_out_time(&o, s->operated);
    lx_sysv_out_time(&o, s->head.changed);
    lx_out_long(&o, s->count);
    lx_out_long(&o, 0);
    lx_out_long(&o, 0);
    return lx_out_write(&o, &c->p->vm, va);
}

/** IPC_INFO: struct seminfo, all ints. */
static int64_t sem_info(struct lx_call *c, uint64_t va)
{
    static const uint32_t limits[10] = {
        LX_SEM_SETS,   LX_SEM_SETS,       LX_SEM_SETS * LX_SEM_OF_SET, LX_SEM_SETS * LX_SEM_OF_SET,
        LX_SEM_OF_SET, LX_SEM_OPERATIONS, LX_SEM_OPERATIONS,           20,
        VALUE_MAX,     VALUE_MAX};
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    for (int i = 0; i < 10; i++)
        lx_out_int(&o, 4, limits[i]);
    return lx_out_write(&o, &c->p->vm, va);
}

int64_t lx_sem_control(struct lx_call *c, uint64_t id, uint64_t number, uint64_t command,
                       uint64_t arg)
{
    struct semaphores *s = set_of(c->p, id);

    command &= ~(uint64_t)IPC_64;
    if (command == IPC_INFO_)
        return sem_info(c, arg);
    if (command != IPC_RMID_ && command != IPC_SET_ && command != IPC_STAT_ &&
        (command < GETPID || command > SETALL))
        return -EINVAL;
    if (!s)
        return -EINVAL;
    if (command >= GETPID && !lx_sysv_allows(&s->head, command >= SETVAL ? 2 : 4))
        return -EACCES;
    switch (command) {
    case IPC_RMID_:
        lx_sysv_remove(c->p, SYSV_SEMAPHORES, &s->head);
        lx_waiters_refuse(&s->line, -EIDRM);
        lx_sem_free(c->p, &s->head);
        return 0;
    case IPC_SET_:
        return lx_sysv_set(c, &s->head, arg);
    case IPC_STAT_:
        return lx_sysv_allows(&s->head, 4) ? stat_set(c, s, arg) : -EACCES;
    case GETALL:
        return get_all(c, s, arg);
    case SETALL:
        return set_all(c, s, arg);
    default:
        return of_one(c, s, number, command, arg);
    }
}

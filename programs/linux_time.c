/*
 * Time as the guest sees it: simulated, counted from 1996-01-01 00:00:00 UTC at tick 0. A processor
 * clock is the time a thread held its card.
 */
#include "programs/syscall.h"

enum { NS = 1000000000, TICKS_PER_SECOND = 100 /* CLK_TCK of times() */ };

enum {
    CLK_REALTIME = 0,
    CLK_MONOTONIC = 1,
    CLK_PROCESS = 2,
    CLK_THREAD = 3,
    CLK_LAST = 11,
    CLK_PERTHREAD_BIT = 4,
};

/** [ticks] a thread has had a card; for the caller, up to its trap. */
static nm_tick thread_ran(const struct thread *t)
{
    nm_tick now = prog_now(t->p);

    return t->ran + (t->state == TH_RUNNING && now > t->since ? now - t->since : 0);
}

static nm_tick process_ran(const struct prog *p)
{
    nm_tick sum = p->ran;

    for (const struct thread *t = p->threads; t; t = t->next)
        sum += thread_ran(t);
    return sum;
}

/** Reads a clock; -EINVAL if there is no such clock. Negative ids name a process's or thread's. */
static int64_t read_clock(struct call *c, int32_t id, uint64_t *ns)
{
    struct prog *p = c->p;
    uint64_t now = prog_ns(p, prog_now(p));
    struct thread *t = c->t;

    if (id < 0) {
        uint32_t who = ~(uint32_t)(id >> 3);
        if (id & CLK_PERTHREAD_BIT)
            t = who ? thread_find(p, who) : c->t;
        if (!t)
            return -EINVAL;
        *ns = prog_ns(p, id & CLK_PERTHREAD_BIT ? thread_ran(t) : process_ran(p));
        return 0;
    }
    if (id > CLK_LAST)
        return -EINVAL;
    if (id == CLK_PROCESS)
        *ns = prog_ns(p, process_ran(p));
    else if (id == CLK_THREAD)
        *ns = prog_ns(p, thread_ran(c->t));
    else if (id == CLK_REALTIME || id == 5 || id == 8 || id == 11)
        *ns = now + (uint64_t)PROG_EPOCH * NS;
    else
        *ns = now;
    return 0;
}

int64_t sys_clock_gettime(struct call *c)
{
    uint64_t ns;
    int64_t err = read_clock(c, (int32_t)c->a[0], &ns);

    return err < 0 ? err : call_put_time(c, 1, ns);
}

int64_t sys_clock_getres(struct call *c)
{
    uint64_t ns;
    int64_t err = read_clock(c, (int32_t)c->a[0], &ns);

    if (err < 0 || !c->a[1])
        return err;
    return call_put_time(c, 1, 1);
}

static int put_timeval(struct call *c, uint64_t va, uint64_t ns)
{
    struct out o;

    out_start(&o, c->p->n64);
    out_long(&o, ns / NS);
    out_long(&o, ns % NS / 1000);
    return out_write(&o, &c->p->vm, va);
}

int64_t sys_gettimeofday(struct call *c)
{
    uint64_t ns = prog_ns(c->p, prog_now(c->p)) + (uint64_t)PROG_EPOCH * NS;

    if (c->a[1] && vm_zero(&c->p->vm, c->a[1], 8) < 0)
        return -EFAULT;
    return c->a[0] ? put_timeval(c, c->a[0], ns) : 0;
}

int64_t sys_time(struct call *c)
{
    int64_t s = PROG_EPOCH + (int64_t)(prog_ns(c->p, prog_now(c->p)) / NS);

    if (c->a[0] && vm_write_word(&c->p->vm, c->a[0], c->p->n64 ? 8 : 4, (uint64_t)s) < 0)
        return -EFAULT;
    return s;
}

int64_t sys_times(struct call *c)
{
    uint64_t user = prog_ns(c->p, process_ran(c->p)) / (NS / TICKS_PER_SECOND);
    struct out o;

    out_start(&o, c->p->n64);
    out_long(&o, user);
    for (int i = 0; i < 3; i++) /* system, children's user, children's system */
        out_long(&o, 0);
    if (c->a[0] && out_write(&o, &c->p->vm, c->a[0]) < 0)
        return -EFAULT;
    return (int64_t)(prog_ns(c->p, prog_now(c->p)) / (NS / TICKS_PER_SECOND));
}

int64_t sys_getrusage(struct call *c)
{
    enum { SELF = 0, THREAD = 1, CHILDREN = -1, LONGS = 14 };
    nm_tick ran = c->a[0] == SELF ? process_ran(c->p) : c->a[0] == THREAD ? thread_ran(c->t) : 0;
    uint64_t ns = prog_ns(c->p, ran);
    struct out o;

    if ((int64_t)c->a[0] < CHILDREN || (int64_t)c->a[0] > THREAD)
        return -EINVAL;
    out_start(&o, c->p->n64);
    out_long(&o, ns / NS);
    out_long(&o, ns % NS / 1000);
    for (int i = 0; i < 2 + LONGS; i++)
        out_long(&o, 0);
    return out_write(&o, &c->p->vm, c->a[1]);
}

int64_t sys_not_permitted(struct call *c)
{
    (void)c;
    return -EPERM;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/** Sleeps; what is left of a relative sleep cut short goes to argument `rest`. */
static int64_t sleep_until(struct call *c, nm_tick deadline, bool relative, unsigned rest)
{
    if (thread_block(c->t, deadline, true, NULL) != WAKE_SIGNAL)
        return 0;
    if (!relative)
        return -ERESTART_NOHAND;
    if (c->a[rest]) {
        nm_tick now = prog_now(c->p);
        if (call_put_time(c, rest, prog_ns(c->p, deadline > now ? deadline - now : 0)) < 0)
            return -EFAULT;
    }
    return -EINTR;
}

int64_t sys_nanosleep(struct call *c)
{
    uint64_t ns;
    int err = call_time(c, 0, &ns);

    return err < 0 ? err : sleep_until(c, call_deadline(c, false, false, ns), true, 1);
}

int64_t sys_clock_nanosleep(struct call *c)
{
    bool absolute = c->a[1] & 1;
    uint64_t ns;
    int64_t err = read_clock(c, (int32_t)c->a[0], &ns);

    if (err == 0)
        err = call_time(c, 2, &ns);
    if (err < 0)
        return err;
    return sleep_until(c, call_deadline(c, absolute, c->a[0] == CLK_REALTIME, ns), !absolute, 3);
}

/* ---- the alarm ------------------------------------------------------------------------------- */

/** [ticks] until the alarm, 0 if there is none. */
static nm_tick alarm_left(const struct prog *p)
{
    return p->alarm_at == NM_NEVER ? 0 : p->alarm_at - prog_now(p);
}

static void set_alarm(struct prog *p, uint64_t ns, uint64_t every_ns)
{
    p->alarm_at = ns ? prog_now(p) + prog_ticks(p, ns) : NM_NEVER;
    p->alarm_every = prog_ticks(p, every_ns);
}

int64_t sys_alarm(struct call *c)
{
    uint64_t left = (prog_ns(c->p, alarm_left(c->p)) + NS - 1) / NS;

    set_alarm(c->p, c->a[0] * NS, 0);
    return (int64_t)left;
}

/** struct itimerval: interval, then value. */
static int put_itimer(struct call *c, uint64_t va)
{
    unsigned w = c->p->n64 ? 8 : 4;

    if (put_timeval(c, va, prog_ns(c->p, c->p->alarm_every)) < 0)
        return -EFAULT;
    return put_timeval(c, va + 2 * w, prog_ns(c->p, alarm_left(c->p)));
}

int64_t sys_getitimer(struct call *c)
{
    return c->a[0] == 0 ? put_itimer(c, c->a[1]) : sys_unprovided(c);
}

int64_t sys_setitimer(struct call *c)
{
    struct in i;
    uint64_t ns[2] = {0, 0};

    if (c->a[0] != 0)
        return sys_unprovided(c);
    if (c->a[1]) {
        if (in_read(&i, &c->p->vm, c->a[1], c->p->n64 ? 32 : 16) < 0)
            return -EFAULT;
        for (int n = 0; n < 2; n++) {
            ns[n] = in_long(&i) * NS;
            ns[n] += in_long(&i) * 1000;
        }
    }
    if (c->a[2] && put_itimer(c, c->a[2]) < 0)
        return -EFAULT;
    set_alarm(c->p, ns[1], ns[0]);
    return 0;
}

/*
 * Time as the guest sees it: simulated, counted from 1996-01-01 00:00:00 UTC at tick 0. A processor
 * clock is the time a thread held its card.
 */
#include "programs/linux_time.h"
#include "programs/timer.h"

enum { NS = 1000000000, TICKS_PER_SECOND = 100 /* CLK_TCK of times() */ };

bool clock_is_realtime(int32_t id)
{
    return id == CLK_REALTIME || id == CLK_REALTIME_COARSE || id == CLK_TAI;
}

/** A processor clock: of the process, or (tid) of a thread of it. The low bits say what is counted,
 *  3 nothing that exists. */
static int read_processor_clock(struct call *c, int32_t id, uint64_t *ns)
{
    enum { WHAT = 3 };
    struct prog *p = c->p;
    const uint32_t who = ~(uint32_t)(id >> 3);
    const struct thread *t = who ? thread_find(p, who) : c->t;

    if ((id & WHAT) == WHAT || !t || (who && !(id & CLK_PERTHREAD_BIT) && who != FIRST_TID))
        return -EINVAL;
    *ns = prog_ns(p, id & CLK_PERTHREAD_BIT ? thread_ran(t) : process_ran(p));
    return 0;
}

int clock_read(struct call *c, int32_t id, uint64_t *ns)
{
    const uint64_t now = prog_ns(c->p, prog_now(c->p));
    int err = 0;

    if (id < 0)
        return read_processor_clock(c, id, ns);
    switch (id) {
    case CLK_PROCESS:
        *ns = prog_ns(c->p, process_ran(c->p));
        break;
    case CLK_THREAD:
        *ns = prog_ns(c->p, thread_ran(c->t));
        break;
    case CLK_REALTIME:
    case CLK_REALTIME_COARSE:
    case CLK_TAI:
        *ns = now + (uint64_t)PROG_EPOCH * NS;
        break;
    case CLK_MONOTONIC:
    case CLK_MONOTONIC_RAW:
    case CLK_MONOTONIC_COARSE:
    case CLK_BOOTTIME:
        *ns = now;
        break;
    default:
        err = -EINVAL;
    }
    return err;
}

int64_t sys_clock_gettime(struct call *c)
{
    uint64_t ns;
    int64_t err = clock_read(c, (int32_t)c->a[0], &ns);

    return err < 0 ? err : call_put_time(c, 1, ns);
}

int64_t sys_clock_getres(struct call *c)
{
    uint64_t ns;
    int64_t err = clock_read(c, (int32_t)c->a[0], &ns);

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

/* ---- setting what cannot be set -------------------------------------------------------------- */

/** Reads a time to be set. @return what is wrong with it, or else -EPERM */
static int64_t refuse(struct call *c, unsigned i)
{
    uint64_t ns;
    int err = call_time(c, i, &ns);

    return err < 0 ? err : -EPERM;
}

int64_t sys_clock_settime(struct call *c)
{
    const int32_t id = (int32_t)c->a[0];
    uint64_t ns;

    if (clock_read(c, id, &ns) < 0)
        return -EINVAL;
    return id == CLK_REALTIME || id == CLK_PROCESS || id == CLK_THREAD || id < 0 ? refuse(c, 1)
                                                                                 : -EINVAL;
}

int64_t sys_settimeofday(struct call *c)
{
    const unsigned w = c->p->n64 ? 8 : 4;
    struct in i;

    if (c->a[0]) {
        if (in_read(&i, &c->p->vm, c->a[0], 2 * w) < 0)
            return -EFAULT;
        in_long(&i);
        if (in_long(&i) > 999999)
            return -EINVAL;
    }
    return -EPERM;
}

/** Answers struct timex: a clock that is right. `width` is that of its longs. */
static int64_t adjust(struct call *c, uint64_t va, unsigned width)
{
    enum { READ_ONLY = 0xa001, TICK_US = 10000, SIZE = 128, SIZE_64 = 208, TIME_OK = 0 };
    const uint64_t ns = prog_ns(c->p, prog_now(c->p)) + (uint64_t)PROG_EPOCH * NS;
    uint64_t modes;
    struct out o;

    if (vm_read_word(&c->p->vm, va, 4, &modes) < 0)
        return -EFAULT;
    if (modes && modes != READ_ONLY)
        return -EPERM;
    out_start(&o, c->p->n64);
    out_int(&o, 4, modes);
    out_skip(&o, 7 * width); /* offset, frequency, errors, status, constant */
    out_int(&o, width, 1);   /* precision [us] */
    out_int(&o, width, 0);
    out_int(&o, width, ns / NS);
    out_int(&o, width, ns % NS / 1000);
    out_int(&o, width, TICK_US);
    out_skip(&o, width == 8 ? SIZE_64 : SIZE);
    return out_write(&o, &c->p->vm, va) < 0 ? -EFAULT : TIME_OK;
}

int64_t sys_adjtimex(struct call *c)
{
    return adjust(c, c->a[0], c->p->n64 ? 8 : 4);
}

int64_t sys_clock_adjtime(struct call *c)
{
    uint64_t ns;

    if (clock_read(c, (int32_t)c->a[0], &ns) < 0)
        return -EINVAL;
    if ((int32_t)c->a[0] != CLK_REALTIME)
        return -EOPNOTSUPP;
    return adjust(c, c->a[1], call_time_width(c, 1));
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/** What is left of a relative sleep cut short goes to argument `rest`. */
static int64_t cut_short(struct call *c, bool relative, unsigned rest, uint64_t ns)
{
    if (!relative)
        return -ERESTART_NOHAND;
    return c->a[rest] && call_put_time(c, rest, ns) < 0 ? -EFAULT : -EINTR;
}

static int64_t sleep_until(struct call *c, nm_tick deadline, bool relative, unsigned rest)
{
    nm_tick now;

    if (thread_block(c->t, deadline, true, NULL) != WAKE_SIGNAL)
        return 0;
    now = prog_now(c->p);
    return cut_short(c, relative, rest, prog_ns(c->p, deadline > now ? deadline - now : 0));
}

/** Sleeps until a processor clock has gone on. */
static int64_t sleep_on_processor(struct call *c, int32_t id, bool absolute, uint64_t ns)
{
    const bool process = id == CLK_PROCESS || !(id & CLK_PERTHREAD_BIT);
    struct timer *t = timer_new(c->p, TIMER_FILE, process ? TIMER_PROCESS : TIMER_THREAD);
    nm_tick left;
    int64_t err = 0;

    t->clock_tid = ~(uint32_t)(id >> 3);
    timer_set(t, prog_ticks(c->p, ns) + (absolute ? 0 : timer_clock_now(c->p, t)), 0);
    while (!err && t->at > timer_clock_now(c->p, t))
        err = thread_block(c->t, NM_NEVER, true, c->p->fds) == WAKE_SIGNAL ? -EINTR : 0;
    left = timer_left(c->p, t);
    timer_free(c->p, t);
    return err < 0 ? cut_short(c, !absolute, 3, prog_ns(c->p, left)) : 0;
}

int64_t sys_nanosleep(struct call *c)
{
    uint64_t ns;
    int err = call_time(c, 0, &ns);

    return err < 0 ? err : sleep_until(c, call_deadline(c, false, false, ns), true, 1);
}

/** Whether nobody can sleep on a clock that can be read. */
static int sleepless(const struct call *c, int32_t id)
{
    const uint32_t who = ~(uint32_t)(id >> 3);

    if (id < 0 && (id & CLK_PERTHREAD_BIT) && (!who || who == c->t->tid))
        return -EINVAL;
    return id == CLK_THREAD || id == CLK_MONOTONIC_RAW || id == CLK_REALTIME_COARSE ||
                   id == CLK_MONOTONIC_COARSE
               ? -EOPNOTSUPP
               : 0;
}

int64_t sys_clock_nanosleep(struct call *c)
{
    const int32_t id = (int32_t)c->a[0];
    const bool absolute = c->a[1] & 1;
    uint64_t ns;
    int err = clock_read(c, id, &ns);

    if (err == 0)
        err = sleepless(c, id);
    if (err == 0)
        err = call_time(c, 2, &ns);
    if (err < 0)
        return err;
    if (id == CLK_PROCESS || id < 0)
        return sleep_on_processor(c, id, absolute, ns);
    return sleep_until(c, call_deadline(c, absolute, clock_is_realtime(id), ns), !absolute, 3);
}

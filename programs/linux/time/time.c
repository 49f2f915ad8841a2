/*
 * Time as the guest sees it: simulated, counted from 1996-01-01 00:00:00 UTC at tick 0. A processor
 * clock is the time a thread held its card.
 */
#include "programs/linux/time/time.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/time/timer.h"

enum { TICKS_PER_SECOND = 100 /* CLK_TCK of times() */ };

bool lx_clock_is_realtime(int32_t id)
{
    return id == CLK_REALTIME || id == CLK_REALTIME_COARSE || id == CLK_TAI;
}

/** A processor clock: of the process, or (tid) of a thread of it. The low bits say what is counted,
 *  3 nothing that exists. */
static int read_processor_clock(struct lx_call *c, int32_t id, uint64_t *ns)
{
    enum { WHAT = 3 };
    struct lx_prog *p = c->p;
    const uint32_t who = ~(uint32_t)(id >> 3);
    const struct lx_thread *t = who ? lx_thread_named(p, who) : c->t;

    if (who == PARENT && !(id & CLK_PERTHREAD_BIT) && (id & WHAT) != WHAT) {
        *ns = 0; /* it does nothing */
        return 0;
    }
    if ((id & WHAT) == WHAT || !t || (who && !(id & CLK_PERTHREAD_BIT) && who != FIRST_TID))
        return -EINVAL;
    *ns = lx_ns(p, id & CLK_PERTHREAD_BIT ? lx_thread_ran(t) : lx_process_ran(p));
    return 0;
}

int lx_clock_read(struct lx_call *c, int32_t id, uint64_t *ns)
{
    const uint64_t now = lx_ns(c->p, lx_now(c->p));
    int err = 0;

    if (id < 0)
        return read_processor_clock(c, id, ns);
    switch (id) {
    case CLK_PROCESS:
        *ns = lx_ns(c->p, lx_process_ran(c->p));
        break;
    case CLK_THREAD:
        *ns = lx_ns(c->p, lx_thread_ran(c->t));
        break;
    case CLK_REALTIME:
    case CLK_REALTIME_COARSE:
    case CLK_TAI:
        *ns = now + (uint64_t)LX_EPOCH * LX_SECOND_NS;
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

int64_t lx_sys_clock_gettime(struct lx_call *c)
{
    uint64_t ns;
    int64_t err = lx_clock_read(c, (int32_t)c->a[0], &ns);

    return err < 0 ? err : lx_call_put_time(c, 1, ns);
}

int64_t lx_sys_clock_getres(struct lx_call *c)
{
    uint64_t ns;
    int64_t err = lx_clock_read(c, (int32_t)c->a[0], &ns);

    if (err < 0 || !c->a[1])
        return err;
    return lx_call_put_time(c, 1, 1);
}

static int put_timeval(struct lx_call *c, uint64_t va, uint64_t ns)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, ns / LX_SECOND_NS);
    lx_out_long(&o, ns % LX_SECOND_NS / 1000);
    return lx_out_write(&o, &c->p->vm, va);
}

int64_t lx_sys_gettimeofday(struct lx_call *c)
{
    uint64_t ns = lx_ns(c->p, lx_now(c->p)) + (uint64_t)LX_EPOCH * LX_SECOND_NS;

    if (c->a[1] && lx_vm_zero(&c->p->vm, c->a[1], 8) < 0)
        return -EFAULT;
    return c->a[0] ? put_timeval(c, c->a[0], ns) : 0;
}

int64_t lx_sys_time(struct lx_call *c)
{
    int64_t s = LX_EPOCH + (int64_t)(lx_ns(c->p, lx_now(c->p)) / LX_SECOND_NS);

    if (c->a[0] && lx_vm_write_word(&c->p->vm, c->a[0], c->p->kind->word, (uint64_t)s) < 0)
        return -EFAULT;
    return s;
}

int64_t lx_sys_times(struct lx_call *c)
{
    uint64_t user = lx_ns(c->p, lx_process_ran(c->p)) / (LX_SECOND_NS / TICKS_PER_SECOND);
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, user);
    for (int i = 0; i < 3; i++) /* system, children's user, children's system */
        lx_out_long(&o, 0);
    if (c->a[0] && lx_out_write(&o, &c->p->vm, c->a[0]) < 0)
        return -EFAULT;
    return (int64_t)(lx_ns(c->p, lx_now(c->p)) / (LX_SECOND_NS / TICKS_PER_SECOND));
}

int64_t lx_sys_getrusage(struct lx_call *c)
{
    enum { SELF = 0, THREAD = 1, CHILDREN = -1, LONGS = 14, KB = 1024 };
    sim_tick ran = c->a[0] == SELF     ? lx_process_ran(c->p)
                   : c->a[0] == THREAD ? lx_thread_ran(c->t)
                                       : 0;
    uint64_t ns = lx_ns(c->p, ran);
    struct lx_out o;

    if ((int64_t)c->a[0] < CHILDREN || (int64_t)c->a[0] > THREAD)
        return -EINVAL;
    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, ns / LX_SECOND_NS);
    lx_out_long(&o, ns % LX_SECOND_NS / 1000);
    lx_out_long(&o, 0); /* the system's time is not counted */
    lx_out_long(&o, 0);
    lx_out_long(&o, c->a[0] == SELF || c->a[0] == THREAD ? c->p->vm.resident_peak / KB : 0);
    for (int i = 1; i < LONGS; i++)
        lx_out_long(&o, 0);
    return lx_out_write(&o, &c->p->vm, c->a[1]);
}

/* ---- setting what cannot be set -------------------------------------------------------------- */

/** Reads a time to be set. @return what is wrong with it, or else -EPERM */
static int64_t time_refuse(struct lx_call *c, unsigned i)
{
    uint64_t ns;
    int err = lx_call_time(c, i, &ns);

    return err < 0 ? err : -EPERM;
}

int64_t lx_sys_clock_settime(struct lx_call *c)
{
    const int32_t id = (int32_t)c->a[0];
    uint64_t ns;

    if (lx_clock_read(c, id, &ns) < 0)
        return -EINVAL;
    return id == CLK_REALTIME || id < 0 ? time_refuse(c, 1) : -EINVAL;
}

int64_t lx_sys_settimeofday(struct lx_call *c)
{
    const unsigned w = c->p->kind->word;
    struct lx_in i;

    if (c->a[0]) {
        if (lx_in_read(&i, &c->p->vm, c->a[0], 2 * w) < 0)
            return -EFAULT;
        lx_in_long(&i);
        if (lx_in_long(&i) > 999999)
            return -EINVAL;
    }
    return -EPERM;
}

/** Answers struct timex: a clock that is right. `width` is that of its longs. */
static int64_t time_adjust(struct lx_call *c, uint64_t va, unsigned width)
{
    enum { READ_ONLY = 0xa001, TICK_US = 10000, SIZE = 128, SIZE_64 = 208, TIME_OK = 0 };
    const uint64_t ns = lx_ns(c->p, lx_now(c->p)) + (uint64_t)LX_EPOCH * LX_SECOND_NS;
    uint64_t modes;
    struct lx_out o;

    if (lx_vm_read_word(&c->p->vm, va, 4, &modes) < 0)
        return -EFAULT;
    if (modes && modes != READ_ONLY)
        return -EPERM;
    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 4, modes);
    lx_out_skip(&o, 7 * width); /* offset, frequency, errors, status, constant */
    lx_out_int(&o, width, 1);   /* precision [us] */
    lx_out_int(&o, width, 0);
    lx_out_int(&o, width, ns / LX_SECOND_NS);
    lx_out_int(&o, width, ns % LX_SECOND_NS / 1000);
    lx_out_int(&o, width, TICK_US);
    lx_out_skip(&o, width == 8 ? SIZE_64 : SIZE);
    return lx_out_write(&o, &c->p->vm, va) < 0 ? -EFAULT : TIME_OK;
}

int64_t lx_sys_adjtimex(struct lx_call *c)
{
    return time_adjust(c, c->a[0], c->p->kind->word);
}

int64_t lx_sys_clock_adjtime(struct lx_call *c)
{
    uint64_t ns;

    if (lx_clock_read(c, (int32_t)c->a[0], &ns) < 0)
        return -EINVAL;
    if ((int32_t)c->a[0] != CLK_REALTIME)
        return -EOPNOTSUPP;
    return time_adjust(c, c->a[1], lx_call_time_width(c, 1));
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/** What is left of a relative sleep cut short goes to argument `rest`. Without a handler it goes
 * on: the signal may have been another thread's. */
static int64_t cut_short(struct lx_call *c, bool relative, unsigned rest, uint64_t ns)
{
    return relative && c->a[rest] && lx_call_put_time(c, rest, ns) < 0 ? -EFAULT : -ERESTART_NOHAND;
}

static int64_t sleep_until(struct lx_call *c, sim_tick deadline, bool relative, unsigned rest)
{
    sim_tick now;

    if (lx_thread_block(c->t, deadline, true, NULL) != WAKE_SIGNAL)
        return 0;
    now = lx_now(c->p);
    return cut_short(c, relative, rest, lx_ns(c->p, deadline > now ? deadline - now : 0));
}

/** Sleeps until a processor clock has gone on. */
static int64_t sleep_on_processor(struct lx_call *c, int32_t id, bool absolute, uint64_t ns)
{
    const bool process = id == CLK_PROCESS || !(id & CLK_PERTHREAD_BIT);
    struct lx_timer *t = lx_timer_new(c->p, TIMER_FILE, process ? TIMER_PROCESS : TIMER_THREAD);
    sim_tick left;
    int64_t err = 0;

    t->clock_tid = ~(uint32_t)(id >> 3);
    if (!c->until)
        c->until = lx_ticks(c->p, ns) + (absolute ? 0 : lx_timer_clock_now(c->p, t));
    lx_timer_set(t, c->until, 0);
    while (!err && t->at > lx_timer_clock_now(c->p, t))
        err = lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL ? -EINTR : 0;
    left = lx_timer_left(c->p, t);
    lx_timer_free(c->p, t);
    return err < 0 ? cut_short(c, !absolute, 3, lx_ns(c->p, left)) : 0;
}

int64_t lx_sys_nanosleep(struct lx_call *c)
{
    uint64_t ns;
    int err = lx_call_time(c, 0, &ns);

    return err < 0 ? err : sleep_until(c, lx_call_deadline(c, false, false, ns), true, 1);
}

/** Whether nobody can sleep on a clock that can be read. */
static int time_sleepless(const struct lx_call *c, int32_t id)
{
    const uint32_t who = ~(uint32_t)(id >> 3);

    if (id < 0 && (id & CLK_PERTHREAD_BIT) && (!who || who == c->t->tid))
        return -EINVAL;
    return id == CLK_THREAD || id == CLK_MONOTONIC_RAW || id == CLK_REALTIME_COARSE ||
                   id == CLK_MONOTONIC_COARSE
               ? -EOPNOTSUPP
               : 0;
}

int64_t lx_sys_clock_nanosleep(struct lx_call *c)
{
    const int32_t id = (int32_t)c->a[0];
    const bool absolute = c->a[1] & 1;
    uint64_t ns;
    int err = lx_clock_read(c, id, &ns);

    if (err == 0)
        err = time_sleepless(c, id);
    if (err == 0)
        err = lx_call_time(c, 2, &ns);
    if (err < 0)
        return err;
    if (id == CLK_PROCESS || id < 0)
        return sleep_on_processor(c, id, absolute, ns);
    return sleep_until(c, lx_call_deadline(c, absolute, lx_clock_is_realtime(id), ns), !absolute,
                       3);
}

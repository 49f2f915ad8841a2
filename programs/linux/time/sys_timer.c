/*
 * Calls that set timers: alarm and setitimer, POSIX timers. One struct lx_timer (timer.c) each;
 * here are the guest's structures. Timer descriptors are files (timerfd.c).
 */
#include "programs/linux/process/signo.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/time/time.h"
#include "programs/linux/time/timer.h"

#include <utlist.h>

enum { US = 1000000 };

/* ---- setitimer ------------------------------------------------------------------------------- */

/** The kinds of setitimer, and those of RLIMIT_CPU: clock and signal. */
static const struct {
    enum lx_timer_clock clock;
    int signal; /**< its name */
} kinds[] = {
    {TIMER_WALL, SIG_ALRM},    {TIMER_PROCESS, SIG_VTALRM}, {TIMER_PROCESS, SIG_PROF},
    {TIMER_PROCESS, SIG_XCPU}, {TIMER_PROCESS, SIG_KILL},
};

enum { KINDS = 3 /* of setitimer */, LIMIT_SOFT = KINDS, LIMIT_HARD };

static struct lx_timer *sys_timer_find(struct lx_prog *p, enum lx_timer_use use, int id)
{
    struct lx_timer *t;

    DL_FOREACH(p->timers, t)
        if (t->id == id && (t->use == TIMER_INTERVAL) == (use == TIMER_INTERVAL))
            return t;
    return NULL;
}

static struct lx_timer *sys_timer_interval(struct lx_prog *p, int kind)
{
    struct lx_timer *t = sys_timer_find(p, TIMER_INTERVAL, kind);

    if (!t) {
        t = lx_timer_new(p, TIMER_INTERVAL, kinds[kind].clock);
        t->id = kind;
        t->info = (struct lx_siginfo){.signo = lx_signo(p, kinds[kind].signal), .code = SI_KERNEL_};
    }
    return t;
}

/** [ticks] on the timer's clock that a relative time means; 0 turns it off. */
static sim_tick from_now(const struct lx_prog *p, const struct lx_timer *t, uint64_t ns)
{
    return ns ? lx_timer_clock_now(p, t) + lx_ticks(p, ns) : SIM_NEVER;
}

/** Sets the timer of a limit. */
static void sys_timer_limit(struct lx_prog *p, int kind, uint64_t s, sim_tick every)
{
    const bool none = s == UINT64_MAX;
    struct lx_timer *t =
        none ? sys_timer_find(p, TIMER_INTERVAL, kind) : sys_timer_interval(p, kind);

    s = s < 1 ? 1 : s > TIME_MAX_S ? TIME_MAX_S : s;
    if (t)
        lx_timer_set(t, none ? SIM_NEVER : lx_ticks(p, s * LX_SECOND_NS), every);
}

void lx_timers_limit(struct lx_prog *p, uint64_t soft, uint64_t hard)
{
    sys_timer_limit(p, LIMIT_SOFT, soft, lx_ticks(p, LX_SECOND_NS));
    sys_timer_limit(p, LIMIT_HARD, hard, 0);
}

/** [s] The nearest number of them, but 0 only for 0: that means "off". */
static uint64_t whole_seconds(uint64_t ns)
{
    const uint64_t s = (ns + LX_SECOND_NS / 2) / LX_SECOND_NS;

    return ns && !s ? 1 : s;
}

int64_t lx_sys_alarm(struct lx_call *c)
{
    struct lx_timer *t = sys_timer_interval(c->p, 0);
    uint64_t left = lx_ns(c->p, lx_timer_left(c->p, t));

    lx_timer_set(t, from_now(c->p, t, c->a[0] * LX_SECOND_NS), 0);
    return (int64_t)whole_seconds(left);
}

/** How often, and how long yet [ns]. */
static void timer_times(const struct lx_prog *p, const struct lx_timer *t, uint64_t ns[2])
{
    ns[0] = lx_ns(p, t->every);
    ns[1] = lx_ns(p, lx_timer_left(p, t));
}

static int put_itimer(struct lx_call *c, const uint64_t ns[2], uint64_t va)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    for (int i = 0; i < 2; i++) {
        lx_out_long(&o, ns[i] / LX_SECOND_NS);
        lx_out_long(&o, ns[i] % LX_SECOND_NS / 1000);
    }
    return lx_out_write(&o, &c->p->vm, va);
}

int64_t lx_sys_getitimer(struct lx_call *c)
{
    uint64_t ns[2];

    if (c->a[0] >= KINDS)
        return -EINVAL;
    timer_times(c->p, sys_timer_interval(c->p, (int)c->a[0]), ns);
    return put_itimer(c, ns, c->a[1]);
}

/** Two times of seconds and `parts` of one. @return 0, -EFAULT, -EINVAL */
static int read_times(struct lx_call *c, uint64_t va, unsigned width, int64_t parts, uint64_t ns[2])
{
    struct lx_in i;

    if (lx_in_read(&i, &c->p->vm, va, 4 * width) < 0)
        return -EFAULT;
    for (int n = 0; n < 2; n++) {
        int64_t sec = lx_abi_signed(lx_in_int(&i, width), width);
        int64_t part = lx_abi_signed(lx_in_int(&i, width), c->p->kind->word);
        if (sec < 0 || part < 0 || part >= parts)
            return -EINVAL;
        ns[n] = (uint64_t)(sec > TIME_MAX_S ? TIME_MAX_S : sec) * LX_SECOND_NS +
                (uint64_t)(part * (LX_SECOND_NS / parts));
    }
    return 0;
}

int64_t lx_sys_setitimer(struct lx_call *c)
{
    uint64_t ns[2] = {0, 0}, old[2];
    struct lx_timer *t;
    int err = 0;

    if (c->a[1])
        err = read_times(c, c->a[1], c->p->kind->word, US, ns);
    if (err < 0)
        return err;
    if (c->a[0] >= KINDS)
        return -EINVAL;
    t = sys_timer_interval(c->p, (int)c->a[0]);
    timer_times(c->p, t, old);
    lx_timer_set(t, from_now(c->p, t, ns[1]), lx_ticks(c->p, ns[0]));
    return c->a[2] ? put_itimer(c, old, c->a[2]) : 0; /* set, whether or not this can be stored */
}

/* ---- what POSIX timers and descriptors share ------------------------------------------------- */

static int put_times(struct lx_call *c, unsigned i, const uint64_t ns[2])
{
    const unsigned width = lx_call_time_width(c, i);
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    for (int n = 0; n < 2; n++) {
        lx_out_int(&o, width, ns[n] / LX_SECOND_NS);
        lx_out_int(&o, width, ns[n] % LX_SECOND_NS);
    }
    return lx_out_write(&o, &c->p->vm, c->a[i]);
}

int lx_timer_put(struct lx_call *c, unsigned i, const struct lx_timer *t)
{
    uint64_t ns[2];

    timer_times(c->p, t, ns);
    return put_times(c, i, ns);
}

int64_t lx_timer_settime(struct lx_call *c, struct lx_timer *t)
{
    enum { ABSTIME = 1 };
    uint64_t ns[2], old[2];
    int err = read_times(c, c->a[2], lx_call_time_width(c, 2), LX_SECOND_NS, ns);
    sim_tick at;

    if (err < 0)
        return err;
    if (!t)
        return -EINVAL;
    timer_times(c->p, t, old);
    if (!ns[1])
        at = SIM_NEVER;
    else if (!(c->a[1] & ABSTIME))
        at = from_now(c->p, t, ns[1]);
    else
        at = lx_call_deadline(c, true, t->realtime, ns[1]);
    lx_timer_set(t, at, lx_ticks(c->p, ns[0]));
    return c->a[3] ? put_times(c, 3, old) : 0; /* set, as above */
}

/* ---- POSIX timers ---------------------------------------------------------------------------- */

/** The clock a POSIX timer may have. @return 0, -EINVAL, -EOPNOTSUPP */
static int timer_on(struct lx_call *c, int32_t id, struct lx_timer *like)
{
    uint64_t ns;

    if (lx_clock_read(c, id, &ns) < 0)
        return -EINVAL;
    like->realtime = lx_clock_is_realtime(id);
    like->clock_tid = c->t->tid;
    like->clock = TIMER_WALL;
    if (id == CLK_PROCESS || (id < 0 && !(id & CLK_PERTHREAD_BIT)))
        like->clock = TIMER_PROCESS;
    else if (id == CLK_THREAD || id < 0) {
        like->clock = TIMER_THREAD;
        like->clock_tid = id < 0 && ~(uint32_t)(id >> 3) ? ~(uint32_t)(id >> 3) : c->t->tid;
    } else if (id == CLK_MONOTONIC_RAW || id == CLK_REALTIME_COARSE || id == CLK_MONOTONIC_COARSE) {
        return -EOPNOTSUPP;
    }
    return 0;
}

/** Reads a struct sigevent. @return 0, -EFAULT, -EINVAL */
static int read_event(struct lx_call *c, uint64_t va, struct lx_timer *like)
{
    enum { SIGNAL = 0, NONE = 1, THREAD = 2, THREAD_ID = 4 };
    struct lx_in i;
    uint32_t how;

    if (lx_in_read(&i, &c->p->vm, va, c->p->kind->word + 12) < 0)
        return -EFAULT;
    like->info.value = lx_in_long(&i);
    like->info.signo = (int32_t)lx_in_int(&i, 4);
    how = (uint32_t)lx_in_int(&i, 4);
    like->tid = how == THREAD_ID ? (uint32_t)lx_in_int(&i, 4) : 0;
    like->use = how == NONE ? TIMER_SILENT : TIMER_SIGNAL;
    if (how == NONE)
        return 0;
    if (how != SIGNAL && how != THREAD && how != THREAD_ID)
        return -EINVAL;
    if (how == THREAD_ID && !lx_thread_named(c->p, like->tid))
        return -EINVAL;
    return like->info.signo < 1 || like->info.signo > (int)c->p->kind->signals ? -EINVAL : 0;
}

int64_t lx_sys_timer_create(struct lx_call *c)
{
    struct lx_timer like = {.use = TIMER_SIGNAL, .info = {.signo = SIG_ALRM}}, *t;
    int err = timer_on(c, (int32_t)c->a[0], &like);
    unsigned count;

    if (err == 0 && c->a[1])
        err = read_event(c, c->a[1], &like);
    if (err < 0)
        return err;
    DL_COUNT(c->p->timers, t, count);
    if (count >= c->p->limits[LIMIT_SIGPENDING].soft)
        return -EAGAIN;
    if (lx_vm_write32(&c->p->vm, c->a[2], c->p->next_timer) < 0)
        return -EFAULT;
    t = lx_timer_new(c->p, like.use, like.clock);
    t->id = (int)c->p->next_timer++;
    t->clock_tid = like.clock_tid;
    t->realtime = like.realtime;
    t->tid = like.tid;
    t->info = like.info;
    t->info.code = SI_TIMER_;
    t->info.pid = (uint32_t)t->id;
    if (!c->a[1])
        t->info.value = lx_kind_union(c->p->kind, (uint32_t)t->id);
    return 0;
}

static struct lx_timer *sys_timer_argument(struct lx_call *c)
{
    return (int32_t)c->a[0] < 0 ? NULL : sys_timer_find(c->p, TIMER_SIGNAL, (int)c->a[0]);
}

int64_t lx_sys_timer_settime(struct lx_call *c)
{
    return c->a[2] ? lx_timer_settime(c, sys_timer_argument(c)) : -EINVAL;
}

int64_t lx_sys_timer_gettime(struct lx_call *c)
{
    struct lx_timer *t = sys_timer_argument(c);

    return t ? lx_timer_put(c, 1, t) : -EINVAL;
}

int64_t lx_sys_timer_getoverrun(struct lx_call *c)
{
    struct lx_timer *t = sys_timer_argument(c);

    return !t ? -EINVAL : t->missed > INT32_MAX ? INT32_MAX : (int64_t)t->missed;
}

int64_t lx_sys_timer_delete(struct lx_call *c)
{
    struct lx_timer *t = sys_timer_argument(c);

    if (!t)
        return -EINVAL;
    lx_timer_free(c->p, t);
    return 0;
}

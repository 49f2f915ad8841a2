/* Timer descriptors: a struct lx_timer each (timer.h), which tells those who wait for its file. */
#include "programs/linux/files/object.h"

#include "programs/linux/time/time.h"
#include "programs/linux/time/timer.h"

static unsigned timerfd_ready(struct lx_thread *thread, const struct lx_file *f)
{
    const struct lx_timer *t = f->object;

    (void)thread;
    return t->fired ? POLL_IN : 0;
}

/** How often it has fired since the last read. */
static int64_t timerfd_number(struct lx_call *c, struct lx_file *f, uint64_t *got)
{
    struct lx_timer *t = f->object;

    while (!t->fired) {
        int64_t err = lx_object_wait(c, f);
        if (err < 0)
            return err;
    }
    *got = lx_timer_passed(c->p, t);
    return 0;
}

static void timerfd_release(struct lx_prog *p, struct lx_file *f)
{
    lx_timer_free(p, f->object);
}

static const struct lx_file_ops timerfd_ops = {.ready = timerfd_ready,
                                               .number = timerfd_number,
                                               .release = timerfd_release,
                                               .name = "anon_inode:[timerfd]"};

int64_t lx_sys_timerfd_create(struct lx_call *c)
{
    const int32_t id = (int32_t)c->a[0];
    struct lx_timer *t;

    if (c->a[1] & ~(uint64_t)(G_O_NONBLOCK | G_O_CLOEXEC))
        return -EINVAL;
    if (id != CLK_REALTIME && id != CLK_MONOTONIC && id != CLK_BOOTTIME)
        return -EINVAL;
    t = lx_timer_new(c->p, TIMER_FILE, TIMER_WALL);
    t->realtime = lx_clock_is_realtime(id);
    return lx_object_open(c->p, &timerfd_ops, t, (uint32_t)c->a[1] | 2);
}

/** The timer behind the descriptor in argument 0. */
static struct lx_timer *timerfd_behind(const struct lx_call *c)
{
    return c->f->ops == &timerfd_ops ? c->f->object : NULL;
}

int64_t lx_sys_timerfd_settime(struct lx_call *c)
{
    enum { FLAGS = 3 };

    return c->a[1] & ~(uint64_t)FLAGS ? -EINVAL : lx_timer_settime(c, timerfd_behind(c));
}

int64_t lx_sys_timerfd_gettime(struct lx_call *c)
{
    return timerfd_behind(c) ? lx_timer_put(c, 1, timerfd_behind(c)) : -EINVAL;
}

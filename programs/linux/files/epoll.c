/*
 * epoll: a list of descriptors to look at together.
 *
 * The one hard thing is what an edge (EPOLLET) is. Programs depend on Linux's answer, which is not
 * a change of what is ready but that somebody was told: a writer tells those who read, each time,
 * and a reader those who write if they had no room. So it is done as there. Who is told of stands
 * in line until a thread looks and finds it ready, or not; only what has no edge lines up again,
 * behind all others. To ask whether an epoll is ready leaves its line as it is.
 *
 * Epolls may watch epolls, and several may watch the same one. A search through them notes where it
 * has been; otherwise it would count paths, not epolls.
 */
#include "programs/linux/files/object.h"

#include "base/alloc.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <utlist.h>

#define EPOLL_ET      UINT32_C(0x80000000)
#define EPOLL_ONESHOT UINT32_C(0x40000000)
#define EPOLL_ALONE   UINT32_C(0x10000000) /* EPOLLEXCLUSIVE */
#define EPOLL_WITH    UINT32_C(0xb000001d) /* what may stand with it */
#define EPOLL_FLAGS   UINT32_C(0xf0000000) /* what is no event */

enum { EVENT_BYTES = 16, NESTS_MAX = 4 /**< epolls that watch one another in a row, less one */ };

struct item {
    struct item *prev, *next;
    struct item *l_prev, *l_next; /**< the epoll's line */
    int32_t fd;
    uint32_t events; /**< asked for, with EPOLL_ flags; no event after a one-shot */
    struct lx_file *file;
    uint64_t data;
    bool lined; /**< is in the line */
};

struct epoll {
    struct epoll *prev, *next; /**< p->epolls */
    struct item *items;        /**< in the order they were added */
    struct item *line;         /**< those to look at, in the order they were told of */
    uint64_t seen;             /**< round (p->epoll_round) in which somebody was here, */
    bool ready;                /**< and what was found */
    unsigned above, below;     /**< longest row of epolls that watch it, that it watches */
};

static unsigned epoll_level(struct lx_thread *t, const struct item *i)
{
    const uint32_t asked = i->events & ~EPOLL_FLAGS;

    return asked ? lx_file_ready(t, i->file) & asked : 0;
}

static unsigned epoll_ready(struct lx_thread *t, const struct lx_file *f)
{
    struct epoll *e = f->object;
    const struct item *i;
    const bool outermost = !t->p->epoll_inside;

    t->p->epoll_round += outermost;
    if (e->seen == t->p->epoll_round)
        return e->ready ? POLL_READS : 0;
    e->seen = t->p->epoll_round;
    e->ready = false;
    t->p->epoll_inside = true;
    for (i = e->line; i && !e->ready; i = i->l_next)
        e->ready = epoll_level(t, i);
    t->p->epoll_inside = !outermost;
    return e->ready ? POLL_READS : 0;
}

static void line_join(struct epoll *e, struct item *i)
{
    if (!i->lined)
        DL_APPEND2(e->line, i, l_prev, l_next);
    i->lined = true;
}

static void line_leave(struct epoll *e, struct item *i)
{
    if (i->lined)
        DL_DELETE2(e->line, i, l_prev, l_next);
    i->lined = false;
}

static void remove_item(struct lx_prog *p, struct epoll *e, struct item *i)
{
    lx_give_back(p, sizeof *i);
    line_leave(e, i);
    DL_DELETE(e->items, i);
    free(i);
}

static void epoll_release(struct lx_prog *p, struct lx_file *f)
{
    struct epoll *e = f->object;

    while (e->items)
        remove_item(p, e, e->items);
    DL_DELETE(p->epolls, e);
    free(e);
}

static const struct lx_file_ops epoll_ops = {
    .ready = epoll_ready, .release = epoll_release, .name = "anon_inode:[eventpoll]"};

void lx_epoll_forget(struct lx_prog *p, const struct lx_file *f)
{
    struct epoll *e;
    struct item *i, *tmp;

    DL_FOREACH(p->epolls, e)
        DL_FOREACH_SAFE(e->items, i, tmp)
            if (i->file == f)
                remove_item(p, e, i);
}

/** Lines up all that watch what waits at `queue` and ask for one of `events`, and those that watch
 *  them: an epoll tells of each, also if it was ready. @return whether there were any */
static bool epoll_spread(struct lx_prog *p, const void *queue, unsigned events)
{
    bool any = false;
    struct epoll *e;
    struct item *i;

    DL_FOREACH(p->epolls, e)
        DL_FOREACH(e->items, i) {
            if (!(i->events & events) || !lx_file_waits_at(p, i->file, queue))
                continue;
            any = true;
            line_join(e, i);
            if (e->seen == p->epoll_round)
                continue;
            e->seen = p->epoll_round;
            epoll_spread(p, e, POLL_IN);
        }
    return any;
}

void lx_epoll_tell(struct lx_prog *p, const void *queue, unsigned events)
{
    p->epoll_round++;
    if (epoll_spread(p, queue, events))
        lx_thread_wake_all(p, p->fds);
}

/* Of signals all descriptors tell, whatever they are for: as in Linux, where they wait as one. */
void lx_epoll_came(struct lx_prog *p, const void *queue)
{
    lx_epoll_tell(p, queue, queue == &p->watchers ? POLL_ANY : POLL_IN);
}

static int64_t epoll_create(struct lx_call *c, uint32_t flags)
{
    struct epoll *e = sim_alloc(1, sizeof *e);

    DL_APPEND(c->p->epolls, e);
    return lx_object_open(c->p, &epoll_ops, e, flags | 2);
}

int64_t lx_sys_epoll_create(struct lx_call *c)
{
    return (int32_t)c->a[0] <= 0 ? -EINVAL : epoll_create(c, 0);
}

int64_t lx_sys_epoll_create1(struct lx_call *c)
{
    return c->a[0] & ~(uint64_t)G_O_CLOEXEC ? -EINVAL : epoll_create(c, (uint32_t)c->a[0]);
}

/* ---- the list -------------------------------------------------------------------------------- */

static struct epoll *epoll_of(const struct lx_file *f)
{
    return f->ops == &epoll_ops ? f->object : NULL;
}

/** Whether `e` is `target`, or watches it, directly or through others. */
static bool epoll_reaches(struct lx_prog *p, struct epoll *e, const struct epoll *target)
{
    const struct item *i;
    bool found = e == target;

    if (!e || e->seen == p->epoll_round)
        return false;
    e->seen = p->epoll_round;
    for (i = e->items; i && !found; i = i->next)
        found = epoll_reaches(p, epoll_of(i->file), target);
    return found;
}

/** Counts how long the rows above and below each epoll are, up to NESTS_MAX. */
static void measure_rows(struct lx_prog *p)
{
    struct epoll *e, *under;
    struct item *i;

    DL_FOREACH(p->epolls, e)
        e->above = e->below = 0;
    for (int pass = 0; pass < NESTS_MAX; pass++)
        DL_FOREACH(p->epolls, e)
            DL_FOREACH(e->items, i) {
                under = epoll_of(i->file);
                if (under && under->above <= e->above)
                    under->above = e->above + 1;
                if (under && e->below <= under->below)
                    e->below = under->below + 1;
            }
}

/** Whether `e` may watch `other`: not in a circle, nor in too long a row. */
static bool may_watch(struct lx_prog *p, const struct epoll *e, struct epoll *other)
{
    p->epoll_round++;
    if (epoll_reaches(p, other, e))
        return false;
    measure_rows(p);
    return e->above + 1 + other->below <= NESTS_MAX;
}

static struct item *epoll_find(const struct epoll *e, int32_t fd, const struct lx_file *f)
{
    struct item *i;

    DL_FOREACH(e->items, i)
        if (i->fd == fd && i->file == f)
            return i;
    return NULL;
}

/** Files are always ready, so Linux does not watch them. */
static bool epoll_watchable(const struct lx_file *f)
{
    return f->ops || f->pipe || f->standard || f->kind == FILE_CARD || f->kind == FILE_RANDOM;
}

enum { ADD = 1, DELETE, MODIFY };

static int64_t epoll_change(struct lx_call *c, struct epoll *e, struct lx_file *f,
                            const struct item *asked)
{
    struct item *i = epoll_find(e, asked->fd, f);

    if (c->a[1] == ADD ? i != NULL : i == NULL)
        return c->a[1] == ADD ? -EEXIST : -ENOENT;
    if (c->a[1] == DELETE) {
        remove_item(c->p, e, i);
        return 0;
    }
    if (c->a[1] == MODIFY && i->events & EPOLL_ALONE)
        return -EINVAL;
    if (c->a[1] == ADD) {
        if (epoll_of(f) && !may_watch(c->p, e, f->object))
            return -ELOOP;
        if (!lx_keep(c->p, sizeof *i))
            return -ENOSPC;
        i = sim_alloc(1, sizeof *i);
        i->fd = asked->fd;
        i->file = f;
        DL_APPEND(e->items, i);
    }
    i->events = asked->events | POLL_ERR | POLL_HUP; /* asked for or not */
    i->data = asked->data;
    if (!i->lined && epoll_level(c->t, i)) {
        line_join(e, i);
        lx_epoll_tell(c->p, e, POLL_IN);
    }
    lx_thread_wake_all(c->p, c->p->fds);
    return 0;
}

/** epoll_ctl(epoll, what, descriptor, event) */
int64_t lx_sys_epoll_ctl(struct lx_call *c)
{
    struct lx_file *f = lx_file_get(c->p, (int32_t)c->a[2]);
    struct item asked = {.fd = (int32_t)c->a[2]};
    struct lx_in in;

    if (c->a[1] != DELETE) {
        if (lx_in_read(&in, &c->p->vm, c->a[3], EVENT_BYTES) < 0)
            return -EFAULT;
        asked.events = (uint32_t)lx_in_int(&in, 4);
        lx_in_skip(&in, 8);
        asked.data = lx_in_int(&in, 8);
    }
    if (!f)
        return -EBADF;
    if (!epoll_watchable(f))
        return -EPERM;
    if (f == c->f || c->f->ops != &epoll_ops || c->a[1] < ADD || c->a[1] > MODIFY)
        return -EINVAL;
    if (asked.events & EPOLL_ALONE &&
        (c->a[1] != ADD || f->ops == &epoll_ops || asked.events & ~EPOLL_WITH))
        return -EINVAL;
    return epoll_change(c, c->f->object, f, &asked);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/** Writes an event; 0 or -EFAULT. */
static int epoll_report(struct lx_call *c, const struct item *i, unsigned events, uint64_t va)
{
    return lx_vm_write_word(&c->p->vm, va, 4, events) < 0 ||
                   lx_vm_write_word(&c->p->vm, va + 8, 8, i->data) < 0
               ? -EFAULT
               : 0;
}

/** What becomes of an item that was reported. */
static void epoll_reported(struct epoll *e, struct item *i)
{
    if (i->events & EPOLL_ONESHOT)
        i->events &= EPOLL_FLAGS;
    else if (!(i->events & EPOLL_ET))
        line_join(e, i);
}

/** Writes up to `most` events; goes along the line once. @return how many, or -EFAULT */
static int64_t epoll_look(struct lx_call *c, struct epoll *e, uint64_t va, uint64_t most)
{
    const struct item *const last = e->line ? e->line->l_prev : NULL;
    struct item *i = NULL;
    uint64_t n = 0;

    while (n < most && i != last) {
        unsigned events;
        i = e->line;
        events = epoll_level(c->t, i);
        if (events && epoll_report(c, i, events, va + n * EVENT_BYTES) < 0)
            return n ? (int64_t)n : -EFAULT; /* it stays the first */
        line_leave(e, i);
        if (!events)
            continue;
        epoll_reported(e, i);
        n++;
    }
    return (int64_t)n;
}

static int64_t wait_until(struct lx_call *c, sim_tick deadline)
{
    struct lx_file *f = c->f;
    int64_t n = 0;

    if ((int32_t)c->a[2] <= 0 || c->a[2] > INT32_MAX / EVENT_BYTES || f->ops != &epoll_ops)
        return -EINVAL;
    while ((n = epoll_look(c, f->object, c->a[1], c->a[2])) == 0) {
        enum lx_wake w;
        if (deadline <= lx_now(c->p)) /* who does not wait is not interrupted */
            break;
        w = lx_thread_block(c->t, deadline, true, c->p->fds);
        if (w == WAKE_EVENT)
            continue;
        n = w == WAKE_SIGNAL ? -EINTR : 0;
        break;
    }
    return n;
}

static sim_tick after_ms(struct lx_call *c, uint64_t ms)
{
    return (int32_t)ms < 0 ? SIM_NEVER : lx_call_deadline(c, false, false, ms * 1000000);
}

int64_t lx_sys_epoll_wait(struct lx_call *c)
{
    return wait_until(c, after_ms(c, c->a[3]));
}

int64_t lx_sys_epoll_pwait(struct lx_call *c)
{
    int err = lx_mask_enter(c, c->a[4], c->a[5]);

    return err < 0 ? err : lx_mask_leave(c, wait_until(c, after_ms(c, c->a[3])));
}

int64_t lx_sys_epoll_pwait2(struct lx_call *c)
{
    sim_tick deadline;
    int err = lx_optional_deadline(c, 3, &deadline);

    if (err == 0)
        err = lx_mask_enter(c, c->a[4], c->a[5]);
    return err < 0 ? err : lx_mask_leave(c, wait_until(c, deadline));
}

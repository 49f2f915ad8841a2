/*
 * POSIX message queues: named queues of messages by priority, behind descriptors.
 *
 * A queue lives while it has a name or a descriptor. Senders and receivers that must wait stand in
 * line (ipc.h): a message goes straight to the first receiver, and the place it leaves to the first
 * sender.
 */
#include "programs/linux/files/object.h"
#include "programs/linux/ipc/ipc.h"
#include "programs/linux/signals/signal.h"

#include "base/alloc.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    NAME_BYTES = 256,
    PRIORITIES = 32768,
    OVERHEAD = 80, /* [bytes] a message counts beside its own, for RLIMIT_MSGQUEUE */
};

enum { NOTIFY_SIGNAL = 0, NOTIFY_NONE = 1, NOTIFY_THREAD = 2 };

struct mqueue {
    struct mqueue *prev, *next;
    char name[NAME_BYTES]; /* "": unlinked */
    unsigned opened;
    uint32_t mode;
    uint64_t max, size;    /* messages, bytes of each */
    struct lx_note *notes; /* highest priority first, then first come */
    uint64_t count;
    struct lx_waiter *senders, *receivers;
    bool asked; /* by mq_notify: somebody is told */
    uint32_t notify;
    struct lx_siginfo info;
};

/* ---- the queues ------------------------------------------------------------------------------ */

static uint64_t mqueue_charge(const struct mqueue *q)
{
    return q->max * (q->size + OVERHEAD);
}

static void free_queue(struct lx_prog *p, struct mqueue *q)
{
    struct lx_note *n, *tmp;

    DL_FOREACH_SAFE(q->notes, n, tmp)
        lx_note_free(p, n);
    DL_DELETE(p->mqueues, q);
    free(q);
}

void lx_mqueues_free(struct lx_prog *p)
{
    while (p->mqueues)
        free_queue(p, p->mqueues);
}

static struct mqueue *mqueue_find(struct lx_prog *p, const char *name)
{
    struct mqueue *q;

    DL_FOREACH(p->mqueues, q)
        if (strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

static void mqueue_let_go(struct lx_prog *p, struct mqueue *q)
{
    if (q->opened == 0 && !*q->name)
        free_queue(p, q);
}

static unsigned mq_ready(struct lx_thread *t, const struct lx_file *f)
{
    const struct mqueue *q = f->object;

    (void)t;
    return (q->count > 0 ? POLL_READS : 0) | (q->count < q->max ? POLL_WRITES : 0);
}

static void mq_release(struct lx_prog *p, struct lx_file *f)
{
    struct mqueue *q = f->object;

    q->opened--;
    mqueue_let_go(p, q);
}

/** Whichever descriptor of the queue it was: the process has asked, and the process closes. */
static void mq_closed(struct lx_file *f)
{
    ((struct mqueue *)f->object)->asked = false;
}

static const struct lx_file_ops mq_ops = {
    .ready = mq_ready, .closed = mq_closed, .release = mq_release, .mode = S_IFREG};

/** The queue behind the descriptor in argument 0; `way` 1 must be readable, 2 writable, 0 either.
 */
static struct mqueue *mqueue_behind(const struct lx_call *c, unsigned way)
{
    const unsigned access = c->f->flags & 3; /* 0 read, 1 write, 2 both */

    if (c->f->ops != &mq_ops || (way == 1 && access == 1) || (way == 2 && access == 0))
        return NULL;
    return c->f->object;
}

/* ---- opening --------------------------------------------------------------------------------- */

/** Checks a name as the C library passes it, without its slash. */
static int mqueue_check_name(const char *name)
{
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EACCES;
    return strlen(name) >= NAME_BYTES ? -ENAMETOOLONG : 0;
}

static int read_attributes(struct lx_call *c, uint64_t va, struct mqueue *q)
{
    const unsigned w = c->p->kind->word;
    struct lx_in i;

    if (!va)
        return 0;
    if (lx_in_read(&i, &c->p->vm, va, 8 * w) < 0)
        return -EFAULT;
    lx_in_long(&i);
    q->max = lx_in_long(&i);
    q->size = lx_in_long(&i);
    return q->max < 1 || q->max > LX_MQ_MESSAGES || q->size < 1 || q->size > LX_MQ_BYTES ? -EINVAL
                                                                                         : 0;
}

static int mqueue_create(struct lx_call *c, struct mqueue **made)
{
    struct lx_prog *p = c->p;
    struct mqueue like = {.max = LX_MQ_MESSAGES, .size = LX_MQ_BYTES, .mode = (uint32_t)c->a[2]},
                  *q;
    int err = read_attributes(c, c->a[3], &like);
    uint64_t bytes = mqueue_charge(&like);
    unsigned count = 0;

    DL_FOREACH(p->mqueues, q) {
        bytes += mqueue_charge(q);
        count++;
    }
    if (err < 0)
        return err;
    if (count >= LX_MQ_QUEUES)
        return -ENOSPC;
    if (bytes > p->limits[LIMIT_MSGQUEUE].soft)
        return -EMFILE;
    like.mode &= ~p->umask;
    q = sim_alloc(1, sizeof *q);
    *q = like;
    memcpy(q->name, c->path[0], strlen(c->path[0]));
    DL_APPEND(p->mqueues, q);
    *made = q;
    return 0;
}

/** mq_open(name, flags, mode, attributes) */
int64_t lx_sys_mq_open(struct lx_call *c)
{
    const uint64_t flags = c->a[1];
    static const uint32_t needs[4] = {0400, 0200, 0600, 0};
    int err = mqueue_check_name(c->path[0]);
    struct mqueue *q = err < 0 ? NULL : mqueue_find(c->p, c->path[0]);
    int64_t fd;

    if (err < 0)
        return err;
    if (lx_descriptor_free(c->p, 0) < 0) /* before a queue is made for it */
        return -EMFILE;
    if ((flags & 3) == 3)
        return -EINVAL;
    if (q && flags & G_O_CREAT && flags & G_O_EXCL)
        return -EEXIST;
    if (q && (q->mode & needs[flags & 3]) != needs[flags & 3])
        return -EACCES;
    if (!q)
        err = flags & G_O_CREAT ? mqueue_create(c, &q) : -ENOENT;
    if (err < 0)
        return err;
    q->opened++; /* mq_release takes it back if there is no descriptor left */
    fd = lx_object_open(c->p, &mq_ops, q, (uint32_t)(flags & (3 | G_O_NONBLOCK)) | G_O_CLOEXEC);
    return fd;
}

int64_t lx_sys_mq_unlink(struct lx_call *c)
{
    int err = mqueue_check_name(c->path[0]);
    struct mqueue *q = err < 0 ? NULL : mqueue_find(c->p, c->path[0]);

    if (!q)
        return err < 0 ? err : -ENOENT;
    q->name[0] = '\0';
    mqueue_let_go(c->p, q);
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

/** Puts a message behind those of its priority. */
static void mqueue_put(struct mqueue *q, struct lx_note *n)
{
    struct lx_note *i;

    DL_FOREACH(q->notes, i)
        if (i->type < n->type)
            break;
    if (i)
        DL_PREPEND_ELEM(q->notes, i, n);
    else
        DL_APPEND(q->notes, n);
    q->count++;
}

/** A message has come to an empty queue that nobody waits at. */
static void mqueue_tell(struct lx_prog *p, struct mqueue *q)
{
    if (!q->asked)
        return;
    q->asked = false;
    if (q->notify == NOTIFY_SIGNAL)
        lx_signal_post(p, NULL, &q->info);
}

static void mqueue_deliver(struct lx_prog *p, struct mqueue *q, struct lx_note *n)
{
    if (q->receivers) {
        q->receivers->note = n;
        lx_waiter_serve(&q->receivers, q->receivers, 0);
        return;
    }
    mqueue_put(q, n);
    if (q->count == 1)
        mqueue_tell(p, q);
    lx_epoll_tell(p, q, POLL_ANY);
}

/** Deadline of an optional absolute time. */
static int deadline_of(struct lx_call *c, unsigned i, sim_tick *deadline)
{
    uint64_t ns;
    int err = 0;

    *deadline = SIM_NEVER;
    if (c->a[i] && !(err = lx_call_time(c, i, &ns)))
        *deadline = lx_call_deadline(c, true, true, ns);
    return err;
}

static int64_t mqueue_wait(struct lx_call *c, struct lx_waiter **queue, struct lx_waiter *w,
                           sim_tick deadline)
{
    if (c->f->flags & G_O_NONBLOCK)
        return -EAGAIN;
    switch (lx_waiter_wait(queue, w, c->t, deadline)) {
    case WAKE_EVENT:
        return w->result;
    case WAKE_TIMEOUT:
        return -ETIMEDOUT;
    default:
        return -ERESTART_SYS;
    }
}

/** mq_timedsend(queue, message, length, priority, deadline) */
int64_t lx_sys_mq_timedsend(struct lx_call *c)
{
    sim_tick deadline;
    int64_t err = c->a[3] >= PRIORITIES ? -EINVAL : deadline_of(c, 4, &deadline);
    struct mqueue *q = mqueue_behind(c, 2);
    struct lx_waiter w = {0};
    struct lx_note *n;

    if (err < 0)
        return err;
    if (!q)
        return -EBADF;
    if (c->a[2] > q->size)
        return -EMSGSIZE;
    err = lx_note_read(c->p, c->a[1], c->a[2], (int64_t)c->a[3], &n);
    if (err < 0)
        return err;
    w.note = c->t->note = n;
    if (q->count < q->max)
        mqueue_deliver(c->p, q, n);
    else
        err = mqueue_wait(c, &q->senders, &w, deadline);
    c->t->note = NULL;
    if (err < 0)
        lx_note_free(c->p, n);
    lx_thread_wake_all(c->p, c->p->fds);
    return err;
}

/** Takes the first message; the first who waits to send puts its own in the place. */
static struct lx_note *mqueue_take(struct lx_prog *p, struct mqueue *q)
{
    struct lx_note *n = q->notes;

    DL_DELETE(q->notes, n);
    q->count--;
    if (q->senders) {
        mqueue_put(q, q->senders->note);
        lx_waiter_serve(&q->senders, q->senders, 0);
    } else {
        lx_epoll_tell(p, q, POLL_ANY);
    }
    return n;
}

static int64_t mqueue_hand_out(struct lx_call *c, struct lx_note *n)
{
    int64_t r = (int64_t)n->len;

    if (lx_vm_write(&c->p->vm, c->a[1], n->bytes, n->len) < 0 ||
        (c->a[3] && lx_vm_write32(&c->p->vm, c->a[3], (uint32_t)n->type) < 0))
        r = -EFAULT;
    lx_note_free(c->p, n);
    return r;
}

/** mq_timedreceive(queue, buffer, length, priority, deadline) */
int64_t lx_sys_mq_timedreceive(struct lx_call *c)
{
    sim_tick deadline;
    int64_t err = deadline_of(c, 4, &deadline);
    struct mqueue *q = mqueue_behind(c, 1);
    struct lx_waiter w = {0};

    if (err < 0)
        return err;
    if (!q)
        return -EBADF;
    if (c->a[2] < q->size)
        return -EMSGSIZE;
    if (q->count > 0)
        w.note = mqueue_take(c->p, q);
    else
        err = mqueue_wait(c, &q->receivers, &w, deadline);
    lx_thread_wake_all(c->p, c->p->fds);
    return err < 0 ? err : mqueue_hand_out(c, w.note);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/** mq_notify(queue, sigevent or 0) */
int64_t lx_sys_mq_notify(struct lx_call *c)
{
    struct lx_siginfo info = {.code = SI_MESGQ_, .pid = FIRST_TID, .uid = c->p->uid};
    struct mqueue *q;
    uint32_t how = NOTIFY_NONE;
    struct lx_in i;

    if (c->a[1]) {
        if (lx_in_read(&i, &c->p->vm, c->a[1], c->p->kind->word + 8) < 0)
            return -EFAULT;
        info.value = lx_in_long(&i);
        info.signo = (int32_t)lx_in_int(&i, 4);
        how = (uint32_t)lx_in_int(&i, 4);
        if (how == NOTIFY_THREAD) /* through a socket, and there are none */
            return -EBADF;
        if (how > NOTIFY_NONE ||
            (how == NOTIFY_SIGNAL && (info.signo < 0 || info.signo > (int)c->p->kind->signals)))
            return -EINVAL;
    }
    q = mqueue_behind(c, 0);
    if (!q)
        return -EBADF;
    if (c->a[1] && q->asked)
        return -EBUSY;
    q->asked = c->a[1] != 0;
    q->notify = info.signo ? how : NOTIFY_NONE;
    q->info = info;
    return 0;
}

/** mq_getsetattr(queue, new or 0, old or 0): only O_NONBLOCK can be set. */
int64_t lx_sys_mq_getsetattr(struct lx_call *c)
{
    const struct mqueue *q = mqueue_behind(c, 0);
    const uint32_t old = c->f->flags & G_O_NONBLOCK;
    uint64_t flags = old;
    struct lx_out o;

    if (c->a[1]) {
        if (lx_vm_read_word(&c->p->vm, c->a[1], c->p->kind->word, &flags) < 0)
            return -EFAULT;
        flags = lx_flags_in(c->p->kind, LX_OPEN, flags);
    }
    if (flags & ~(uint64_t)G_O_NONBLOCK)
        return -EINVAL;
    if (!q)
        return -EBADF;
    c->f->flags = (c->f->flags & ~(uint32_t)G_O_NONBLOCK) | (uint32_t)flags;
    if (!c->a[2])
        return 0;
    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, lx_flags_out(c->p->kind, LX_OPEN, old));
    lx_out_long(&o, q->max);
    lx_out_long(&o, q->size);
    lx_out_long(&o, q->count);
    for (int i = 0; i < 4; i++)
        lx_out_long(&o, 0);
    return lx_out_write(&o, &c->p->vm, c->a[2]);
}

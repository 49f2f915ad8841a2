/*
 * System V message queues: messages with a type, of which a receiver may name the one it wants. A
 * message goes to the first in line who takes it; the place it leaves to the first in line to send.
 */
#include "programs/linux_sysv.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <utlist.h>

enum { BYTES_MAX = 16384, MESSAGE_MAX = 8192, QUEUES_MAX = 32000 };
enum { MSG_NOERROR_ = 010000, MSG_EXCEPT_ = 020000, MSG_COPY_ = 040000 };

struct msgs {
    struct sysv head;
    struct note *notes; /* in the order they were sent */
    uint64_t bytes, count, most;
    uint64_t sent, received; /* [s] */
    uint32_t sender, receiver;
    struct waiter *senders, *receivers;
};

/** What a receiver waits for, beside its type. */
struct wish {
    uint64_t size, flags;
};

static struct msgs *queue_of(struct prog *p, uint64_t id)
{
    return (struct msgs *)(void *)sysv_find(p, SYSV_MESSAGES, id);
}

void msg_free(struct prog *p, struct sysv *s)
{
    struct msgs *q = (struct msgs *)(void *)s;
    struct note *n, *tmp;

    (void)p;
    DL_FOREACH_SAFE(q->notes, n, tmp)
    free(n);
    free(q);
}

static int64_t fits(struct call *c, const struct sysv *s)
{
    (void)c, (void)s;
    return 0;
}

static int64_t make(struct call *c, struct sysv **s)
{
    struct msgs *q;
    struct sysv *i;
    unsigned queues;

    DL_COUNT(c->p->sysv[SYSV_MESSAGES], i, queues);
    if (queues >= QUEUES_MAX)
        return -ENOSPC;
    q = nm_alloc(1, sizeof *q);
    q->most = BYTES_MAX;
    *s = &q->head;
    return 0;
}

int64_t msg_get(struct call *c, uint32_t key, uint32_t flags)
{
    return sysv_get(c, SYSV_MESSAGES, key, flags, fits, make);
}

/* ---- who takes what -------------------------------------------------------------------------- */

/** Whether a receiver of `type` takes the message. */
static bool takes(int64_t type, uint64_t flags, const struct note *n)
{
    if (type == 0)
        return true;
    if (type < 0)
        return n->type <= -type;
    return (n->type == type) != !!(flags & MSG_EXCEPT_);
}

/** The message for that type: the first, or of a negative one the first of the lowest type. */
static struct note *choose(const struct msgs *q, int64_t type, uint64_t flags)
{
    struct note *n, *best = NULL;

    DL_FOREACH(q->notes, n)
    if (takes(type, flags, n) && (!best || (type < 0 && n->type < best->type)))
        best = n;
    return best;
}

static bool room(const struct msgs *q, size_t len)
{
    return len + q->bytes <= q->most && q->count < q->most;
}

static void put(struct prog *p, struct msgs *q, struct note *n)
{
    struct waiter *w;

    q->sent = sysv_now(p);
    q->sender = FIRST_TID;
    DL_FOREACH(q->receivers, w)
    {
        const struct wish *wish = w->request;
        if (!takes(w->type, wish->flags, n))
            continue;
        if (n->len > wish->size && !(wish->flags & MSG_NOERROR_)) {
            waiter_serve(&q->receivers, w, -E2BIG); /* it is for the next who takes it */
            put(p, q, n);
            return;
        }
        w->note = n;
        q->received = q->sent;
        q->receiver = FIRST_TID;
        waiter_serve(&q->receivers, w, 0);
        return;
    }
    DL_APPEND(q->notes, n);
    q->bytes += n->len;
    q->count++;
}

/** Lets those in line send while there is room. */
static void let_in(struct prog *p, struct msgs *q)
{
    while (q->senders && room(q, q->senders->note->len)) {
        struct note *n = q->senders->note;
        waiter_serve(&q->senders, q->senders, 0);
        put(p, q, n);
    }
}

static int64_t wait_in(struct call *c, struct waiter **line, struct waiter *w)
{
    c->t->waits_in = w->note ? "msgsnd" : "msgrcv"; /* not in ipc() */
    return waiter_wait(line, w, c->t, NM_NEVER) == WAKE_EVENT ? w->result : -EINTR;
}

/* ---- the calls ------------------------------------------------------------------------------- */

int64_t msg_send(struct call *c, uint64_t id, uint64_t message, uint64_t size, uint64_t flags)
{
    const unsigned w = c->p->n64 ? 8 : 4;
    struct waiter waiter = {0};
    struct msgs *q;
    uint64_t type;
    int64_t err;

    if (vm_read_word(&c->p->vm, message, w, &type) < 0)
        return -EFAULT;
    if (size > MESSAGE_MAX || (int32_t)id < 0 || abi_signed(type, w) < 1)
        return -EINVAL;
    waiter.note = note_read(c->p, message + w, size, abi_signed(type, w));
    if (!waiter.note)
        return -EFAULT;
    c->t->note = waiter.note;
    q = queue_of(c->p, id);
    err = !q ? -EINVAL : sysv_allows(&q->head, 2) ? 0 : -EACCES;
    if (err == 0 && !q->senders && room(q, size))
        put(c->p, q, waiter.note);
    else if (err == 0)
        err = flags & IPC_NOWAIT_ ? -EAGAIN : wait_in(c, &q->senders, &waiter);
    c->t->note = NULL;
    if (err < 0)
        free(waiter.note);
    return err;
}

static int64_t hand_out(struct call *c, uint64_t message, uint64_t size, struct note *n)
{
    const unsigned w = c->p->n64 ? 8 : 4;
    const size_t len = n->len < size ? n->len : (size_t)size;
    int64_t r = (int64_t)len;

    if (vm_write_word(&c->p->vm, message, w, (uint64_t)n->type) < 0 ||
        vm_write(&c->p->vm, message + w, n->bytes, len) < 0)
        r = -EFAULT;
    free(n);
    return r;
}

int64_t msg_receive(struct call *c, uint64_t id, uint64_t message, uint64_t size, int64_t type,
                    uint64_t flags)
{
    struct wish wish = {size, flags};
    struct waiter w = {.type = type, .request = &wish};
    struct msgs *q = queue_of(c->p, id);
    int64_t err;

    if ((int32_t)id < 0 || abi_signed(size, c->p->n64 ? 8 : 4) < 0 || !q)
        return -EINVAL;
    if (flags & MSG_COPY_)
        return flags & IPC_NOWAIT_ && !(flags & MSG_EXCEPT_) ? -ENOSYS : -EINVAL;
    if (!sysv_allows(&q->head, 4))
        return -EACCES;
    w.note = choose(q, type, flags);
    if (!w.note) {
        err = flags & IPC_NOWAIT_ ? -ENOMSG : wait_in(c, &q->receivers, &w);
        return err < 0 ? err : hand_out(c, message, size, w.note);
    }
    if (w.note->len > size && !(flags & MSG_NOERROR_))
        return -E2BIG;
    DL_DELETE(q->notes, w.note);
    q->bytes -= w.note->len;
    q->count--;
    q->received = sysv_now(c->p);
    q->receiver = FIRST_TID;
    let_in(c->p, q);
    return hand_out(c, message, size, w.note);
}

/** o32 gives each time in two words, the upper one first. */
static void out_time(struct out *o, uint64_t s)
{
    out_int(o, 8, s);
}

static int64_t stat_queue(struct call *c, const struct msgs *q, uint64_t va)
{
    struct out o;

    out_start(&o, c->p->n64);
    sysv_out(&o, &q->head);
    out_time(&o, q->sent);
    out_time(&o, q->received);
    out_time(&o, q->head.changed);
    out_long(&o, q->bytes);
    out_long(&o, q->count);
    out_long(&o, q->most);
    out_int(&o, 4, q->sender);
    out_int(&o, 4, q->receiver);
    out_long(&o, 0);
    out_long(&o, 0);
    return out_write(&o, &c->p->vm, va);
}

/** IPC_SET also sets how many bytes it holds; nobody without rights may have more. */
static int64_t set_queue(struct call *c, struct msgs *q, uint64_t va)
{
    const unsigned w = c->p->n64 ? 8 : 4;
    const size_t at = c->p->n64 ? 48 + 24 + 16 : 36 + 24 + 8;
    uint64_t most;

    if (vm_read_word(&c->p->vm, va + at, w, &most) < 0)
        return -EFAULT;
    if (most > BYTES_MAX)
        return -EPERM;
    q->most = most;
    let_in(c->p, q);
    return sysv_set(c, &q->head, va);
}

/** IPC_INFO: struct msginfo, seven ints and a short. */
static int64_t info(struct call *c, uint64_t va)
{
    static const uint32_t limits[7] = {0, 0, MESSAGE_MAX, BYTES_MAX, QUEUES_MAX, 16, BYTES_MAX};
    struct out o;

    out_start(&o, c->p->n64);
    for (int i = 0; i < 7; i++)
        out_int(&o, 4, limits[i]);
    out_int(&o, 4, 0xffff0000u);
    return out_write(&o, &c->p->vm, va);
}

int64_t msg_control(struct call *c, uint64_t id, uint64_t command, uint64_t arg)
{
    struct msgs *q = queue_of(c->p, id);

    command &= ~(uint64_t)IPC_64;
    if (command == IPC_INFO_)
        return info(c, arg);
    if (!q || (int32_t)id < 0)
        return -EINVAL;
    switch (command) {
    case IPC_RMID_:
        sysv_remove(c->p, SYSV_MESSAGES, &q->head);
        waiters_refuse(&q->senders, -EIDRM);
        waiters_refuse(&q->receivers, -EIDRM);
        msg_free(c->p, &q->head);
        return 0;
    case IPC_SET_:
        return set_queue(c, q, arg);
    case IPC_STAT_:
        return sysv_allows(&q->head, 4) ? stat_queue(c, q, arg) : -EACCES;
    default:
        return -EINVAL;
    }
}

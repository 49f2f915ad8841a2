/*
 * System V message queues: messages with a type, of which a receiver may name the one it wants. A
 * message goes to the first receiver in line that takes it; its place goes to the first sender.
 */
#include "programs/linux/ipc/sysv.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <utlist.h>

enum { MSG_NOERROR_ = 010000, MSG_EXCEPT_ = 020000, MSG_COPY_ = 040000 };

struct msgs {
    struct lx_sysv head;
    struct lx_note *notes; /* in the order they were sent */
    uint64_t bytes, count, most;
    uint64_t sent, received; /* [s] */
    uint32_t sender, receiver;
    struct lx_waiter *senders, *receivers;
};

/** What a receiver waits for, beside its type. */
struct wish {
    uint64_t size, flags;
};

static struct msgs *msg_queue_of(struct lx_prog *p, uint64_t id)
{
    return (struct msgs *)(void *)lx_sysv_find(p, SYSV_MESSAGES, id);
}

void lx_msg_free(struct lx_prog *p, struct lx_sysv *s)
{
    struct msgs *q = (struct msgs *)(void *)s;
    struct lx_note *n, *tmp;

    DL_FOREACH_SAFE(q->notes, n, tmp)
        lx_note_free(p, n);
    lx_give_back(p, sizeof *q);
    free(q);
}

static int64_t msg_fits(struct lx_call *c, const struct lx_sysv *s)
{
    (void)c, (void)s;
    return 0;
}

static int64_t msg_make(struct lx_call *c, struct lx_sysv **s)
{
    struct msgs *q;
    struct lx_sysv *i;
    unsigned queues;

    DL_COUNT(c->p->sysv[SYSV_MESSAGES], i, queues);
    if (queues >= LX_MSG_QUEUES || !lx_keep(c->p, sizeof *q))
        return -ENOSPC;
    q = sim_alloc(1, sizeof *q);
    q->most = LX_MSG_QUEUE_BYTES;
    *s = &q->head;
    return 0;
}

int64_t lx_msg_get(struct lx_call *c, uint32_t key, uint32_t flags)
{
    return lx_sysv_get(c, SYSV_MESSAGES, key, flags, msg_fits, msg_make);
}

/* ---- who takes what -------------------------------------------------------------------------- */

/** Whether a receiver of `type` takes the message. */
static bool msg_takes(int64_t type, uint64_t flags, const struct lx_note *n)
{
    if (type == 0)
        return true;
    if (type < 0) /* the lowest has no opposite */
        return n->type <= (type == INT64_MIN ? INT64_MAX : -type);
    return (n->type == type) != !!(flags & MSG_EXCEPT_);
}

/** The message for that type: the first, or of a negative one the first of the lowest type. */
static struct lx_note *msg_choose(const struct msgs *q, int64_t type, uint64_t flags)
{
    struct lx_note *n, *best = NULL;

    DL_FOREACH(q->notes, n)
        if (msg_takes(type, flags, n) && (!best || (type < 0 && n->type < best->type)))
            best = n;
    return best;
}

static bool msg_room(const struct msgs *q, size_t len)
{
    return len + q->bytes <= q->most && q->count < q->most;
}

static void msg_put(struct lx_prog *p, struct msgs *q, struct lx_note *n)
{
    struct lx_waiter *w;

    q->sent = lx_sysv_now(p);
    q->sender = FIRST_TID;
    DL_FOREACH(q->receivers, w) {
        const struct wish *wish = w->request;
        if (!msg_takes(w->type, wish->flags, n))
            continue;
        if (n->len > wish->size && !(wish->flags & MSG_NOERROR_)) {
            lx_waiter_serve(&q->receivers, w, -E2BIG); /* it is for the next who takes it */
            msg_put(p, q, n);
            return;
        }
        w->note = n;
        q->received = q->sent;
        q->receiver = FIRST_TID;
        lx_waiter_serve(&q->receivers, w, 0);
        return;
    }
    DL_APPEND(q->notes, n);
    q->bytes += n->len;
    q->count++;
}

/** Lets those in line send for whom there is room: a small message goes past a large one. */
static void let_in(struct lx_prog *p, struct msgs *q)
{
    struct lx_waiter *w, *tmp;

    DL_FOREACH_SAFE(q->senders, w, tmp) {
        struct lx_note *n = w->note;
        if (!msg_room(q, n->len))
            continue;
        lx_waiter_serve(&q->senders, w, 0);
        msg_put(p, q, n);
    }
}

static int64_t msg_wait(struct lx_call *c, struct lx_waiter **line, struct lx_waiter *w)
{
    c->t->waits_in = w->note ? "msgsnd" : "msgrcv"; /* not in ipc() */
    return lx_waiter_wait(line, w, c->t, SIM_NEVER) == WAKE_EVENT ? w->result : -EINTR;
}

/* ---- the calls ------------------------------------------------------------------------------- */

int64_t lx_msg_send(struct lx_call *c, uint64_t id, uint64_t message, uint64_t size, uint64_t flags)
{
    const unsigned w = c->p->kind->word;
    struct lx_waiter waiter = {0};
    struct msgs *q;
    uint64_t type;
    int64_t err;

    if (lx_vm_read_word(&c->p->vm, message, w, &type) < 0)
        return -EFAULT;
    if (size > LX_MSG_BYTES || (int32_t)id < 0 || lx_abi_signed(type, w) < 1)
        return -EINVAL;
    err = lx_note_read(c->p, message + w, size, lx_abi_signed(type, w), &waiter.note);
    if (err < 0)
        return err;
    c->t->note = waiter.note;
    q = msg_queue_of(c->p, id);
    err = !q ? -EINVAL : lx_sysv_allows(&q->head, 2) ? 0 : -EACCES;
    if (err == 0 && msg_room(q, size))
        msg_put(c->p, q, waiter.note);
    else if (err == 0)
        err = flags & IPC_NOWAIT_ ? -EAGAIN : msg_wait(c, &q->senders, &waiter);
    c->t->note = NULL;
    if (err < 0)
        lx_note_free(c->p, waiter.note);
    return err;
}

static int64_t msg_hand_out(struct lx_call *c, uint64_t message, uint64_t size, struct lx_note *n)
{
    const unsigned w = c->p->kind->word;
    const size_t len = n->len < size ? n->len : (size_t)size;
    int64_t r = (int64_t)len;

    if (lx_vm_write_word(&c->p->vm, message, w, (uint64_t)n->type) < 0 ||
        lx_vm_write(&c->p->vm, message + w, n->bytes, len) < 0)
        r = -EFAULT;
    lx_note_free(c->p, n);
    return r;
}

int64_t lx_msg_receive(struct lx_call *c, uint64_t id, uint64_t message, uint64_t size,
                       int64_t type, uint64_t flags)
{
    struct wish wish = {size, flags};
    struct lx_waiter w = {.type = type, .request = &wish};
    struct msgs *q = msg_queue_of(c->p, id);
    int64_t err;

    if ((int32_t)id < 0 || lx_abi_signed(size, c->p->kind->word) < 0 || !q)
        return -EINVAL;
    if (flags & MSG_COPY_)
        return flags & IPC_NOWAIT_ && !(flags & MSG_EXCEPT_) ? -ENOSYS : -EINVAL;
    if (!lx_sysv_allows(&q->head, 4))
        return -EACCES;
    w.note = msg_choose(q, type, flags);
    if (!w.note) {
        err = flags & IPC_NOWAIT_ ? -ENOMSG : msg_wait(c, &q->receivers, &w);
        return err < 0 ? err : msg_hand_out(c, message, size, w.note);
    }
    if (w.note->len > size && !(flags & MSG_NOERROR_))
        return -E2BIG;
    DL_DELETE(q->notes, w.note);
    q->bytes -= w.note->len;
    q->count--;
    q->received = lx_sysv_now(c->p);
    q->receiver = FIRST_TID;
    let_in(c->p, q);
    return msg_hand_out(c, message, size, w.note);
}

/** o32 gives each time in two words, the upper one first. */
static void out_time(struct lx_out *o, uint64_t s)
{
    lx_out_int(o, 8, s);
}

static int64_t stat_queue(struct lx_call *c, const struct msgs *q, uint64_t va)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_sysv_out(&o, &q->head);
    out_time(&o, q->sent);
    out_time(&o, q->received);
    out_time(&o, q->head.changed);
    lx_out_long(&o, q->bytes);
    lx_out_long(&o, q->count);
    lx_out_long(&o, q->most);
    lx_out_int(&o, 4, q->sender);
    lx_out_int(&o, 4, q->receiver);
    lx_out_long(&o, 0);
    lx_out_long(&o, 0);
    return lx_out_write(&o, &c->p->vm, va);
}

/** IPC_SET also sets how many bytes it holds; nobody without rights may have more. */
static int64_t set_queue(struct lx_call *c, struct msgs *q, uint64_t va)
{
    const unsigned w = c->p->kind->word;
    const size_t at = c->p->n64 ? 48 + 24 + 16 : 36 + 24 + 8;
    uint64_t most;

    if (lx_vm_read_word(&c->p->vm, va + at, w, &most) < 0)
        return -EFAULT;
    if (most > LX_MSG_QUEUE_BYTES)
        return -EPERM;
    q->most = most;
    let_in(c->p, q);
    return lx_sysv_set(c, &q->head, va);
}

/** IPC_INFO: struct msginfo, seven ints and a short. */
static int64_t msg_info(struct lx_call *c, uint64_t va)
{
    static const uint32_t limits[7] = {
        0, 0, LX_MSG_BYTES, LX_MSG_QUEUE_BYTES, LX_MSG_QUEUES, 16, LX_MSG_QUEUE_BYTES};
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    for (int i = 0; i < 7; i++)
        lx_out_int(&o, 4, limits[i]);
    lx_out_int(&o, 4, 0xffff0000u);
    return lx_out_write(&o, &c->p->vm, va);
}

int64_t lx_msg_control(struct lx_call *c, uint64_t id, uint64_t command, uint64_t arg)
{
    struct msgs *q = msg_queue_of(c->p, id);

    command &= ~(uint64_t)IPC_64;
    if (command == IPC_INFO_)
        return msg_info(c, arg);
    if (!q || (int32_t)id < 0)
        return -EINVAL;
    switch (command) {
    case IPC_RMID_:
        lx_sysv_remove(c->p, SYSV_MESSAGES, &q->head);
        lx_waiters_refuse(&q->senders, -EIDRM);
        lx_waiters_refuse(&q->receivers, -EIDRM);
        lx_msg_free(c->p, &q->head);
        return 0;
    case IPC_SET_:
        return set_queue(c, q, arg);
    case IPC_STAT_:
        return lx_sysv_allows(&q->head, 4) ? stat_queue(c, q, arg) : -EACCES;
    default:
        return -EINVAL;
    }
}

/*
 * Pipes between threads, and waiting for files.
 *
 * A pipe is 64 KB of memory of ours, not the host's, so that a thread that must wait blocks in
 * simulated time. All threads that wait for any file wait on one channel and look again when woken:
 * looking costs no simulated time.
 */
#include "base/alloc.h"
#include "programs/host.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/mapped.h"
#include "programs/linux/files/object.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIPE_PART = 4096 /* is copied as one: a fault in it leaves all of it where it was */
};

int64_t lx_sys_pipe2(struct lx_call *c)
{
    struct lx_prog *p = c->p;
    const bool old = !c->row->args[1], two = old && !c->p->kind->generic;
    uint32_t flags = old ? 0 : (uint32_t)c->a[1];
    struct lx_pipe *pipe;
    struct lx_file *in, *out;
    int64_t r, w;

    if (flags & ~(uint32_t)(G_O_CLOEXEC | G_O_NONBLOCK))
        return -EINVAL;
    pipe = sim_alloc(1, sizeof *pipe);
    in = lx_file_new(p, FILE_PIPE_IN, -1, flags);
    out = lx_file_new(p, FILE_PIPE_OUT, -1, flags | 1);
    pipe->readers = pipe->writers = 1;
    pipe->number = STREAMS + ++p->inode_count;
    in->pipe = out->pipe = pipe;
    r = lx_file_install(p, in, 0, flags & G_O_CLOEXEC);
    w = lx_file_install(p, out, 0, flags & G_O_CLOEXEC);
    if (r < 0 || w < 0) {
        if (r >= 0) {
            p->fds[r].file = NULL;
            lx_file_release(p, in);
        }
        return -EMFILE;
    }
    if (two) {
        c->second = (uint64_t)w;
        c->has_second = true;
        return r;
    }
    if (lx_vm_write32(&p->vm, c->a[0], (uint32_t)r) < 0 ||
        lx_vm_write32(&p->vm, c->a[0] + 4, (uint32_t)w) < 0) {
        lx_file_close(p, (uint64_t)r); /* nobody learns their numbers */
        lx_file_close(p, (uint64_t)w);
        return -EFAULT;
    }
    return 0;
}

static bool pipe_reads(const struct lx_file *f)
{
    return f->kind != FILE_PIPE_OUT;
}

static bool pipe_writes(const struct lx_file *f)
{
    return f->kind != FILE_PIPE_IN;
}

void lx_pipe_end(struct lx_prog *p, struct lx_file *f)
{
    struct lx_pipe *pipe = f->pipe;

    pipe->readers -= pipe_reads(f);
    pipe->writers -= pipe_writes(f);
    if (!pipe->readers != !pipe->writers) { /* the others see the end */
        lx_epoll_tell(p, &pipe->readers, POLL_ANY);
        lx_epoll_tell(p, &pipe->writers, POLL_ANY);
    }
    lx_thread_wake_all(p, p->fds);
    if (pipe->readers > 0 || pipe->writers > 0)
        return;
    if (pipe->inode)
        pipe->inode->fifo = NULL;
    free(pipe);
}

/* ---- pipes with a name ----------------------------------------------------------------------- */

static struct lx_pipe *fifo_of(struct lx_inode *n)
{
    if (!n->fifo) {
        n->fifo = sim_alloc(1, sizeof *n->fifo);
        n->fifo->inode = n;
    }
    return n->fifo;
}

/** Waits until the other end has been opened, if only for a moment. */
static int64_t await_partner(struct lx_call *c, const struct lx_file *f)
{
    const struct lx_pipe *pipe = f->pipe;
    const unsigned *others = pipe_reads(f) ? &pipe->writers : &pipe->readers;
    const unsigned *opened = &pipe->opened[pipe_reads(f)], before = *opened;

    if (f->kind == FILE_PIPE_BOTH || *others > 0)
        return 0;
    if (f->flags & G_O_NONBLOCK)
        return pipe_reads(f) ? 0 : -ENXIO;
    while (*opened == before)
        if (lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL)
            return -ERESTART_SYS;
    return 0;
}

/** An open FIFO. It keeps the host's own from being forgotten, and its number from being that of
 *  another file, for as long as it is open. @return NULL: the host has no descriptor left */
static struct lx_file *fifo_file(struct lx_prog *p, const struct lx_spot *s, uint32_t flags)
{
    static const enum lx_file_kind kinds[] = {FILE_PIPE_IN, FILE_PIPE_OUT, FILE_PIPE_BOTH,
                                              FILE_PIPE_BOTH};
    const int host = prog_host_copy(s->fd);
    struct lx_file *f;

    if (host < 0)
        return NULL;
    f = lx_file_new(p, kinds[flags & 3], host, flags);
    f->inode = lx_inode_of(p, &s->st);
    f->writable = s->writable;
    f->guarded = s->guard == GUARD_WORKS;
    f->pipe = fifo_of(f->inode);
    return f;
}

/** The same for a file that gets a descriptor: no other call may take that meanwhile. */
static int64_t fifo_descriptor(struct lx_call *c, struct lx_file *f, bool cloexec)
{
    const int64_t fd = lx_descriptor_free(c->p, 0);
    int64_t err;

    if (fd < 0)
        return fd;
    c->p->fds[fd].promised = true;
    err = await_partner(c, f);
    c->p->fds[fd].promised = false;
    if (err < 0)
        return err;
    lx_descriptor_set(c->p, (uint64_t)fd, f, cloexec);
    return fd;
}

int64_t lx_fifo_open(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    struct lx_file *f = fifo_file(c->p, s, flags);

    if (!f)
        return lx_host_says(c->p, -EMFILE);
    f->pipe->readers += pipe_reads(f);
    f->pipe->writers += pipe_writes(f);
    f->pipe->opened[0] += pipe_reads(f);
    f->pipe->opened[1] += pipe_writes(f);
    lx_file_hold(c->t, f);
    if ((pipe_reads(f) && f->pipe->readers == 1) || (pipe_writes(f) && f->pipe->writers == 1))
        lx_epoll_tell(c->p, &f->pipe->readers, POLL_ANY);
    lx_thread_wake_all(c->p, c->p->fds);
    if (f->kind == FILE_PIPE_IN && f->pipe->writers == 0 && flags & G_O_NONBLOCK)
        f->writers_before = f->pipe->opened[1];
    return fifo_descriptor(c, f, flags & G_O_CLOEXEC);
}

/* ---- moving bytes ---------------------------------------------------------------------------- */

/** Waits until something happens to a pipe. @return 0, or what an interrupted call returns */
static int64_t wait_pipe(struct lx_call *c, const struct lx_file *f)
{
    if (f->flags & G_O_NONBLOCK)
        return -EAGAIN;
    return lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL ? -ERESTART_SYS : 0;
}

/** Bytes of the next part: `len` are still wanted, and `pipe` could move so many. */
static uint64_t pipe_part_of(uint64_t len, uint64_t pipe)
{
    const uint64_t n = len < pipe ? len : pipe;

    return n < PIPE_PART ? n : PIPE_PART;
}

static bool pipe_has_room(const struct lx_pipe *pipe)
{
    return PIPE_BYTES - pipe->count >= PIPE_ATOMIC;
}

/** Takes what is next out of a pipe to `va`; 0 or -EFAULT. */
static int take_out(struct lx_call *c, struct lx_pipe *pipe, uint64_t va, uint64_t n)
{
    uint8_t part[PIPE_PART];

    for (uint64_t i = 0; i < n; i++)
        part[i] = pipe->data[(pipe->head + i) % PIPE_BYTES];
    if (lx_vm_write(&c->p->vm, va, part, n) < 0)
        return -EFAULT;
    pipe->head = (pipe->head + n) % PIPE_BYTES;
    pipe->count -= n;
    return 0;
}

int64_t lx_pipe_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    struct lx_pipe *pipe = f->pipe;
    bool waited = false, full;
    uint64_t n = 0;

    while (len > 0 && pipe->count == 0 && pipe->writers > 0) {
        int64_t err = wait_pipe(c, f);
        if (err < 0)
            return err;
        waited = true;
    }
    full = !pipe_has_room(pipe);
    while (n < len && pipe->count > 0) {
        const uint64_t part = pipe_part_of(len - n, pipe->count);
        if (take_out(c, pipe, va + n, part) < 0) {
            if (n == 0)
                return -EFAULT;
            break;
        }
        n += part;
    }
    if (full && pipe_has_room(pipe))
        lx_epoll_tell(c->p, &pipe->writers, POLL_WRITES);
    if (waited && pipe->count > 0) /* as Linux hands on to the next what was told to this one */
        lx_epoll_tell(c->p, &pipe->readers, POLL_READS);
    lx_thread_wake_all(c->p, c->p->fds);
    return (int64_t)n;
}

/** Where bytes to be written are: in the guest's memory or the host's. */
struct source {
    uint64_t va;
    const uint8_t *host; /* NULL: at va */
};

/** Puts the bytes of a source from `done` on into a pipe that has room; 0 or -EFAULT. */
static int put_in(struct lx_call *c, struct lx_pipe *pipe, const struct source *from, uint64_t done,
                  uint64_t n)
{
    uint8_t part[PIPE_PART];

    if (from->host)
        memcpy(part, from->host + done, n);
    else if (lx_vm_read(&c->p->vm, from->va + done, part, n) < 0)
        return -EFAULT;
    for (uint64_t i = 0; i < n; i++)
        pipe->data[(pipe->head + pipe->count + i) % PIPE_BYTES] = part[i];
    pipe->count += n;
    return 0;
}

/** Copies what fits. @param faults  set if the source ends before */
static uint64_t pipe_fill(struct lx_call *c, struct lx_pipe *pipe, const struct source *from,
                          uint64_t done, uint64_t len, bool *faults)
{
    uint64_t n = 0;

    while (done + n < len && pipe->count < PIPE_BYTES) {
        const uint64_t part = pipe_part_of(len - done - n, PIPE_BYTES - pipe->count);
        if (put_in(c, pipe, from, done + n, part) < 0) {
            *faults = true;
            break;
        }
        n += part;
    }
    if (n > 0)
        lx_thread_wake_all(c->p, c->p->fds);
    return n;
}

/** Waits for room. Those who read are told of what is in by now only if nothing was before:
 *  otherwise they are when the whole write ends, as in Linux. */
static int64_t pipe_await_room(struct lx_call *c, const struct lx_file *f, bool was_empty)
{
    if (was_empty)
        lx_epoll_tell(c->p, &f->pipe->readers, POLL_READS);
    return wait_pipe(c, f);
}

static int64_t pipe_move(struct lx_call *c, struct lx_file *f, const struct source *from,
                         uint64_t len, bool *waited)
{
    struct lx_pipe *pipe = f->pipe;
    struct lx_siginfo info = {
        .signo = lx_signo(c->p, SIG_PIPE), .pid = FIRST_TID, .uid = c->p->uid};
    uint64_t done = 0;
    bool faults = false;

    while (done < len) {
        const bool was_empty = pipe->count == 0;
        int64_t n;
        if (pipe->readers == 0) {
            lx_signal_post(c->p, c->t, &info);
            return done > 0 ? (int64_t)done : -EPIPE;
        }
        /* Small writes are not torn apart. */
        if (len > PIPE_ATOMIC || PIPE_BYTES - pipe->count >= len)
            done += pipe_fill(c, pipe, from, done, len, &faults);
        n = faults ? -EFAULT : done < len ? pipe_await_room(c, f, was_empty) : 0;
        if (n < 0)
            return done > 0 ? (int64_t)done : n;
        *waited |= done < len;
    }
    return (int64_t)done;
}

/** The same, and tells those who read, also of nothing new and by a write that found no room: that
 *  is Linux's edge. */
static int64_t pipe_move_and_tell(struct lx_call *c, struct lx_file *f, const struct source *from,
                                  uint64_t len)
{
    bool waited = false;
    const int64_t r = pipe_move(c, f, from, len, &waited);

    if (r > 0 && f->inode)
        lx_inode_wrote(c->p, f->inode);
    if (len > 0)
        lx_epoll_tell(c->p, &f->pipe->readers, POLL_READS);
    if (waited && pipe_has_room(f->pipe)) /* handed on, as by a read */
        lx_epoll_tell(c->p, &f->pipe->writers, POLL_WRITES);
    return r;
}

int64_t lx_pipe_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    const struct source from = {.va = va};

    return pipe_move_and_tell(c, f, &from, len);
}

int64_t lx_pipe_put(struct lx_call *c, struct lx_file *f, const uint8_t *buf, size_t len)
{
    const struct source from = {.host = buf};

    return pipe_move_and_tell(c, f, &from, len);
}

/* ---- poll and select ------------------------------------------------------------------------- */

bool lx_file_waits_at(const struct lx_prog *p, const struct lx_file *f, const void *queue)
{
    if (f->pipe)
        return (pipe_reads(f) && queue == &f->pipe->readers) ||
               (pipe_writes(f) && queue == &f->pipe->writers);
    return queue == (f->kind == FILE_CARD ? &p->cards[f->card] : lx_object_queue(p, f));
}

/** Whether a reader has seen all writers go. */
static bool pipe_has_ended(const struct lx_file *f)
{
    const struct lx_pipe *pipe = f->pipe;

    return pipe->writers == 0 && (!pipe->inode || pipe->opened[1] != f->writers_before);
}

/** The host's always are ready: the simulation waits for them. */
unsigned lx_file_ready(struct lx_thread *t, const struct lx_file *f)
{
    const struct lx_pipe *pipe = f ? f->pipe : NULL;
    struct lx_prog *p = t->p;
    unsigned r = 0;

    if (!f)
        return POLL_NVAL;
    if (f->ops)
        return f->ops->ready(t, f);
    if (f->kind == FILE_CARD)
        return lx_mapped_ready(p, f) ? POLL_READS : 0;
    if (!pipe)
        return lx_file_is_name(f) ? POLL_NVAL : POLL_READS | POLL_WRITES;
    if (pipe_reads(f))
        r |= (pipe->count > 0 ? POLL_READS : 0) | (pipe_has_ended(f) ? POLL_HUP : 0);
    if (pipe_writes(f))
        r |= (pipe_has_room(pipe) ? POLL_WRITES : 0) | (pipe->readers == 0 ? POLL_ERR : 0);
    return r;
}

/** The files of a poll or select, as they were when it began: they are held. */
struct polled {
    struct lx_file *file[FD_MAX];
    unsigned events[FD_MAX]; /* of a poll: what it is told of; 0: the descriptor is none */
};

static struct lx_file *pipe_watch(struct lx_call *c, int32_t fd)
{
    struct lx_file *f = lx_file_get(c->p, fd);

    if (f)
        lx_file_hold(c->t, f);
    return f;
}

/** What a poll is told of. The bit of POLLWRNORM is that of a band to MIPS, which no file has. */
static uint64_t poll_mask(const struct lx_prog *p, uint64_t asked)
{
    const uint64_t mask = asked | POLL_ERR | POLL_HUP | POLL_NVAL;

    return p->kind->generic ? mask : mask & ~(uint64_t)POLL_WRNORM;
}

/** Takes struct pollfd[n] over: what the program makes of it meanwhile is nothing to the call. */
static int64_t watch_polled(struct lx_call *c, uint64_t va, uint64_t n, struct polled *w)
{
    for (uint64_t i = 0; i < n; i++, va += 8) {
        uint64_t fd, events;
        if (lx_vm_read_word(&c->p->vm, va, 4, &fd) < 0 ||
            lx_vm_read_word(&c->p->vm, va + 4, 2, &events) < 0)
            return -EFAULT;
        w->file[i] = pipe_watch(c, (int32_t)fd);
        w->events[i] = (int32_t)fd < 0 ? 0 : (unsigned)poll_mask(c->p, events);
    }
    return 0;
}

static unsigned poll_got(struct lx_call *c, const struct polled *w, uint64_t i)
{
    return w->events[i] ? lx_file_ready(c->t, w->file[i]) & w->events[i] : 0;
}

/** One look at all; returns how many are ready. */
static int64_t poll_once(struct lx_call *c, uint64_t n, const struct polled *w)
{
    int64_t count = 0;

    for (uint64_t i = 0; i < n; i++)
        count += poll_got(c, w, i) != 0;
    return count;
}

/** Writes what all have come to. @return 0 or -EFAULT */
static int poll_answer(struct lx_call *c, uint64_t va, uint64_t n, const struct polled *w)
{
    for (uint64_t i = 0; i < n; i++)
        if (lx_vm_write_word(&c->p->vm, va + 8 * i + 6, 2, poll_got(c, w, i)) < 0)
            return -EFAULT;
    return 0;
}

/** Whether a signal ends a wait that found nothing: also one of the moment in which time is up. */
static bool cut_short(const struct lx_call *c, enum lx_wake why)
{
    return why == WAKE_SIGNAL || (why == WAKE_TIMEOUT && lx_signal_waiting(c->t));
}

static int64_t poll_until(struct lx_call *c, sim_tick deadline)
{
    struct polled w = {{NULL}, {0}};
    int64_t n = c->a[1] > lx_limit_files(c->p) ? -EINVAL : watch_polled(c, c->a[0], c->a[1], &w);
    enum lx_wake why = WAKE_EVENT;

    if (n < 0)
        return n;
    while ((n = poll_once(c, c->a[1], &w)) == 0 && why == WAKE_EVENT)
        why = lx_thread_block(c->t, deadline, true, c->p->fds);
    if (poll_answer(c, c->a[0], c->a[1], &w) < 0)
        return -EFAULT;
    return n == 0 && cut_short(c, why) ? -ERESTART_NOHAND : n;
}

int64_t lx_sys_poll(struct lx_call *c)
{
    int32_t ms = (int32_t)c->a[2];

    return poll_until(c, ms < 0 ? SIM_NEVER
                                : lx_call_deadline(c, false, false, (uint64_t)ms * 1000000));
}

int lx_optional_deadline(struct lx_call *c, unsigned i, sim_tick *deadline)
{
    uint64_t ns;
    int err = 0;

    *deadline = SIM_NEVER;
    if (c->a[i] && !(err = lx_call_time(c, i, &ns)))
        *deadline = lx_call_deadline(c, false, false, ns);
    return err;
}

/** [ns] until a deadline; 0: it is over. */
static uint64_t time_left(const struct lx_call *c, sim_tick deadline)
{
    const sim_tick now = lx_now(c->p);

    return deadline > now ? lx_ns(c->p, deadline - now) : 0;
}

/** What such a wait answers when it has written, or not, what was left of its time: without that it
 *  cannot begin anew. */
static int64_t with_time(int64_t result, int stored)
{
    return stored < 0 && result == -ERESTART_NOHAND ? -EINTR : result;
}

/** Writes what is left of the timeout, argument `i`. */
static int64_t put_left(struct lx_call *c, unsigned i, sim_tick deadline, int64_t result)
{
    return c->a[i] ? with_time(result, lx_call_put_time(c, i, time_left(c, deadline))) : result;
}

int64_t lx_sys_ppoll(struct lx_call *c)
{
    sim_tick deadline;
    int err = lx_optional_deadline(c, 2, &deadline);

    if (err == 0)
        err = lx_mask_enter(c, c->a[3], c->a[4]);
    return err < 0 ? err : put_left(c, 2, deadline, lx_mask_leave(c, poll_until(c, deadline)));
}

/** Reads and, at the end, writes one fd_set: words of the guest's long. */
static int move_set(struct lx_call *c, uint64_t va, uint64_t n, uint8_t set[FD_MAX], bool store)
{
    unsigned w = c->p->kind->word, bits = 8 * w;

    for (uint64_t i = 0; va && i * bits < n; i++) {
        uint64_t word = 0;
        if (!store && lx_vm_read_word(&c->p->vm, va + i * w, w, &word) < 0)
            return -EFAULT;
        for (unsigned b = 0; b < bits && i * bits + b < FD_MAX; b++)
            if (store)
                word |= (uint64_t)set[i * bits + b] << b;
            else
                set[i * bits + b] = word >> b & 1;
        if (store && lx_vm_write_word(&c->p->vm, va + i * w, w, word) < 0)
            return -EFAULT;
    }
    return 0;
}

/** Fills `got` with what is ready of `asked`; the count, or -EBADF. */
static int64_t select_once(struct lx_call *c, uint64_t n, uint8_t asked[3][FD_MAX],
                           uint8_t got[3][FD_MAX], const struct polled *w)
{
    static const unsigned masks[3] = {POLL_IN | POLL_HUP | POLL_ERR, POLL_OUT | POLL_ERR, 0};
    int64_t count = 0;

    for (int s = 0; s < 3; s++)
        for (uint64_t fd = 0; fd < n; fd++) {
            unsigned r = asked[s][fd] ? lx_file_ready(c->t, w->file[fd]) : 0;
            if (r & POLL_NVAL)
                return -EBADF;
            got[s][fd] = (r & masks[s]) != 0;
            count += got[s][fd];
        }
    return count;
}

static int64_t select_until(struct lx_call *c, sim_tick deadline)
{
    uint8_t asked[3][FD_MAX] = {{0}}, got[3][FD_MAX] = {{0}};
    struct polled files = {{NULL}, {0}};
    uint64_t n = c->a[0];
    int64_t count = 0;

    if ((int32_t)n < 0)
        return -EINVAL;
    if (n > FD_MAX) /* there are no more */
        n = FD_MAX;
    for (unsigned s = 0; s < 3; s++)
        if (move_set(c, c->a[1 + s], n, asked[s], false) < 0)
            return -EFAULT;
    for (uint64_t fd = 0; fd < n; fd++)
        if (asked[0][fd] || asked[1][fd] || asked[2][fd])
            files.file[fd] = pipe_watch(c, (int32_t)fd);
    while ((count = select_once(c, n, asked, got, &files)) == 0) {
        const enum lx_wake why = lx_thread_block(c->t, deadline, true, c->p->fds);
        if (cut_short(c, why))
            return -ERESTART_NOHAND;
        if (why == WAKE_TIMEOUT)
            break;
    }
    for (unsigned s = 0; s < 3 && count >= 0; s++)
        if (move_set(c, c->a[1 + s], n, got[s], true) < 0)
            return -EFAULT;
    return count;
}

/** select: a timeval where pselect has a timespec. */
int64_t lx_sys_select(struct lx_call *c)
{
    unsigned w = c->p->kind->word;
    uint64_t sec, usec, ns;
    sim_tick deadline;
    struct lx_out left;
    int64_t r;

    if (!c->a[4])
        return select_until(c, SIM_NEVER);
    if (lx_vm_read_word(&c->p->vm, c->a[4], w, &sec) < 0 ||
        lx_vm_read_word(&c->p->vm, c->a[4] + w, w, &usec) < 0)
        return -EFAULT;
    if (lx_abi_signed(sec, w) < 0 || lx_abi_signed(usec, w) < 0)
        return -EINVAL;
    sec += usec / 1000000; /* the kernel takes more than a second of these */
    if (sec > (uint64_t)TIME_MAX_S)
        sec = (uint64_t)TIME_MAX_S;
    deadline = lx_call_deadline(c, false, false, sec * 1000000000 + usec % 1000000 * 1000);
    r = select_until(c, deadline);
    ns = time_left(c, deadline);
    lx_out_start(&left, c->p->kind);
    lx_out_long(&left, ns / 1000000000);
    lx_out_long(&left, ns % 1000000000 / 1000);
    return with_time(r, lx_out_write(&left, &c->p->vm, c->a[4]));
}

int64_t lx_sys_pselect6(struct lx_call *c)
{
    sim_tick deadline;
    const unsigned w = c->p->kind->word;
    uint64_t mask = 0, size = 0;
    int err = lx_optional_deadline(c, 4, &deadline);

    /* The last argument points to the mask's address and size. */
    if (err == 0 && c->a[5] &&
        (lx_vm_read_word(&c->p->vm, c->a[5], w, &mask) < 0 ||
         lx_vm_read_word(&c->p->vm, c->a[5] + w, w, &size) < 0))
        err = -EFAULT;
    if (err == 0)
        err = lx_mask_enter(c, mask, size);
    return err < 0 ? err : put_left(c, 4, deadline, lx_mask_leave(c, select_until(c, deadline)));
}

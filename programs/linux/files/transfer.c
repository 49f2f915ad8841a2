/*
 * The bytes of files: reading and writing, in vectors and at positions, from file to file; the
 * position and the size.
 *
 * Regular files are the host's, but where a descriptor stands in one is ours: bytes move by
 * position. The standard streams always look like pipes to the guest, whatever they are on the
 * host: buffering, and so every simulated cycle, must not depend on whether someone watches.
 */
#include "programs/host.h"
#include "programs/linux/files/device.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/mapped.h"
#include "programs/linux/files/name.h"
#include "programs/linux/files/object.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOVE_MAX = 0x7ffff000 /* as Linux */ };
enum { BOUNCE = 32768, MARK_NAME = 64, STREAM_DEVICE = 2, HOST_WAIT_MS = 100 };

/* ---- the limit of size ---------------------------------------------------------------------- */

/** RLIMIT_FSIZE: makes *len what a regular file may get at `at`.
 *  @return 0; -EFBIG: nothing, and the thread has got SIGXFSZ */
static int64_t limit_file(struct lx_call *c, uint64_t at, uint64_t *len)
{
    const uint64_t most = c->p->limits[LIMIT_FSIZE].soft;
    const struct lx_siginfo info = {
        .signo = lx_signo(c->p, SIG_XFSZ), .pid = FIRST_TID, .uid = c->p->uid};

    if (*len == 0 || at + *len <= most)
        return 0;
    if (at < most) {
        *len = most - at;
        return 0;
    }
    lx_signal_post(c->p, c->t, &info);
    return -EFBIG;
}

/* ---- moving bytes ---------------------------------------------------------------------------- */

/** Waits until the host's end is ready. Simulated time stands still meanwhile, but the simulator
 *  must go on answering: nobody may ever type, or read what is written. @return 0, -EINTR if the
 *  run is over */
static int await_host(struct lx_prog *p, const struct lx_file *f, short events)
{
    struct pollfd end = {.fd = f->host, .events = events};

    if (prog_host_past())
        return 0;
    while (poll(&end, 1, HOST_WAIT_MS) <= 0) {
        prog_tell(p->run);
        if (p->run->over)
            return -EINTR;
    }
    return 0;
}

/** A host call failed because it has to wait; await_host then waits better than it would. */
static bool must_wait(ssize_t n)
{
    return n < 0 && (errno == EINTR || errno == EAGAIN);
}

/** Bytes that have left the guest by a standard stream. */
static void note_output(struct lx_prog *p, int stream, const uint8_t *buf, size_t len)
{
    if (stream == 1)
        XXH64_update(p->hash, buf, len);
    if (p->run->hooks && p->run->hooks->wrote)
        p->run->hooks->wrote(p->run->hooks->ctx, stream, buf, len);
}

/** Writes all of buf to a stream of the host; a signal to the simulator must not tear the guest's
 *  output. What is ready takes a pipe's atomic piece without waiting. */
static int64_t stream_write(struct lx_call *c, struct lx_file *f, const uint8_t *buf, size_t len)
{
    const struct lx_siginfo info = {
        .signo = lx_signo(c->p, SIG_PIPE), .pid = FIRST_TID, .uid = c->p->uid};
    size_t done = 0;
    int64_t err = f->host < 0 ? (int64_t)len : 0;

    while (done < len && !err) {
        size_t piece = len - done > PIPE_BUF ? PIPE_BUF : len - done;
        ssize_t n;
        err = await_host(c->p, f, POLLOUT);
        if (err < 0)
            break;
        n = prog_host_write(f->host, buf + done, piece);
        if (n >= 0)
            done += (size_t)n;
        else if (!must_wait(n))
            err = -errno;
    }
    if (err == -EPIPE)
        lx_signal_post(c->p, c->t, &info);
    if (f->stream && (done > 0 || err > 0))
        note_output(c->p, f->stream, buf, err > 0 ? len : done);
    return done > 0 ? (int64_t)done : err;
}

static int64_t stream_read(struct lx_prog *p, struct lx_file *f, uint8_t *buf, size_t len)
{
    ssize_t n;

    if (f->host < 0)
        return 0;
    do {
        int err = await_host(p, f, POLLIN);
        if (err < 0)
            return err;
        n = prog_host_read(f->host, buf, len);
    } while (must_wait(n));
    return lx_host_result(n);
}

/** Bytes of a regular file: the host's, but where a shared mapping has them its memory's. */
static int64_t regular_read(struct lx_prog *p, struct lx_file *f, uint8_t *buf, size_t len,
                            uint64_t at)
{
    const int64_t err = lx_text_renew(p, f, at);
    size_t done = 0;
    ssize_t n = 1;

    if (err)
        return err;
    if (at > INT64_MAX - len)
        return 0;
    while (done < len && n != 0) {
        n = prog_host_pread(f->host, buf + done, len - done, (off_t)(at + done));
        if (n < 0 && errno != EINTR)
            return done > 0 ? (int64_t)done : -errno;
        done += n > 0 ? (size_t)n : 0;
    }
    if (f->inode)
        lx_vm_file_overlay(&p->vm, f->inode->key.dev, f->inode->key.ino, at, buf, done);
    return (int64_t)done;
}

static uint64_t transfer_size_of(const struct lx_file *f)
{
    struct stat st;

    return prog_host_fstat(f->host, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/** A file's bytes or its size have changed. */
static void note_change(struct lx_prog *p, const struct lx_file *f)
{
    struct stat st;

    lx_inode_wrote(p, f->inode);
    if (f->inode->special && prog_host_fstat(f->host, &st) == 0)
        lx_inode_unset_id(f->inode, st.st_mode);
}

static int64_t regular_write(struct lx_prog *p, const struct lx_file *f, const uint8_t *buf,
                             size_t len, uint64_t at)
{
    const uint64_t was = transfer_size_of(f);
    size_t done = 0;
    int64_t err = at > (uint64_t)INT64_MAX - len ? -EFBIG : lx_seals_on_write(f, was, at + len);

    if (!err && len > 0 && f->inode) {
        const uint64_t end = lx_inode_extend(p, f->inode, at + len);
        len = end > at ? (size_t)(end - at) : 0;
        err = len > 0 ? 0 : -ENOSPC;
    }
    while (done < len && !err) {
        ssize_t n = prog_host_pwrite(f->host, buf + done, len - done, (off_t)(at + done));
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            err = -errno;
    }
    if (f->inode && f->inode->counted)
        lx_inode_sized(p, f->inode, transfer_size_of(f));
    if (done > 0 && f->inode) {
        if (at + done > was)
            lx_vm_file_grew(&p->vm, f->inode->key.dev, f->inode->key.ino, was);
        lx_vm_file_wrote(&p->vm, f->inode->key.dev, f->inode->key.ino, at, buf, done);
        note_change(p, f);
    }
    return done > 0 ? (int64_t)done : err;
}

/** "+name" begins, "-name" ends; see docs on /dev/numachine/mark. */
static int64_t write_mark(struct lx_call *c, uint64_t va, uint64_t len)
{
    struct lx_prog *p = c->p;
    char text[MARK_NAME + 1];

    if (len < 2 || len > MARK_NAME)
        return -EINVAL;
    if (lx_vm_read(&p->vm, va, text, len) < 0)
        return -EFAULT;
    text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if ((text[0] != '+' && text[0] != '-') || !text[1])
        return -EINVAL;
    lx_thread_hold(c->t, lx_now(p) + nm_machine_ahead(p->m));
    prog_mark(p->run, text + 1, text[0] == '+');
    return (int64_t)len;
}

static int64_t read_random(struct lx_prog *p, uint8_t *buf, size_t len)
{
    lx_random(p, STREAM_DEVICE, p->device_drawn, buf, len);
    p->device_drawn += len;
    return (int64_t)len;
}

/** Reads one piece of what is a plain sequence of bytes. */
static int64_t read_piece(struct lx_call *c, struct lx_file *f, uint8_t *buf, size_t len,
                          uint64_t at)
{
    switch (f->kind) {
    case FILE_RANDOM:
        return read_random(c->p, buf, len);
    case FILE_ZERO:
    case FILE_FULL:
        memset(buf, 0, len);
        return (int64_t)len;
    case FILE_NULL:
        return 0;
    default:
        return f->standard ? stream_read(c->p, f, buf, len) : regular_read(c->p, f, buf, len, at);
    }
}

static int64_t write_piece(struct lx_call *c, struct lx_file *f, const uint8_t *buf, size_t len,
                           uint64_t at)
{
    if (f->kind == FILE_FULL)
        return -ENOSPC;
    if (f->kind == FILE_NULL || f->kind == FILE_ZERO || f->kind == FILE_RANDOM)
        return (int64_t)len;
    return f->standard ? stream_write(c, f, buf, len) : regular_write(c->p, f, buf, len, at);
}

static bool is_regular(const struct lx_file *f)
{
    return f->kind == FILE_HOST && !f->standard;
}

/** Whether bytes go in or out of it piece by piece. */
static bool transfer_is_plain(const struct lx_file *f)
{
    return f->kind == FILE_HOST || f->kind == FILE_RANDOM || f->kind == FILE_NULL ||
           f->kind == FILE_ZERO || f->kind == FILE_FULL;
}

/* ---- where the guest's memory ends within a piece -------------------------------------------- */

/** [bytes] from `va` to the end of its page, at most n. */
static uint64_t transfer_in_page(const struct lx_vm *vm, uint64_t va, uint64_t n)
{
    const uint64_t room = vm->page - (va & (vm->page - 1));

    return n < room ? n : room;
}

/** Moves bytes between `buf` and the guest, page by page. @return [bytes] up to a page that it may
 *  not */
static uint64_t move_pages(struct lx_vm *vm, uint64_t va, uint8_t *buf, uint64_t n, bool writes)
{
    uint64_t done = 0;

    for (uint64_t part; done < n; done += part) {
        part = transfer_in_page(vm, va + done, n - done);
        if ((writes ? lx_vm_write(vm, va + done, buf + done, part)
                    : lx_vm_read(vm, va + done, buf + done, part)) < 0)
            break;
    }
    return done;
}

/** Reads into the guest piece by piece; a short piece ends it. */
static int64_t read_plain(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len,
                          uint64_t at)
{
    uint8_t buf[BOUNCE];
    uint64_t done = 0;

    while (done < len) {
        size_t want = len - done < BOUNCE ? (size_t)(len - done) : BOUNCE;
        int64_t n = read_piece(c, f, buf, want, at + done);
        if (n < 0)
            return done > 0 ? (int64_t)done : n;
        if (lx_vm_write(&c->p->vm, va + done, buf, (size_t)n) < 0) {
            done += move_pages(&c->p->vm, va + done, buf, (size_t)n, true);
            return done > 0 ? (int64_t)done : -EFAULT;
        }
        done += (uint64_t)n;
        if ((size_t)n < want || f->standard)
            break;
    }
    return (int64_t)done;
}

static int64_t write_plain(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len,
                           uint64_t at)
{
    uint8_t buf[BOUNCE];
    uint64_t done = 0;
    bool ends = false;

    while (done < len) {
        size_t want = len - done < BOUNCE ? (size_t)(len - done) : BOUNCE;
        int64_t n;
        if (lx_vm_read(&c->p->vm, va + done, buf, want) < 0) {
            want = (size_t)move_pages(&c->p->vm, va + done, buf, want, false);
            ends = true;
        }
        if (want == 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        n = write_piece(c, f, buf, want, at + done);
        if (n < 0)
            return done > 0 ? (int64_t)done : n;
        done += (uint64_t)n;
        if ((size_t)n < want || ends)
            break;
    }
    return (int64_t)done;
}

/** Whether bytes lie where a program's can, be they there or not. What does not is refused before
 *  anything moves. */
static bool transfer_may_lie(const struct lx_prog *p, uint64_t va, uint64_t len)
{
    return va <= p->vm.limit && len <= p->vm.limit - va;
}

/** @param at  position, or -1: where the file stands, which moves */
static int64_t transfer_read_file(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len,
                                  int64_t at)
{
    int64_t n;
    uint64_t from;

    if (lx_file_is_name(f) || !lx_may_read(f))
        return -EBADF;
    if (f->ops && !f->ops->read && !f->ops->number)
        return -EINVAL;
    if (!transfer_may_lie(c->p, va, len))
        return -EFAULT;
    if (f->kind == FILE_FOLDER)
        return -EISDIR;
    if (f->pipe)
        return lx_pipe_read(c, f, va, len);
    if (f->ops)
        return lx_object_read(c, f, va, len);
    if (f->kind == FILE_DEVICE)
        return lx_device_read(c, f, va, len);
    if (f->kind == FILE_CARD)
        return lx_mapped_read(c, f, va, len);
    if (!transfer_is_plain(f))
        return lx_mapped_kind(f) ? -EINVAL : -EBADF;
    from = at < 0 ? f->at : (uint64_t)at;
    if (len > (uint64_t)INT64_MAX - from)
        return -EINVAL;
    n = read_plain(c, f, va, len < MOVE_MAX ? len : MOVE_MAX, from);
    if (n > 0 && at < 0 && is_regular(f))
        f->at += (uint64_t)n;
    return n;
}

static int64_t transfer_write_file(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len,
                                   int64_t at)
{
    int64_t n;
    uint64_t from;

    if (lx_file_is_name(f) || !lx_may_write(f))
        return -EBADF;
    if (f->ops && !f->ops->write)
        return -EINVAL;
    if (!transfer_may_lie(c->p, va, len))
        return -EFAULT;
    if (f->kind == FILE_MARK)
        return write_mark(c, va, len);
    if (f->pipe)
        return lx_pipe_write(c, f, va, len);
    if (f->ops)
        return lx_object_write(c, f, va, len);
    if (f->kind == FILE_DEVICE)
        return lx_device_write(c, f, va, len);
    if (f->kind == FILE_FULL)
        return -ENOSPC;
    if (f->text)
        return lx_name_write(c, f, va, len);
    if (!transfer_is_plain(f))
        return lx_mapped_kind(f) ? -EINVAL : -EBADF;
    from = is_regular(f) && f->flags & G_O_APPEND ? transfer_size_of(f)
           : at < 0                               ? f->at
                                                  : (uint64_t)at;
    if (len > (uint64_t)INT64_MAX - from)
        return -EINVAL;
    len = len < MOVE_MAX ? len : MOVE_MAX;
    n = is_regular(f) ? limit_file(c, from, &len) : 0;
    if (n == 0)
        n = write_plain(c, f, va, len, from);
    if (n > 0 && at < 0 && is_regular(f))
        f->at = from + (uint64_t)n;
    return n;
}

typedef int64_t move_fn(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len,
                        int64_t at);

/** The pieces of a vector, as they were when the call began. */
struct vector {
    struct {
        uint64_t base, len;
    } piece[IOV_MAX];
    uint64_t count;
    uint64_t bytes; /* of all together */
};

/** Takes the caller's vector over. @return 0, -EINVAL, -EFAULT */
static int64_t get_vector(struct lx_call *c, struct vector *v)
{
    const unsigned w = c->p->kind->word;
    const uint64_t most = c->p->n64 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX;

    if (c->a[2] > IOV_MAX)
        return -EINVAL;
    v->count = c->a[2];
    v->bytes = 0;
    for (uint64_t i = 0; i < v->count; i++) {
        if (lx_vm_read_word(&c->p->vm, c->a[1] + 2 * i * w, w, &v->piece[i].base) < 0 ||
            lx_vm_read_word(&c->p->vm, c->a[1] + 2 * i * w + w, w, &v->piece[i].len) < 0)
            return -EFAULT;
        if (v->piece[i].len > most)
            return -EINVAL;
        v->bytes += v->piece[i].len;
    }
    for (uint64_t i = 0; i < v->count; i++)
        if (!transfer_may_lie(c->p, v->piece[i].base, v->piece[i].len))
            return -EFAULT;
    return 0;
}

/** Whether one who has some bytes of it would wait for more. */
static bool transfer_would_wait(struct lx_call *c, const struct lx_file *f)
{
    return f->standard || !(lx_file_ready(c->t, f) & POLL_IN);
}

static bool transfer_may(const struct lx_file *f, move_fn *fn)
{
    if (lx_file_is_name(f))
        return false;
    return fn == transfer_read_file ? lx_may_read(f) : lx_may_write(f);
}

/** The pieces one after another. */
static int64_t move_pieces(struct lx_call *c, const struct vector *v, move_fn *fn, int64_t at)
{
    int64_t total = 0;

    for (uint64_t i = 0; i < v->count; i++) {
        int64_t n;
        if (v->piece[i].len == 0)
            continue;
        if (total > 0 && fn == transfer_read_file && transfer_would_wait(c, c->f))
            break;
        n = fn(c, c->f, v->piece[i].base, v->piece[i].len, at < 0 ? at : at + total);
        if (n < 0)
            return total > 0 ? total : n;
        total += n;
        if ((uint64_t)n < v->piece[i].len)
            break;
    }
    return total;
}

/** An object's number, over as many pieces as it takes. */
static int64_t read_number(struct lx_call *c, const struct vector *v)
{
    uint64_t got, done = 0;
    struct lx_out o;
    const int64_t err = lx_object_number(c, c->f, v->bytes, &got);

    if (err < 0)
        return err;
    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, sizeof got, got);
    for (uint64_t i = 0, n; done < o.len; i++, done += n) {
        n = v->piece[i].len < o.len - done ? v->piece[i].len : o.len - done;
        if (lx_vm_write(&c->p->vm, v->piece[i].base, o.buf + done, n) < 0)
            return -EFAULT;
    }
    return (int64_t)done;
}

static int64_t move_vector(struct lx_call *c, move_fn *fn, int64_t at)
{
    struct vector v;
    const int64_t err = get_vector(c, &v);

    if (err < 0)
        return err;
    if (!transfer_may(c->f, fn))
        return -EBADF;
    if (v.bytes == 0) /* what an object says of too few bytes, a vector does not ask */
        return 0;
    if (c->f->ops && c->f->ops->number && fn == transfer_read_file)
        return read_number(c, &v);
    return move_pieces(c, &v, fn, at);
}

/** What is small enough for a pipe to take at once: the pieces become one. @return see writev */
static int64_t write_together(struct lx_call *c, const struct vector *v)
{
    uint8_t all[PIPE_ATOMIC];
    uint64_t done = 0;

    assert(v->bytes <= sizeof all);
    for (uint64_t i = 0; i < v->count; i++) {
        if (lx_vm_read(&c->p->vm, v->piece[i].base, all + done, v->piece[i].len) < 0)
            return done > 0 ? lx_pipe_put(c, c->f, all, done) : -EFAULT;
        done += v->piece[i].len;
    }
    return lx_pipe_put(c, c->f, all, done);
}

int64_t lx_sys_read(struct lx_call *c)
{
    return transfer_read_file(c, c->f, c->a[1], c->a[2], -1);
}

int64_t lx_sys_write(struct lx_call *c)
{
    return transfer_write_file(c, c->f, c->a[1], c->a[2], -1);
}

int64_t lx_sys_readv(struct lx_call *c)
{
    return move_vector(c, transfer_read_file, -1);
}

int64_t lx_sys_writev(struct lx_call *c)
{
    struct vector v;

    if (c->f->pipe && lx_may_write(c->f) && get_vector(c, &v) == 0 && v.bytes <= PIPE_ATOMIC)
        return write_together(c, &v);
    return move_vector(c, transfer_write_file, -1);
}

/** Positioned access needs a file that has positions. */
static int64_t has_positions(const struct lx_file *f, int64_t at)
{
    if (lx_file_is_name(f))
        return -EBADF;
    if (at < 0)
        return -EINVAL;
    return f->standard || f->pipe || f->ops ? -ESPIPE : 0;
}

static int64_t transfer_positioned(struct lx_call *c, move_fn *fn)
{
    const int64_t at = (int64_t)c->a[3], err = has_positions(c->f, at);

    return err < 0 ? err : fn(c, c->f, c->a[1], c->a[2], at);
}

int64_t lx_sys_pread64(struct lx_call *c)
{
    return transfer_positioned(c, transfer_read_file);
}

int64_t lx_sys_pwrite64(struct lx_call *c)
{
    if (c->f->text && lx_may_write(c->f))
        return -ESPIPE;
    return transfer_positioned(c, transfer_write_file);
}

/** pwritev2 with RWF_APPEND. @param moves  the file's position goes along */
static int64_t append_vector(struct lx_call *c, bool moves)
{
    const int64_t end = (int64_t)transfer_size_of(c->f),
                  n = move_vector(c, transfer_write_file, end);

    if (moves && n > 0)
        c->f->at = (uint64_t)(end + n);
    return n;
}

/** preadv and pwritev: the position comes in two longs, low one first. */
static int64_t positioned_vector(struct lx_call *c, move_fn *fn)
{
    enum { HIGH_PRIORITY = 1, DSYNC = 2, SYNC = 4, NOWAIT = 8, APPEND = 16 };
    const int64_t at = (int64_t)(c->p->n64 ? c->a[3] : c->a[4] << 32 | c->a[3]);
    const bool second = c->row->args[5], reads = fn == transfer_read_file;
    const uint64_t known =
        HIGH_PRIORITY | DSYNC | SYNC | APPEND | (reads && is_regular(c->f) ? NOWAIT : 0);
    int64_t err;

    if (second && c->a[5] & ~known)
        return -EOPNOTSUPP;
    if (second && c->a[5] & APPEND && !reads && is_regular(c->f) && at >= -1)
        return append_vector(c, at == -1);
    if (second && at == -1)
        return move_vector(c, fn, -1);
    err = has_positions(c->f, at);
    return err < 0 ? err : move_vector(c, fn, at);
}

int64_t lx_sys_preadv(struct lx_call *c)
{
    return positioned_vector(c, transfer_read_file);
}

int64_t lx_sys_pwritev(struct lx_call *c)
{
    return positioned_vector(c, transfer_write_file);
}

/* ---- from file to file ----------------------------------------------------------------------- */

/** Where a copy stands in a file: its own position, or one in the guest's memory. */
struct where {
    struct lx_file *f;
    uint64_t va; /* 0: its own */
    unsigned width;
    uint64_t at;
};

static int64_t where_from(struct lx_call *c, struct where *w)
{
    w->at = w->f->at;
    if (!w->va)
        return 0;
    if (lx_vm_read_word(&c->p->vm, w->va, w->width, &w->at) < 0)
        return -EFAULT;
    w->at = (uint64_t)lx_abi_signed(w->at, w->width);
    return 0;
}

/** Whether a copy may begin at both places. */
static int64_t where_may_be(const struct where *in, const struct where *out)
{
    return (int64_t)in->at < 0 || (int64_t)out->at < 0 ? -EINVAL : 0;
}

static int64_t where_to(struct lx_call *c, struct where *w, uint64_t moved)
{
    if (!w->va && is_regular(w->f))
        w->f->at = w->at + moved;
    return w->va ? lx_vm_write_word(&c->p->vm, w->va, w->width, w->at + moved) : 0;
}

/** From where the files stand on. @return bytes moved, or -errno if none were */
static int64_t transfer_copy(struct lx_call *c, struct where *in, struct where *out, uint64_t len)
{
    uint8_t buf[BOUNCE];
    uint64_t done = 0;
    int64_t n = 1, err = where_may_be(in, out);

    len = len < MOVE_MAX ? len : MOVE_MAX;
    if (!err && is_regular(out->f))
        err = limit_file(c, out->at, &len);
    while (!err && done < len && n > 0) {
        n = regular_read(c->p, in->f, buf, len - done < BOUNCE ? (size_t)(len - done) : BOUNCE,
                         in->at + done);
        if (n > 0)
            n = out->f->pipe ? lx_pipe_put(c, out->f, buf, (size_t)n)
                             : write_piece(c, out->f, buf, (size_t)n, out->at + done);
        done += n > 0 ? (uint64_t)n : 0;
    }
    if (n < 0 && done == 0)
        err = n;
    if (!err)
        err = where_to(c, in, done);
    if (!err)
        err = where_to(c, out, done);
    return err < 0 ? err : (int64_t)done;
}

/** @param width  of the position in memory */
static int64_t send_file(struct lx_call *c, unsigned width)
{
    struct lx_file *source = lx_file_get(c->p, (int32_t)c->a[1]);
    struct where in = {.f = source, .va = c->a[2], .width = width}, out = {.f = c->f};
    int64_t n;

    if (!source || !lx_may_read(source) || lx_file_is_name(source) || !lx_may_write(c->f) ||
        lx_file_is_name(c->f))
        return -EBADF;
    if (!is_regular(source) || !(transfer_is_plain(c->f) || c->f->pipe) ||
        (c->f->flags & G_O_APPEND) || c->f->text)
        return source->pipe || source->standard ? (c->a[2] ? -ESPIPE : -EINVAL) : -EINVAL;
    if (lx_abi_signed(c->a[3], c->p->kind->word) < 0)
        return -EINVAL;
    if ((n = where_from(c, &in)) < 0 || (n = where_from(c, &out)) < 0)
        return n;
    lx_file_hold(c->t, source);
    n = transfer_copy(c, &in, &out, c->a[3]);
    /* Linux tries to write the rest. */
    if (n > 0 && (uint64_t)n < c->a[3] && is_regular(c->f) &&
        in.at + (uint64_t)n < transfer_size_of(source))
        limit_file(c, c->f->at, &(uint64_t){1});
    return n;
}

int64_t lx_sys_sendfile(struct lx_call *c)
{
    return send_file(c, c->p->kind->word);
}

int64_t lx_sys_sendfile64(struct lx_call *c)
{
    return send_file(c, 8);
}

/** What there is to copy between two files, or within one: not more than there is in the first,
 *  and not onto itself. @return 0, -EOVERFLOW, -EINVAL */
static int64_t copy_range(const struct where *in, const struct where *out, uint64_t *len)
{
    const int64_t rest = (int64_t)transfer_size_of(in->f) - (int64_t)in->at;

    if (in->at + *len < in->at || out->at + *len < out->at)
        return -EOVERFLOW;
    if (rest < 0 || (uint64_t)rest < *len)
        *len = rest < 0 ? 0 : (uint64_t)rest;
    if (in->f->inode == out->f->inode && in->at < out->at + *len && out->at < in->at + *len)
        return -EINVAL;
    return 0;
}

int64_t lx_sys_copy_file_range(struct lx_call *c)
{
    struct lx_file *to = lx_file_get(c->p, (int32_t)c->a[2]);
    struct where in = {.f = c->f, .va = c->a[1], .width = 8},
                 out = {.f = to, .va = c->a[3], .width = 8};
    int64_t err;

    if (!to || lx_file_is_name(c->f) || lx_file_is_name(to))
        return -EBADF;
    if (c->a[5])
        return -EINVAL;
    if (c->f->kind == FILE_FOLDER || to->kind == FILE_FOLDER)
        return -EISDIR;
    if (!is_regular(c->f) || !is_regular(to))
        return -EINVAL;
    if (!lx_may_read(c->f) || !lx_may_write(to) || to->flags & G_O_APPEND)
        return -EBADF;
    if ((err = where_from(c, &in)) < 0 || (err = where_from(c, &out)) < 0)
        return err;
    if ((err = copy_range(&in, &out, &c->a[4])) < 0)
        return err;
    lx_file_hold(c->t, to);
    return transfer_copy(c, &in, &out, c->a[4]);
}

/* ---- position, size, flags ------------------------------------------------------------------- */

/** Where a regular file stands next; it has no holes that show. */
static int64_t seek_regular(struct lx_file *f, int64_t offset, uint64_t whence)
{
    enum { DATA = 3, HOLE };
    const int64_t size = (int64_t)transfer_size_of(f);

    switch (whence) {
    case SEEK_SET:
        break;
    case SEEK_CUR:
        if (__builtin_add_overflow(offset, (int64_t)f->at, &offset))
            return -EINVAL;
        break;
    case SEEK_END:
        if (__builtin_add_overflow(offset, size, &offset))
            return -EINVAL;
        break;
    case DATA:
    case HOLE:
        if (offset < 0 || offset >= size)
            return -ENXIO;
        offset = whence == HOLE ? size : offset;
        break;
    default:
        return -EINVAL;
    }
    if (offset < 0)
        return -EINVAL;
    f->at = (uint64_t)offset;
    return offset;
}

static int64_t transfer_seek(struct lx_call *c, int64_t offset, uint64_t whence)
{
    if (lx_file_is_name(c->f))
        return -EBADF;
    if (whence > SEEK_HOLE)
        return -EINVAL;
    switch (c->f->kind) {
    case FILE_FOLDER:
        return lx_directory_seek(c->p, c->f, offset, whence);
    case FILE_NULL:
    case FILE_ZERO:
    case FILE_FULL:
    case FILE_RANDOM:
        return whence > SEEK_END ? -EINVAL : 0;
    case FILE_OBJECT: /* has no positions, and tells nobody */
        return 0;
    default:
        return is_regular(c->f) ? seek_regular(c->f, offset, whence) : -ESPIPE;
    }
}

int64_t lx_sys_lseek(struct lx_call *c)
{
    int64_t at = transfer_seek(c, (int64_t)c->a[1], c->a[2]);

    return !c->p->n64 && at > INT32_MAX ? -EOVERFLOW : at;
}

int64_t lx_sys_llseek(struct lx_call *c)
{
    int64_t at = transfer_seek(c, (int64_t)(c->a[1] << 32 | c->a[2]), c->a[4]);

    if (at < 0)
        return at;
    return lx_vm_write_word(&c->p->vm, c->a[3], 8, (uint64_t)at);
}

int64_t lx_file_resize(struct lx_call *c, struct lx_file *f, uint64_t size)
{
    struct lx_prog *p = c->p;
    const uint64_t now = transfer_size_of(f);
    uint64_t more = 1; /* the last byte */
    int64_t err = lx_seals_on_resize(f, now, size);

    if (!err && size > now)
        err = limit_file(c, size - 1, &more);
    if (!err && f->inode && lx_inode_extend(p, f->inode, size) < size)
        err = -ENOSPC;
    if (!err)
        err = lx_host_result(prog_host_ftruncate(f->host, (off_t)size));
    if (f->inode && f->inode->counted)
        lx_inode_sized(p, f->inode, transfer_size_of(f));
    if (!err && f->inode) {
        if (size > now)
            lx_vm_file_grew(&p->vm, f->inode->key.dev, f->inode->key.ino, now);
        lx_vm_file_resized(&p->vm, f->inode->key.dev, f->inode->key.ino, size);
        note_change(p, f);
    }
    return err;
}

int64_t lx_sys_ftruncate(struct lx_call *c)
{
    if (lx_file_is_name(c->f))
        return -EBADF;
    if ((int64_t)c->a[1] < 0 || !is_regular(c->f) || !lx_may_write(c->f) || c->f->text)
        return -EINVAL;
    return lx_file_resize(c, c->f, c->a[1]);
}

/** Writes zeros over what there is of [at, end). */
static int64_t write_zeros(struct lx_prog *p, struct lx_file *f, uint64_t at, uint64_t end)
{
    static const uint8_t zeros[BOUNCE];
    const uint64_t size = transfer_size_of(f);
    int64_t n = 0;

    end = end < size ? end : size;
    for (; n >= 0 && at < end; at += (uint64_t)n)
        n = regular_write(p, f, zeros, end - at < BOUNCE ? (size_t)(end - at) : BOUNCE, at);
    return n < 0 ? n : 0;
}

int64_t lx_sys_fallocate(struct lx_call *c)
{
    enum { KEEP_SIZE = 1, PUNCH_HOLE = 2, ZERO_RANGE = 16 };
    const uint64_t mode = c->a[1], at = c->a[2], end = c->a[2] + c->a[3];
    struct lx_file *f = c->f;
    int64_t err = 0;

    if ((int64_t)at < 0 || (int64_t)c->a[3] <= 0)
        return -EINVAL;
    if (mode & ~(uint64_t)(KEEP_SIZE | PUNCH_HOLE | ZERO_RANGE) ||
        (mode & (PUNCH_HOLE | ZERO_RANGE)) == (PUNCH_HOLE | ZERO_RANGE) ||
        (mode & PUNCH_HOLE && !(mode & KEEP_SIZE)))
        return -EOPNOTSUPP;
    if (lx_file_is_name(f) || !lx_may_write(f))
        return -EBADF;
    if (f->pipe || f->standard || f->text)
        return -ESPIPE;
    if (!is_regular(f))
        return -ENODEV;
    if ((int64_t)end < 0)
        return -EFBIG;
    if (mode & ZERO_RANGE && f->inode && f->inode->memory)
        return -EOPNOTSUPP;
    if (mode & PUNCH_HOLE) /* wherever it lies */
        err = lx_seals_on_write(f, end, end);
    if (!err && mode & (PUNCH_HOLE | ZERO_RANGE))
        err = write_zeros(c->p, f, at, end);
    if (!err && !(mode & KEEP_SIZE) && end > transfer_size_of(f))
        err = lx_file_resize(c, f, end);
    return err;
}

int64_t lx_sys_fsync(struct lx_call *c)
{
    if (lx_file_is_name(c->f))
        return -EBADF;
    return is_regular(c->f) || c->f->kind == FILE_FOLDER ? 0 : -EINVAL;
}

int64_t lx_sys_sync_file_range(struct lx_call *c)
{
    if (!lx_file_is_name(c->f) && (c->a[3] > 7 || (int64_t)c->a[1] < 0 || (int64_t)c->a[2] < 0 ||
                                   (int64_t)(c->a[1] + c->a[2]) < 0))
        return -EINVAL;
    return lx_file_is_name(c->f) ? -EBADF : is_regular(c->f) ? 0 : -ESPIPE;
}

/** ARM has the flags in front of the 64-bit arguments, so that these are whole pairs. */
int64_t lx_sys_sync_file_range2(struct lx_call *c)
{
    const uint64_t flags = c->a[1];

    c->a[1] = c->a[2];
    c->a[2] = c->a[3];
    c->a[3] = flags;
    return lx_sys_sync_file_range(c);
}

int64_t lx_sys_syncfs(struct lx_call *c)
{
    return lx_file_is_name(c->f) ? -EBADF : 0;
}

int64_t lx_sys_readahead(struct lx_call *c)
{
    if (lx_file_is_name(c->f) || !lx_may_read(c->f))
        return -EBADF;
    return is_regular(c->f) ? 0 : -EINVAL;
}

int64_t lx_sys_fadvise64(struct lx_call *c)
{
    enum { LAST = 5 };

    if (lx_file_is_name(c->f))
        return -EBADF;
    if (c->f->pipe || c->f->standard)
        return -ESPIPE;
    return c->a[3] > LAST || (int64_t)c->a[2] < 0 ? -EINVAL : 0;
}

/** As sync_file_range2: the advice comes second. */
int64_t lx_sys_arm_fadvise64(struct lx_call *c)
{
    const uint64_t advice = c->a[1];

    c->a[1] = c->a[2];
    c->a[2] = c->a[3];
    c->a[3] = advice;
    return lx_sys_fadvise64(c);
}

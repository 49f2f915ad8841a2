/*
 * Files by descriptor: the guest's table of descriptors and what can be done with one.
 *
 * The file system is the host's. Some things are ours: pipes (so that threads block in simulated
 * time), /dev/numachine/mark and /memory, and random devices fed from the seed. The standard
 * streams always look like pipes to the guest, whatever they are on the host: buffering, and so
 * every simulated cycle, must not depend on whether someone watches.
 */
#include "programs/linux_file.h"
#include "machine/alloc.h"
#include "programs/device.h"
#include "programs/linux_object.h"
#include "programs/mapped.h"
#include "programs/signal.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BOUNCE = 32768, MARK_NAME = 64, STREAM_DEVICE = 2, HOST_WAIT_MS = 100 };

/* ---- flags ----------------------------------------------------------------------------------- */

/** Guest and host values of one open flag; MIPS has its own numbers. */
static const struct {
    uint32_t guest;
    int host;
} open_flags[] = {
    {G_O_APPEND, O_APPEND},       {G_O_CREAT, O_CREAT},       {G_O_TRUNC, O_TRUNC},
    {G_O_EXCL, O_EXCL},           {G_O_NOCTTY, O_NOCTTY},     {G_O_NONBLOCK, O_NONBLOCK},
    {G_O_DIRECTORY, O_DIRECTORY}, {G_O_NOFOLLOW, O_NOFOLLOW}, {G_O_PATH, O_PATH},
    {G_O_TMPFILE, __O_TMPFILE},
};

int file_host_flags(uint32_t guest)
{
    int host = (int)(guest & 3) | O_CLOEXEC;

    for (size_t i = 0; i < sizeof open_flags / sizeof *open_flags; i++)
        if (guest & open_flags[i].guest)
            host |= open_flags[i].host;
    return host;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct file *file_get(struct prog *p, int64_t fd)
{
    return fd >= 0 && fd < FD_MAX ? p->fds[fd].file : NULL;
}

struct file *file_new(enum file_kind kind, int host, uint32_t flags)
{
    struct file *f = nm_alloc(1, sizeof *f);
    f->kind = kind;
    f->host = host;
    f->flags = flags & ~(uint32_t)G_O_CLOEXEC;
    return f;
}

static void end_pipe(struct prog *p, struct file *f)
{
    unsigned *ends = f->kind == FILE_PIPE_IN ? &f->pipe->readers : &f->pipe->writers;

    --*ends;
    thread_wake_all(p, p->fds);
    if (f->pipe->readers == 0 && f->pipe->writers == 0)
        free(f->pipe);
}

void file_release(struct prog *p, struct file *f)
{
    if (f->refs > 0 && --f->refs > 0)
        return;
    epoll_forget(p, f);
    if (f->pipe)
        end_pipe(p, f);
    if (f->ops)
        f->ops->release(p, f);
    if (f->host >= 0 && !f->standard)
        close(f->host);
    directory_free(f);
    free(f->device);
    free(f);
}

int64_t file_install(struct prog *p, struct file *f, unsigned from, bool cloexec)
{
    for (unsigned fd = from; fd < FD_MAX; fd++) {
        if (p->fds[fd].file)
            continue;
        p->fds[fd] = (struct descriptor){f, cloexec};
        f->refs++;
        return fd;
    }
    if (f->refs == 0)
        file_release(p, f);
    return -EMFILE;
}

void files_init(struct prog *p)
{
    const int host[3] = {p->spec->stdin_fd, p->spec->stdout_fd, p->spec->stderr_fd};

    for (unsigned fd = 0; fd < 3; fd++) {
        struct file *f = file_new(FILE_HOST, host[fd], fd == 0 ? 0 : 1);
        f->standard = true;
        f->hashed = fd == 1;
        file_install(p, f, fd, false);
    }
}

static int64_t close_fd(struct prog *p, uint64_t fd)
{
    struct file *f = file_get(p, (int64_t)fd);

    if (!f)
        return -EBADF;
    p->fds[fd].file = NULL;
    file_release(p, f);
    return 0;
}

void files_free(struct prog *p)
{
    for (unsigned fd = 0; fd < FD_MAX; fd++)
        close_fd(p, fd);
    if (p->cwd >= 0)
        close(p->cwd);
}

int64_t sys_close(struct call *c)
{
    return close_fd(c->p, c->a[0]);
}

/* ---- moving bytes ---------------------------------------------------------------------------- */

/** Waits until the host's end is ready. Simulated time stands still meanwhile, but the simulator
 *  must go on answering: nobody may ever type, or read what is written. @return 0, -EINTR if the
 *  run is over */
static int await_host(struct prog *p, const struct file *f, short events)
{
    struct pollfd end = {.fd = f->host, .events = events};

    while (poll(&end, 1, HOST_WAIT_MS) <= 0) {
        prog_tell(p);
        if (p->over)
            return -EINTR;
    }
    return 0;
}

/** A host call failed because it has to wait; await_host then waits better than it would. */
static bool must_wait(ssize_t n)
{
    return n < 0 && (errno == EINTR || errno == EAGAIN);
}

/** Writes all of buf to the host; a signal to the simulator must not tear the guest's output. What
 *  is ready takes a pipe's atomic piece without waiting. */
static int64_t host_write(struct call *c, struct file *f, const uint8_t *buf, size_t len,
                          int64_t at)
{
    const struct siginfo info = {.signo = SIG_PIPE, .pid = FIRST_TID, .uid = 1000};
    size_t done = 0;
    int64_t err = 0;

    while (done < len && !err) {
        size_t piece = f->standard && len - done > PIPE_BUF ? PIPE_BUF : len - done;
        ssize_t n;
        err = await_host(c->p, f, POLLOUT);
        if (err < 0)
            break;
        n = at < 0 ? write(f->host, buf + done, piece)
                   : pwrite(f->host, buf + done, piece, at + (int64_t)done);
        if (n >= 0)
            done += (size_t)n;
        else if (!must_wait(n))
            err = -errno;
    }
    if (err == -EPIPE)
        signal_post(c->p, c->t, &info);
    return done > 0 ? (int64_t)done : err;
}

static int64_t host_read(struct prog *p, struct file *f, uint8_t *buf, size_t len, int64_t at)
{
    ssize_t n;

    if (f->host < 0)
        return 0;
    do {
        int err = await_host(p, f, POLLIN);
        if (err < 0)
            return err;
        n = at < 0 ? read(f->host, buf, len) : pread(f->host, buf, len, at);
    } while (must_wait(n));
    return host_result(n);
}

/** "+name" begins, "-name" ends; see docs on /dev/numachine/mark. */
static int64_t write_mark(struct call *c, uint64_t va, uint64_t len)
{
    struct prog *p = c->p;
    char text[MARK_NAME + 1];

    if (len < 2 || len > MARK_NAME)
        return -EINVAL;
    if (vm_read(&p->vm, va, text, len) < 0)
        return -EFAULT;
    text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if ((text[0] != '+' && text[0] != '-') || !text[1])
        return -EINVAL;
    thread_hold(c->t, prog_now(p) + nm_machine_ahead(p->m));
    if (p->hooks && p->hooks->mark)
        p->hooks->mark(p->hooks->ctx, text + 1, text[0] == '+', prog_now(p));
    return (int64_t)len;
}

static int64_t read_random(struct prog *p, uint8_t *buf, size_t len)
{
    prog_random(p, STREAM_DEVICE, p->device_drawn, buf, len);
    p->device_drawn += len;
    return (int64_t)len;
}

/** Reads into the guest piece by piece; a short piece ends it. */
static int64_t read_file(struct call *c, struct file *f, uint64_t va, uint64_t len, int64_t at)
{
    uint8_t buf[BOUNCE];
    uint64_t done = 0;

    if (f->kind == FILE_PIPE_IN)
        return pipe_read(c, f, va, len);
    if (f->ops)
        return object_read(c, f, va, len);
    if (f->kind == FILE_DEVICE && (f->flags & 3) != 1)
        return device_read(c, f, va, len);
    if (f->kind == FILE_CARD && (f->flags & 3) != 1)
        return mapped_read(c, f, va, len);
    if (mapped_kind(f))
        return -EINVAL;
    if (f->kind == FILE_PIPE_OUT || f->kind == FILE_MARK || (f->flags & 3) == 1)
        return -EBADF;
    while (done < len) {
        size_t want = len - done < BOUNCE ? (size_t)(len - done) : BOUNCE;
        int64_t n = f->kind == FILE_RANDOM
                        ? read_random(c->p, buf, want)
                        : host_read(c->p, f, buf, want, at < 0 ? at : at + (int64_t)done);
        if (n < 0)
            return done > 0 ? (int64_t)done : n;
        if (vm_write(&c->p->vm, va + done, buf, (size_t)n) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        done += (uint64_t)n;
        if ((size_t)n < want || f->standard)
            break;
    }
    return (int64_t)done;
}

static int64_t write_file(struct call *c, struct file *f, uint64_t va, uint64_t len, int64_t at)
{
    uint8_t buf[BOUNCE];
    uint64_t done = 0;

    if (f->kind == FILE_MARK)
        return write_mark(c, va, len);
    if (f->kind == FILE_PIPE_OUT)
        return pipe_write(c, f, va, len);
    if (f->ops)
        return object_write(c, f, va, len);
    if (f->kind == FILE_DEVICE && (f->flags & 3) != 0)
        return device_write(c, f, va, len);
    if (mapped_kind(f))
        return -EINVAL;
    if (f->kind != FILE_HOST || (f->flags & 3) == 0)
        return -EBADF;
    while (done < len) {
        size_t want = len - done < BOUNCE ? (size_t)(len - done) : BOUNCE;
        int64_t n;
        if (vm_read(&c->p->vm, va + done, buf, want) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        n = f->host < 0 ? (int64_t)want
                        : host_write(c, f, buf, want, at < 0 ? at : at + (int64_t)done);
        if (n < 0)
            return done > 0 ? (int64_t)done : n;
        if (f->hashed)
            XXH64_update(c->p->hash, buf, (size_t)n);
        done += (uint64_t)n;
    }
    return (int64_t)done;
}

typedef int64_t move_fn(struct call *c, struct file *f, uint64_t va, uint64_t len, int64_t at);

/** readv and writev: the pieces one after another. */
static int64_t move_vector(struct call *c, move_fn *fn)
{
    unsigned w = c->p->n64 ? 8 : 4;
    int64_t total = 0;

    if (c->a[2] > IOV_MAX)
        return -EINVAL;
    for (uint64_t i = 0; i < c->a[2]; i++) {
        uint64_t base, len;
        int64_t n;
        if (vm_read_word(&c->p->vm, c->a[1] + 2 * i * w, w, &base) < 0 ||
            vm_read_word(&c->p->vm, c->a[1] + 2 * i * w + w, w, &len) < 0)
            return total > 0 ? total : -EFAULT;
        if (len == 0)
            continue;
        n = fn(c, c->f, base, len, -1);
        if (n < 0)
            return total > 0 ? total : n;
        total += n;
        if ((uint64_t)n < len)
            break;
    }
    return total;
}

int64_t sys_read(struct call *c)
{
    return read_file(c, c->f, c->a[1], c->a[2], -1);
}

int64_t sys_write(struct call *c)
{
    return write_file(c, c->f, c->a[1], c->a[2], -1);
}

int64_t sys_readv(struct call *c)
{
    return move_vector(c, read_file);
}

int64_t sys_writev(struct call *c)
{
    return move_vector(c, write_file);
}

/** Positioned access needs a file that has positions. */
static int64_t positioned(struct call *c, move_fn *fn)
{
    if ((int64_t)c->a[3] < 0)
        return -EINVAL;
    if (c->f->standard || c->f->pipe)
        return -ESPIPE;
    return fn(c, c->f, c->a[1], c->a[2], (int64_t)c->a[3]);
}

int64_t sys_pread64(struct call *c)
{
    return positioned(c, read_file);
}

int64_t sys_pwrite64(struct call *c)
{
    return positioned(c, write_file);
}

/* ---- position, size, flags ------------------------------------------------------------------- */

static int64_t seek(struct call *c, int64_t offset, uint64_t whence)
{
    if (c->f->directory)
        return directory_seek(c->f, offset, whence);
    if (c->f->standard || c->f->kind != FILE_HOST)
        return -ESPIPE;
    return host_result(lseek(c->f->host, offset, (int)whence));
}

int64_t sys_lseek(struct call *c)
{
    int64_t at = seek(c, (int64_t)c->a[1], c->a[2]);

    return !c->p->n64 && at > INT32_MAX ? -EOVERFLOW : at;
}

int64_t sys_llseek(struct call *c)
{
    int64_t at = seek(c, (int64_t)(c->a[1] << 32 | c->a[2]), c->a[4]);

    if (at < 0)
        return at;
    return vm_write_word(&c->p->vm, c->a[3], 8, (uint64_t)at);
}

int64_t sys_ftruncate(struct call *c)
{
    return c->f->kind == FILE_HOST ? host_result(ftruncate(c->f->host, (off_t)c->a[1])) : -EINVAL;
}

int64_t sys_fsync(struct call *c)
{
    return c->f->kind == FILE_HOST && !c->f->standard ? 0 : -EINVAL;
}

int64_t sys_fchmod(struct call *c)
{
    return c->f->kind == FILE_HOST ? host_result(fchmod(c->f->host, (mode_t)c->a[1])) : -EINVAL;
}

int64_t sys_ioctl(struct call *c)
{
    enum { LOOK = 0x4e01 };

    if (c->f->kind == FILE_DEVICE && c->a[1] == LOOK)
        return device_look(c, c->a[2]);
    return -ENOTTY; /* nothing here is a terminal, see above */
}

static int64_t duplicate(struct call *c, uint64_t to, bool cloexec)
{
    struct prog *p = c->p;

    if (to >= FD_MAX)
        return -EBADF;
    c->f->refs++;
    if (p->fds[to].file)
        close_fd(p, to);
    p->fds[to] = (struct descriptor){c->f, cloexec};
    return (int64_t)to;
}

int64_t sys_dup(struct call *c)
{
    return file_install(c->p, c->f, 0, false);
}

int64_t sys_dup2(struct call *c)
{
    return c->a[0] == c->a[1] ? (int64_t)c->a[0] : duplicate(c, c->a[1], false);
}

int64_t sys_dup3(struct call *c)
{
    if (c->a[2] & ~(uint64_t)G_O_CLOEXEC)
        return -EINVAL;
    return c->a[0] == c->a[1] ? -EINVAL : duplicate(c, c->a[1], c->a[2] & G_O_CLOEXEC);
}

int64_t sys_fcntl(struct call *c)
{
    enum {
        DUPFD = 0,
        GETFD,
        SETFD,
        GETFL,
        SETFL,
        SETLK = 6,
        SETLKW,
        GETOWN = 23,
        SETOWN,
        DUPFD_CLOEXEC = 1030
    };
    const uint32_t settable = G_O_APPEND | G_O_NONBLOCK | (c->f->kind == FILE_CARD ? G_O_ASYNC : 0);
    struct descriptor *d = &c->p->fds[c->a[0]];

    switch (c->a[1]) {
    case DUPFD:
    case DUPFD_CLOEXEC:
        if (c->a[2] >= FD_MAX)
            return -EINVAL;
        return file_install(c->p, c->f, (unsigned)c->a[2], c->a[1] == DUPFD_CLOEXEC);
    case GETFD:
        return d->cloexec;
    case SETFD:
        d->cloexec = c->a[2] & 1;
        return 0;
    case GETFL:
        return c->f->flags & ~(uint32_t)(G_O_CREAT | G_O_EXCL | G_O_TRUNC | G_O_NOCTTY);
    case SETFL:
        c->f->flags = (c->f->flags & ~settable) | ((uint32_t)c->a[2] & settable);
        return 0;
    case GETOWN:
        return c->f->owner;
    case SETOWN:
        c->f->owner = (int32_t)c->a[2];
        return 0;
    case SETLK:
    case SETLKW:
    case 34:      /* F_SETLK64 */
    case 35:      /* F_SETLKW64 */
        return 0; /* one process: every lock is granted */
    default:
        return -EINVAL;
    }
}

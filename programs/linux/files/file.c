/*
 * Files by descriptor: the guest's table of descriptors and what can be done with one.
 *
 * A file is the host's, or ours altogether: pipes (so that threads block in simulated time),
 * /dev/numachine/mark and /memory, and random devices fed from the seed. Its bytes are moved by
 * transfer.c.
 *
 * A call that uses a file holds it: another thread may close its descriptor meanwhile.
 */
#include "programs/linux/files/file.h"
#include "base/alloc.h"
#include "programs/host.h"
#include "programs/linux/files/device.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/lock.h"
#include "programs/linux/files/object.h"
#include "programs/linux/files/path.h"
#include "programs/linux/threads/threads.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

/* ---- the table ------------------------------------------------------------------------------- */

struct lx_file *lx_file_get(struct lx_prog *p, int64_t fd)
{
    return fd >= 0 && fd < FD_MAX ? p->fds[fd].file : NULL;
}

struct lx_file *lx_file_new(struct lx_prog *p, enum lx_file_kind kind, int host, uint32_t flags)
{
    struct lx_file *f = sim_alloc(1, sizeof *f);
    f->place.fd = -1;
    f->kind = kind;
    f->host = host;
    f->flags = flags & ~(uint32_t)(G_O_CLOEXEC | G_O_CREAT | G_O_EXCL | G_O_TRUNC | G_O_NOCTTY);
    DL_APPEND(p->files, f);
    return f;
}

void lx_file_release(struct lx_prog *p, struct lx_file *f)
{
    struct lx_inode *n = f->inode;

    if (f->refs > 0 && --f->refs > 0)
        return;
    DL_DELETE(p->files, f);
    lx_lock_released(p, f);
    lx_epoll_forget(p, f);
    if (f->pipe)
        lx_pipe_end(p, f);
    if (f->ops)
        f->ops->release(p, f);
    if (f->host >= 0 && !f->standard)
        prog_host_close(f->host);
    lx_place_free(&f->place);
    lx_directory_free(p, f);
    lx_give_back(p, f->kept);
    free(f->device);
    free(f);
    if (n)
        lx_inode_left(p, n);
}

void lx_file_hold(struct lx_thread *t, struct lx_file *f)
{
    SIM_ROOM(t->held, t->held_count, t->held_room, 4);
    t->held[t->held_count++] = f;
    f->refs++;
}

void lx_files_let_go(struct lx_thread *t)
{
    while (t->held_count > 0)
        lx_file_release(t->p, t->held[--t->held_count]);
}

int64_t lx_descriptor_free(const struct lx_prog *p, unsigned from)
{
    for (unsigned fd = from; fd < lx_limit_files(p); fd++)
        if (!p->fds[fd].file && !p->fds[fd].promised)
            return fd;
    return -EMFILE;
}

void lx_descriptor_set(struct lx_prog *p, uint64_t fd, struct lx_file *f, bool cloexec)
{
    f->refs++;
    p->fds[fd] = (struct lx_descriptor){.file = f, .cloexec = cloexec};
}

int64_t lx_file_install(struct lx_prog *p, struct lx_file *f, unsigned from, bool cloexec)
{
    const int64_t fd = lx_descriptor_free(p, from);

    if (fd >= 0)
        lx_descriptor_set(p, (uint64_t)fd, f, cloexec);
    else if (f->refs == 0)
        lx_file_release(p, f);
    return fd;
}

/** The host's end of a standard stream, or -1 when it is closed or the wrong way round: nobody
 * reads what goes there, nothing comes from there, and the guest does not notice. */
static int file_usable(int host, bool output)
{
    const int flags = host < 0 ? -1 : fcntl(host, F_GETFL);
    const int useless = output ? O_RDONLY : O_WRONLY;

    return flags < 0 || (flags & O_ACCMODE) == useless ? -1 : host;
}

void lx_files_init(struct lx_prog *p)
{
    const int host[3] = {p->program->stdin_fd, p->program->stdout_fd, p->program->stderr_fd};

    for (unsigned fd = 0; fd < 3; fd++) {
        struct lx_file *f =
            lx_file_new(p, FILE_HOST, file_usable(host[fd], fd > 0), fd == 0 ? 0 : 1);
        f->standard = true;
        f->stream = (int)fd;
        lx_file_install(p, f, fd, false);
    }
}

int64_t lx_file_close(struct lx_prog *p, uint64_t fd)
{
    struct lx_file *f = lx_file_get(p, (int64_t)fd);

    if (!f)
        return -EBADF;
    p->fds[fd].file = NULL;
    if (!lx_file_is_name(f)) /* which can lock nothing */
        lx_lock_closed(p, f);
    if (f->ops && f->ops->closed)
        f->ops->closed(f);
    lx_file_release(p, f);
    return 0;
}

void lx_files_free(struct lx_prog *p)
{
    struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        lx_files_let_go(t);
    for (unsigned fd = 0; fd < FD_MAX; fd++)
        lx_file_close(p, fd);
    lx_place_free(p->cwd);
}

int64_t lx_sys_close(struct lx_call *c)
{
    return lx_file_close(c->p, c->a[0]);
}

/* ---- flags, copies, owners ------------------------------------------------------------------- */

/** What fchmod and fchown may not change; those of a pipe without a name are nobody's business.
 * @return 1: nothing to do
 */
static int64_t may_describe(const struct lx_file *f)
{
    struct stat st;

    if (lx_file_is_name(f))
        return -EBADF;
    if (!f->inode || f->host < 0)
        return f->synth || f->kind == FILE_FOLDER ? -EROFS : 1;
    if (!f->writable)
        return -EROFS;
    return prog_host_fstat(f->host, &st) != 0 || !lx_view_owns(&st) ? -EPERM : 0;
}

int64_t lx_sys_fchmod(struct lx_call *c)
{
    int64_t err = may_describe(c->f);
    mode_t given = 0;
    struct stat st;

    if (!err)
        err = lx_host_result(prog_host_fstat(c->f->host, &st));
    if (!err) {
        given = lx_path_host_mode(c->p, c->a[1], c->f->guarded, &st);
        err = c->f->pipe ? lx_path_set_mode(c->f->host, given)
                         : lx_host_result(prog_host_fchmod(c->f->host, given));
    }
    if (!err) {
        lx_inode_changed(c->p, c->f->inode);
        lx_path_keep_mode(c->p, NULL, c->f->inode, c->a[1], given);
    }
    return err < 0 ? err : 0;
}

int64_t lx_sys_fchown(struct lx_call *c)
{
    int64_t err = may_describe(c->f);
    struct stat st;

    if (!err && (((uint32_t)c->a[1] != UINT32_MAX && c->a[1] != 1000) ||
                 ((uint32_t)c->a[2] != UINT32_MAX && c->a[2] != 1000)))
        err = -EPERM;
    if (!err)
        err = lx_host_result(prog_host_fstat(c->f->host, &st));
    if (!err) {
        lx_inode_changed(c->p, c->f->inode);
        lx_inode_unset_id(c->f->inode, st.st_mode);
    }
    return err < 0 ? err : 0;
}

/** A file of the run's own, without a name. */
int64_t lx_sys_memfd_create(struct lx_call *c)
{
    enum { CLOEXEC = 1, SEALS = 2, NAME_MAX_ = 249 };
    struct lx_file *f;
    struct stat st;
    int fd;

    if (c->a[1] & ~(uint64_t)(CLOEXEC | SEALS) || strlen(c->path[0]) > NAME_MAX_)
        return -EINVAL;
    if (!lx_inode_may_name(c->p))
        return -ENOMEM;
    fd = prog_host_memfd_create("guest", MFD_CLOEXEC);
    if (fd < 0)
        return lx_host_says(c->p, -errno);
    f = lx_file_new(c->p, FILE_HOST, fd, 2);
    f->writable = true;
    f->place.path = sim_format("/memfd:%s", c->path[0]);
    if (prog_host_fstat(fd, &st) == 0) {
        f->inode = lx_inode_of(c->p, &st);
        lx_inode_born(c->p, f->inode);
        lx_inode_named(c->p, f->inode);
        lx_seals_born(f->inode, c->a[1] & SEALS);
    }
    return lx_file_install(c->p, f, 0, c->a[1] & CLOEXEC);
}

int64_t lx_sys_close_range(struct lx_call *c)
{
    enum { UNSHARE = 2, CLOEXEC = 4 };
    struct lx_prog *p = c->p;

    if (c->a[0] > c->a[1] || c->a[2] & ~(uint64_t)(UNSHARE | CLOEXEC))
        return -EINVAL;
    for (uint64_t fd = c->a[0]; fd <= c->a[1] && fd < FD_MAX; fd++)
        if (p->fds[fd].file && c->a[2] & CLOEXEC)
            p->fds[fd].cloexec = true;
        else
            lx_file_close(p, fd);
    return 0;
}

/** [bytes] How far a file's end, or a pipe's last byte, is. @return -ENOTTY: nobody knows; what a
 *  stream of the host's has differs from run to run */
static int64_t put_waiting(struct lx_call *c)
{
    const struct lx_file *f = c->f;
    uint64_t waiting;
    struct stat st;

    if (f->pipe)
        waiting = f->pipe->count;
    else if (f->kind == FILE_HOST && f->inode && prog_host_fstat(f->host, &st) == 0)
        waiting = (uint64_t)st.st_size - f->at;
    else
        return -ENOTTY;
    return lx_vm_write32(&c->p->vm, c->a[2], (uint32_t)waiting);
}

/** O_NONBLOCK by ioctl. */
static int64_t set_waiting(struct lx_call *c)
{
    uint32_t on;

    if (lx_vm_read32(&c->p->vm, c->a[2], &on) < 0)
        return -EFAULT;
    c->f->flags = (c->f->flags & ~(uint32_t)G_O_NONBLOCK) | (on ? G_O_NONBLOCK : 0);
    return 0;
}

int64_t lx_sys_ioctl(struct lx_call *c)
{
    enum { LOOK = 0x4e01 };
    enum { WAITING = 0x467f, NONBLOCK = 0x667e, CLOEXEC = 0x6601, NOT_CLOEXEC }; /* MIPS's */
    const uint64_t command = lx_number_in(c->p->kind, LX_IOCTL, c->a[1]);

    if (lx_file_is_name(c->f))
        return -EBADF;
    if (command == CLOEXEC || command == NOT_CLOEXEC) {
        c->p->fds[c->a[0]].cloexec = command == CLOEXEC;
        return 0;
    }
    if (command == NONBLOCK)
        return set_waiting(c);
    if (c->f->kind == FILE_DEVICE && c->a[1] == LOOK)
        return lx_device_look(c, c->a[2]);
    if (c->f->kind == FILE_OBJECT && c->f->ops->control)
        return c->f->ops->control(c, c->f);
    return command == WAITING ? put_waiting(c) : -ENOTTY; /* nothing here is a terminal */
}

static int64_t file_duplicate(struct lx_call *c, uint64_t to, bool cloexec)
{
    struct lx_prog *p = c->p;

    if (to >= lx_limit_files(p))
        return -EBADF;
    if (p->fds[to].promised)
        return -EBUSY;
    if (p->fds[to].file)
        lx_file_close(p, to);
    lx_descriptor_set(p, to, c->f, cloexec);
    return (int64_t)to;
}

int64_t lx_sys_dup(struct lx_call *c)
{
    return lx_file_install(c->p, c->f, 0, false);
}

int64_t lx_sys_dup2(struct lx_call *c)
{
    return c->a[0] == c->a[1] ? (int64_t)c->a[0] : file_duplicate(c, c->a[1], false);
}

int64_t lx_sys_dup3(struct lx_call *c)
{
    if (c->a[2] & ~(uint64_t)G_O_CLOEXEC)
        return -EINVAL;
    return c->a[0] == c->a[1] ? -EINVAL : file_duplicate(c, c->a[1], c->a[2] & G_O_CLOEXEC);
}

/** Who is told of a file's events: a thread (kind 0), a process or, negative, a group. */
static int64_t set_owner(struct lx_call *c, uint32_t kind, int32_t who)
{
    enum { KINDS = 3 };

    if (kind >= KINDS || who == INT32_MIN)
        return -EINVAL;
    if (who && abs(who) != PARENT && !lx_thread_named(c->p, (uint32_t)abs(who)))
        return -ESRCH;
    c->f->owner = who;
    c->f->owner_kind = (uint8_t)kind;
    return 0;
}

/** fcntl's commands about events of files. */
static int64_t event_fcntl(struct lx_call *c, uint64_t command, uint64_t arg)
{
    enum { SETOWN = 24, GETOWN = 23, SETSIG = 10, GETSIG = 11, SETOWN_EX = 15, GETOWN_EX = 16 };
    enum { THREAD, PROCESS, GROUP };
    struct lx_file *f = c->f;
    uint32_t kind, who;

    switch (command) {
    case GETOWN:
        return f->owner;
    case SETOWN:
        return set_owner(c, (int32_t)arg < 0 ? GROUP : PROCESS, (int32_t)arg);
    case GETOWN_EX:
        return lx_vm_write32(&c->p->vm, arg, f->owner_kind) < 0 ||
                       lx_vm_write32(&c->p->vm, arg + 4, (uint32_t)abs(f->owner)) < 0
                   ? -EFAULT
                   : 0;
    case SETOWN_EX:
        if (lx_vm_read32(&c->p->vm, arg, &kind) < 0 || lx_vm_read32(&c->p->vm, arg + 4, &who) < 0)
            return -EFAULT;
        return set_owner(c, kind, (int32_t)(kind == GROUP ? 0 - who : who));
    case GETSIG:
        return f->signal;
    case SETSIG:
        if (arg > c->p->kind->signals)
            return -EINVAL;
        f->signal = (uint8_t)arg;
        return 0;
    default:
        return lx_lock_fcntl(c, command, arg);
    }
}

int64_t lx_sys_fcntl(struct lx_call *c)
{
    enum { DUPFD = 0, GETFD, SETFD, GETFL, SETFL, GETLEASE = 1025, NOTIFY, DUPFD_CLOEXEC = 1030 };
    enum { GETPIPE_SZ = 1032, ADD_SEALS, GET_SEALS, UNLOCKED = 2 /* F_UNLCK */ };
    const uint32_t settable = G_O_APPEND | G_O_NONBLOCK | (c->f->kind == FILE_CARD ? G_O_ASYNC : 0);
    struct lx_descriptor *d = &c->p->fds[c->a[0]];

    if (lx_file_is_name(c->f) && c->a[1] > GETFL && c->a[1] != DUPFD_CLOEXEC)
        return -EBADF;
    switch (c->a[1]) {
    case DUPFD:
    case DUPFD_CLOEXEC:
        if (c->a[2] >= lx_limit_files(c->p))
            return -EINVAL;
        return lx_file_install(c->p, c->f, (unsigned)c->a[2], c->a[1] == DUPFD_CLOEXEC);
    case GETFD:
        return d->cloexec;
    case SETFD:
        d->cloexec = c->a[2] & 1;
        return 0;
    case GETFL:
        return (int64_t)lx_flags_out(c->p->kind, LX_OPEN, c->f->flags);
    case SETFL:
        c->f->flags = (c->f->flags & ~settable) |
                      ((uint32_t)lx_flags_in(c->p->kind, LX_OPEN, c->a[2]) & settable);
        return 0;
    case GETPIPE_SZ:
        return c->f->pipe ? PIPE_BYTES : -EBADF;
    case ADD_SEALS:
    case GET_SEALS:
        return lx_seal_fcntl(c, c->a[1] == ADD_SEALS, c->a[2]);
    case GETLEASE:
        return UNLOCKED;
    case NOTIFY:
        return c->f->kind == FILE_FOLDER ? -EINVAL : -ENOTDIR;
    default:
        return event_fcntl(c, lx_number_in(c->p->kind, LX_FCNTL, c->a[1]), c->a[2]);
    }
}

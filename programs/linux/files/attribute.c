/*
 * What is said of a file by its name: rights, owner, size, dates.
 *
 * Dates and owners are the simulation's own and never reach the host (inode.h).
 */
#include "programs/host.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/path.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- what is said of a file ------------------------------------------------------------------ */

/** The file of a path, if it is the guest's own and may be changed. */
static int64_t find_own(struct lx_call *c, int64_t dir, const char *path, enum lx_ending ending,
                        struct lx_spot *s)
{
    int64_t r = lx_path_find(c, dir, path, ending, s);

    if (r < 0)
        return r;
    if (s->kind == SPOT_NOTHING)
        r = -ENOENT;
    else if (s->kind != SPOT_HOST || !s->writable)
        r = lx_path_refused(c->p, s, s->guard);
    else if (!lx_view_owns(&s->st))
        r = -EPERM;
    if (r < 0)
        lx_spot_free(s);
    return r;
}

int64_t lx_path_set_mode(int fd, mode_t mode)
{
    char self[64];

    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return lx_host_result(prog_host_chmod(self, mode));
}

/** Changes the mode of a spot's file: by its name, else by opening it. */
static int64_t set_mode(const struct lx_spot *s, mode_t mode)
{
    int fd;
    int64_t r;

    if (lx_path_set_mode(s->fd, mode) == 0)
        return 0;
    fd = lx_view_open(s, O_RDONLY);
    if (fd < 0)
        return -EPERM;
    r = lx_host_result(prog_host_fchmod(fd, mode));
    prog_host_close(fd);
    return r;
}

static int64_t change_mode(struct lx_call *c, int64_t dir, uint64_t mode)
{
    struct lx_spot s;
    int64_t r = find_own(c, dir, c->path[0], END_FOLLOWED, &s);

    if (r < 0)
        return r;
    const mode_t given = lx_path_host_mode(c->p, mode, s.guard == GUARD_WORKS, &s.st);
    r = set_mode(&s, given);
    if (!r) {
        lx_inode_changed(c->p, lx_inode_of(c->p, &s.st));
        lx_path_keep_mode(c->p, &s, lx_inode_of(c->p, &s.st), mode, given);
    }
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_chmod(struct lx_call *c)
{
    return change_mode(c, PATH_CWD, c->a[1]);
}

int64_t lx_sys_fchmodat(struct lx_call *c)
{
    return change_mode(c, (int64_t)c->a[0], c->a[2]);
}

/** Owners cannot be changed but to what they are; whether the file is there is looked at. */
static int64_t change_owner(struct lx_call *c, int64_t dir, uint64_t user, uint64_t group,
                            uint64_t flags)
{
    struct lx_spot s;
    int64_t r =
        lx_path_find_at(c, dir, c->path[0], flags, lx_ending_of(!(flags & G_AT_NOFOLLOW)), &s);

    if (r < 0)
        return r;
    r = s.kind == SPOT_NOTHING               ? -ENOENT
        : s.kind != SPOT_HOST || !s.writable ? lx_path_refused(c->p, &s, s.guard)
                                             : 0;
    if (!r && (((uint32_t)user != UINT32_MAX && user != 1000) ||
               ((uint32_t)group != UINT32_MAX && group != 1000)))
        r = -EPERM;
    if (!r) {
        lx_inode_changed(c->p, lx_inode_of(c->p, &s.st));
        lx_inode_unset_id(lx_inode_of(c->p, &s.st), s.st.st_mode);
    }
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_chown(struct lx_call *c)
{
    return change_owner(c, PATH_CWD, c->a[1], c->a[2], 0);
}

int64_t lx_sys_lchown(struct lx_call *c)
{
    return change_owner(c, PATH_CWD, c->a[1], c->a[2], G_AT_NOFOLLOW);
}

int64_t lx_sys_fchownat(struct lx_call *c)
{
    if (c->a[4] & ~(uint64_t)(G_AT_NOFOLLOW | G_AT_EMPTY_PATH))
        return -EINVAL;
    return change_owner(c, (int64_t)c->a[0], c->a[2], c->a[3], c->a[4]);
}

int64_t lx_sys_truncate(struct lx_call *c)
{
    struct lx_spot s;
    int64_t r;

    if ((int64_t)c->a[1] < 0)
        return -EINVAL;
    r = lx_path_find(c, PATH_CWD, c->path[0], END_FOLLOWED, &s);
    if (r < 0)
        return r;
    if (s.kind == SPOT_NOTHING)
        r = -ENOENT;
    else if (s.kind == SPOT_DIRECTORY || (s.kind == SPOT_HOST && S_ISDIR(s.st.st_mode)))
        r = -EISDIR;
    else if (s.kind == SPOT_SYNTHETIC && s.synth->kind == SYN_TEXT && lx_path_in_proc(&s))
        r = -EACCES;
    else if (s.kind == SPOT_SYNTHETIC && s.synth->kind == SYN_PROGRAM)
        r = -ETXTBSY;
    else if (s.kind != SPOT_HOST || !S_ISREG(s.st.st_mode))
        r = -EINVAL;
    else
        r = lx_path_resize(c, &s, c->a[1]);
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_umask(struct lx_call *c)
{
    unsigned old = c->p->umask;

    c->p->umask = c->a[0] & 0777;
    return old;
}

/* ---- attributes beside those: no file has any -------------------------------------------------
 */

/** Whether a file is there, and the name of an attribute (`name`; NULL: none is named) could be
 * one.
 *  @return `answer`, or -errno */
static int64_t attributes_of(struct lx_call *c, enum lx_ending ending, const char *name,
                             int64_t answer)
{
    enum { LONGEST = 255, FLAGS = 3 };
    struct lx_spot s;
    int64_t r;

    if (name && strlen(c->row->args) > 4 && c->a[4] & ~(uint64_t)FLAGS)
        return -EINVAL;
    if (name && (!*name || strlen(name) > LONGEST))
        return -ERANGE;
    if (c->f)
        return lx_file_is_name(c->f) ? -EBADF : answer;
    r = lx_path_find(c, PATH_CWD, c->path[0], ending, &s);
    if (r < 0)
        return r;
    r = lx_path_missing(c->p, &s) ? -ENOENT : answer;
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_attribute(struct lx_call *c)
{
    return attributes_of(c, END_FOLLOWED, c->path[1], -EOPNOTSUPP);
}

int64_t lx_sys_link_attribute(struct lx_call *c)
{
    return attributes_of(c, END_LINK, c->path[1], -EOPNOTSUPP);
}

int64_t lx_sys_file_attribute(struct lx_call *c)
{
    return attributes_of(c, END_LINK, c->path[0], -EOPNOTSUPP);
}

int64_t lx_sys_attributes(struct lx_call *c)
{
    return attributes_of(c, END_FOLLOWED, NULL, 0);
}

int64_t lx_sys_link_attributes(struct lx_call *c)
{
    return attributes_of(c, END_LINK, NULL, 0);
}

/* ---- times of files -------------------------------------------------------------------------- */

enum { G_UTIME_NOW = 0x3fffffff, G_UTIME_OMIT = 0x3ffffffe, ACCESSED = 0, MODIFIED = 1 };

/** What a call says about a file's two times; UTIME_OMIT leaves one alone. */
struct times {
    struct timespec ts[2];
};

static void set_times(struct lx_prog *p, struct lx_inode *n, const struct times *t)
{
    const struct timespec now = lx_inode_now(p);

    for (int i = 0; i < 2; i++)
        if (t->ts[i].tv_nsec != G_UTIME_OMIT)
            *(i == ACCESSED ? &n->atime : &n->mtime) =
                t->ts[i].tv_nsec == G_UTIME_NOW ? now : t->ts[i];
    n->ctime = now;
}

/** Dates a guest names are the host's too: programs that unpack files give them. */
static void tell_host(int dir, const char *leaf, const struct times *t)
{
    struct timespec ts[2];

    for (int i = 0; i < 2; i++) {
        ts[i] = t->ts[i];
        if (ts[i].tv_nsec == G_UTIME_NOW)
            ts[i].tv_nsec = UTIME_NOW;
        else if (ts[i].tv_nsec == G_UTIME_OMIT)
            ts[i].tv_nsec = UTIME_OMIT;
    }
    prog_host_utimensat(dir, leaf, ts, AT_SYMLINK_NOFOLLOW);
}

static int64_t path_times(struct lx_call *c, int64_t dir, const char *path, bool follow,
                          const struct times *t)
{
    struct lx_spot s;
    int64_t r = find_own(c, dir, path, lx_ending_of(follow), &s);

    if (r < 0)
        return r;
    set_times(c->p, lx_inode_of(c->p, &s.st), t);
    tell_host(s.dir, s.leaf, t);
    lx_spot_free(&s);
    return 0;
}

/** The same of an open file. */
static int64_t file_times(struct lx_prog *p, const struct lx_file *f, const struct times *t)
{
    if (f->inode && !f->writable)
        return -EROFS;
    if (f->inode)
        set_times(p, f->inode, t);
    return 0;
}

/** Reads two times of `unit` per second; without any: now. */
static int64_t get_times(struct lx_call *c, uint64_t va, unsigned w, uint64_t unit, struct times *t)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t sec = 0, part = G_UTIME_NOW;
        bool special;
        if (va && (lx_vm_read_word(&c->p->vm, va + 2 * w * i, w, &sec) < 0 ||
                   lx_vm_read_word(&c->p->vm, va + 2 * w * i + w, w, &part) < 0))
            return -EFAULT;
        sec = (uint64_t)lx_abi_signed(sec, w);
        part = (uint64_t)lx_abi_signed(part, c->p->kind->word); /* o32's upper half is padding */
        special = !va || (unit == 1000000000 && (part == G_UTIME_NOW || part == G_UTIME_OMIT));
        if (!special && part >= unit)
            return -EINVAL;
        t->ts[i] =
            (struct timespec){(time_t)sec, (long)(special ? part : part * (1000000000 / unit))};
    }
    return 0;
}

/** utimensat; a missing path means the descriptor itself. */
int64_t lx_sys_utimensat(struct lx_call *c)
{
    char path[PATH_BYTES];
    struct times t;
    struct lx_file *f = lx_file_get(c->p, (int32_t)c->a[0]);
    int64_t r =
        get_times(c, c->a[2], c->row->args[2] == 'T' ? 8 : c->p->kind->word, 1000000000, &t);

    if (!r && t.ts[0].tv_nsec == G_UTIME_OMIT && t.ts[1].tv_nsec == G_UTIME_OMIT)
        return 0; /* nothing to do: nothing else is looked at */
    if (!r && c->a[3] & ~(uint64_t)(G_AT_NOFOLLOW | G_AT_EMPTY_PATH))
        r = -EINVAL;
    if (r < 0)
        return r;
    if (!c->a[1] && (int32_t)c->a[0] != PATH_CWD)
        return c->a[3] ? -EINVAL : !f || lx_file_is_name(f) ? -EBADF : file_times(c->p, f, &t);
    r = lx_vm_string(&c->p->vm, c->a[1], path, sizeof path);
    if (r < 0)
        return r;
    if (path[0] || !(c->a[3] & G_AT_EMPTY_PATH))
        return path_times(c, (int32_t)c->a[0], path, !(c->a[3] & G_AT_NOFOLLOW), &t);
    if ((int32_t)c->a[0] == PATH_CWD)
        return path_times(c, PATH_CWD, ".", true, &t);
    return f ? file_times(c->p, f, &t) : -EBADF;
}

int64_t lx_sys_utimes(struct lx_call *c)
{
    struct times t;
    int64_t r = get_times(c, c->a[1], c->p->kind->word, 1000000, &t);

    return r < 0 ? r : path_times(c, PATH_CWD, c->path[0], true, &t);
}

int64_t lx_sys_futimesat(struct lx_call *c)
{
    struct times t;
    int64_t r = get_times(c, c->a[2], c->p->kind->word, 1000000, &t);

    return r < 0 ? r : path_times(c, (int64_t)c->a[0], c->path[0], true, &t);
}

/** utime: seconds only. */
int64_t lx_sys_utime(struct lx_call *c)
{
    const unsigned w = c->p->kind->word;
    struct times t = {.ts = {{.tv_nsec = G_UTIME_NOW}, {.tv_nsec = G_UTIME_NOW}}};

    for (unsigned i = 0; i < 2 && c->a[1]; i++) {
        uint64_t sec;
        if (lx_vm_read_word(&c->p->vm, c->a[1] + w * i, w, &sec) < 0)
            return -EFAULT;
        t.ts[i] = (struct timespec){.tv_sec = w == 4 ? (int32_t)sec : (time_t)sec};
    }
    return path_times(c, PATH_CWD, c->path[0], true, &t);
}

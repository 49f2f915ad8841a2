/*
 * What a file is: stat in its four layouts, statx, statfs.
 *
 * Everything said is the simulation's (inode.h): no number, date or size of the host's own shows.
 */
#include "programs/host.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/irix.h"
#include "programs/linux/files/object.h"
#include "programs/linux/files/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { G_AT_NO_AUTOMOUNT = 0x800, G_AT_STATX = 0x6000 };
enum { BLOCK_BYTES = 4096 }; /* st_blksize, the same on every host: stdio sizes its buffers by it */

/* ---- of what --------------------------------------------------------------------------------- */

/** Kinds of file systems, by what Linux says they are. */
enum {
    TMPFS = 0x01021994,
    EXT = 0xef53,
    PROCFS = 0x9fa0,
    SYSFS = 0x62656572,
    PIPEFS = 0x50495045,
    NAME_BYTES = 255
};

/** Those of made-up files, by where their paths begin behind the first '/'. */
static const struct {
    const char *top;
    uint64_t type;
} systems[] = {{"proc", PROCFS}, {"sys", SYSFS}, {"dev", TMPFS}, {"", EXT}};

/** st_dev of what is not the host's. Objects have one number, as in Linux; DEV_MADE_UP is the first
 *  of `systems`. */
enum { DEV_PIPES = LX_DEV_HOST + 1, DEV_OBJECTS, DEV_MADE_UP };

/** Which of the systems holds a made-up file or directory. @param path  without its first '/' */
static size_t made_up_system(const char *path)
{
    const size_t n = strcspn(path, "/");
    size_t i = 0;

    while (*systems[i].top &&
           (strlen(systems[i].top) != n || strncmp(path, systems[i].top, n) != 0))
        i++;
    return i;
}

/** What exists only here: always the same but for its kind. */
static void stat_made_up(struct stat *st, mode_t mode, dev_t device)
{
    memset(st, 0, sizeof *st);
    st->st_mode = mode;
    st->st_nlink = 1;
    st->st_rdev = device;
    st->st_uid = st->st_gid = S_ISFIFO(mode) ? 1000 : 0;
    st->st_size = S_ISDIR(mode) ? BLOCK_BYTES : 0;
    st->st_atim.tv_sec = st->st_mtim.tv_sec = st->st_ctim.tv_sec = LX_EPOCH;
}

static void stat_synthetic(const struct lx_synthetic *s, struct stat *st)
{
    static const struct {
        mode_t mode;
        unsigned major, minor;
    } kinds[] = {
        [SYN_TEXT] = {S_IFREG | 0444, 0, 0},    [SYN_NULL] = {S_IFCHR | 0666, 1, 3},
        [SYN_FULL] = {S_IFCHR | 0666, 1, 7},    [SYN_ZERO] = {S_IFCHR | 0666, 1, 5},
        [SYN_RANDOM] = {S_IFCHR | 0666, 1, 9},  [SYN_DEVICE] = {S_IFCHR | 0666, 240, 0},
        [SYN_EXE] = {S_IFLNK | 0777, 0, 0},     [SYN_FD] = {S_IFIFO | 0600, 0, 0},
        [SYN_LINK] = {S_IFLNK | 0777, 0, 0},    [SYN_SELF] = {S_IFLNK | 0777, 0, 0},
        [SYN_PROGRAM] = {S_IFREG | 0555, 0, 0}, [SYN_PROCESS] = {S_IFREG | 0600, 0, 0},
        [SYN_NAME] = {S_IFREG | 0644, 0, 0},
    };

    stat_made_up(st, kinds[s->kind].mode, makedev(kinds[s->kind].major, kinds[s->kind].minor));
}

/** The same, with the size where there is one. */
static void stat_row(const struct lx_prog *p, const struct lx_synthetic *s, struct stat *st)
{
    struct stat file;

    stat_synthetic(s, st);
    if (s->kind == SYN_PROGRAM && prog_host_fstat(p->elf_fd, &file) == 0)
        lx_inode_show_size(st, file.st_size);
}

/** Tells what has a path that exists only here from all others. */
static void stat_number(struct stat *st, const char *path)
{
    st->st_dev = DEV_MADE_UP + made_up_system(path + 1);
    st->st_ino = lx_path_number(path, S_ISDIR(st->st_mode));
}

/** The same of an open file that has no file on the host. */
static void stat_open(struct stat *st, const struct lx_file *f)
{
    if (f->pipe || f->standard) {
        st->st_dev = DEV_PIPES;
        st->st_ino = f->pipe ? f->pipe->number : (ino_t)f->stream + 1;
    } else if (f->place.path) {
        stat_number(st, f->place.path);
    } else {
        st->st_dev = DEV_OBJECTS;
        st->st_ino = 1;
    }
}

static int64_t stat_file(struct lx_prog *p, const struct lx_file *f, struct stat *st)
{
    if (!f->synth && f->inode && f->host >= 0) {
        if (prog_host_fstat(f->host, st) != 0)
            return -errno;
        lx_inode_show(p, st);
        return 0;
    }
    if (f->synth)
        stat_row(p, f->synth, st);
    else if (f->kind == FILE_FOLDER)
        stat_made_up(st, S_IFDIR | 0555, 0);
    else if (f->kind == FILE_OBJECT)
        stat_made_up(st, f->ops->mode | 0600, 0);
    else /* the standard streams, whatever they are on the host, and pipes without a name */
        stat_made_up(st, S_IFIFO | 0600, 0);
    stat_open(st, f);
    return 0;
}

/** The link that stands for an open file says how it is open. */
static void stat_descriptor(const struct lx_file *f, struct stat *st)
{
    enum { BYTES = 64 /* as Linux has it */ };

    stat_made_up(st, S_IFLNK | 0100 | (lx_may_read(f) ? 0400 : 0) | (lx_may_write(f) ? 0200 : 0),
                 0);
    st->st_size = BYTES;
}

/** What exists only here, by its path. */
static void stat_view(struct lx_prog *p, const struct lx_spot *s, struct stat *st)
{
    char *path = lx_path_of(s);

    if (s->kind == SPOT_DIRECTORY)
        stat_made_up(st, S_IFDIR | 0555, 0);
    else if (s->synth->kind == SYN_FD)
        stat_descriptor(lx_file_get(p, s->number), st);
    else
        stat_row(p, s->synth, st);
    stat_number(st, path);
    free(path);
}

static int64_t stat_path(struct lx_call *c, int64_t dir, const char *path, bool follow,
                         struct stat *st)
{
    struct lx_spot s;
    int64_t r = lx_path_find(c, dir, path, lx_ending_of(follow), &s);

    if (r < 0)
        return r;
    lx_path_as_folder(&s);
    if (lx_path_missing(c->p, &s))
        r = -ENOENT;
    else if (s.kind == SPOT_HOST) {
        *st = s.st;
        lx_inode_show(c->p, st);
    } else if (s.kind == SPOT_SYNTHETIC && s.synth->kind == SYN_FD && follow)
        r = stat_file(c->p, lx_file_get(c->p, s.number), st);
    else
        stat_view(c->p, &s, st);
    lx_spot_free(&s);
    return r;
}

/* ---- layouts --------------------------------------------------------------------------------- */

/** Seconds and nanoseconds of the three times. */
static void out_times(struct lx_out *o, const struct stat *st)
{
    const struct timespec *t[3] = {&st->st_atim, &st->st_mtim, &st->st_ctim};

    for (int i = 0; i < 3; i++) {
        lx_out_int(o, 4, (uint64_t)t[i]->tv_sec);
        lx_out_int(o, 4, (uint64_t)t[i]->tv_nsec);
    }
}

/** What every struct stat begins with; the inode's number has `inode` bytes. */
static void out_stat_head(struct lx_out *o, unsigned inode, const struct stat *st)
{
    lx_out_int(o, 4, st->st_dev);
    lx_out_skip(o, 16);
    lx_out_int(o, inode, st->st_ino);
    lx_out_int(o, 4, st->st_mode);
    lx_out_int(o, 4, st->st_nlink);
    lx_out_int(o, 4, st->st_uid);
    lx_out_int(o, 4, st->st_gid);
    lx_out_int(o, 4, st->st_rdev);
}

/** ARM's struct stat64: the inode's number comes twice. */
static int64_t put_arm64(struct lx_call *c, uint64_t va, const struct stat *st)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 8, st->st_dev);
    lx_out_int(&o, 4, 0);
    lx_out_int(&o, 4, st->st_ino);
    lx_out_int(&o, 4, st->st_mode);
    lx_out_int(&o, 4, st->st_nlink);
    lx_out_int(&o, 4, st->st_uid);
    lx_out_int(&o, 4, st->st_gid);
    lx_out_int(&o, 8, st->st_rdev);
    lx_out_skip(&o, 48);
    lx_out_int(&o, 8, (uint64_t)st->st_size);
    lx_out_int(&o, 4, BLOCK_BYTES);
    lx_out_skip(&o, 64);
    lx_out_int(&o, 8, (uint64_t)st->st_blocks);
    out_times(&o, st);
    lx_out_int(&o, 8, st->st_ino);
    return lx_out_write(&o, &c->p->vm, va);
}

/** struct stat of n64 and struct stat64 of o32 have one layout. */
static int64_t put_stat64(struct lx_call *c, uint64_t va, const struct stat *st)
{
    struct lx_out o;

    if (c->p->kind->generic)
        return put_arm64(c, va, st);
    lx_out_start(&o, c->p->kind);
    out_stat_head(&o, 8, st);
    lx_out_skip(&o, 56);
    lx_out_int(&o, 8, (uint64_t)st->st_size);
    out_times(&o, st);
    lx_out_int(&o, 4, BLOCK_BYTES);
    lx_out_skip(&o, 96);
    lx_out_int(&o, 8, (uint64_t)st->st_blocks);
    return lx_out_write(&o, &c->p->vm, va);
}

/** o32's old struct stat, with 32-bit sizes. */
static int64_t put_stat32(struct lx_call *c, uint64_t va, const struct stat *st)
{
    struct lx_out o;

    if (st->st_size > INT32_MAX)
        return -EOVERFLOW;
    lx_out_start(&o, c->p->kind);
    out_stat_head(&o, 4, st);
    lx_out_skip(&o, 48);
    lx_out_int(&o, 4, (uint64_t)st->st_size);
    lx_out_skip(&o, 56);
    out_times(&o, st);
    lx_out_int(&o, 4, BLOCK_BYTES);
    lx_out_int(&o, 4, (uint64_t)st->st_blocks);
    lx_out_skip(&o, 144);
    return lx_out_write(&o, &c->p->vm, va);
}

/** ARM's old struct stat, with 32-bit sizes and 16-bit users. */
static int64_t put_arm32(struct lx_call *c, uint64_t va, const struct stat *st)
{
    struct lx_out o;

    if (st->st_size > INT32_MAX)
        return -EOVERFLOW;
    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 4, st->st_dev);
    lx_out_int(&o, 4, st->st_ino);
    lx_out_int(&o, 2, st->st_mode);
    lx_out_int(&o, 2, st->st_nlink);
    lx_out_int(&o, 2, st->st_uid);
    lx_out_int(&o, 2, st->st_gid);
    lx_out_int(&o, 4, st->st_rdev);
    lx_out_int(&o, 4, (uint64_t)st->st_size);
    lx_out_int(&o, 4, BLOCK_BYTES);
    lx_out_int(&o, 4, (uint64_t)st->st_blocks);
    out_times(&o, st);
    lx_out_skip(&o, 64);
    return lx_out_write(&o, &c->p->vm, va);
}

static int64_t put_native(struct lx_call *c, uint64_t va, const struct stat *st)
{
    if (c->p->kind->generic)
        return put_arm32(c, va, st);
    return c->p->n64 ? put_stat64(c, va, st) : put_stat32(c, va, st);
}

/** How a stat's answer is laid out. */
typedef int64_t (*put_stat)(struct lx_call *c, uint64_t va, const struct stat *st);

/* ---- calls ----------------------------------------------------------------------------------- */

/** What a call describes: its path, or the link that it names; its descriptor. */
enum whom { PATH, LINK, DESCRIPTOR };

static int64_t stat_answer(struct lx_call *c, enum whom whom, put_stat put)
{
    struct stat st;
    int64_t r = whom == DESCRIPTOR ? stat_file(c->p, c->f, &st)
                                   : stat_path(c, PATH_CWD, c->path[0], whom == PATH, &st);

    return r < 0 ? r : put(c, c->a[1], &st);
}

int64_t lx_sys_stat(struct lx_call *c)
{
    return stat_answer(c, PATH, put_native);
}

int64_t lx_sys_lstat(struct lx_call *c)
{
    return stat_answer(c, LINK, put_native);
}

int64_t lx_sys_fstat(struct lx_call *c)
{
    return stat_answer(c, DESCRIPTOR, put_native);
}

int64_t lx_sys_stat64(struct lx_call *c)
{
    return stat_answer(c, PATH, put_stat64);
}

int64_t lx_sys_lstat64(struct lx_call *c)
{
    return stat_answer(c, LINK, put_stat64);
}

int64_t lx_sys_fstat64(struct lx_call *c)
{
    return stat_answer(c, DESCRIPTOR, put_stat64);
}

/** stat by directory, path and flags; an empty path with AT_EMPTY_PATH means the descriptor. */
static int64_t stat_at(struct lx_call *c, uint64_t flags, struct stat *st)
{
    const struct lx_file *f = lx_file_get(c->p, (int32_t)c->a[0]);

    if ((flags & G_AT_EMPTY_PATH) && !c->path[0][0]) {
        if (f)
            return stat_file(c->p, f, st);
        return (int32_t)c->a[0] == PATH_CWD ? stat_path(c, PATH_CWD, ".", true, st) : -EBADF;
    }
    return stat_path(c, (int32_t)c->a[0], c->path[0], !(flags & G_AT_NOFOLLOW), st);
}

int64_t lx_sys_fstatat(struct lx_call *c)
{
    struct stat st;
    int64_t r = c->a[3] & ~(uint64_t)(G_AT_EMPTY_PATH | G_AT_NOFOLLOW | G_AT_NO_AUTOMOUNT)
                    ? -EINVAL
                    : stat_at(c, c->a[3], &st);

    return r < 0 ? r : put_stat64(c, c->a[2], &st);
}

static void out_statx_time(struct lx_out *o, const struct timespec *t)
{
    lx_out_int(o, 8, (uint64_t)t->tv_sec);
    lx_out_int(o, 4, (uint64_t)t->tv_nsec);
    lx_out_int(o, 4, 0);
}

int64_t lx_sys_statx(struct lx_call *c)
{
    enum { KNOWN = 0x7ff, BYTES = 256 };
    const uint64_t reserved = 0x80000000;
    const struct timespec none = {0};
    struct stat st;
    struct lx_out o;
    int64_t r =
        c->a[2] & ~(uint64_t)(G_AT_EMPTY_PATH | G_AT_NOFOLLOW | G_AT_NO_AUTOMOUNT | G_AT_STATX) ||
                (c->a[2] & G_AT_STATX) == G_AT_STATX || (c->a[3] & reserved)
            ? -EINVAL
            : stat_at(c, c->a[2], &st);

    if (r < 0)
        return r;
    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 4, KNOWN);
    lx_out_int(&o, 4, BLOCK_BYTES);
    lx_out_int(&o, 8, 0); /* attributes */
    lx_out_int(&o, 4, st.st_nlink);
    lx_out_int(&o, 4, st.st_uid);
    lx_out_int(&o, 4, st.st_gid);
    lx_out_int(&o, 2, st.st_mode);
    lx_out_int(&o, 2, 0);
    lx_out_int(&o, 8, st.st_ino);
    lx_out_int(&o, 8, (uint64_t)st.st_size);
    lx_out_int(&o, 8, (uint64_t)st.st_blocks);
    lx_out_int(&o, 8, 0); /* attributes known */
    out_statx_time(&o, &st.st_atim);
    out_statx_time(&o, &none); /* birth */
    out_statx_time(&o, &st.st_ctim);
    out_statx_time(&o, &st.st_mtim);
    lx_out_int(&o, 4, major(st.st_rdev));
    lx_out_int(&o, 4, minor(st.st_rdev));
    lx_out_int(&o, 4, major(st.st_dev));
    lx_out_int(&o, 4, minor(st.st_dev));
    lx_out_skip(&o, BYTES);
    return lx_out_write(&o, &c->p->vm, c->a[4]);
}

/* ---- file systems ---------------------------------------------------------------------------- */

enum { STATFS64_BYTES = 96, GENERIC_BYTES = 84, GENERIC_PADDED = 88 };

/** struct statfs and statfs64 of ARM, the latter without padding. */
static int64_t put_generic(struct lx_call *c, uint64_t va, uint64_t type, const uint64_t counts[5],
                           bool wide)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, type);
    lx_out_long(&o, BLOCK_BYTES);
    for (int i = 0; i < 5; i++) /* blocks, free ones, free ones for users; files, free ones */
        lx_out_int(&o, wide ? 8 : 4, counts[i]);
    lx_out_skip(&o, o.len + 8); /* number of the file system */
    lx_out_long(&o, NAME_BYTES);
    lx_out_long(&o, BLOCK_BYTES); /* fragment */
    lx_out_skip(&o, o.len + 4 + 16);
    return lx_out_write(&o, &c->p->vm, va);
}

/** struct statfs, of longs; statfs64 of o32 has 64-bit counts. One size for all, half of it free.
 */
static int64_t put_statfs(struct lx_call *c, uint64_t va, uint64_t type, bool wide)
{
    const uint64_t all = type == TMPFS || type == EXT ? 1 << 20 : 0;
    const uint64_t counts[5] = {all, all / 2, all, all / 2, all / 2};
    const uint64_t generic[5] = {all, all / 2, all / 2, all, all / 2};
    struct lx_out o;

    if (c->p->kind->generic)
        return put_generic(c, va, type, generic, wide);
    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, type);
    lx_out_long(&o, BLOCK_BYTES);
    lx_out_long(&o, BLOCK_BYTES); /* fragment */
    if (wide)
        lx_out_int(&o, 4, 0);
    for (int i = 0; i < 5; i++) /* blocks, free ones; files, free ones; blocks free for users */
        lx_out_int(&o, wide ? 8 : o.word, counts[i]);
    lx_out_skip(&o, o.len + 8); /* number of the file system */
    lx_out_long(&o, NAME_BYTES);
    lx_out_skip(&o, wide ? STATFS64_BYTES : o.len + 6 * o.word);
    return lx_out_write(&o, &c->p->vm, va);
}

static uint64_t system_of_spot(const struct lx_view *v, const struct lx_spot *s)
{
    if (s->kind == SPOT_HOST)
        return lx_view_is_private(v, s->root) ? TMPFS : EXT;
    return systems[made_up_system(strcmp(s->in.path, "/") == 0 ? s->name : s->in.path + 1)].type;
}

static uint64_t system_of_file(const struct lx_view *v, const struct lx_file *f)
{
    if (f->synth)
        return systems[made_up_system(f->synth->path + 1)].type;
    if (f->kind == FILE_FOLDER && f->host < 0)
        return systems[made_up_system(f->place.path + 1)].type;
    if (f->kind == FILE_FOLDER)
        return lx_view_is_private(v, f->place.root) ? TMPFS : EXT;
    if (f->inode && f->host >= 0)
        return f->inode->names > 0 ? TMPFS : EXT;
    return f->pipe || f->standard ? PIPEFS : TMPFS;
}

static int64_t statfs_path(struct lx_call *c, uint64_t va, bool wide)
{
    struct lx_spot s;
    uint64_t type;
    int64_t r = lx_path_find(c, PATH_CWD, c->path[0], END_FOLLOWED, &s);

    if (r < 0)
        return r;
    type = system_of_spot(c->p->view, &s);
    r = s.kind == SPOT_NOTHING ? -ENOENT : 0;
    lx_spot_free(&s);
    return r < 0 ? r : put_statfs(c, va, type, wide);
}

static int64_t statfs_file(struct lx_call *c, uint64_t va, bool wide)
{
    return put_statfs(c, va, system_of_file(c->p->view, c->f), wide);
}

int64_t lx_sys_statfs(struct lx_call *c)
{
    return statfs_path(c, c->a[1], false);
}

int64_t lx_sys_fstatfs(struct lx_call *c)
{
    return statfs_file(c, c->a[1], false);
}

/** Whether the caller's structure is one, by its size. */
static bool is_statfs64(const struct lx_call *c)
{
    return c->p->kind->generic ? c->a[1] == GENERIC_BYTES || c->a[1] == GENERIC_PADDED
                               : c->a[1] == STATFS64_BYTES;
}

int64_t lx_sys_statfs64(struct lx_call *c)
{
    return is_statfs64(c) ? statfs_path(c, c->a[2], true) : -EINVAL;
}

int64_t lx_sys_fstatfs64(struct lx_call *c)
{
    return is_statfs64(c) ? statfs_file(c, c->a[2], true) : -EINVAL;
}

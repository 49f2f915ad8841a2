/*
 * Files by name: opening, directories, links.
 *
 * A path is followed by the view (view.h) to a spot: one name in one directory that is open. All
 * calls here act on that name and follow nothing, so that what the view has decided holds.
 */
#include "programs/device.h"
#include "programs/inode.h"
#include "programs/linux_file.h"
#include "programs/mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

enum {
    G_AT_REMOVEDIR = 0x200,
    G_AT_EACCESS = 0x200,
    G_AT_NOFOLLOW = 0x100,
    G_AT_FOLLOW = 0x400,
    G_AT_EMPTY_PATH = 0x1000
};
enum { MAY_READ = 4, MAY_WRITE = 2, MAY_SEARCH = 1, SET_ID = 06000 };

int64_t host_says(struct prog *p, int64_t err)
{
    if (err == -EMFILE || err == -ENFILE)
        prog_finish(p, PROG_NOMEM, 0, "the host's limit of open files (ulimit -n) is too small");
    return err;
}

int64_t path_find(struct call *c, int64_t dir, const char *path, bool follow, struct spot *s)
{
    const struct place *from = &c->p->cwd;

    if (dir != PATH_CWD && path[0] != '/') {
        const struct file *f = file_get(c->p, dir);
        if (!f)
            return -EBADF;
        if (f->kind != FILE_FOLDER)
            return -ENOTDIR;
        from = &f->place;
    }
    return host_says(c->p, view_find(c->p->view, from, path, follow, s));
}

/* ---- opening what is not the host's ---------------------------------------------------------- */

static int64_t open_text(struct prog *p, const struct synthetic *row, uint32_t flags)
{
    int fd = memfd_create("text", MFD_CLOEXEC), copy = fd >= 0 ? dup(fd) : -1;
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    struct file *f;

    if ((flags & 3) != 0)
        return -EACCES;
    if (!out)
        return host_says(p, -ENFILE);
    row->write(p, out);
    fclose(out);
    f = file_new(p, FILE_HOST, fd, flags);
    f->synth = row;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** /dev/fd/N and its like: another descriptor of the same file, if it allows what is asked. */
static int64_t open_again(struct prog *p, unsigned number, uint32_t flags)
{
    struct file *f = file_get(p, number);

    if (!f)
        return -ENOENT;
    if (((flags & 3) != 1 && !may_read(f)) || ((flags & 3) != 0 && !may_write(f)))
        return -EACCES;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** The program's own file, if it still lies where it was. */
static int64_t open_self(struct prog *p, const struct synthetic *row, uint32_t flags)
{
    struct stat a, b;
    struct file *f;
    int fd;

    if (flags & G_O_NOFOLLOW)
        return -ELOOP;
    if ((flags & 3) != 0)
        return -ETXTBSY;
    fd = open(p->spec->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return host_says(p, -errno);
    if (fstat(fd, &a) != 0 || fstat(p->elf_fd, &b) != 0 || a.st_ino != b.st_ino ||
        a.st_dev != b.st_dev) {
        close(fd);
        return -ENOENT;
    }
    f = file_new(p, FILE_HOST, fd, flags);
    f->synth = row;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

static int64_t open_device(struct call *c, const char *name, uint32_t flags)
{
    struct prog *p = c->p;

    if (strcmp(name, "mark") == 0)
        return file_install(p, file_new(p, FILE_MARK, -1, flags), 0, flags & G_O_CLOEXEC);
    if (strcmp(name, "memory") == 0)
        return device_open(p, flags, flags & G_O_CLOEXEC);
    return mapped_open(c, name, flags);
}

static int64_t open_synthetic(struct call *c, const struct spot *s, uint32_t flags)
{
    static const enum file_kind kinds[] = {
        [SYN_NULL] = FILE_NULL, [SYN_ZERO] = FILE_ZERO, [SYN_RANDOM] = FILE_RANDOM};
    struct prog *p = c->p;
    struct file *f;

    if ((flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL))
        return -EEXIST;
    if (flags & G_O_DIRECTORY)
        return -ENOTDIR;
    switch (s->synth->kind) {
    case SYN_TEXT:
        return open_text(p, s->synth, flags);
    case SYN_FD:
        return open_again(p, s->number, flags);
    case SYN_EXE:
        return open_self(p, s->synth, flags);
    case SYN_DEVICE:
        return open_device(c, s->name, flags);
    default:
        f = file_new(p, kinds[s->synth->kind], -1, flags);
        f->synth = s->synth;
        return file_install(p, f, 0, flags & G_O_CLOEXEC);
    }
}

/* ---- opening what is ------------------------------------------------------------------------- */

/** Whether names in the spot's directory may change. */
static int64_t may_change(const struct spot *s)
{
    if (s->in.fd < 0 || !s->in.writable)
        return -EROFS;
    return (view_rights(&s->in.st) & (MAY_WRITE | MAY_SEARCH)) == (MAY_WRITE | MAY_SEARCH)
               ? 0
               : -EACCES;
}

/** Names in the spot's directory have changed. */
static void changed(struct prog *p, const struct spot *s)
{
    inode_wrote(p, inode_of(p, &s->in.st));
}

/** A file of the host's that has just been made: its record begins anew. */
static void born(struct prog *p, const struct spot *s, mode_t mode)
{
    struct stat st;

    changed(p, s);
    if (fstatat(s->in.fd, s->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    inode_born(p, inode_of(p, &st));
    inode_of(p, &st)->special = mode & SET_ID;
}

static int64_t install(struct prog *p, int fd, uint32_t flags, bool writable)
{
    struct file *f;
    struct stat st;

    if (fd < 0)
        return host_says(p, fd);
    f = file_new(p, FILE_HOST, fd, flags);
    if (fstat(fd, &st) == 0)
        f->inode = inode_of(p, &st);
    f->writable = writable;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** The guest's mask is the only one that counts. */
static int create(struct prog *p, const struct spot *s, uint32_t flags, uint64_t mode)
{
    const mode_t host = umask(0);
    int fd = openat(s->in.fd, s->name,
                    (int)(flags & 3) | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
                    (mode_t)(mode & 01777 & ~(uint64_t)p->umask));

    fd = fd < 0 ? -errno : fd;
    umask(host);
    return fd;
}

static int64_t open_new(struct call *c, const struct spot *s, uint32_t flags, uint64_t mode)
{
    int64_t err = !(flags & G_O_CREAT) ? -ENOENT : s->slash ? -EISDIR : may_change(s);
    int fd;

    if (err < 0)
        return err;
    fd = create(c->p, s, flags, mode);
    if (fd >= 0)
        born(c->p, s, (mode_t)(mode & ~(uint64_t)c->p->umask));
    return install(c->p, fd, flags, true);
}

/** What an access mode needs of a file's rights. */
static unsigned needed(uint32_t flags)
{
    static const uint8_t needs[] = {MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE,
                                    MAY_READ | MAY_WRITE};

    return needs[flags & 3] | (flags & G_O_TRUNC ? MAY_WRITE : 0u);
}

static bool is_program(const struct prog *p, const struct stat *st)
{
    struct stat own;

    return fstat(p->elf_fd, &own) == 0 && own.st_ino == st->st_ino && own.st_dev == st->st_dev;
}

static int64_t open_regular(struct call *c, const struct spot *s, uint32_t flags)
{
    const unsigned need = needed(flags);
    int64_t fd;

    if (flags & G_O_DIRECTORY)
        return -ENOTDIR;
    if ((view_rights(&s->st) & need) != need)
        return -EACCES;
    if ((need & MAY_WRITE) && !s->writable)
        return -EROFS;
    if ((need & MAY_WRITE) && is_program(c->p, &s->st))
        return -ETXTBSY;
    fd = install(c->p, view_open(s, (int)(flags & 3)), flags, s->writable);
    if (fd >= 0 && (flags & G_O_TRUNC) && s->st.st_size > 0) {
        const int64_t err = file_resize(c->p, file_get(c->p, fd), 0);
        if (err < 0)
            fd = (file_close(c->p, fd), err);
    }
    return fd;
}

static int64_t open_folder(struct call *c, const struct spot *s, uint32_t flags)
{
    struct prog *p = c->p;
    struct file *f;
    int fd = -1;

    if (flags & G_O_CREAT || (flags & 3) != 0)
        return -EISDIR;
    if (s->kind == SPOT_HOST && !(view_rights(&s->st) & MAY_READ))
        return -EACCES;
    if (s->kind == SPOT_HOST && (fd = view_open(s, O_RDONLY | O_DIRECTORY)) < 0)
        return host_says(p, fd);
    f = file_new(p, FILE_FOLDER, fd, flags);
    if (view_enter(s, &f->place) < 0) {
        file_release(p, f);
        return host_says(p, -EMFILE);
    }
    if (fd >= 0)
        f->inode = inode_of(p, &s->st);
    f->writable = s->writable;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** O_PATH: the file is named, not opened. */
static int64_t open_name(struct call *c, const struct spot *s, uint32_t flags)
{
    const bool folder =
        s->kind == SPOT_DIRECTORY || (s->kind == SPOT_HOST && S_ISDIR(s->st.st_mode));
    struct prog *p = c->p;
    struct file *f;

    if (s->kind == SPOT_NOTHING)
        return -ENOENT;
    if ((flags & G_O_DIRECTORY) && !folder)
        return -ENOTDIR;
    f = file_new(p, folder ? FILE_FOLDER : FILE_PATH,
                 s->kind == SPOT_HOST ? fcntl(s->fd, F_DUPFD_CLOEXEC, 3) : -1,
                 flags & (G_O_PATH | G_O_DIRECTORY | G_O_NOFOLLOW));
    if ((s->kind == SPOT_HOST && f->host < 0) || (folder && view_enter(s, &f->place) < 0)) {
        file_release(p, f);
        return host_says(p, -EMFILE);
    }
    if (s->kind == SPOT_HOST)
        f->inode = inode_of(p, &s->st);
    f->synth = s->kind == SPOT_SYNTHETIC ? s->synth : NULL;
    return file_install(p, f, 0, flags & G_O_CLOEXEC);
}

static int64_t open_unnamed(struct call *c, const struct spot *s, uint32_t flags, uint64_t mode)
{
    const bool folder = s->kind == SPOT_HOST && S_ISDIR(s->st.st_mode);
    int64_t fd;

    if (!(flags & 3))
        return -EINVAL;
    if (!folder)
        return s->kind == SPOT_NOTHING ? -ENOENT : s->kind == SPOT_DIRECTORY ? -EROFS : -ENOTDIR;
    if (!s->writable || !(view_rights(&s->st) & MAY_WRITE))
        return s->writable ? -EACCES : -EROFS;
    fd = install(c->p, view_unnamed(c->p->view, (mode_t)(mode & 0777 & ~(uint64_t)c->p->umask)),
                 flags, true);
    if (fd >= 0)
        inode_born(c->p, file_get(c->p, fd)->inode);
    return fd;
}

static int64_t open_host(struct call *c, const struct spot *s, uint32_t flags)
{
    if ((flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL))
        return -EEXIST;
    switch (s->st.st_mode & S_IFMT) {
    case S_IFREG:
        return open_regular(c, s, flags);
    case S_IFDIR:
        return open_folder(c, s, flags);
    case S_IFLNK:
        return -ELOOP;
    case S_IFIFO:
        if ((view_rights(&s->st) & needed(flags)) != needed(flags))
            return -EACCES;
        return fifo_open(c, inode_of(c->p, &s->st), flags);
    default: /* a device of the host, or a socket */
        return -ENXIO;
    }
}

static int64_t open_path(struct call *c, int64_t dir, const char *path, uint32_t flags,
                         uint64_t mode)
{
    const bool fresh = (flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL);
    const bool unnamed = (flags & (G_O_TMPFILE | G_O_DIRECTORY)) == (G_O_TMPFILE | G_O_DIRECTORY);
    struct spot s;
    int64_t r = path_find(c, dir, path, !(flags & G_O_NOFOLLOW) && !fresh, &s);

    if (r < 0)
        return r;
    if (flags & G_O_PATH)
        r = open_name(c, &s, flags);
    else if (unnamed)
        r = open_unnamed(c, &s, flags, mode);
    else if (s.kind == SPOT_NOTHING)
        r = open_new(c, &s, flags, mode);
    else if (s.kind == SPOT_SYNTHETIC)
        r = open_synthetic(c, &s, flags);
    else if (s.kind == SPOT_DIRECTORY)
        r = fresh ? -EEXIST : open_folder(c, &s, flags);
    else
        r = open_host(c, &s, flags);
    spot_free(&s);
    return r;
}

int64_t sys_open(struct call *c)
{
    return open_path(c, PATH_CWD, c->path[0], (uint32_t)c->a[1], c->a[2]);
}

int64_t sys_creat(struct call *c)
{
    return open_path(c, PATH_CWD, c->path[0], G_O_CREAT | G_O_TRUNC | 1, c->a[1]);
}

int64_t sys_openat(struct call *c)
{
    return open_path(c, (int64_t)c->a[0], c->path[0], (uint32_t)c->a[2], c->a[3]);
}

/* ---- permission ------------------------------------------------------------------------------ */

static int64_t check_access(struct call *c, int64_t dir, const char *path, uint64_t mode,
                            uint64_t flags)
{
    struct spot s;
    unsigned rights = MAY_READ | MAY_SEARCH;
    int64_t r;

    if (mode & ~UINT64_C(7) || flags & ~(uint64_t)(G_AT_EACCESS | G_AT_NOFOLLOW | G_AT_EMPTY_PATH))
        return -EINVAL;
    r = path_find(c, dir, path, !(flags & G_AT_NOFOLLOW), &s);
    if (r < 0)
        return r;
    if (s.kind == SPOT_NOTHING ||
        (s.kind == SPOT_SYNTHETIC && s.synth->kind == SYN_FD && !file_get(c->p, s.number)))
        r = -ENOENT;
    else if ((mode & MAY_WRITE) && s.kind == SPOT_HOST && !s.writable)
        r = -EROFS;
    if (s.kind == SPOT_HOST)
        rights = view_rights(&s.st);
    else if (s.kind == SPOT_SYNTHETIC)
        rights = s.synth->kind == SYN_TEXT  ? MAY_READ
                 : s.synth->kind == SYN_EXE ? MAY_READ | MAY_SEARCH
                                            : MAY_READ | MAY_WRITE;
    if (!r && (mode & rights) != mode)
        r = -EACCES;
    spot_free(&s);
    return r;
}

int64_t sys_access(struct call *c)
{
    return check_access(c, PATH_CWD, c->path[0], c->a[1], 0);
}

int64_t sys_faccessat(struct call *c)
{
    const bool flags = c->row->args[3];

    return check_access(c, (int64_t)c->a[0], c->path[0], c->a[2], flags ? c->a[3] : 0);
}

/* ---- names ----------------------------------------------------------------------------------- */

/** What removing, or renaming, the name of a spot may not do. */
static int64_t may_take(struct call *c, const struct spot *s)
{
    int64_t err = may_change(s);

    if (s->kind == SPOT_NOTHING && s->in.writable)
        return -ENOENT;
    if (err < 0)
        return err;
    return s->kind != SPOT_HOST || view_holds_root(c->p->view, s) ? -EBUSY : 0;
}

static int64_t unlink_path(struct call *c, int64_t dir, const char *path, bool folder)
{
    struct spot s;
    int64_t r = path_find(c, dir, path, false, &s);

    if (r < 0)
        return r;
    if (!*s.name || s.dots)
        r = !folder ? -EISDIR : !s.dots ? -EBUSY : s.up ? -ENOTEMPTY : -EINVAL;
    else if ((r = may_take(c, &s)) == 0 && S_ISDIR(s.st.st_mode) != folder)
        r = folder ? -ENOTDIR : -EISDIR;
    if (!r)
        r = host_result(unlinkat(s.in.fd, s.name, folder ? AT_REMOVEDIR : 0));
    if (!r) {
        changed(c->p, &s);
        inode_changed(c->p, inode_of(c->p, &s.st));
    }
    spot_free(&s);
    return r;
}

int64_t sys_unlink(struct call *c)
{
    return unlink_path(c, PATH_CWD, c->path[0], false);
}

int64_t sys_rmdir(struct call *c)
{
    return unlink_path(c, PATH_CWD, c->path[0], true);
}

int64_t sys_unlinkat(struct call *c)
{
    if (c->a[2] & ~(uint64_t)G_AT_REMOVEDIR)
        return -EINVAL;
    return unlink_path(c, (int64_t)c->a[0], c->path[0], c->a[2] & G_AT_REMOVEDIR);
}

/** Makes something that is not a regular file with the host's call. */
typedef int make_fn(int dir, const char *name, mode_t mode, const char *text);

static int make_folder(int dir, const char *name, mode_t mode, const char *text)
{
    (void)text;
    return mkdirat(dir, name, mode);
}

static int make_link(int dir, const char *name, mode_t mode, const char *text)
{
    (void)mode;
    return symlinkat(text, dir, name);
}

static int make_fifo(int dir, const char *name, mode_t mode, const char *text)
{
    (void)text;
    return mkfifoat(dir, name, mode);
}

static int make_file(int dir, const char *name, mode_t mode, const char *text)
{
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

    (void)text;
    return fd < 0 ? -1 : close(fd);
}

static int64_t make(struct call *c, int64_t dir, const char *path, make_fn *fn, uint64_t mode,
                    const char *text)
{
    const mode_t m = (mode_t)(mode & 07777 & ~(uint64_t)c->p->umask), host = umask(0);
    struct spot s;
    int64_t r = path_find(c, dir, path, false, &s);

    if (!r) {
        r = s.kind != SPOT_NOTHING         ? -EEXIST
            : s.slash && fn != make_folder ? -ENOENT
                                           : may_change(&s);
        if (!r)
            r = host_says(c->p, host_result(fn(s.in.fd, s.name, m & 01777, text)));
        if (!r)
            born(c->p, &s, m);
        spot_free(&s);
    }
    umask(host);
    return r;
}

int64_t sys_mkdir(struct call *c)
{
    return make(c, PATH_CWD, c->path[0], make_folder, c->a[1] & 01777, NULL);
}

int64_t sys_mkdirat(struct call *c)
{
    return make(c, (int64_t)c->a[0], c->path[0], make_folder, c->a[2] & 01777, NULL);
}

int64_t sys_symlink(struct call *c)
{
    return *c->path[0] ? make(c, PATH_CWD, c->path[1], make_link, 0, c->path[0]) : -ENOENT;
}

int64_t sys_symlinkat(struct call *c)
{
    return *c->path[0] ? make(c, (int64_t)c->a[1], c->path[1], make_link, 0, c->path[0]) : -ENOENT;
}

static int64_t make_node(struct call *c, int64_t dir, uint64_t mode)
{
    switch (mode & S_IFMT) {
    case 0:
    case S_IFREG:
        return make(c, dir, c->path[0], make_file, mode, NULL);
    case S_IFIFO:
        return make(c, dir, c->path[0], make_fifo, mode, NULL);
    case S_IFCHR:
    case S_IFBLK:
    case S_IFDIR:
    case S_IFSOCK:
        return -EPERM; /* no devices, no sockets */
    default:
        return -EINVAL;
    }
}

int64_t sys_mknod(struct call *c)
{
    return make_node(c, PATH_CWD, c->a[1]);
}

int64_t sys_mknodat(struct call *c)
{
    return make_node(c, (int64_t)c->a[0], c->a[2]);
}

/* ---- two names ------------------------------------------------------------------------------- */

/** Replaces the beginning of a directory's path if it lies in one that was renamed. */
static void move_place(struct place *at, const char *from, const char *to)
{
    const size_t n = strlen(from);
    char *path;

    if (!at->path || strncmp(at->path, from, n) != 0 || (at->path[n] && at->path[n] != '/'))
        return;
    if (asprintf(&path, "%s%s", to, at->path + n) < 0)
        abort();
    free(at->path);
    at->path = path;
}

static char *path_of(const struct spot *s)
{
    char *path;

    if (asprintf(&path, "%s/%s", strcmp(s->in.path, "/") == 0 ? "" : s->in.path, s->name) < 0)
        abort();
    return path;
}

/** A directory has another name now: those who are in it go with it. */
static void follow_rename(struct prog *p, const struct spot *from, const struct spot *to)
{
    char *old = path_of(from), *fresh = path_of(to);
    struct file *f;

    move_place(&p->cwd, old, fresh);
    DL_FOREACH(p->files, f)
    if (f->kind == FILE_FOLDER)
        move_place(&f->place, old, fresh);
    free(old);
    free(fresh);
}

static int64_t may_rename(struct call *c, const struct spot *from, const struct spot *to,
                          uint64_t flags)
{
    int64_t err;

    if (from->dots || to->dots || !*from->name || !*to->name)
        return -EBUSY;
    if (from->in.root != to->in.root)
        return -EXDEV;
    err = may_take(c, from);
    if (!err && to->kind != SPOT_NOTHING && (flags & RENAME_NOREPLACE))
        err = -EEXIST;
    if (!err)
        err = to->kind == SPOT_NOTHING && !(flags & RENAME_EXCHANGE) ? may_change(to)
                                                                     : may_take(c, to);
    if (!err && to->slash && !S_ISDIR(from->st.st_mode))
        err = -ENOTDIR;
    return err;
}

static int64_t rename_paths(struct call *c, int64_t dir, int64_t to_dir, uint64_t flags)
{
    struct spot from, to;
    int64_t r;

    if (flags & ~(uint64_t)(RENAME_NOREPLACE | RENAME_EXCHANGE) ||
        flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
        return -EINVAL;
    r = path_find(c, dir, c->path[0], false, &from);
    if (r < 0)
        return r;
    r = path_find(c, to_dir, c->path[1], false, &to);
    if (!r) {
        r = may_rename(c, &from, &to, flags);
        if (!r)
            r = host_result(renameat2(from.in.fd, from.name, to.in.fd, to.name, (unsigned)flags));
        if (!r) {
            changed(c->p, &from);
            changed(c->p, &to);
            inode_changed(c->p, inode_of(c->p, &from.st));
            if (S_ISDIR(from.st.st_mode))
                follow_rename(c->p, &from, &to);
        }
        spot_free(&to);
    }
    spot_free(&from);
    return r;
}

int64_t sys_rename(struct call *c)
{
    return rename_paths(c, PATH_CWD, PATH_CWD, 0);
}

/** renameat and renameat2; the latter's flags have the host's values. */
int64_t sys_renameat(struct call *c)
{
    return rename_paths(c, (int64_t)c->a[0], (int64_t)c->a[2], c->row->args[4] ? c->a[4] : 0);
}

/** A second name: of a file that may be changed, or it could be changed by that name. */
static int64_t may_link(const struct spot *from, const struct spot *to)
{
    if (from->kind == SPOT_NOTHING)
        return -ENOENT;
    if (from->kind == SPOT_HOST && S_ISDIR(from->st.st_mode))
        return -EPERM;
    if (to->kind != SPOT_NOTHING)
        return -EEXIST;
    if (to->slash)
        return -ENOENT;
    if (from->kind != SPOT_HOST || from->in.root != to->in.root || !from->writable || from->is_root)
        return -EXDEV;
    return may_change(to);
}

static int64_t link_paths(struct call *c, int64_t dir, int64_t to_dir, uint64_t flags)
{
    struct spot from, to;
    int64_t r;

    if (flags & ~(uint64_t)(G_AT_FOLLOW | G_AT_EMPTY_PATH))
        return -EINVAL;
    r = path_find(c, dir, c->path[0], flags & G_AT_FOLLOW, &from);
    if (r < 0)
        return r;
    r = path_find(c, to_dir, c->path[1], false, &to);
    if (!r) {
        r = may_link(&from, &to);
        if (!r)
            r = host_result(linkat(from.dir, from.leaf, to.in.fd, to.name, 0));
        if (!r) {
            changed(c->p, &to);
            inode_changed(c->p, inode_of(c->p, &from.st));
        }
        spot_free(&to);
    }
    spot_free(&from);
    return r;
}

int64_t sys_link(struct call *c)
{
    return link_paths(c, PATH_CWD, PATH_CWD, 0);
}

int64_t sys_linkat(struct call *c)
{
    return link_paths(c, (int64_t)c->a[0], (int64_t)c->a[2], c->a[4]);
}

/** The program's own path: absolute, as C libraries expect, but free of the host's directories. */
static int64_t own_path(const struct prog *p, char *buf, size_t size)
{
    const char *name = p->spec->argv[0] ? p->spec->argv[0] : "", *slash = strrchr(name, '/');

    return snprintf(buf, size, "/%s", slash ? slash + 1 : name);
}

static int64_t read_link(struct call *c, int64_t dir, uint64_t va, uint64_t size)
{
    char buf[PATH_BYTES];
    struct spot s;
    int64_t n;

    if (size == 0 || size > INT32_MAX)
        return -EINVAL;
    n = path_find(c, dir, c->path[0], false, &s);
    if (n < 0)
        return n;
    if (s.kind == SPOT_SYNTHETIC && s.synth->kind == SYN_EXE)
        n = own_path(c->p, buf, sizeof buf);
    else if (s.kind == SPOT_NOTHING)
        n = -ENOENT;
    else if (s.kind == SPOT_HOST && S_ISLNK(s.st.st_mode))
        n = host_result(readlinkat(s.fd, "", buf, sizeof buf));
    else
        n = -EINVAL;
    spot_free(&s);
    if (n < 0)
        return n;
    n = (uint64_t)n < size ? n : (int64_t)size;
    return vm_write(&c->p->vm, va, buf, (size_t)n) < 0 ? -EFAULT : n;
}

int64_t sys_readlink(struct call *c)
{
    return read_link(c, PATH_CWD, c->a[1], c->a[2]);
}

int64_t sys_readlinkat(struct call *c)
{
    return read_link(c, (int64_t)c->a[0], c->a[2], c->a[3]);
}

/* ---- what is said of a file ------------------------------------------------------------------ */

/** The file of a path, if it is the guest's own and may be changed. */
static int64_t find_own(struct call *c, int64_t dir, const char *path, bool follow, struct spot *s)
{
    int64_t r = path_find(c, dir, path, follow, s);

    if (r < 0)
        return r;
    if (s->kind == SPOT_NOTHING)
        r = -ENOENT;
    else if (s->kind != SPOT_HOST || !s->writable)
        r = -EROFS;
    else if (!view_owns(&s->st))
        r = -EPERM;
    if (r < 0)
        spot_free(s);
    return r;
}

/** Changes the mode of an O_PATH descriptor's file: by the host's /proc, else by opening it. */
static int64_t set_mode(const struct spot *s, mode_t mode)
{
    char self[64];
    int fd;
    int64_t r;

    snprintf(self, sizeof self, "/proc/self/fd/%d", s->fd);
    if (chmod(self, mode) == 0)
        return 0;
    fd = view_open(s, O_RDONLY);
    if (fd < 0)
        return -EPERM;
    r = host_result(fchmod(fd, mode));
    close(fd);
    return r;
}

static int64_t change_mode(struct call *c, int64_t dir, uint64_t mode)
{
    struct spot s;
    int64_t r = find_own(c, dir, c->path[0], true, &s);

    if (r < 0)
        return r;
    r = set_mode(&s, mode & 01777);
    if (!r) {
        inode_changed(c->p, inode_of(c->p, &s.st));
        inode_of(c->p, &s.st)->special = mode & SET_ID;
    }
    spot_free(&s);
    return r;
}

int64_t sys_chmod(struct call *c)
{
    return change_mode(c, PATH_CWD, c->a[1]);
}

int64_t sys_fchmodat(struct call *c)
{
    return change_mode(c, (int64_t)c->a[0], c->a[2]);
}

/** Owners cannot be changed but to what they are; whether the file is there is looked at. */
static int64_t change_owner(struct call *c, int64_t dir, uint64_t user, uint64_t group, bool follow)
{
    struct spot s;
    int64_t r = path_find(c, dir, c->path[0], follow, &s);

    if (r < 0)
        return r;
    r = s.kind == SPOT_NOTHING ? -ENOENT : s.kind != SPOT_HOST || !s.writable ? -EROFS : 0;
    if (!r && (((uint32_t)user != UINT32_MAX && user != 1000) ||
               ((uint32_t)group != UINT32_MAX && group != 1000)))
        r = -EPERM;
    if (!r)
        inode_changed(c->p, inode_of(c->p, &s.st));
    spot_free(&s);
    return r;
}

int64_t sys_chown(struct call *c)
{
    return change_owner(c, PATH_CWD, c->a[1], c->a[2], true);
}

int64_t sys_lchown(struct call *c)
{
    return change_owner(c, PATH_CWD, c->a[1], c->a[2], false);
}

int64_t sys_fchownat(struct call *c)
{
    return change_owner(c, (int64_t)c->a[0], c->a[2], c->a[3], !(c->a[4] & G_AT_NOFOLLOW));
}

int64_t sys_truncate(struct call *c)
{
    struct spot s;
    int64_t r, fd;

    if ((int64_t)c->a[1] < 0)
        return -EINVAL;
    r = path_find(c, PATH_CWD, c->path[0], true, &s);
    if (r < 0)
        return r;
    if (s.kind == SPOT_NOTHING)
        r = -ENOENT;
    else if (s.kind == SPOT_DIRECTORY || (s.kind == SPOT_HOST && S_ISDIR(s.st.st_mode)))
        r = -EISDIR;
    else if (s.kind != SPOT_HOST || !S_ISREG(s.st.st_mode))
        r = -EINVAL;
    else {
        r = fd = open_regular(c, &s, 1);
        if (fd >= 0) {
            r = file_resize(c->p, file_get(c->p, fd), c->a[1]);
            file_close(c->p, (uint64_t)fd);
        }
    }
    spot_free(&s);
    return r;
}

int64_t sys_umask(struct call *c)
{
    unsigned old = c->p->umask;

    c->p->umask = c->a[0] & 0777;
    return old;
}

/* ---- the working directory ------------------------------------------------------------------- */

/** The guest moves; the simulator's own working directory stays. Takes the place. */
static int64_t enter(struct prog *p, struct place *at)
{
    if (!at->search) {
        place_free(at);
        return -EACCES;
    }
    place_free(&p->cwd);
    p->cwd = *at;
    return 0;
}

int64_t sys_chdir(struct call *c)
{
    struct place at;
    struct spot s;
    int64_t r = path_find(c, PATH_CWD, c->path[0], true, &s);

    if (r < 0)
        return r;
    r = host_says(c->p, view_enter(&s, &at));
    spot_free(&s);
    return r < 0 ? r : enter(c->p, &at);
}

int64_t sys_fchdir(struct call *c)
{
    struct place at;
    int64_t r =
        c->f->kind == FILE_FOLDER ? host_says(c->p, place_copy(&at, &c->f->place)) : -ENOTDIR;

    return r < 0 ? r : enter(c->p, &at);
}

int64_t sys_getcwd(struct call *c)
{
    const struct place *at = &c->p->cwd;
    const size_t n = strlen(at->path) + 1;
    struct stat st;

    if (at->fd >= 0 && (fstat(at->fd, &st) != 0 || st.st_nlink == 0))
        return -ENOENT;
    if (n > c->a[1])
        return -ERANGE;
    return vm_write(&c->p->vm, c->a[0], at->path, n) < 0 ? -EFAULT : (int64_t)n;
}

/* ---- times of files -------------------------------------------------------------------------- */

enum { G_UTIME_NOW = 0x3fffffff, G_UTIME_OMIT = 0x3ffffffe, ACCESSED = 0, MODIFIED = 1 };

/** What a call says about a file's two times; UTIME_OMIT leaves one alone. */
struct times {
    struct timespec ts[2];
};

static void set_times(struct prog *p, struct inode *n, const struct times *t)
{
    const struct timespec now = inode_now(p);

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
    utimensat(dir, leaf, ts, AT_SYMLINK_NOFOLLOW);
}

static int64_t path_times(struct call *c, int64_t dir, const char *path, bool follow,
                          const struct times *t)
{
    struct spot s;
    int64_t r = find_own(c, dir, path, follow, &s);

    if (r < 0)
        return r;
    set_times(c->p, inode_of(c->p, &s.st), t);
    tell_host(s.dir, s.leaf, t);
    spot_free(&s);
    return 0;
}

/** Reads two times of `unit` per second; without any: now. */
static int64_t get_times(struct call *c, uint64_t va, unsigned w, uint64_t unit, struct times *t)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t sec = 0, part = G_UTIME_NOW;
        bool special;
        if (va && (vm_read_word(&c->p->vm, va + 2 * w * i, w, &sec) < 0 ||
                   vm_read_word(&c->p->vm, va + 2 * w * i + w, w, &part) < 0))
            return -EFAULT;
        if (w == 4)
            sec = (uint64_t)(int64_t)(int32_t)sec;
        special = !va || (unit == 1000000000 && (part == G_UTIME_NOW || part == G_UTIME_OMIT));
        if (!special && part >= unit)
            return -EINVAL;
        t->ts[i] =
            (struct timespec){(time_t)sec, (long)(special ? part : part * (1000000000 / unit))};
    }
    return 0;
}

/** utimensat; a missing path means the descriptor itself. */
int64_t sys_utimensat(struct call *c)
{
    char path[PATH_BYTES];
    struct times t;
    struct file *f = file_get(c->p, (int32_t)c->a[0]);
    int64_t r = get_times(c, c->a[2], c->row->args[2] == 'T' || c->p->n64 ? 8 : 4, 1000000000, &t);

    if (!r && c->a[3] & ~(uint64_t)G_AT_NOFOLLOW)
        r = -EINVAL;
    if (r < 0)
        return r;
    if (!c->a[1]) {
        if (!f || f->kind == FILE_PATH)
            return -EBADF;
        if (f->inode && !f->writable)
            return -EROFS;
        if (f->inode)
            set_times(c->p, f->inode, &t);
        return 0;
    }
    r = vm_string(&c->p->vm, c->a[1], path, sizeof path);
    return r < 0 ? r : path_times(c, (int32_t)c->a[0], path, !(c->a[3] & G_AT_NOFOLLOW), &t);
}

int64_t sys_utimes(struct call *c)
{
    struct times t;
    int64_t r = get_times(c, c->a[1], c->p->n64 ? 8 : 4, 1000000, &t);

    return r < 0 ? r : path_times(c, PATH_CWD, c->path[0], true, &t);
}

int64_t sys_futimesat(struct call *c)
{
    struct times t;
    int64_t r = get_times(c, c->a[2], c->p->n64 ? 8 : 4, 1000000, &t);

    return r < 0 ? r : path_times(c, (int64_t)c->a[0], c->path[0], true, &t);
}

/** utime: seconds only. */
int64_t sys_utime(struct call *c)
{
    const unsigned w = c->p->n64 ? 8 : 4;
    struct times t = {.ts = {{.tv_nsec = G_UTIME_NOW}, {.tv_nsec = G_UTIME_NOW}}};

    for (unsigned i = 0; i < 2 && c->a[1]; i++) {
        uint64_t sec;
        if (vm_read_word(&c->p->vm, c->a[1] + w * i, w, &sec) < 0)
            return -EFAULT;
        t.ts[i] = (struct timespec){.tv_sec = w == 4 ? (int32_t)sec : (time_t)sec};
    }
    return path_times(c, PATH_CWD, c->path[0], true, &t);
}

/*
 * Opening files by name: those of the host, and those that are made up here.
 *
 * What a spot of the view (view.h) is decides how it is opened. On the host only regular files and
 * directories are opened, so that nothing can make the simulator wait or act.
 */
#include "base/alloc.h"
#include "programs/host.h"
#include "programs/linux/files/device.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/irix.h"
#include "programs/linux/files/link.h"
#include "programs/linux/files/mapped.h"
#include "programs/linux/files/path.h"
#include "programs/linux/threads/watch.h"
#include "programs/linux/view/proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening what is not the host's ---------------------------------------------------------- */

/** @return NULL: there is nothing with that number */
static char *text_of(struct lx_prog *p, const struct lx_synthetic *row, unsigned number,
                     size_t *size)
{
    char *text;
    bool there = true;
    FILE *const out = sim_text_open(&text, size);

    if (row->of)
        there = row->of(p, number, out);
    else
        row->write(p, out);
    sim_text_close(out, &text);
    if (there)
        return text;
    free(text);
    return NULL;
}

/** Writes a text anew. For as long as it is open: it cannot be mapped.
 *  @return 0; -ENOENT, what it tells of has ended; -ENOMEM */
static int64_t text_fill(struct lx_prog *p, struct lx_file *f)
{
    size_t size;
    char *text = text_of(p, f->synth, f->number, &size);

    if (!text)
        return -ENOENT;
    lx_give_back(p, f->kept);
    f->kept = lx_keep(p, size) ? size : 0;
    const bool there = f->kept == size && prog_host_ftruncate(f->host, 0) == 0 &&
                       prog_host_pwrite(f->host, text, size, 0) == (ssize_t)size;
    free(text);
    return there ? 0 : -ENOMEM;
}

int64_t lx_text_renew(struct lx_prog *p, struct lx_file *f, uint64_t at)
{
    int64_t err = 0;

    if (f->text && f->synth->of && !f->synth->of(p, f->number, NULL))
        return -ESRCH;
    if (f->text && at == 0)
        err = text_fill(p, f);
    return err == -ENOENT ? -ESRCH : err;
}

static int64_t open_text(struct lx_prog *p, const struct lx_synthetic *row, unsigned number,
                         uint32_t flags)
{
    struct lx_file *f;
    int64_t err;
    int fd;

    if (((flags & 3) != 0 || flags & G_O_TRUNC) && row->kind != SYN_NAME)
        return -EACCES;
    fd = prog_host_memfd_create("text", MFD_CLOEXEC);
    if (fd < 0)
        return lx_host_says(p, -ENFILE);
    f = lx_file_new(p, FILE_HOST, fd, flags);
    f->synth = row;
    f->number = number;
    f->text = true;
    err = text_fill(p, f);
    if (!err)
        return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
    lx_file_release(p, f);
    return err;
}

/** /dev/fd/N and its like: another descriptor of the same file, if it allows what is asked. */
static int64_t open_again(struct lx_call *c, unsigned number, uint32_t flags)
{
    struct lx_file *f = lx_file_get(c->p, number);
    int64_t err = 0;

    if (!f)
        return -ENOENT;
    if (((flags & 3) != 1 && !lx_may_read(f)) || ((flags & 3) != 0 && !lx_may_write(f)))
        return -EACCES;
    if (flags & G_O_TRUNC && f->kind == FILE_HOST && f->inode && lx_may_write(f))
        err = lx_file_resize(c, f, 0);
    return err < 0 ? err : lx_file_install(c->p, f, 0, flags & G_O_CLOEXEC);
}

/** The program's own file, if it still lies where it was. */
static int64_t open_self(struct lx_prog *p, const struct lx_synthetic *row, uint32_t flags)
{
    struct stat a, b;
    struct lx_file *f;
    int fd;

    if ((flags & 3) != 0)
        return -ETXTBSY;
    fd = prog_host_open(p->program->path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return lx_host_says(p, -errno);
    if (prog_host_fstat(fd, &a) != 0 || prog_host_fstat(p->elf_fd, &b) != 0 ||
        a.st_ino != b.st_ino || a.st_dev != b.st_dev) {
        prog_host_close(fd);
        return -ENOENT;
    }
    f = lx_file_new(p, FILE_HOST, fd, flags);
    f->synth = row;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

static int64_t open_device(struct lx_call *c, const char *name, uint32_t flags)
{
    struct lx_prog *p = c->p;

    if (strcmp(name, "mark") == 0)
        return lx_file_install(p, lx_file_new(p, FILE_MARK, -1, flags), 0, flags & G_O_CLOEXEC);
    if (strcmp(name, "memory") == 0)
        return lx_device_open(p, flags, flags & G_O_CLOEXEC);
    return lx_mapped_open(c, name, flags);
}

static int64_t open_synthetic(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    static const enum lx_file_kind kinds[] = {[SYN_NULL] = FILE_NULL,
                                              [SYN_ZERO] = FILE_ZERO,
                                              [SYN_FULL] = FILE_FULL,
                                              [SYN_RANDOM] = FILE_RANDOM};
    struct lx_prog *p = c->p;
    struct lx_file *f;

    if ((flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL))
        return -EEXIST;
    if (flags & G_O_DIRECTORY)
        return -ENOTDIR;
    switch (s->synth->kind) {
    case SYN_NAME:
    case SYN_TEXT:
        return open_text(p, s->synth, s->number == PROC_READER ? c->t->tid : s->number, flags);
    case SYN_FD:
        return flags & G_O_NOFOLLOW ? -ELOOP : open_again(c, s->number, flags);
    case SYN_EXE:
    case SYN_LINK:
    case SYN_SELF:
        return -ELOOP;
    case SYN_PROGRAM:
        return open_self(p, s->synth, flags);
    case SYN_DEVICE:
        return open_device(c, s->name, flags);
    case SYN_PROCESS:
        return lx_irix_open(p, s->synth, s->number, flags);
    default:
        f = lx_file_new(p, kinds[s->synth->kind], -1, flags);
        f->synth = s->synth;
        return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
    }
}

/* ---- opening what is ------------------------------------------------------------------------- */

/** A file of the host's that is open there. */
static struct lx_file *open_file_of(struct lx_prog *p, int fd, uint32_t flags, bool writable,
                                    bool guarded)
{
    struct lx_file *f = lx_file_new(p, FILE_HOST, fd, flags);
    struct stat st;

    if (prog_host_fstat(fd, &st) == 0)
        f->inode = lx_inode_of(p, &st);
    f->writable = writable;
    f->guarded = guarded;
    return f;
}

static int64_t open_install(struct lx_prog *p, int fd, uint32_t flags, bool writable, bool guarded)
{
    if (fd < 0)
        return lx_host_says(p, fd);
    return lx_file_install(p, open_file_of(p, fd, flags, writable, guarded), 0,
                           flags & G_O_CLOEXEC);
}

/** The guest's mask is the only one that counts. */
static int open_create(struct lx_prog *p, const struct lx_spot *s, uint32_t flags, uint64_t mode)
{
    const mode_t host = umask(0);
    int fd = prog_host_openat(
        s->in.fd, s->name, (int)(flags & 3) | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
        lx_path_host_mode(p, mode & ~(uint64_t)p->umask, s->in.guard == GUARD_WORKS, NULL));

    fd = fd < 0 ? -errno : fd;
    umask(host);
    return fd;
}

static int64_t open_new(struct lx_call *c, const struct lx_spot *s, uint32_t flags, uint64_t mode)
{
    int64_t err = !(flags & G_O_CREAT) ? -ENOENT : lx_path_may_make(c->p, s);
    int fd;

    if (err < 0)
        return err;
    fd = open_create(c->p, s, flags, mode);
    if (fd >= 0)
        lx_path_born(c->p, s, (mode_t)(mode & ~(uint64_t)c->p->umask));
    return open_install(c->p, fd, flags, true, s->in.guard == GUARD_WORKS);
}

/** What an access mode needs of a file's rights. */
static unsigned open_needed(uint32_t flags)
{
    static const uint8_t needs[] = {MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE,
                                    MAY_READ | MAY_WRITE};

    return needs[flags & 3] | (flags & G_O_TRUNC ? MAY_WRITE : 0u);
}

static bool is_program(const struct lx_prog *p, const struct stat *st)
{
    struct stat own;

    return prog_host_fstat(p->elf_fd, &own) == 0 && own.st_ino == st->st_ino &&
           own.st_dev == st->st_dev;
}

/** Whether a regular file may be opened so. @return 0 or -errno */
static int64_t may_open(struct lx_prog *p, const struct lx_spot *s, uint32_t flags)
{
    const unsigned need = open_needed(flags);

    if (flags & G_O_DIRECTORY)
        return -ENOTDIR;
    if ((lx_view_rights(&s->st) & need) != need)
        return -EACCES;
    if ((need & MAY_WRITE) && !s->writable)
        return lx_path_refused(p, s, s->guard);
    return (need & MAY_WRITE) && is_program(p, &s->st) ? -ETXTBSY : 0;
}

/** How the host opens what the guest opens so: what it empties it writes to. */
static int open_access(uint32_t flags)
{
    const int access = (int)(flags & 3);

    return flags & G_O_TRUNC && access != O_WRONLY ? O_RDWR : access;
}

/** Opens a regular file of the host, without a descriptor of the guest's.
 *  @param[out] opened  open, no one's yet @return 0 or -errno */
static int64_t open_regular(struct lx_call *c, const struct lx_spot *s, uint32_t flags,
                            struct lx_file **opened)
{
    const int64_t err = may_open(c->p, s, flags);
    int fd;

    if (err < 0)
        return err;
    fd = lx_view_open(s, open_access(flags));
    if (fd < 0)
        return lx_host_says(c->p, fd);
    *opened = open_file_of(c->p, fd, flags, s->writable, s->guard == GUARD_WORKS);
    return 0;
}

/** The same, with one. */
static int64_t open_by_descriptor(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    struct lx_file *f;
    int64_t err = open_regular(c, s, flags, &f);

    if (err < 0)
        return err;
    if (flags & G_O_TRUNC)
        err = lx_file_resize(c, f, 0);
    if (!err)
        return lx_file_install(c->p, f, 0, flags & G_O_CLOEXEC);
    lx_file_release(c->p, f);
    return err;
}

int64_t lx_path_resize(struct lx_call *c, const struct lx_spot *s, uint64_t size)
{
    struct lx_file *f;
    int64_t err = open_regular(c, s, O_WRONLY, &f);

    if (err < 0)
        return err;
    err = lx_file_resize(c, f, size);
    lx_file_release(c->p, f);
    return err;
}

static int64_t open_folder(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    struct lx_prog *p = c->p;
    struct lx_file *f;
    int fd = -1;

    if (flags & (G_O_CREAT | G_O_TRUNC) || (flags & 3) != 0)
        return -EISDIR;
    if (s->kind == SPOT_HOST && !(lx_view_rights(&s->st) & MAY_READ))
        return -EACCES;
    if (s->kind == SPOT_HOST && (fd = lx_view_open(s, O_RDONLY | O_DIRECTORY)) < 0)
        return lx_host_says(p, fd);
    f = lx_file_new(p, FILE_FOLDER, fd, flags);
    if (lx_view_enter(s, &f->place) < 0) {
        lx_file_release(p, f);
        return lx_host_says(p, -EMFILE);
    }
    if (fd >= 0)
        f->inode = lx_inode_of(p, &s->st);
    f->writable = s->writable;
    f->guarded = s->guard == GUARD_WORKS;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** O_PATH: the file is named, not opened. */
static int64_t open_name(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    const bool folder =
        s->kind == SPOT_DIRECTORY || (s->kind == SPOT_HOST && S_ISDIR(s->st.st_mode));
    struct lx_prog *p = c->p;
    struct lx_file *f;

    if (s->kind == SPOT_NOTHING)
        return -ENOENT;
    if ((flags & G_O_DIRECTORY) && !folder)
        return -ENOTDIR;
    f = lx_file_new(p, folder ? FILE_FOLDER : FILE_PATH,
                    s->kind == SPOT_HOST ? prog_host_copy(s->fd) : -1, flags);
    if ((s->kind == SPOT_HOST && f->host < 0) || (folder && lx_view_enter(s, &f->place) < 0)) {
        lx_file_release(p, f);
        return lx_host_says(p, -EMFILE);
    }
    if (s->kind == SPOT_HOST)
        f->inode = lx_inode_of(p, &s->st);
    f->synth = s->kind == SPOT_SYNTHETIC ? s->synth : NULL;
    f->writable = s->writable;
    f->guarded = s->guard == GUARD_WORKS;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** Before it gets a descriptor: without one it goes at once. */
static void born_unnamed(struct lx_prog *p, int fd)
{
    struct stat st;
    struct lx_inode *n;

    if (prog_host_fstat(fd, &st) != 0)
        return;
    n = lx_inode_of(p, &st);
    lx_inode_born(p, n);
    n->nameless = n->counted = true;
    lx_inode_named(p, n);
}

/** What stands for its path: its number in the directory. */
static void name_unnamed(struct lx_file *f, const struct lx_spot *s)
{
    char *path = NULL;

    lx_link_opened(f, s);
    if (f->inode)
        path = sim_format("%s/#%" PRIu64, f->place.path, f->inode->number);
    if (path) {
        free(f->place.path);
        f->place.path = path;
    }
}

static int64_t open_unnamed(struct lx_call *c, const struct lx_spot *s, uint32_t flags,
                            uint64_t mode)
{
    const bool folder = s->kind == SPOT_HOST && S_ISDIR(s->st.st_mode);
    int fd;

    if (!folder)
        return s->kind == SPOT_NOTHING ? -ENOENT : s->kind == SPOT_DIRECTORY ? -EROFS : -ENOTDIR;
    if (!s->writable)
        return lx_path_refused(c->p, s, s->guard);
    if (!(lx_view_rights(&s->st) & MAY_WRITE))
        return -EACCES;
    if (!lx_inode_may_name(c->p))
        return -ENOSPC;
    fd = lx_view_unnamed(c->p->view, (mode_t)(mode & 0777 & ~(uint64_t)c->p->umask));
    if (fd >= 0)
        born_unnamed(c->p, fd);
    const int64_t r = open_install(c->p, fd, flags, true, false);
    if (r >= 0)
        name_unnamed(lx_file_get(c->p, r), s);
    return r;
}

static int64_t open_host(struct lx_call *c, const struct lx_spot *s, uint32_t flags)
{
    if ((flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL))
        return -EEXIST;
    switch (s->st.st_mode & S_IFMT) {
    case S_IFREG:
        return open_by_descriptor(c, s, flags);
    case S_IFDIR:
        return open_folder(c, s, flags);
    case S_IFLNK:
        return flags & G_O_DIRECTORY ? -ENOTDIR : -ELOOP;
    case S_IFIFO:
        if (flags & G_O_DIRECTORY)
            return -ENOTDIR;
        if ((lx_view_rights(&s->st) & open_needed(flags)) != open_needed(flags))
            return -EACCES;
        return lx_fifo_open(c, s, flags);
    default: /* a device of the host, or a socket */
        return -ENXIO;
    }
}

/** What a C library looks for by itself is no sign of a user who expects it. */
static bool is_systems(const char *path)
{
    static const char *const tops[] = {"/etc/", "/usr/", "/lib", "/proc/",
                                       "/sys/", "/dev/", "/run/"};

    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        if (strncmp(path, tops[i], strlen(tops[i])) == 0)
            return true;
    return false;
}

/** The guest did not find what the host has under that name, or the directory for it: says once how
 *  to let it. The guest works in /home/guest, so what it calls by a way up from there has to be
 *  called by its own path, also if it has been given. */
static void hint_at_view(struct lx_prog *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    const bool up = strncmp(path, "../", 3) == 0;
    char *directory, *line, host[PATH_MAX];

    if (p->hinted || !slash || slash == path || is_systems(path) || (path[0] != '/' && !up))
        return;
    directory = sim_format("%.*s", (int)(slash - path), path);
    p->hinted = prog_host_sees(directory, host) == 0;
    if (p->hinted) {
        line =
            sim_format("numachine: note: the program cannot see %s; --allow %s (in an experiment, "
                       "files:) lets it%s%s%s\n",
                       path, up ? host : directory, up ? ", by the name " : "",
                       up && host[1] ? host : "", up ? slash : "");
        prog_say(p->run, line);
        free(line);
    }
    free(directory);
}

/** Whether flags do not go together: a directory is not made by being opened, and what has no name
 *  is a file in a directory, to be written to. */
static bool open_contradicts(uint32_t flags)
{
    if (flags & G_O_DIRECTORY)
        return flags & G_O_CREAT || (flags & G_O_TMPFILE && !(flags & 3));
    return flags & G_O_TMPFILE;
}

/** What a path's end means to those flags: a file that is made is an entry of its directory. */
static enum lx_ending open_ending(const char *path, uint32_t flags)
{
    const size_t n = strlen(path);

    if (flags & G_O_CREAT && n > 0 && path[n - 1] == '/')
        return END_ENTRY;
    return lx_ending_of(!(flags & G_O_NOFOLLOW) &&
                        (flags & (G_O_CREAT | G_O_EXCL)) != (G_O_CREAT | G_O_EXCL));
}

/** Where the path leads. Before anything else it is looked at whether there is a descriptor for
 * what is opened: without one nothing is made, emptied or waited for. */
static int64_t open_find(struct lx_call *c, int64_t dir, const char *path, uint32_t flags,
                         struct lx_spot *s)
{
    if (open_contradicts(flags))
        return -EINVAL;
    if (*path && lx_descriptor_free(c->p, 0) < 0)
        return -EMFILE;
    return lx_path_find(c, dir, path, open_ending(path, flags), s);
}

static int64_t open_path(struct lx_call *c, int64_t dir, const char *path, uint32_t flags,
                         uint64_t mode)
{
    const bool fresh = (flags & (G_O_CREAT | G_O_EXCL)) == (G_O_CREAT | G_O_EXCL);
    struct lx_spot s;
    int64_t r = open_find(c, dir, path, flags, &s);

    if (r == -ENOENT || (r == 0 && s.kind == SPOT_NOTHING && !s.in.root))
        hint_at_view(c->p, path);
    if (r < 0)
        return r;
    if (flags & (G_O_DIRECTORY | G_O_PATH))
        lx_path_as_folder(&s);
    if (flags & G_O_CREAT && s.slash && *s.name)
        r = -EISDIR;
    else if (flags & G_O_PATH)
        r = open_name(c, &s, flags);
    else if (flags & G_O_TMPFILE)
        r = open_unnamed(c, &s, flags, mode);
    else if (s.kind == SPOT_NOTHING)
        r = open_new(c, &s, flags, mode);
    else if (s.kind == SPOT_SYNTHETIC)
        r = open_synthetic(c, &s, flags);
    else if (s.kind == SPOT_DIRECTORY)
        r = lx_path_missing(c->p, &s) ? -ENOENT : fresh ? -EEXIST : open_folder(c, &s, flags);
    else
        r = open_host(c, &s, flags);
    if (r >= 0)
        lx_link_opened(lx_file_get(c->p, r), &s);
    lx_spot_free(&s);
    return r;
}

/** What open takes of its flags: of a name it takes few. */
static uint32_t open_flags(uint64_t flags)
{
    const uint32_t names = G_O_PATH | G_O_DIRECTORY | G_O_NOFOLLOW | G_O_CLOEXEC;

    return (uint32_t)flags & (flags & G_O_PATH ? names : UINT32_MAX);
}

int64_t lx_sys_open(struct lx_call *c)
{
    return open_path(c, PATH_CWD, c->path[0], open_flags(c->a[1]), c->a[2]);
}

int64_t lx_sys_creat(struct lx_call *c)
{
    return open_path(c, PATH_CWD, c->path[0], G_O_CREAT | G_O_TRUNC | 1, c->a[1]);
}

int64_t lx_sys_openat(struct lx_call *c)
{
    return open_path(c, (int64_t)c->a[0], c->path[0], open_flags(c->a[2]), c->a[3]);
}

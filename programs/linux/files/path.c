/*
 * Names: files are made, renamed, linked and removed, and a thread moves between directories.
 *
 * A path is followed by the view (view.h) to a spot: one name in one directory that is open. All
 * calls here act on that name and follow nothing, so that what the view has decided holds.
 */
#include "programs/linux/files/path.h"
#include "programs/host.h"

#include "base/alloc.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/irix.h"
#include "programs/linux/files/link.h"

#include <fcntl.h>
#include <unistd.h>
#include <utlist.h>

int64_t lx_host_says(struct lx_prog *p, int64_t err)
{
    if (err == -EMFILE || err == -ENFILE)
        prog_finish(p->run, PROG_NOMEM, 0,
                    "the host's limit of open files (ulimit -n) is too small");
    return err;
}

/** Whether the guest has made a file. */
static bool is_made(struct lx_prog *p, const struct stat *st)
{
    const struct lx_inode *n = lx_inode_known(p, st->st_dev, st->st_ino);

    return n && n->made;
}

char *lx_path_program(const struct lx_prog *p)
{
    const char *name = p->program->argv[0] ? p->program->argv[0] : "", *slash = strrchr(name, '/');

    return sim_format("/%s", slash ? slash + 1 : name);
}

/** Whether the path ends at the program itself: by the link to it, or by the name that this says
 *  where nothing else is. */
static bool ends_at_program(const struct lx_spot *s, enum lx_ending ending, const char *program)
{
    if (s->kind == SPOT_SYNTHETIC)
        return s->synth->kind == SYN_EXE && ending == END_FOLLOWED;
    return s->kind == SPOT_NOTHING && strcmp(s->in.path, "/") == 0 &&
           strcmp(s->name, program + 1) == 0;
}

/** Such a spot is the program's own file. */
static void find_program(const struct lx_prog *p, enum lx_ending ending, struct lx_spot *s)
{
    static const struct lx_synthetic row = {.path = "/", .kind = SYN_PROGRAM};
    char *program = lx_path_program(p);

    if (ends_at_program(s, ending, program)) {
        s->kind = SPOT_SYNTHETIC;
        s->synth = &row;
        snprintf(s->name, sizeof s->name, "%s", program + 1);
        program[1] = '\0'; /* its directory */
        free(s->in.path);
        s->in.path = program;
        return;
    }
    free(program);
}

/** What the process has to say of a spot that the view has found: where the program itself lies,
 * and that nothing in /proc has a number that nothing has. @return 0 or -ENOTDIR, and no spot */
static int64_t settle_spot(struct lx_prog *p, enum lx_ending ending, struct lx_spot *s)
{
    find_program(p, ending, s);
    if (lx_path_in_proc(s) && lx_path_missing(p, s))
        s->kind = SPOT_NOTHING;
    if (s->kind != SPOT_SYNTHETIC || s->synth->kind != SYN_PROGRAM || !s->slash ||
        ending == END_ENTRY)
        return 0;
    lx_spot_free(s);
    return -ENOTDIR;
}

void lx_path_as_folder(struct lx_spot *s)
{
    char own[16];

    snprintf(own, sizeof own, "%u", FIRST_TID);
    if (s->kind == SPOT_SYNTHETIC && s->synth->kind == SYN_PROCESS && strcmp(s->name, own) == 0)
        s->kind = SPOT_DIRECTORY;
}

int64_t lx_path_find(struct lx_call *c, int64_t dir, const char *path, enum lx_ending ending,
                     struct lx_spot *s)
{
    const struct lx_place *from = c->p->cwd;
    int64_t r;

    if (!path[0])
        return -ENOENT;
    if (dir != PATH_CWD && path[0] != '/') {
        const struct lx_file *f = lx_file_get(c->p, dir);
        if (!f)
            return -EBADF;
        if (f->kind != FILE_FOLDER)
            return -ENOTDIR;
        from = &f->place;
    }
    r = lx_host_says(c->p, lx_view_find(c->p->view, from, path, ending, s));
    if (!r)
        r = settle_spot(c->p, ending, s);
    if (!r && s->kind == SPOT_HOST && s->guard == GUARD_EXECUTABLE && is_made(c->p, &s->st)) {
        s->guard = GUARD_WORKS; /* some file systems let all be executed */
        s->writable = true;
    }
    return r;
}

/** What a descriptor is open on, as a spot without a name. A pipe's is what /dev/fd has of it. */
static int64_t spot_of_file(struct lx_call *c, int64_t fd, const struct lx_file *f,
                            struct lx_spot *s)
{
    static const struct lx_synthetic open_file = {.kind = SYN_FD};

    *s = (struct lx_spot){.kind = SPOT_SYNTHETIC,
                          .synth = f->synth ? f->synth : &open_file,
                          .number = (unsigned)fd,
                          .in.fd = -1,
                          .dir = -1,
                          .fd = -1};
    if (f->synth || !f->inode || f->host < 0)
        return 0;
    s->kind = SPOT_HOST;
    s->writable = f->writable;
    s->guard = f->guarded ? GUARD_WORKS : GUARD_NONE;
    s->fd = prog_host_copy(f->host);
    return lx_host_says(c->p, lx_host_result(s->fd < 0 ? -1 : prog_host_fstat(s->fd, &s->st)));
}

int64_t lx_path_find_at(struct lx_call *c, int64_t dir, const char *path, uint64_t flags,
                        enum lx_ending ending, struct lx_spot *s)
{
    const bool itself = flags & G_AT_EMPTY_PATH && !path[0];
    const struct lx_file *f = itself && dir != PATH_CWD ? lx_file_get(c->p, dir) : NULL;

    if (f && f->kind != FILE_FOLDER)
        return spot_of_file(c, dir, f, s);
    if (itself && !f && dir != PATH_CWD)
        return -EBADF;
    return lx_path_find(c, dir, itself ? "." : path, ending, s);
}

bool lx_path_in_proc(const struct lx_spot *s)
{
    static const char proc[] = "/proc";

    return s->in.path && s->in.fd < 0 && strncmp(s->in.path, proc, sizeof proc - 1) == 0 &&
           (!s->in.path[sizeof proc - 1] || s->in.path[sizeof proc - 1] == '/');
}

int64_t lx_path_refused(struct lx_prog *p, const struct lx_spot *s, enum lx_guard why)
{
    char *directory = lx_view_host(p->view, &s->in, ""), *line;

    if (why > GUARD_WORKS && directory && !(p->guards_said >> why & 1)) {
        p->guards_said |= 1u << why;
        line = sim_format("numachine: note: %s/%s %s; --allow %s (in an experiment, files:) %s\n",
                          strcmp(directory, "/") == 0 ? "" : directory, s->name, lx_guard_file(why),
                          directory, lx_guard_mend(why));
        prog_say(p->run, line);
        free(line);
    }
    free(directory);
    return why == GUARD_FOREIGN || lx_path_in_proc(s) ? -EPERM : -EROFS;
}

int64_t lx_path_may_change(struct lx_prog *p, const struct lx_spot *s)
{
    if (lx_path_in_proc(s)) /* no name is ever made there, and its directories are nobody's */
        return lx_path_missing(p, s) ? -ENOENT : p->uid ? -EACCES : -EPERM;
    if (s->in.fd < 0 || !s->in.writable)
        return lx_path_refused(p, s, s->in.guard);
    if (s->guard > GUARD_WORKS)
        return lx_path_refused(p, s, s->guard);
    return (lx_view_rights(&s->in.st) & (MAY_WRITE | MAY_SEARCH)) == (MAY_WRITE | MAY_SEARCH)
               ? 0
               : -EACCES;
}

/** Says once that what the program makes where it starts is its own alone. */
static void say_lost(struct lx_prog *p, const struct lx_spot *s)
{
    char *line;

    if (p->lost_said || strcmp(s->in.path, VIEW_HOME) != 0 ||
        !lx_view_is_private(p->view, s->in.root))
        return;
    p->lost_said = true;
    line = sim_format("numachine: note: " VIEW_HOME "/%s is gone when the run ends: started in /, "
                      "the program has an empty directory; start numachine in one of yours\n",
                      s->name);
    prog_say(p->run, line);
    free(line);
}

int64_t lx_path_may_make(struct lx_prog *p, const struct lx_spot *s)
{
    const int64_t err = lx_path_may_change(p, s);

    if (err < 0)
        return err;
    say_lost(p, s);
    return lx_view_is_private(p->view, s->in.root) && !lx_inode_may_name(p) ? -ENOSPC : 0;
}

mode_t lx_path_host_mode(struct lx_prog *p, uint64_t mode, bool guarded, const struct stat *before)
{
    mode_t most = 01777;

    if (guarded && (!before || S_ISREG(before->st_mode)))
        most &= ~(mode_t)EXECUTE;
    if (guarded && before && !is_made(p, before))
        most &= before->st_mode | 01700;
    return (mode_t)mode & most;
}

void lx_path_keep_mode(struct lx_prog *p, const struct lx_spot *s, struct lx_inode *n,
                       uint64_t mode, mode_t given)
{
    n->special = (unsigned)mode & 07777 & ~given;
    if (s && n->special & EXECUTE & 0700)
        lx_path_refused(p, s, GUARD_RIGHT);
}

void lx_path_changed(struct lx_prog *p, const struct lx_spot *s)
{
    lx_inode_wrote(p, lx_inode_of(p, &s->in.st));
}

void lx_path_born(struct lx_prog *p, const struct lx_spot *s, mode_t mode)
{
    const bool private = lx_view_is_private(p->view, s->in.root);
    struct stat st;
    struct lx_inode *n;

    lx_path_changed(p, s);
    if (prog_host_fstatat(s->in.fd, s->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    n = lx_inode_of(p, &st);
    lx_inode_born(p, n);
    lx_path_keep_mode(p, s, n, mode & (SET_ID | (S_ISREG(st.st_mode) ? EXECUTE : 0)), st.st_mode);
    n->counted = S_ISREG(st.st_mode) && private;
    if (private)
        lx_inode_named(p, n);
}

/* ---- made-up files --------------------------------------------------------------------------- */

char *lx_path_of(const struct lx_spot *s)
{
    return sim_format("%s/%s", strcmp(s->in.path, "/") == 0 ? "" : s->in.path, s->name);
}

uint64_t lx_path_number(const char *path, bool folder)
{
    static const char self[] = "/proc/self";
    const size_t n = sizeof self - 1, len = strlen(path);
    const bool own =
        strncmp(path, self, n) == 0 && (path[n] == '/' || (folder && !path[n])); /* not the link */
    const char *slash = folder && (!len || path[len - 1] != '/') ? "/" : "";
    char *text = own ? sim_format("/proc/%u%s%s", FIRST_TID, path + n, slash)
                     : sim_format("%s%s", path, slash);
    const uint64_t number = 1 + XXH32(text, strlen(text), 0) / 2; /* 32 bits are in every layout */

    free(text);
    return number;
}

/* ---- permission ------------------------------------------------------------------------------ */

bool lx_path_row_there(struct lx_prog *p, const struct lx_synthetic *row, unsigned number)
{
    switch (row->kind) {
    case SYN_FD:
        return lx_file_get(p, number);
    case SYN_PROCESS:
        return lx_irix_there(p, number);
    default:
        return !row->of || row->of(p, number, NULL);
    }
}

/** Whether a directory that exists only in the view is of a number that nothing has. */
static bool folder_missing(struct lx_prog *p, const struct lx_spot *s)
{
    char *path = lx_path_of(s);
    unsigned number;
    const struct lx_synthetic *row = lx_synthetic_within(path, &number);

    free(path);
    return row && !lx_path_row_there(p, row, number);
}

bool lx_path_missing(struct lx_prog *p, const struct lx_spot *s)
{
    if (s->kind == SPOT_DIRECTORY)
        return folder_missing(p, s);
    return s->kind == SPOT_SYNTHETIC ? !lx_path_row_there(p, s->synth, s->number)
                                     : s->kind == SPOT_NOTHING;
}

static int64_t check_access(struct lx_call *c, int64_t dir, const char *path, uint64_t mode,
                            uint64_t flags)
{
    struct lx_spot s;
    unsigned rights = MAY_READ | MAY_SEARCH;
    int64_t r;

    if (mode & ~UINT64_C(7) || flags & ~(uint64_t)(G_AT_EACCESS | G_AT_NOFOLLOW | G_AT_EMPTY_PATH))
        return -EINVAL;
    r = lx_path_find_at(c, dir, path, flags, lx_ending_of(!(flags & G_AT_NOFOLLOW)), &s);
    if (r < 0)
        return r;
    lx_path_as_folder(&s);
    if (lx_path_missing(c->p, &s))
        r = -ENOENT;
    else if ((mode & MAY_WRITE) && s.kind == SPOT_HOST && !s.writable)
        r = lx_path_refused(c->p, &s, s.guard);
    if (s.kind == SPOT_HOST)
        rights = lx_view_rights(&s.st) | lx_inode_may_execute(c->p, &s.st);
    else if (s.kind == SPOT_SYNTHETIC)
        rights = s.synth->kind == SYN_TEXT      ? MAY_READ
                 : s.synth->kind == SYN_PROGRAM ? MAY_READ | MAY_SEARCH
                                                : MAY_READ | MAY_WRITE;
    if (!r && (mode & rights) != mode)
        r = -EACCES;
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_access(struct lx_call *c)
{
    return check_access(c, PATH_CWD, c->path[0], c->a[1], 0);
}

int64_t lx_sys_faccessat(struct lx_call *c)
{
    const bool flags = c->row->args[3];

    return check_access(c, (int64_t)c->a[0], c->path[0], c->a[2], flags ? c->a[3] : 0);
}

/* ---- names ----------------------------------------------------------------------------------- */

/** A link may not be called as the directory that later runs write to: they would follow it. */
static int64_t may_lead(struct lx_prog *p, const struct lx_spot *to, bool link)
{
    return link && to->in.guard == GUARD_WORKS && strcmp(to->name, "results") == 0
               ? lx_path_refused(p, to, GUARD_RESULTS)
               : 0;
}

/** Whether a slash follows the name of something that is no directory. */
static bool is_no_folder(const struct lx_spot *s)
{
    return s->slash && s->kind != SPOT_NOTHING && s->kind != SPOT_DIRECTORY &&
           !(s->kind == SPOT_HOST && S_ISDIR(s->st.st_mode));
}

/** What removing, or renaming, the name of a spot may not do. */
static int64_t may_take(struct lx_call *c, const struct lx_spot *s)
{
    int64_t err = lx_path_may_change(c->p, s);

    if (s->kind == SPOT_NOTHING && s->in.writable)
        return -ENOENT;
    if (err < 0)
        return err;
    if (s->kind != SPOT_HOST || lx_view_holds_root(c->p->view, s))
        return -EBUSY;
    return s->guard == GUARD_WORKS && !is_made(c->p, &s->st)
               ? lx_path_refused(c->p, s, GUARD_FOREIGN)
               : 0;
}

static int64_t unlink_path(struct lx_call *c, int64_t dir, const char *path, bool folder)
{
    struct lx_spot s;
    int64_t r = lx_path_find(c, dir, path, END_ENTRY, &s);

    if (r < 0)
        return r;
    if (!*s.name || s.dots)
        r = !folder ? -EISDIR : !s.dots ? -EBUSY : s.up ? -ENOTEMPTY : -EINVAL;
    else if (is_no_folder(&s))
        r = -ENOTDIR;
    else if ((r = may_take(c, &s)) == 0 && S_ISDIR(s.st.st_mode) != folder)
        r = folder ? -ENOTDIR : -EISDIR;
    if (!r)
        r = lx_host_result(prog_host_unlinkat(s.in.fd, s.name, folder ? AT_REMOVEDIR : 0));
    if (!r) {
        lx_path_changed(c->p, &s);
        lx_inode_unlinked(c->p, lx_inode_of(c->p, &s.st), folder ? 1 : s.st.st_nlink);
    }
    lx_spot_free(&s);
    return r;
}

int64_t lx_sys_unlink(struct lx_call *c)
{
    return unlink_path(c, PATH_CWD, c->path[0], false);
}

int64_t lx_sys_rmdir(struct lx_call *c)
{
    return unlink_path(c, PATH_CWD, c->path[0], true);
}

int64_t lx_sys_unlinkat(struct lx_call *c)
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
    return prog_host_mkdirat(dir, name, mode);
}

static int make_link(int dir, const char *name, mode_t mode, const char *text)
{
    (void)mode;
    return prog_host_symlinkat(text, dir, name);
}

static int make_fifo(int dir, const char *name, mode_t mode, const char *text)
{
    (void)text;
    return prog_host_mkfifoat(dir, name, mode);
}

static int make_file(int dir, const char *name, mode_t mode, const char *text)
{
    const int fd =
        prog_host_openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

    (void)text;
    prog_host_close(fd);
    return fd < 0 ? -1 : 0;
}

/** The bit of its mode that a directory has of the one that it is made in. */
static mode_t path_inherits(struct lx_prog *p, const struct lx_spot *s)
{
    return lx_inode_of(p, &s->in.st)->special & S_ISGID;
}

static int64_t path_make(struct lx_call *c, int64_t dir, const char *path, make_fn *fn,
                         uint64_t mode, const char *text)
{
    const mode_t m = (mode_t)(mode & 07777 & ~(uint64_t)c->p->umask), host = umask(0);
    struct lx_spot s;
    int64_t r = lx_path_find(c, dir, path, END_ENTRY, &s);

    if (!r) {
        r = s.kind != SPOT_NOTHING         ? -EEXIST
            : s.slash && fn != make_folder ? -ENOENT
                                           : lx_path_may_make(c->p, &s);
        if (!r)
            r = may_lead(c->p, &s, fn == make_link);
        if (!r)
            r = lx_host_says(
                c->p,
                lx_host_result(fn(
                    s.in.fd, s.name,
                    lx_path_host_mode(c->p, m, fn == make_file && s.in.guard == GUARD_WORKS, NULL),
                    text)));
        if (!r)
            lx_path_born(c->p, &s, m | (fn == make_folder ? path_inherits(c->p, &s) : 0));
        lx_spot_free(&s);
    }
    umask(host);
    return r;
}

int64_t lx_sys_mkdir(struct lx_call *c)
{
    return path_make(c, PATH_CWD, c->path[0], make_folder, c->a[1] & 01777, NULL);
}

int64_t lx_sys_mkdirat(struct lx_call *c)
{
    return path_make(c, (int64_t)c->a[0], c->path[0], make_folder, c->a[2] & 01777, NULL);
}

int64_t lx_sys_symlink(struct lx_call *c)
{
    return *c->path[0] ? path_make(c, PATH_CWD, c->path[1], make_link, 0, c->path[0]) : -ENOENT;
}

int64_t lx_sys_symlinkat(struct lx_call *c)
{
    return *c->path[0] ? path_make(c, (int64_t)c->a[1], c->path[1], make_link, 0, c->path[0])
                       : -ENOENT;
}

static int64_t make_node(struct lx_call *c, int64_t dir, uint64_t mode)
{
    switch (mode & S_IFMT) {
    case 0:
    case S_IFREG:
        return path_make(c, dir, c->path[0], make_file, mode, NULL);
    case S_IFIFO:
        return path_make(c, dir, c->path[0], make_fifo, mode, NULL);
    case S_IFCHR:
    case S_IFBLK:
    case S_IFDIR:
    case S_IFSOCK:
        return -EPERM; /* no devices, no sockets */
    default:
        return -EINVAL;
    }
}

int64_t lx_sys_mknod(struct lx_call *c)
{
    return make_node(c, PATH_CWD, c->a[1]);
}

int64_t lx_sys_mknodat(struct lx_call *c)
{
    return make_node(c, (int64_t)c->a[0], c->a[2]);
}

/* ---- two names ------------------------------------------------------------------------------- */

/** A file that has another path. */
struct renamed {
    char *old, *fresh; /* owned */
    const struct lx_inode *inode;
};

static struct renamed path_renamed(struct lx_prog *p, const struct lx_spot *from,
                                   const struct lx_spot *to)
{
    return (struct renamed){lx_path_of(from), lx_path_of(to), lx_inode_of(p, &from->st)};
}

static void renamed_free(struct renamed *r)
{
    free(r->old);
    free(r->fresh);
}

/** What is behind the old path of what was renamed in that of a place, if it is that file, or lies
 *  in it; or NULL. @param inode  the place's */
static const char *path_moves(const struct lx_place *at, const struct lx_inode *inode,
                              const struct renamed *r)
{
    const size_t n = strlen(r->old);

    if (!at->path || strncmp(at->path, r->old, n) != 0)
        return NULL;
    return at->path[n] == '/' || (!at->path[n] && inode == r->inode) ? at->path + n : NULL;
}

/** The place goes with the first of `count` that it is or lies in. */
static void move_place(struct lx_place *at, const struct lx_inode *inode, const struct renamed *r,
                       unsigned count)
{
    for (; count > 0; r++, count--) {
        const char *rest = path_moves(at, inode, r);
        if (!rest)
            continue;
        char *path = sim_format("%s%s", r->fresh, rest);
        free(at->path);
        at->path = path;
        return;
    }
}

/** Files have other names now: those who are in them, and have them open, go with them. Of two that
 *  were exchanged each goes where the other was. */
static void follow_rename(struct lx_prog *p, const struct lx_spot *from, const struct lx_spot *to,
                          bool exchanged)
{
    struct renamed both[2] = {path_renamed(p, from, to)};
    const unsigned count = exchanged ? 2 : 1;
    struct lx_file *f;

    if (exchanged)
        both[1] = path_renamed(p, to, from);
    move_place(p->cwd, lx_inode_known(p, p->cwd->st.st_dev, p->cwd->st.st_ino), both, count);
    DL_FOREACH(p->files, f)
        move_place(&f->place, f->inode, both, count);
    for (unsigned i = 0; i < count; i++)
        renamed_free(&both[i]);
}

/** Whether slashes stand behind names of directories only: the second is the first one's new name,
 *  unless both are exchanged. */
static bool slashes_fit(const struct lx_spot *from, const struct lx_spot *to, uint64_t flags)
{
    if (is_no_folder(from))
        return false;
    return flags & RENAME_EXCHANGE ? !is_no_folder(to) : !to->slash || S_ISDIR(from->st.st_mode);
}

static int64_t may_rename(struct lx_call *c, const struct lx_spot *from, const struct lx_spot *to,
                          uint64_t flags)
{
    int64_t err;

    if (from->dots || !*from->name)
        return -EBUSY;
    if (to->dots || !*to->name)
        return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
    if (from->in.root != to->in.root)
        return -EXDEV;
    if (to->kind == SPOT_NOTHING && lx_path_in_proc(to))
        return -ENOENT;
    err = may_take(c, from);
    if (!err && to->kind != SPOT_NOTHING && (flags & RENAME_NOREPLACE))
        err = -EEXIST;
    if (!err && !slashes_fit(from, to, flags))
        err = -ENOTDIR;
    if (!err)
        err = to->kind == SPOT_NOTHING && !(flags & RENAME_EXCHANGE) ? lx_path_may_change(c->p, to)
                                                                     : may_take(c, to);
    return err ? err : may_lead(c->p, to, S_ISLNK(from->st.st_mode));
}

/** Finds both paths of a call, each from its directory; the second names an entry. @return 0; or
 *  -errno, and there are none to free. @param ending  the first one's @param there  a file must be
 *  there before the second is looked for */
static int64_t find_two(struct lx_call *c, int64_t dir, enum lx_ending ending, bool there,
                        int64_t to_dir, struct lx_spot *from, struct lx_spot *to)
{
    int64_t r = lx_path_find(c, dir, c->path[0], ending, from);

    if (r < 0)
        return r;
    r = there && lx_path_missing(c->p, from) ? -ENOENT
                                             : lx_path_find(c, to_dir, c->path[1], END_ENTRY, to);
    if (r < 0)
        lx_spot_free(from);
    return r;
}

/** Whether a rename has taken the name of another file. */
static bool path_replaced(const struct lx_spot *from, const struct lx_spot *to, uint64_t flags)
{
    return to->kind == SPOT_HOST && !(flags & RENAME_EXCHANGE) &&
           (from->st.st_ino != to->st.st_ino || from->st.st_dev != to->st.st_dev);
}

static int64_t rename_paths(struct lx_call *c, int64_t dir, int64_t to_dir, uint64_t flags)
{
    struct lx_spot from, to;
    int64_t r;

    if (flags & ~(uint64_t)(RENAME_NOREPLACE | RENAME_EXCHANGE) ||
        flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
        return -EINVAL;
    r = find_two(c, dir, END_ENTRY, false, to_dir, &from, &to);
    if (r < 0)
        return r;
    r = may_rename(c, &from, &to, flags);
    if (!r)
        r = lx_host_result(
            prog_host_renameat2(from.in.fd, from.name, to.in.fd, to.name, (unsigned)flags));
    if (!r) {
        lx_path_changed(c->p, &from);
        lx_path_changed(c->p, &to);
        lx_inode_changed(c->p, lx_inode_of(c->p, &from.st));
        if (flags & RENAME_EXCHANGE)
            lx_inode_changed(c->p, lx_inode_of(c->p, &to.st));
        if (path_replaced(&from, &to, flags))
            lx_inode_unlinked(c->p, lx_inode_of(c->p, &to.st),
                              S_ISDIR(to.st.st_mode) ? 1 : to.st.st_nlink);
        follow_rename(c->p, &from, &to, flags & RENAME_EXCHANGE);
    }
    lx_spot_free(&to);
    lx_spot_free(&from);
    return r;
}

int64_t lx_sys_rename(struct lx_call *c)
{
    return rename_paths(c, PATH_CWD, PATH_CWD, 0);
}

/** renameat and renameat2; the latter's flags have the host's values. */
int64_t lx_sys_renameat(struct lx_call *c)
{
    return rename_paths(c, (int64_t)c->a[0], (int64_t)c->a[2], c->row->args[4] ? c->a[4] : 0);
}

/** A second name: of a file that may be changed, or it could be changed by that name. */
static int64_t may_link(struct lx_prog *p, const struct lx_spot *from, const struct lx_spot *to)
{
    const bool folder = from->kind == SPOT_HOST && S_ISDIR(from->st.st_mode);

    if (to->kind != SPOT_NOTHING)
        return -EEXIST;
    if (to->slash || lx_path_in_proc(to)) /* there no name can be even looked for */
        return -ENOENT;
    if (from->kind != SPOT_HOST || from->in.root != to->in.root ||
        (!folder && (!from->writable || from->is_root)))
        return -EXDEV;
    const int64_t err = folder ? lx_path_may_change(p, to) : lx_path_may_make(p, to);
    return err ? err : folder ? -EPERM : may_lead(p, to, S_ISLNK(from->st.st_mode));
}

static int64_t link_paths(struct lx_call *c, int64_t dir, int64_t to_dir, uint64_t flags)
{
    struct lx_spot from, to;
    int64_t r;

    if (flags & ~(uint64_t)(G_AT_FOLLOW | G_AT_EMPTY_PATH))
        return -EINVAL;
    r = find_two(c, dir, lx_ending_of(flags & G_AT_FOLLOW), true, to_dir, &from, &to);
    if (r < 0)
        return r;
    r = may_link(c->p, &from, &to);
    if (!r)
        r = lx_host_result(prog_host_linkat(from.dir, from.leaf, to.in.fd, to.name, 0));
    if (!r) {
        lx_path_changed(c->p, &to);
        lx_inode_changed(c->p, lx_inode_of(c->p, &from.st));
        if (lx_view_is_private(c->p->view, to.in.root))
            lx_inode_named(c->p, lx_inode_of(c->p, &from.st));
    }
    lx_spot_free(&to);
    lx_spot_free(&from);
    return r;
}

int64_t lx_sys_link(struct lx_call *c)
{
    return link_paths(c, PATH_CWD, PATH_CWD, 0);
}

int64_t lx_sys_linkat(struct lx_call *c)
{
    return link_paths(c, (int64_t)c->a[0], (int64_t)c->a[2], c->a[4]);
}

/** What a link says that exists only in the view. @return its length, -ENOENT, -EINVAL: none */
static int64_t made_up_link(struct lx_prog *p, const struct lx_spot *s, char buf[PATH_BYTES])
{
    char *text = lx_link_text(p, s->synth, s->number);
    const size_t n = text ? strnlen(text, PATH_BYTES) : 0;

    if (text)
        memcpy(buf, text, n);
    free(text);
    return text ? (int64_t)n : lx_path_missing(p, s) ? -ENOENT : -EINVAL;
}

static int64_t read_link(struct lx_call *c, int64_t dir, uint64_t va, uint64_t size)
{
    char buf[PATH_BYTES];
    struct lx_spot s;
    int64_t n;

    if (size == 0 || size > INT32_MAX)
        return -EINVAL;
    n = lx_path_find_at(c, dir, c->path[0], G_AT_EMPTY_PATH, END_LINK,
                        &s); /* without being asked */
    if (n < 0)
        return n;
    if (s.kind == SPOT_SYNTHETIC && c->path[0][0])
        n = made_up_link(c->p, &s, buf);
    else if (s.kind == SPOT_NOTHING)
        n = -ENOENT;
    else if (s.kind == SPOT_HOST && S_ISLNK(s.st.st_mode))
        n = lx_host_result(prog_host_readlinkat(s.fd, "", buf, sizeof buf));
    else
        n = c->path[0][0] ? -EINVAL : -ENOENT;
    lx_spot_free(&s);
    if (n < 0)
        return n;
    n = (uint64_t)n < size ? n : (int64_t)size;
    return lx_vm_write(&c->p->vm, va, buf, (size_t)n) < 0 ? -EFAULT : n;
}

int64_t lx_sys_readlink(struct lx_call *c)
{
    return read_link(c, PATH_CWD, c->a[1], c->a[2]);
}

int64_t lx_sys_readlinkat(struct lx_call *c)
{
    return read_link(c, (int64_t)c->a[0], c->a[2], c->a[3]);
}

/** What only a user with rights may do to a directory that is there: chroot, mount. */
int64_t lx_sys_not_permitted_there(struct lx_call *c)
{
    struct lx_spot s;
    int64_t r = lx_path_find(c, PATH_CWD, c->path[0], END_FOLLOWED, &s);

    if (r < 0)
        return r;
    r = lx_path_missing(c->p, &s) ? -ENOENT : -EPERM;
    lx_spot_free(&s);
    return r;
}

/* ---- the working directory ------------------------------------------------------------------- */

/** The guest moves; the simulator's own working directory stays. Takes the place. */
static int64_t path_enter(struct lx_prog *p, struct lx_place *at)
{
    struct lx_inode *left = lx_inode_known(p, p->cwd->st.st_dev, p->cwd->st.st_ino);

    if (!at->search) {
        lx_place_free(at);
        return -EACCES;
    }
    lx_place_free(p->cwd);
    *p->cwd = *at;
    if (left)
        lx_inode_left(p, left);
    return 0;
}

int64_t lx_sys_chdir(struct lx_call *c)
{
    struct lx_place at;
    struct lx_spot s;
    int64_t r = lx_path_find(c, PATH_CWD, c->path[0], END_FOLLOWED, &s);

    if (r < 0)
        return r;
    r = lx_host_says(c->p, lx_view_enter(&s, &at));
    lx_spot_free(&s);
    return r < 0 ? r : path_enter(c->p, &at);
}

int64_t lx_sys_fchdir(struct lx_call *c)
{
    struct lx_place at;
    int64_t r =
        c->f->kind == FILE_FOLDER ? lx_host_says(c->p, lx_place_copy(&at, &c->f->place)) : -ENOTDIR;

    return r < 0 ? r : path_enter(c->p, &at);
}

int64_t lx_sys_getcwd(struct lx_call *c)
{
    const struct lx_place *at = c->p->cwd;
    const size_t n = strlen(at->path) + 1;
    struct stat st;

    if (at->fd >= 0 && (prog_host_fstat(at->fd, &st) != 0 || st.st_nlink == 0))
        return -ENOENT;
    if (n > c->a[1])
        return -ERANGE;
    return lx_vm_write(&c->p->vm, c->a[0], at->path, n) < 0 ? -EFAULT : (int64_t)n;
}

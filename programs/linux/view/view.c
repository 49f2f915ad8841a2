/*
 * The file view: a guest's paths, followed here and not by the host.
 *
 * The hard idea: the host is never given a path, only one name in a directory that is already open,
 * and never follows a link. "..", links and the borders between roots are this file's business, so
 * nothing that happens to the host's directories meanwhile can lead out of a root. Where the kernel
 * has openat2 it is told to refuse the rest as well; the answers are the same without.
 *
 * A directory that was given with rights of its own has them wherever a path passes through it.
 */
#include "programs/linux/view/view.h"
#include "programs/host.h"

#include "base/alloc.h"
#include "programs/double.h"
#include "programs/linux/view/synthetic.h"
#include "programs/scratch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40, REST = 2 * VIEW_PATH };

struct root {
    char *path, *host; /* the guest's and the host's absolute paths */
    int fd;            /* O_PATH */
    int parent;        /* a file's directory; -1: it is a directory */
    struct stat st;
    bool writable, private;
    enum lx_guard guard;
    bool asked;  /* by the user: its rights hold wherever a path passes through it */
    bool hidden; /* has no path */
};

struct lx_view {
    struct lx_guards guards;
    struct root *roots; /* those with the last word about rights first */
    size_t count;
    struct prog_scratch private; /* of the private directories */
    struct prog_doubles doubles; /* none: what may be changed is the host's own */
    lx_view_link *link;
    void *link_ctx;
};

/* ---- paths ----------------------------------------------------------------------------------- */

/** Whether `path` is `above` or beneath it. @return what follows `above`, or NULL */
static const char *view_beneath(const char *path, const char *above)
{
    const size_t n = strcmp(above, "/") == 0 ? 0 : strlen(above);

    if (strncmp(path, above, n) != 0 || (path[n] && path[n] != '/'))
        return NULL;
    return path + n;
}

/** "dir/name"; the root directory ends in '/' already. Allocated. */
static char *view_join(const char *dir, const char *name)
{
    return sim_format("%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);
}

/** An absolute path without "//", "/./" and a slash at its end; NULL if it has "..". */
static char *view_tidy(const char *path)
{
    char *out = sim_alloc(2 * VIEW_PATH, 1), *copy, *rest;
    size_t n = 0;
    bool up = false;

    if (path[0] != '/' && getcwd(out, VIEW_PATH))
        n = strcmp(out, "/") == 0 ? 0 : strlen(out);
    copy = rest = sim_strdup(path);
    for (char *name; copy && (name = strsep(&rest, "/")) && !up;) {
        up = strcmp(name, "..") == 0 || n + strlen(name) + 2 > VIEW_PATH;
        if (*name && strcmp(name, ".") != 0 && !up)
            n += (size_t)sprintf(out + n, "/%s", name);
    }
    free(copy);
    if (n == 0)
        n = (size_t)sprintf(out, "/");
    out[n] = '\0';
    if (!up)
        return out;
    free(out);
    return NULL;
}

/* ---- places ---------------------------------------------------------------------------------- */

void lx_place_free(struct lx_place *at)
{
    free(at->path);
    prog_host_close(at->fd);
    *at = (struct lx_place){.fd = -1};
}

int lx_place_copy(struct lx_place *to, const struct lx_place *from)
{
    const int fd = from->fd < 0 ? -1 : prog_host_copy(from->fd);

    if (from->fd >= 0 && fd < 0)
        return -EMFILE;
    *to = *from;
    to->fd = fd;
    to->path = sim_strdup(from->path);
    return 0;
}

void lx_spot_free(struct lx_spot *s)
{
    lx_place_free(&s->in);
    prog_host_close(s->fd);
    s->fd = -1;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool lx_view_owns(const struct stat *st)
{
    return geteuid() == 0 || st->st_uid == geteuid();
}

unsigned lx_view_rights(const struct stat *st)
{
    const unsigned shift = lx_view_owns(st) ? 6 : st->st_gid == getegid() ? 3 : 0;

    return st->st_mode >> shift & 7;
}

/** The root that was asked for and is this directory or file; NULL: none. */
static const struct root *asked_root(const struct lx_view *v, const struct stat *st)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->roots[i].asked && same_file(&v->roots[i].st, st))
            return &v->roots[i];
    return NULL;
}

/** What a root is to the guards that was asked for. */
static enum lx_guard view_given(const struct root *asked)
{
    return asked->writable ? GUARD_GIVEN : GUARD_NONE;
}

/** Rights of a spot: those asked for it, else those of where it was found, without what others
 *  trust. @param around  the guard of where it was found */
static void set_rights(const struct lx_view *v, struct lx_spot *s, bool writable,
                       enum lx_guard around)
{
    const struct root *asked = s->fd >= 0 ? asked_root(v, &s->st) : NULL;

    s->guard = asked ? view_given(asked) : around;
    if (!asked && !s->is_root)
        s->guard = lx_guard_of(&v->guards, around, &s->in.st, s->name, s->fd, &s->st);
    s->writable = asked ? asked->writable : writable && s->guard <= GUARD_WORKS;
}

static const struct root *root_at(const struct lx_view *v, const char *path)
{
    for (size_t i = 0; i < v->count; i++)
        if (!v->roots[i].hidden && strcmp(v->roots[i].path, path) == 0)
            return &v->roots[i];
    return NULL;
}

/** Whether a root lies beneath a path that may not exist otherwise. */
static bool root_above(const struct lx_view *v, const char *path)
{
    for (size_t i = 0; i < v->count; i++)
        if (!v->roots[i].hidden && view_beneath(v->roots[i].path, path))
            return true;
    return false;
}

/** Whether it is the program's directory by its number, which to IRIX is a file. */
static bool is_process(const struct lx_spot *s)
{
    char *path = s->synth->kind == SYN_PROCESS ? view_join(s->in.path, s->name) : NULL;
    const bool above = path && lx_synthetic_above(path);

    free(path);
    return above;
}

int lx_view_enter(const struct lx_spot *s, struct lx_place *at)
{
    if (s->kind == SPOT_NOTHING)
        return -ENOENT;
    if (s->kind == SPOT_SYNTHETIC && !is_process(s))
        return s->synth->kind == SYN_PROCESS ? -ENOENT : -ENOTDIR;
    if (s->kind == SPOT_HOST && !S_ISDIR(s->st.st_mode))
        return -ENOTDIR;
    *at = (struct lx_place){
        .fd = -1, .writable = s->writable, .guard = s->guard, .root = s->root, .search = true};
    if (s->kind == SPOT_HOST) {
        at->fd = prog_host_copy(s->fd);
        if (at->fd < 0)
            return -EMFILE;
        at->st = s->st;
        at->search = lx_view_rights(&s->st) & 1;
    }
    at->path = *s->name ? view_join(s->in.path, s->name) : sim_strdup(s->in.path);
    return 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

/** File systems that show the host itself; they may be mounted anywhere. */
static bool shows_host(int fd)
{
    static const long magics[] = {PROC_SUPER_MAGIC,    SYSFS_MAGIC,      DEBUGFS_MAGIC,
                                  TRACEFS_MAGIC,       SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC,
                                  CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,     DEVPTS_SUPER_MAGIC,
                                  EFIVARFS_MAGIC,      NSFS_MAGIC,       SELINUX_MAGIC};
    struct statfs fs;

    if (prog_host_fstatfs(fd, &fs) != 0)
        return true;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if ((long)fs.f_type == magics[i])
            return true;
    return false;
}

static int step_root(const struct root *r, const struct lx_view *v, struct lx_spot *s)
{
    s->fd = prog_host_copy(r->fd);
    if (s->fd < 0)
        return -EMFILE;
    if (prog_host_fstat(s->fd, &s->st) != 0)
        return -errno;
    s->kind = SPOT_HOST;
    s->is_root = true;
    s->root = (unsigned)(r - v->roots) + 1;
    set_rights(v, s, r->writable, r->guard);
    s->dir = r->parent < 0 ? s->fd : r->parent;
    s->leaf = r->parent < 0 ? "." : strrchr(r->host, '/') + 1;
    return 0;
}

static int step_host(const struct lx_view *v, struct lx_spot *s)
{
    const int fd = prog_host_step(s->in.fd, s->name);

    if (fd < 0)
        return errno == ENFILE ? -EMFILE : -errno;
    s->fd = fd;
    if (prog_host_fstat(fd, &s->st) != 0)
        return -errno;
    if (s->st.st_dev != s->in.st.st_dev && shows_host(fd))
        return -EACCES;
    s->kind = SPOT_HOST;
    s->root = s->in.root;
    set_rights(v, s, s->in.writable, s->in.guard);
    for (size_t i = 0; i < v->count && !s->is_root; i++)
        s->is_root = S_ISDIR(s->st.st_mode) && same_file(&v->roots[i].st, &s->st);
    s->dir = s->in.fd;
    s->leaf = s->name;
    return 0;
}

/** Looks s->name up in s->in. @return 0, also for SPOT_NOTHING, or -errno */
static int view_step(const struct lx_view *v, struct lx_spot *s)
{
    char *path = view_join(s->in.path, s->name);
    const struct root *r = root_at(v, path);
    int err = strlen(path) >= VIEW_PATH ? -ENAMETOOLONG : 0;

    s->kind = SPOT_NOTHING;
    s->fd = -1;
    s->is_root = s->writable = false;
    s->guard = GUARD_NONE;
    s->root = 0;
    s->dir = s->in.fd;
    s->leaf = s->name;
    if (!err && s->in.fd >= 0 && !s->in.search)
        err = -EACCES;
    if (!err && r)
        err = step_root(r, v, s);
    else if (!err && s->in.fd >= 0)
        err = step_host(v, s);
    if (err == -ENOENT || (!err && s->kind == SPOT_NOTHING)) {
        err = 0;
        if (s->in.fd >= 0)
            set_rights(v, s, false, s->in.guard);
        s->synth = lx_synthetic_find(path, &s->number);
        if (s->synth)
            s->kind = SPOT_SYNTHETIC;
        else if (root_above(v, path) || lx_synthetic_above(path))
            s->kind = SPOT_DIRECTORY;
    }
    free(path);
    return err;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/** The part of the path still to go, at the end of a buffer: links are put in front of it. */
struct rest {
    char text[REST];
    char *at;
    unsigned links;
};

static int put_before(struct rest *r, const char *text, size_t n)
{
    if (n + 1 > (size_t)(r->at - r->text))
        return -ENAMETOOLONG;
    if (*r->at && *r->at != '/')
        *--r->at = '/';
    r->at -= n;
    memcpy(r->at, text, n);
    return 0;
}

/** Takes the next name off the rest. @return its length, 0 at the end, or -ENAMETOOLONG */
static int view_next_name(struct rest *r, char name[NAME_MAX + 1])
{
    size_t n;

    r->at += strspn(r->at, "/");
    n = strcspn(r->at, "/");
    if (n > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(name, r->at, n);
    name[n] = '\0';
    r->at += n;
    return (int)n;
}

/** Goes to the root directory of the view. */
static int to_top(const struct lx_view *v, struct lx_place *at)
{
    const struct root *r = root_at(v, "/");

    lx_place_free(at);
    *at = (struct lx_place){.fd = -1, .search = true, .path = sim_strdup("/")};
    if (!r)
        return 0;
    at->fd = prog_host_copy(r->fd);
    at->st = r->st;
    at->writable = r->writable;
    at->guard = r->guard;
    at->root = (unsigned)(r - v->roots) + 1;
    return at->fd < 0 ? -EMFILE : 0;
}

/** "..": walks to the parent of s->in from the top. */
static int go_up(const struct lx_view *v, struct lx_spot *s, struct rest *r)
{
    char *path = sim_strdup(s->in.path), *slash = strrchr(path, '/');
    int err;

    slash[slash == path] = '\0';
    err = put_before(r, path, strlen(path));
    free(path);
    return err < 0 ? err : to_top(v, &s->in);
}

/** Puts what a link says in front of the rest. */
static int expand_link(const struct lx_view *v, struct lx_spot *s, struct rest *r)
{
    char text[VIEW_PATH];
    const ssize_t n = prog_host_readlinkat(s->fd, "", text, sizeof text - 1);
    int err = n < 0 ? -errno : n == 0 ? -ENOENT : ++r->links > LINKS_MAX ? -ELOOP : 0;

    if (!err)
        err = put_before(r, text, (size_t)n);
    prog_host_close(s->fd);
    s->fd = -1;
    return err < 0 || text[0] != '/' ? err : to_top(v, &s->in);
}

/** Goes through a made-up link. @return 1: the rest says where to; 0: the spot is what it leads to;
 *  -errno */
static int expand_made_up(const struct lx_view *v, struct lx_spot *s, struct rest *r)
{
    char *text = v->link ? v->link(v->link_ctx, s->synth, s->number) : NULL;
    int err;

    if (s->synth->kind == SYN_SELF)
        s->kind = SPOT_DIRECTORY;
    if (!text)
        return 0;
    err = ++r->links > LINKS_MAX ? -ELOOP : put_before(r, text, strlen(text));
    if (!err && text[0] == '/')
        err = to_top(v, &s->in);
    free(text);
    return err < 0 ? err : 1;
}

/** The spot is a directory on the way: goes on from it. */
static int go_in(struct lx_spot *s)
{
    struct lx_place at;
    int err = lx_view_enter(s, &at);

    if (err < 0)
        return err;
    lx_spot_free(s);
    s->in = at;
    return 0;
}

/** The path ended without a name: the spot is the directory itself. */
static int end_in_place(const struct lx_view *v, struct lx_spot *s)
{
    const struct root *r = s->in.root ? &v->roots[s->in.root - 1] : NULL;

    s->name[0] = '\0';
    s->kind = s->in.fd < 0 ? SPOT_DIRECTORY : SPOT_HOST;
    s->root = s->in.root;
    s->writable = s->in.writable;
    s->guard = s->in.guard;
    s->is_root = r && same_file(&r->st, &s->in.st);
    s->dir = s->in.fd;
    s->leaf = ".";
    if (s->in.fd < 0)
        return 0;
    s->fd = prog_host_copy(s->in.fd);
    return s->fd < 0 ? -EMFILE : prog_host_fstat(s->fd, &s->st) != 0 ? -errno : 0;
}

/** Whether a link is gone through. @param last  it is the path's last name; behind ".." (go_up)
 * that of a directory that the path has come through */
static bool goes_through(const struct lx_spot *s, bool last, enum lx_ending ending)
{
    return !last || s->dots || ending == END_FOLLOWED || (s->slash && ending == END_LINK);
}

/** One name of the path. @return 1 at its end, 0 to go on, -errno */
static int linux_view_walk(const struct lx_view *v, enum lx_ending ending, struct lx_spot *s,
                           struct rest *r)
{
    int n = view_next_name(r, s->name), err;
    bool last;

    if (n <= 0)
        return n < 0 ? n : (err = end_in_place(v, s)) < 0 ? err : 1;
    s->slash = *r->at == '/';
    last = r->at[strspn(r->at, "/")] == '\0';
    if (strcmp(s->name, ".") == 0 || strcmp(s->name, "..") == 0) {
        s->dots |= last;
        s->up = s->name[1];
        return s->name[1] ? go_up(v, s, r) : 0;
    }
    err = view_step(v, s);
    if (err < 0)
        return err;
    if (s->kind == SPOT_HOST && S_ISLNK(s->st.st_mode) && goes_through(s, last, ending))
        return expand_link(v, s, r);
    if (s->kind == SPOT_SYNTHETIC && goes_through(s, last, ending) &&
        (err = expand_made_up(v, s, r)) != 0)
        return err < 0 ? err : 0;
    return last ? 1 : go_in(s);
}

int lx_view_find(const struct lx_view *v, const struct lx_place *from, const char *path,
                 enum lx_ending ending, struct lx_spot *s)
{
    struct rest *r = sim_alloc(1, sizeof *r);
    int err = *path ? strlen(path) < VIEW_PATH ? 0 : -ENAMETOOLONG : -ENOENT;

    *s = (struct lx_spot){.fd = -1, .in = {.fd = -1}};
    r->at = r->text + REST - 1;
    if (!err)
        err = put_before(r, path, strlen(path));
    if (!err)
        err = path[0] == '/' ? to_top(v, &s->in) : lx_place_copy(&s->in, from);
    while (!err)
        err = linux_view_walk(v, ending, s, r);
    if (err > 0 && s->slash && s->kind == SPOT_SYNTHETIC && is_process(s))
        s->kind = SPOT_DIRECTORY;
    if (err > 0 && s->slash && ending != END_ENTRY &&
        (s->kind == SPOT_SYNTHETIC || (s->kind == SPOT_HOST && !S_ISDIR(s->st.st_mode))))
        err = -ENOTDIR;
    if (err < 0)
        lx_spot_free(s);
    free(r);
    return err < 0 ? err : 0;
}

int lx_view_open(const struct lx_spot *s, int flags)
{
    const int how = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat st;
    int fd;

    if (!S_ISREG(s->st.st_mode) && !S_ISDIR(s->st.st_mode))
        return -ENXIO;
    fd = S_ISDIR(s->st.st_mode) ? prog_host_openat(s->fd, ".", how, 0)
                                : prog_host_openat(s->dir, s->leaf, how, 0);
    if (fd < 0)
        return errno == ENFILE ? -EMFILE : -errno;
    if (prog_host_fstat(fd, &st) == 0 && same_file(&st, &s->st))
        return fd;
    prog_host_close(fd); /* somebody on the host was faster */
    return -ENXIO;
}

char *lx_view_host(const struct lx_view *v, const struct lx_place *at, const char *name)
{
    const struct root *r = at->root ? &v->roots[at->root - 1] : NULL;
    char *path = at->path ? *name ? view_join(at->path, name) : sim_strdup(at->path) : NULL;
    const char *rest = r && path ? view_beneath(path, r->path) : NULL;
    char *host =
        rest ? sim_format("%s%s", strcmp(r->host, "/") == 0 && *rest ? "" : r->host, rest) : NULL;

    free(path);
    return host;
}

bool lx_view_holds_root(const struct lx_view *v, const struct lx_spot *s)
{
    char *path = view_join(s->in.path, s->name), *host = lx_view_host(v, &s->in, s->name);
    bool held = s->is_root || root_above(v, path);

    for (size_t i = 0; host && i < v->count && !held; i++)
        held = view_beneath(v->roots[i].host, host);
    free(path);
    free(host);
    return held;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/** Adds the name that follows a directory in what is the rest of a path, once. */
static void add_child(char ***list, size_t *n, const char *rest)
{
    size_t len;

    if (!rest || rest[0] != '/' || !rest[1])
        return;
    len = strcspn(++rest, "/");
    if (memchr(rest, '#', len))
        return;
    for (size_t i = 0; i < *n; i++)
        if (strlen((*list)[i]) == len && strncmp((*list)[i], rest, len) == 0)
            return;
    *list = sim_grow(*list, *n + 2, sizeof **list);
    (*list)[(*n)++] = sim_strndup(rest, len);
    (*list)[*n] = NULL;
}

char **lx_view_list(const struct lx_view *v, const char *path)
{
    char **list = sim_alloc(1, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < v->count; i++)
        if (!v->roots[i].hidden)
            add_child(&list, &n, view_beneath(v->roots[i].path, path));
    for (size_t i = 0; lx_synthetic_row(i); i++)
        add_child(&list, &n, lx_synthetic_beneath(i, path));
    return list;
}

bool lx_view_root(const struct lx_view *v, size_t i, const char **host, bool *writable)
{
    if (i >= v->count)
        return false;
    *host = v->roots[i].host;
    *writable = v->roots[i].writable;
    return true;
}

const char *lx_view_private(const struct lx_view *v)
{
    return v->private.path;
}

bool lx_view_is_private(const struct lx_view *v, unsigned root)
{
    return root && v->roots[root - 1].private;
}

/* ---- making one ------------------------------------------------------------------------------ */

/** Adds a root; takes the strings. @return 0 or -errno */
static int put_root(struct lx_view *v, char *path, char *host, bool writable)
{
    struct root r = {.path = path, .host = host, .writable = writable, .parent = -1};
    assert(host);
    char *slash = strrchr(host, '/'),
         *dir = sim_strndup(host, slash == host ? 1 : (size_t)(slash - host));
    int err = 0;

    r.fd = prog_host_open(host, O_PATH | O_CLOEXEC, 0);
    if (r.fd < 0 || prog_host_fstat(r.fd, &r.st) != 0)
        err = -errno;
    else if (shows_host(r.fd) || (!S_ISDIR(r.st.st_mode) && !S_ISREG(r.st.st_mode)))
        err = -EACCES;
    else if (S_ISREG(r.st.st_mode) && (r.parent = prog_host_open(dir, O_PATH | O_CLOEXEC, 0)) < 0)
        err = -errno;
    free(dir);
    v->roots = sim_grow(v->roots, v->count + 1, sizeof *v->roots);
    v->roots[v->count++] = r;
    return err;
}

/** The same, of the double where there is one. */
static int add_root(struct lx_view *v, char *path, char *host, bool writable)
{
    writable &= prog_doubles_find(&v->doubles, &host);
    return put_root(v, path, host, writable);
}

/** The path of "PATH[:ro|:rw]". Allocated. */
static char *allowed_path(const char *text, bool *writable)
{
    const char *colon = strrchr(text, ':');
    const bool ro = colon && strcmp(colon, ":ro") == 0, rw = colon && strcmp(colon, ":rw") == 0;

    *writable = !ro;
    return sim_strndup(text, ro || rw ? (size_t)(colon - text) : strlen(text));
}

/** "PATH[:ro|:rw]". */
static int add_allowed(struct lx_view *v, const char *text)
{
    bool writable;
    char *path = allowed_path(text, &writable);
    char *clean = *path ? view_tidy(path) : NULL, *host = *path ? realpath(path, NULL) : NULL;
    int err = host ? 0 : *path ? -errno : -EINVAL;

    free(path);
    if (!host) {
        free(clean);
        return err;
    }
    err = add_root(v, clean ? clean : sim_strdup(host), host, writable);
    v->roots[v->count - 1].asked = true;
    return err;
}

/* ---- private directories ----------------------------------------------------------------------
 */

/** A directory of the run's own. */
static int add_private(struct lx_view *v, const char *name, const char *path, mode_t mode)
{
    char *host = view_join(v->private.path, name);
    int err;

    if (mkdir(host, mode) != 0 || prog_host_chmod(host, mode) != 0) {
        err = -errno;
        free(host);
        return err;
    }
    err = put_root(v, sim_strdup(path), host, true);
    v->roots[v->count - 1].private = true;
    return err;
}

static int add_privates(struct lx_view *v)
{
    const int err = add_private(v, "tmp", "/tmp", 01777);

    return err < 0 ? err : add_private(v, "shm", "/dev/shm", 01777);
}

/** Copies of what the guest may change: where it works, and what it was given to be written to.
 *  What is not there is found missing later. */
static int make_doubles(struct lx_view *v, char *const *allow)
{
    size_t most = 1, count = 0;

    while (allow && allow[most - 1])
        most++;
    char **host = sim_alloc(most, sizeof *host);
    host[0] = getcwd(NULL, 0);
    count = host[0] && strcmp(host[0], "/") != 0;
    if (!count)
        free(host[0]);
    for (; allow && *allow; allow++) {
        bool writable;
        char *path = allowed_path(*allow, &writable);
        char *real = writable ? realpath(path, NULL) : NULL;
        free(path);
        if (real)
            host[count++] = real;
    }
    const int err = prog_doubles_make(&v->doubles, host, count, v->private.path);
    while (count)
        free(host[--count]);
    free(host);
    return err;
}

const char *lx_view_undoubled(const struct lx_view *v, size_t i)
{
    for (size_t k = 0; k < v->doubles.count; k++)
        if (!v->doubles.of[k].as && i-- == 0)
            return v->doubles.of[k].of;
    return NULL;
}

/** The directory that was given to be written in which one lies, if none within was given to be
 * read; or NULL. */
static const char *given_above(const struct lx_view *v, const char *host)
{
    const struct root *last = NULL;

    for (size_t i = 0; i < v->count; i++)
        if (v->roots[i].asked && view_beneath(host, v->roots[i].host) &&
            (!last || view_beneath(v->roots[i].host, last->host)))
            last = &v->roots[i];
    return last && last->writable ? last->host : NULL;
}

/** A path of the guest's to the working directory. Takes the path. */
static int add_work(struct lx_view *v, char *path, const char *here)
{
    char *meant = sim_strdup(here);
    prog_doubles_find(&v->doubles, &meant);
    const char *top = given_above(v, meant);
    const enum lx_guard guard = lx_guard_beneath(&v->guards, top, top ? meant : here);
    free(meant);
    const int err = add_root(v, path, sim_strdup(here), true);
    struct root *r = &v->roots[v->count - 1];

    r->guard = guard;
    r->writable &= r->guard <= GUARD_WORKS;
    return err;
}

/** The working directory under its two names. The host's root directory is too much to be given
 *  away by where somebody stands: the program gets an empty one. */
static int add_home(struct lx_view *v)
{
    char *here = getcwd(NULL, 0);
    int err;

    if (!here || strcmp(here, "/") == 0) {
        free(here);
        return add_private(v, "home", VIEW_HOME, 0755);
    }
    err = add_work(v, sim_strdup(VIEW_HOME), here);
    if (!err)
        err = add_work(v, sim_strdup(here), here);
    free(here);
    return err;
}

/** A file, readable, unless it lies in the working directory. */
static int add_file(struct lx_view *v, const char *file)
{
    char *clean = view_tidy(file), *host = realpath(file, NULL);
    const struct root *home = root_at(v, VIEW_HOME);
    int err = host ? 0 : -errno;

    assert(host || err);
    if (!err)
        prog_doubles_find(&v->doubles, &host);
    if (!err && !view_beneath(host, home->host))
        return add_root(v, clean ? clean : sim_strdup(host), host, false);
    free(clean);
    free(host);
    return err;
}

static int add_read_only(struct lx_view *v, const char *directory)
{
    char *host = realpath(directory, NULL);
    int err = host ? add_root(v, sim_strdup(host), host, false) : -errno;

    assert(err || v->roots);
    if (!err)
        v->roots[v->count - 1].hidden = v->roots[v->count - 1].asked = true;
    return err;
}

static int add_all(struct lx_view *v, const struct lx_view_spec *spec, const char **what)
{
    *what = "the program's private directories";
    int err = prog_scratch_make(&v->private);

    if (!err && spec->doubles)
        err = make_doubles(v, spec->allow);
    for (size_t i = 0; !err && spec->off && spec->off[i]; i++)
        err = add_read_only(v, *what = spec->off[i]);
    for (size_t i = 0; !err && spec->allow && spec->allow[i]; i++)
        err = add_allowed(v, *what = spec->allow[i]);
    if (!err) {
        *what = "the program's private /tmp";
        err = add_privates(v);
    }
    if (!err) {
        *what = "the working directory";
        err = add_home(v);
    }
    if (!err && spec->program)
        err = add_file(v, *what = spec->program);
    return err;
}

struct lx_view *lx_view_new(const struct lx_view_spec *spec, char *why, size_t size)
{
    struct lx_view *v = sim_alloc(1, sizeof *v);
    const char *what = "";
    lx_guards_know(&v->guards, spec->tool);
    const int err = add_all(v, spec, &what);

    if (!err)
        return v;
    snprintf(why, size, "%s: %s", what, strerror(-err));
    lx_view_free(v);
    return NULL;
}

void lx_view_links(struct lx_view *v, lx_view_link *link, void *ctx)
{
    v->link = link;
    v->link_ctx = ctx;
}

void lx_view_home(const struct lx_view *v, struct lx_place *at)
{
    const struct root *r = root_at(v, VIEW_HOME), *asked = asked_root(v, &r->st);

    *at = (struct lx_place){.path = sim_strdup(VIEW_HOME),
                            .fd = prog_host_copy(r->fd),
                            .root = (unsigned)(r - v->roots) + 1,
                            .writable = asked ? asked->writable : r->writable,
                            .guard = asked ? view_given(asked) : r->guard,
                            .search = true,
                            .st = r->st};
}

/* ---- its end --------------------------------------------------------------------------------- */

void lx_view_free(struct lx_view *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++) {
        prog_host_close(v->roots[i].fd);
        prog_host_close(v->roots[i].parent);
        free(v->roots[i].path);
        free(v->roots[i].host);
    }
    free(v->roots);
    lx_guards_free(&v->guards);
    prog_doubles_free(&v->doubles);
    prog_scratch_remove(&v->private);
    free(v);
}

int lx_view_unnamed(struct lx_view *v, mode_t mode)
{
    char *name = view_join(v->private.path, "unnamed");
    const mode_t host = umask(0);
    int fd = prog_host_open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

    umask(host);
    if (fd < 0)
        fd = -errno;
    else
        prog_host_unlink(name);
    free(name);
    return fd;
}

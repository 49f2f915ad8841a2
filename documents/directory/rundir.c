/*
 * Run directories: fresh by default, never overwritten by accident, never shared.
 *
 * The one hard idea: between looking at a directory and writing into it another run may come. So a
 * directory is locked first and looked at then. mkdir() alone decides which run has made one, and a
 * run that finds one locked keeps away from it, empty or not.
 */
#include "documents/directory/rundir.h"

#include "base/owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What every run writes: the manifest is the first to be written and the last to be replaced. */
static const char *const first[] = {DOC_MANIFEST, DOC_RESOLVED, DOC_PROGRAM, DOC_PAGE, DOC_MEND};
enum { FIRST = sizeof first / sizeof *first };

#define MONITOR "monitor"

/* A file's path with what a name grows by. */
struct path {
    char text[sizeof(struct doc_rundir) + 64];
};

static struct path rundir_path_of(const char *directory, const char *name, const char *suffix)
{
    struct path p;
    snprintf(p.text, sizeof p.text, "%s/%s%s", directory, name, suffix);
    return p;
}

static bool rundir_fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s '%s': %s", what, path, sim_refusal_of(errno, path).text);
    return false;
}

/* Makes the directories above `path`. */
static bool make_parents(const char *path, char *why, size_t size)
{
    char part[sizeof(struct doc_rundir)];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return rundir_fail(why, size, "cannot make directory", part);
    }
    return true;
}

/* ---- what is in a directory ------------------------------------------------------------------ */

static const char *rundir_name_of(doc_file_name_fn *names, unsigned i)
{
    return i < FIRST ? first[i] : names(i - FIRST);
}

/* A run's file, finished or not, or the directory some of them are in. */
static bool rundir_is_ours(doc_file_name_fn *names, const char *name)
{
    size_t n = strlen(name);
    const size_t suffix = strlen(DOC_UNFINISHED);
    const char *ours;
    if (n > suffix && !strcmp(name + n - suffix, DOC_UNFINISHED))
        n -= suffix;
    for (unsigned i = 0; (ours = rundir_name_of(names, i)); i++)
        if (strlen(ours) == n && !strncmp(name, ours, n))
            return true;
    return !strcmp(name, MONITOR);
}

enum contents { EMPTY, RESULTS /* or what a killed run has left */, OTHERS, UNREADABLE };

static enum contents rundir_look_into(const char *path, doc_file_name_fn *names)
{
    DIR *d = opendir(path);
    enum contents seen = d ? EMPTY : UNREADABLE;
    errno = 0;
    for (const struct dirent *e; d && (e = readdir(d)); errno = 0) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (seen != OTHERS)
            seen = rundir_is_ours(names, e->d_name) ? RESULTS : OTHERS;
    }
    if (errno)
        seen = UNREADABLE;
    if (d)
        closedir(d);
    return seen;
}

static bool remove_file(const struct path *p, char *why, size_t size)
{
    return unlink(p->text) == 0 || errno == ENOENT || errno == ENOTDIR ||
           rundir_fail(why, size, "cannot remove", p->text);
}

bool doc_rundir_clear(const struct doc_rundir *dir, char *why, size_t size)
{
    const char *name;
    for (unsigned i = 0; (name = doc_rundir_name(dir, i)); i++) {
        const struct path file = rundir_path_of(dir->path, name, ""),
                          unfinished = rundir_path_of(dir->path, name, DOC_UNFINISHED);
        if ((strcmp(name, DOC_MANIFEST) && !remove_file(&file, why, size)) ||
            !remove_file(&unfinished, why, size))
            return false;
    }
    const struct path monitor = rundir_path_of(dir->path, MONITOR, "");
    if (rmdir(monitor.text) < 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        return rundir_fail(why, size, "cannot remove", monitor.text);
    return true;
}

/* ---- whose it is ----------------------------------------------------------------------------- */

/* Locks the directory as long as it is open. A file system without such locks goes without. */
static enum doc_dir rundir_lock(struct doc_rundir *dir, char *why, size_t size)
{
    struct stat st;
    dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->lock < 0 && errno == ENOTDIR && stat(dir->path, &st) == 0) {
        snprintf(why, size, "'%s' is not a directory", dir->path);
        return DOC_DIR_REFUSED;
    }
    if (dir->lock < 0) {
        rundir_fail(why, size, "cannot open directory", dir->path);
        return DOC_DIR_FAILED;
    }
    if (flock(dir->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return DOC_DIR_MADE;
    snprintf(why, size, "another run is writing into '%s'", dir->path);
    doc_rundir_close(dir);
    return DOC_DIR_REFUSED;
}

/* The directory is locked: may it be used? */
static enum doc_dir take_over(const char *path, doc_file_name_fn *names, bool force, char *why,
                              size_t size)
{
    switch (rundir_look_into(path, names)) {
    case EMPTY:
        return DOC_DIR_MADE;
    case RESULTS:
        if (force)
            return DOC_DIR_MADE;
        snprintf(why, size, "'%s' holds the results of an earlier run; --force replaces them",
                 path);
        return DOC_DIR_REFUSED;
    case OTHERS:
        snprintf(why, size, "'%s' holds other things than results; choose another directory", path);
        return DOC_DIR_REFUSED;
    default:
        rundir_fail(why, size, "cannot read directory", path);
        return DOC_DIR_FAILED;
    }
}

bool doc_rundir_may(const char *path, doc_file_name_fn *names, char *why, size_t size)
{
    struct stat st;
    if (stat(path, &st))
        return true;
    if (S_ISDIR(st.st_mode))
        return take_over(path, names, false, why, size) == DOC_DIR_MADE;
    snprintf(why, size, "'%s' is not a directory", path);
    return false;
}

static enum doc_dir make_named(struct doc_rundir *dir, const char *path, bool force, char *why,
                               size_t size)
{
    if (!*path || strlen(path) >= sizeof dir->path) {
        snprintf(why, size, "'%.60s' cannot be the name of a directory", path);
        return DOC_DIR_REFUSED;
    }
    snprintf(dir->path, sizeof dir->path, "%s", path);
    for (size_t n = strlen(dir->path); n > 1 && dir->path[n - 1] == '/'; n--)
        dir->path[n - 1] = '\0';
    if (!make_parents(dir->path, why, size))
        return DOC_DIR_FAILED;
    if (mkdir(dir->path, 0777) < 0 && errno != EEXIST) {
        rundir_fail(why, size, "cannot make directory", dir->path);
        return DOC_DIR_FAILED;
    }
    enum doc_dir result = rundir_lock(dir, why, size);
    if (result != DOC_DIR_MADE)
        return result;
    result = take_over(dir->path, dir->names, force, why, size);
    if (result != DOC_DIR_MADE)
        doc_rundir_close(dir);
    return result;
}

/* Of two runs one makes a directory; it may be locked before we come to it, by a third that was
 * given its name. */
static enum doc_dir make_fresh(struct doc_rundir *dir, const char *name, char *why, size_t size)
{
    struct stat st;
    if (lstat("results", &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid()) {
        snprintf(why, size, "'results' is a link that another user made; name a directory with -o");
        return DOC_DIR_REFUSED;
    }
    bool made = mkdir("results", 0777) == 0 || errno == EEXIST;
    snprintf(dir->path, sizeof dir->path, "results");
    for (unsigned n = 1; made; n++) {
        snprintf(dir->path, sizeof dir->path, "results/%s-%03u", name, n);
        if (mkdir(dir->path, 0777) == 0) {
            const enum doc_dir result = rundir_lock(dir, why, size);
            if (result != DOC_DIR_REFUSED)
                return result;
        } else {
            made = errno == EEXIST;
        }
    }
    rundir_fail(why, size, "cannot make directory", dir->path);
    return DOC_DIR_FAILED;
}

enum doc_dir doc_rundir_make(struct doc_rundir *dir, doc_file_name_fn *names, const char *path,
                             const char *name, bool force, char *why, size_t size)
{
    *dir = (struct doc_rundir){.lock = -1, .names = names};
    return path ? make_named(dir, path, force, why, size) : make_fresh(dir, name, why, size);
}

void doc_rundir_close(struct doc_rundir *dir)
{
    if (dir->lock >= 0)
        close(dir->lock);
    dir->lock = -1;
}

/* ---- files ----------------------------------------------------------------------------------- */

const char *doc_rundir_name(const struct doc_rundir *dir, unsigned i)
{
    return rundir_name_of(dir->names, i);
}

/* A file that --force would not remove could be taken for a later run's. */
static struct doc_file *rundir_file_of(struct doc_rundir *dir, const char *name)
{
    const char *known;
    for (unsigned i = 0; i < DOC_FILES_MAX && (known = doc_rundir_name(dir, i)); i++)
        if (!strcmp(name, known))
            return &dir->file[i];
    abort();
}

/* The directory of a file that is to lie in one of its own. */
static bool rundir_make_directory(const struct doc_rundir *dir, const char *name, char *why,
                                  size_t size)
{
    char path[sizeof dir->path + 64];
    snprintf(path, sizeof path, "%s/%.*s", dir->path, (int)strcspn(name, "/"), name);
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           rundir_fail(why, size, "cannot make directory", path);
}

bool doc_rundir_write(struct doc_rundir *dir, const char *name, doc_write_fn *write, void *ctx,
                      char *why, size_t size)
{
    struct doc_file *file = rundir_file_of(dir, name);
    const struct path path = rundir_path_of(dir->path, name, "");
    *file = (struct doc_file){.asked = true};
    if (strchr(name, '/') && !rundir_make_directory(dir, name, why, size))
        return false;
    file->whole = doc_whole_write(path.text, false, write, ctx, &file->content, why, size);
    return file->whole;
}

bool doc_rundir_is_whole(const struct doc_rundir *dir)
{
    for (size_t i = 0; i < DOC_FILES_MAX; i++)
        if (dir->file[i].asked && !dir->file[i].whole)
            return false;
    return true;
}

void doc_rundir_sync(const struct doc_rundir *dir)
{
    const struct path monitor = rundir_path_of(dir->path, MONITOR, "");
    doc_whole_sync(monitor.text);
    doc_whole_sync(dir->path);
}

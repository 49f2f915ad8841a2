/*
 * Run directories: fresh by default, never overwritten by accident, never shared.
 *
 * The one hard idea: between looking at a directory and writing into it another run may come. So a
 * directory is locked first and looked at then. mkdir() alone decides which run has made one, and a
 * run that finds one locked keeps away from it, empty or not.
 */
#include "results/directory/rundir.h"

#include "base/owner.h"
#include "results/directory/output.h"
#include "results/documents/locks.h"
#include "results/documents/objects.h"
#include "results/documents/profile.h"
#include "results/documents/truth.h"
#include "results/statistics/components.h"
#include "results/statistics/gnuplot.h"
#include "results/statistics/group.h"
#include "results/statistics/histogram.h"
#include "results/statistics/registers.h"
#include "results/statistics/samples.h"
#include "results/statistics/sampling.h"
#include "results/traffic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every file a run writes. The manifest is the first to be written and the last to be replaced. */
#define MANIFEST "manifest.json"
static const char *const ours[] = {
    MANIFEST,         "config.resolved.yaml",
    "guest.elf",      "stats.json",
    "stats.csv",      "stats.txt",
    RES_HISTOGRAM,    RES_GROUPS,
    RES_SAMPLES,      RES_COUNTERS,
    RES_BINS,         RES_NPY,
    RES_STDOUT,       RES_STDERR,
    RES_STATUS_CSV,   RES_WAVES,
    RES_TRACE,        RES_PAJE,
    RES_PROFILE,      RES_OBJECTS,
    RES_TRUTH,        RES_LOCKS,
    RES_PAGE,         RES_BINS_PLOT,
    RES_SAMPLES_PLOT, RES_TRAFFIC,
    RES_REFERENCES,   RES_SAMPLING,
};
_Static_assert(sizeof ours / sizeof *ours == RES_FILES, "one struct res_file each");

#define MONITOR "monitor"

/* A file's path with what a name grows by. */
struct path {
    char text[sizeof(struct res_rundir) + 64];
};

static struct path path_of(const char *directory, const char *name, const char *suffix)
{
    struct path p;
    snprintf(p.text, sizeof p.text, "%s/%s%s", directory, name, suffix);
    return p;
}

static bool fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s '%s': %s", what, path, sim_refusal_of(errno, path).text);
    return false;
}

/* Makes the directories above `path`. */
static bool make_parents(const char *path, char *why, size_t size)
{
    char part[sizeof(struct res_rundir)];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return fail(why, size, "cannot make directory", part);
    }
    return true;
}

/* ---- what is in a directory ------------------------------------------------------------------ */

/* A run's file, finished or not, or the directory some of them are in. */
static bool is_ours(const char *name)
{
    size_t n = strlen(name);
    const size_t suffix = strlen(RES_UNFINISHED);
    if (n > suffix && !strcmp(name + n - suffix, RES_UNFINISHED))
        n -= suffix;
    for (size_t i = 0; i < RES_FILES; i++)
        if (strlen(ours[i]) == n && !strncmp(name, ours[i], n))
            return true;
    return !strcmp(name, MONITOR);
}

enum contents { EMPTY, RESULTS /* or what a killed run has left */, OTHERS, UNREADABLE };

static enum contents look_into(const char *path)
{
    DIR *d = opendir(path);
    enum contents seen = d ? EMPTY : UNREADABLE;
    errno = 0;
    for (const struct dirent *e; d && (e = readdir(d)); errno = 0) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (seen != OTHERS)
            seen = is_ours(e->d_name) ? RESULTS : OTHERS;
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
           fail(why, size, "cannot remove", p->text);
}

bool res_rundir_clear(const struct res_rundir *dir, char *why, size_t size)
{
    for (size_t i = 0; i < RES_FILES; i++) {
        const struct path file = path_of(dir->path, ours[i], ""),
                          unfinished = path_of(dir->path, ours[i], RES_UNFINISHED);
        if ((strcmp(ours[i], MANIFEST) && !remove_file(&file, why, size)) ||
            !remove_file(&unfinished, why, size))
            return false;
    }
    const struct path monitor = path_of(dir->path, MONITOR, "");
    if (rmdir(monitor.text) < 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        return fail(why, size, "cannot remove", monitor.text);
    return true;
}

/* ---- whose it is ----------------------------------------------------------------------------- */

/* Locks the directory as long as it is open. A file system without such locks goes without. */
static enum res_dir lock(struct res_rundir *dir, char *why, size_t size)
{
    struct stat st;
    dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->lock < 0 && errno == ENOTDIR && stat(dir->path, &st) == 0) {
        snprintf(why, size, "'%s' is not a directory", dir->path);
        return RES_DIR_REFUSED;
    }
    if (dir->lock < 0) {
        fail(why, size, "cannot open directory", dir->path);
        return RES_DIR_FAILED;
    }
    if (flock(dir->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return RES_DIR_MADE;
    snprintf(why, size, "another run is writing into '%s'", dir->path);
    res_rundir_close(dir);
    return RES_DIR_REFUSED;
}

/* The directory is locked: may it be used? */
static enum res_dir take_over(const char *path, bool force, char *why, size_t size)
{
    switch (look_into(path)) {
    case EMPTY:
        return RES_DIR_MADE;
    case RESULTS:
        if (force)
            return RES_DIR_MADE;
        snprintf(why, size, "'%s' holds the results of an earlier run; --force replaces them",
                 path);
        return RES_DIR_REFUSED;
    case OTHERS:
        snprintf(why, size, "'%s' holds other things than results; choose another directory", path);
        return RES_DIR_REFUSED;
    default:
        fail(why, size, "cannot read directory", path);
        return RES_DIR_FAILED;
    }
}

bool res_rundir_may(const char *path, char *why, size_t size)
{
    struct stat st;
    if (stat(path, &st))
        return true;
    if (S_ISDIR(st.st_mode))
        return take_over(path, false, why, size) == RES_DIR_MADE;
    snprintf(why, size, "'%s' is not a directory", path);
    return false;
}

static enum res_dir make_named(struct res_rundir *dir, const char *path, bool force, char *why,
                               size_t size)
{
    if (!*path || strlen(path) >= sizeof dir->path) {
        snprintf(why, size, "'%.60s' cannot be the name of a directory", path);
        return RES_DIR_REFUSED;
    }
    snprintf(dir->path, sizeof dir->path, "%s", path);
    for (size_t n = strlen(dir->path); n > 1 && dir->path[n - 1] == '/'; n--)
        dir->path[n - 1] = '\0';
    if (!make_parents(dir->path, why, size))
        return RES_DIR_FAILED;
    if (mkdir(dir->path, 0777) < 0 && errno != EEXIST) {
        fail(why, size, "cannot make directory", dir->path);
        return RES_DIR_FAILED;
    }
    enum res_dir result = lock(dir, why, size);
    if (result != RES_DIR_MADE)
        return result;
    result = take_over(dir->path, force, why, size);
    if (result != RES_DIR_MADE)
        res_rundir_close(dir);
    return result;
}

/* Of two runs one makes a directory; it may be locked before we come to it, by a third that was
 * given its name. */
static enum res_dir make_fresh(struct res_rundir *dir, const char *name, char *why, size_t size)
{
    struct stat st;
    if (lstat("results", &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid()) {
        snprintf(why, size, "'results' is a link that another user made; name a directory with -o");
        return RES_DIR_REFUSED;
    }
    bool made = mkdir("results", 0777) == 0 || errno == EEXIST;
    snprintf(dir->path, sizeof dir->path, "results");
    for (unsigned n = 1; made; n++) {
        snprintf(dir->path, sizeof dir->path, "results/%s-%03u", name, n);
        if (mkdir(dir->path, 0777) == 0) {
            const enum res_dir result = lock(dir, why, size);
            if (result != RES_DIR_REFUSED)
                return result;
        } else {
            made = errno == EEXIST;
        }
    }
    fail(why, size, "cannot make directory", dir->path);
    return RES_DIR_FAILED;
}

enum res_dir res_rundir_make(struct res_rundir *dir, const char *path, const char *name, bool force,
                             char *why, size_t size)
{
    *dir = (struct res_rundir){.lock = -1};
    return path ? make_named(dir, path, force, why, size) : make_fresh(dir, name, why, size);
}

void res_rundir_close(struct res_rundir *dir)
{
    if (dir->lock >= 0)
        close(dir->lock);
    dir->lock = -1;
}

/* ---- files ----------------------------------------------------------------------------------- */

const char *res_rundir_name(unsigned i)
{
    return ours[i];
}

/* A file that --force would not remove could be taken for a later run's. */
static struct res_file *file_of(struct res_rundir *dir, const char *name)
{
    for (size_t i = 0; i < RES_FILES; i++)
        if (!strcmp(name, ours[i]))
            return &dir->file[i];
    abort();
}

/* The directory of a file that is to lie in one of its own. */
static bool make_directory(const struct res_rundir *dir, const char *name, char *why, size_t size)
{
    char path[sizeof dir->path + 64];
    snprintf(path, sizeof path, "%s/%.*s", dir->path, (int)strcspn(name, "/"), name);
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           fail(why, size, "cannot make directory", path);
}

bool res_rundir_write(struct res_rundir *dir, const char *name, res_write_fn *write, void *ctx,
                      char *why, size_t size)
{
    struct res_file *file = file_of(dir, name);
    const struct path path = path_of(dir->path, name, "");
    *file = (struct res_file){.asked = true};
    if (strchr(name, '/') && !make_directory(dir, name, why, size))
        return false;
    file->whole = res_whole_write(path.text, false, write, ctx, &file->content, why, size);
    return file->whole;
}

bool res_rundir_is_whole(const struct res_rundir *dir)
{
    for (size_t i = 0; i < RES_FILES; i++)
        if (dir->file[i].asked && !dir->file[i].whole)
            return false;
    return true;
}

void res_rundir_sync(const struct res_rundir *dir)
{
    const struct path monitor = path_of(dir->path, MONITOR, "");
    res_whole_sync(monitor.text);
    res_whole_sync(dir->path);
}

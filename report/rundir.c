/*
 * Run directories: fresh by default, never overwritten by accident.
 *
 * mkdir() either makes a directory or says that there is one; that alone decides who owns it, so
 * two runs started at once get two directories.
 */
#include "report/rundir.h"

#include "report/around.h"
#include "report/group.h"
#include "report/histogram.h"
#include "report/registers.h"
#include "report/samples.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every file a run writes. A directory is a run's if it has the manifest. */
#define MANIFEST "manifest.json"
static const char *const ours[] = {
    MANIFEST,      "config.resolved.yaml",
    "guest.elf",   "stats.json",
    "stats.csv",   "stats.txt",
    REP_HISTOGRAM, REP_GROUPS,
    REP_SAMPLES,   REP_COUNTERS,
    REP_BINS,      REP_NPY,
};

#define MONITOR "monitor"

static bool fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s '%s': %s", what, path, strerror(errno));
    return false;
}

/* Makes the directories above `path`. */
static bool make_parents(const char *path, char *why, size_t size)
{
    char part[sizeof(struct rep_rundir)];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return fail(why, size, "cannot make directory", part);
    }
    return true;
}

static bool is_empty(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return false;
    unsigned entries = 0;
    while (readdir(d))
        entries++;
    closedir(d);
    return entries <= 2; /* "." and ".." */
}

static bool holds_results(const char *path)
{
    char file[sizeof(struct rep_rundir) + 32];
    snprintf(file, sizeof file, "%s/" MANIFEST, path);
    return access(file, F_OK) == 0;
}

static bool clear_results(const char *path, char *why, size_t size)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        char file[sizeof(struct rep_rundir) + 32];
        snprintf(file, sizeof file, "%s/%s", path, ours[i]);
        if (unlink(file) < 0 && errno != ENOENT)
            return fail(why, size, "cannot remove", file);
    }
    char monitor[sizeof(struct rep_rundir) + 32];
    snprintf(monitor, sizeof monitor, "%s/" MONITOR, path);
    if (rmdir(monitor) < 0 && errno != ENOENT && errno != ENOTEMPTY)
        return fail(why, size, "cannot remove", monitor);
    return true;
}

/* The directory exists: may it be used? */
static enum rep_dir take_over(const char *path, bool force, char *why, size_t size)
{
    struct stat st;
    if (is_empty(path))
        return REP_DIR_MADE;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        snprintf(why, size, "'%s' is not a directory", path);
    else if (!holds_results(path))
        snprintf(why, size, "'%s' holds other things than results; choose another directory", path);
    else if (!force)
        snprintf(why, size, "'%s' holds the results of an earlier run; --force replaces them",
                 path);
    else
        return clear_results(path, why, size) ? REP_DIR_MADE : REP_DIR_FAILED;
    return REP_DIR_REFUSED;
}

static enum rep_dir make_named(struct rep_rundir *dir, const char *path, bool force, char *why,
                               size_t size)
{
    if (!*path || strlen(path) >= sizeof dir->path) {
        snprintf(why, size, "'%.60s' cannot be the name of a directory", path);
        return REP_DIR_REFUSED;
    }
    snprintf(dir->path, sizeof dir->path, "%s", path);
    for (size_t n = strlen(dir->path); n > 1 && dir->path[n - 1] == '/'; n--)
        dir->path[n - 1] = '\0';
    if (!make_parents(dir->path, why, size))
        return REP_DIR_FAILED;
    if (mkdir(dir->path, 0777) == 0)
        return REP_DIR_MADE;
    if (errno == EEXIST)
        return take_over(dir->path, force, why, size);
    fail(why, size, "cannot make directory", dir->path);
    return REP_DIR_FAILED;
}

static enum rep_dir make_fresh(struct rep_rundir *dir, const char *name, char *why, size_t size)
{
    bool made = mkdir("results", 0777) == 0 || errno == EEXIST;
    snprintf(dir->path, sizeof dir->path, "results");
    for (unsigned n = 1; made; n++) {
        snprintf(dir->path, sizeof dir->path, "results/%s-%03u", name, n);
        if (mkdir(dir->path, 0777) == 0)
            return REP_DIR_MADE;
        made = errno == EEXIST;
    }
    fail(why, size, "cannot make directory", dir->path);
    return REP_DIR_FAILED;
}

enum rep_dir rep_rundir_make(struct rep_rundir *dir, const char *path, const char *name, bool force,
                             char *why, size_t size)
{
    return path ? make_named(dir, path, force, why, size) : make_fresh(dir, name, why, size);
}

/* A file that --force would not remove could be taken for a later run's. */
static bool is_ours(const char *name)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!strcmp(name, ours[i]))
            return true;
    return false;
}

/* The directory of a file that is to lie in one of its own. */
static bool make_directory(const struct rep_rundir *dir, const char *name, char *why, size_t size)
{
    char path[sizeof dir->path + 64];
    snprintf(path, sizeof path, "%s/%.*s", dir->path, (int)strcspn(name, "/"), name);
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           fail(why, size, "cannot make directory", path);
}

bool rep_rundir_write(const struct rep_rundir *dir, const char *name, rep_write_fn *write,
                      void *ctx, char *why, size_t size)
{
    char file[sizeof dir->path + 64], next[sizeof file + 8];
    snprintf(file, sizeof file, "%s/%s", dir->path, name);
    snprintf(next, sizeof next, "%s.new", file);
    if (!is_ours(name))
        abort();
    if (strchr(name, '/') && !make_directory(dir, name, why, size))
        return false;
    FILE *out = fopen(next, "we");
    if (!out)
        return fail(why, size, "cannot write", next);
    write(ctx, out);
    bool bad = ferror(out) || fflush(out) != 0 || fsync(fileno(out)) < 0;
    bad |= fclose(out) != 0;
    if (!bad && rename(next, file) == 0)
        return true;
    fail(why, size, "cannot write", file);
    unlink(next);
    return false;
}

/*
 * Temporary directories that outlive nobody.
 *
 * The one idea: a lock on the directory (flock) is what says that its process lives, and the kernel
 * takes it away however that ends. Between its making and its locking a directory has another name.
 */
#include "programs/scratch.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char locked_name[] = "numachine-run-", fresh_name[] = "numachine-new-";

enum { STALE = 60 /**< [s] without a lock: nobody is about to lock it any more */ };

/* ---- removing -------------------------------------------------------------------------------- */

/** The next name in a directory; NULL after the last. */
static const char *next_entry(DIR *d)
{
    const struct dirent *e = readdir(d);

    while (e && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
        e = readdir(d);
    return e ? e->d_name : NULL;
}

/** Removes a name that has nothing beneath it. */
static bool remove_name(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/** Moves a directory up into `top`. @param lifted  how many have been: their names
 *  @return whether it could */
static bool scratch_lift(int top, int from, const char *name, size_t *lifted)
{
    char fresh[32];
    int err;

    fchmodat(from, name, 0700, 0); /* one that its owner may not change */
    do {
        snprintf(fresh, sizeof fresh, "lifted-%zu", (*lifted)++);
        err = renameat(from, name, top, fresh) == 0 ? 0 : errno;
    } while (err == ENOTEMPTY || err == EEXIST);
    return !err;
}

/** Empties a directory in `top`: others in it that are not empty go up. Then it goes too.
 *  @return whether anything has gone */
static bool remove_directory(int top, const char *name, size_t *lifted)
{
    bool any = false;
    DIR *d;
    int fd;

    fchmodat(top, name, 0700, 0);
    fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    d = fd < 0 ? NULL : fdopendir(fd);
    for (const char *in; d && (in = next_entry(d));)
        any |= remove_name(fd, in) || scratch_lift(top, fd, in, lifted);
    if (d)
        closedir(d);
    return unlinkat(top, name, AT_REMOVEDIR) == 0 || any;
}

/** Removes all names in a directory, by descriptor: no link is followed. Closes it. A guest's
 *  directories may lie deeper in one another than there are descriptors, so nothing goes down into
 *  them: they come up. */
static void scratch_empty(int fd)
{
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    size_t lifted = 0;

    for (bool any = d; any;) {
        any = false;
        rewinddir(d);
        for (const char *name; (name = next_entry(d));)
            any |= remove_name(fd, name) || remove_directory(fd, name, &lifted);
    }
    if (d)
        closedir(d);
}

/* ---- what others have left --------------------------------------------------------------------
 */

static bool scratch_begins(const char *name, const char *front)
{
    return strncmp(name, front, strlen(front)) == 0;
}

/** Whether the process that made a directory is gone. @param fd  the directory */
static bool is_left_over(int fd, bool locked)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           (locked || time(NULL) - st.st_mtime > STALE) && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void scratch_sweep(const char *tmp)
{
    DIR *d = opendir(tmp);

    for (struct dirent *e; d && (e = readdir(d));) {
        const bool locked = scratch_begins(e->d_name, locked_name);
        if (!locked && !scratch_begins(e->d_name, fresh_name))
            continue;
        const int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && is_left_over(fd, locked)) {
            scratch_empty(fd);
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        } else if (fd >= 0)
            close(fd);
    }
    if (d)
        closedir(d);
}

/* ---- making ---------------------------------------------------------------------------------- */

/** Locks the new directory and gives it its name. @return 0 or -errno */
static int scratch_settle(struct prog_scratch *s, const char *fresh)
{
    s->lock = open(fresh, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->lock >= 0 && flock(s->lock, LOCK_EX) == 0 && rename(fresh, s->path) == 0)
        return 0;
    const int err = -errno;
    if (s->lock >= 0)
        close(s->lock);
    rmdir(fresh);
    return err;
}

int prog_scratch_make(struct prog_scratch *s)
{
    const char *asked = getenv("TMPDIR"), *tmp = asked && *asked == '/' ? asked : "/tmp";
    char *fresh = sim_format("%s/%sXXXXXX", tmp, fresh_name);
    int err;

    scratch_sweep(tmp);
    *s = (struct prog_scratch){0};
    err = mkdtemp(fresh) ? 0 : -errno;
    if (!err) {
        s->path = sim_format("%s/%s%s", tmp, locked_name, strrchr(fresh, '-') + 1);
        err = scratch_settle(s, fresh);
    }
    if (err) {
        free(s->path);
        *s = (struct prog_scratch){0};
    }
    free(fresh);
    return err;
}

void prog_scratch_remove(struct prog_scratch *s)
{
    if (!s->path)
        return;
    scratch_empty(s->lock);
    rmdir(s->path);
    free(s->path);
    *s = (struct prog_scratch){0};
}

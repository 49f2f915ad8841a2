/*
 * Doubles of what a guest may change: copied before the run begins, names, rights and times too.
 *
 * What is larger than a limit is not copied. What belongs to somebody else is ours in the copy, and
 * what cannot be read is not there: a guest could not read it either.
 */
#include "programs/double.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one double: what is copied in a moment. */
enum { NAMES_MOST = 1 << 14, BYTES_MOST = 128 << 20 };

/** What follows `above` in a path; NULL: it is not beneath it. */
static const char *double_rest(const char *path, const char *above)
{
    const size_t n = strcmp(above, "/") == 0 ? 0 : strlen(above);

    return strncmp(path, above, n) != 0 || (path[n] && path[n] != '/') ? NULL : path + n;
}

/* ---- one name -------------------------------------------------------------------------------- */

static void double_file(const FTSENT *e, const char *to)
{
    const int from = open(e->fts_accpath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    const int fd =
        from < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    while (fd >= 0 && sendfile(fd, from, NULL, INT_MAX) > 0)
        ;
    if (fd >= 0) {
        fchmod(fd, e->fts_statp->st_mode & 07777);
        futimens(fd, (const struct timespec[]){e->fts_statp->st_atim, e->fts_statp->st_mtim});
        close(fd);
    }
    if (from >= 0)
        close(from);
}

static void double_link(const FTSENT *e, const char *to)
{
    char text[PATH_MAX];
    const ssize_t n = readlink(e->fts_accpath, text, sizeof text - 1);

    text[n < 0 ? 0 : n] = '\0';
    if (n < 0 || symlink(text, to) != 0)
        errno = 0;
}

/** A directory has all that is in it: now it gets its rights and its time. */
static void double_settle(const FTSENT *e, const char *to)
{
    const struct timespec times[] = {e->fts_statp->st_atim, e->fts_statp->st_mtim};

    chmod(to, e->fts_statp->st_mode & 07777);
    utimensat(AT_FDCWD, to, times, 0);
}

static void double_entry(const FTSENT *e, const char *to)
{
    switch (e->fts_info) {
    case FTS_D:
        mkdir(to, 0700);
        break;
    case FTS_DP:
        double_settle(e, to);
        break;
    case FTS_F:
        double_file(e, to);
        break;
    case FTS_SL:
    case FTS_SLNONE:
        double_link(e, to);
        break;
    case FTS_DEFAULT:
        if (S_ISFIFO(e->fts_statp->st_mode))
            mkfifo(to, e->fts_statp->st_mode & 0777);
        break;
    default: /* nobody may read it */
        break;
    }
}

/* ---- one double ------------------------------------------------------------------------------ */

/** Goes through a file, or a directory with all that is in it but `in`. @return NULL: at its end,
 *  or with errno at an error */
static FTSENT *double_next(FTS *way, const struct stat *in)
{
    FTSENT *e = fts_read(way);

    if (e && e->fts_info == FTS_D && e->fts_statp->st_dev == in->st_dev &&
        e->fts_statp->st_ino == in->st_ino) {
        fts_set(way, e, FTS_SKIP);
        fts_read(way);
        e = fts_read(way);
    }
    return e;
}

static FTS *double_way(const char *of)
{
    char *const paths[] = {(char *)(uintptr_t)of, NULL};

    return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
}

static bool double_is_small(const char *of, const struct stat *in)
{
    uint64_t names = 0, bytes = 0;
    FTS *way = double_way(of);

    for (FTSENT *e; way && names <= NAMES_MOST && bytes <= BYTES_MOST && (e = double_next(way, in));
         names++)
        bytes += e->fts_info == FTS_F ? (uint64_t)e->fts_statp->st_size : 0;
    if (way)
        fts_close(way);
    return names <= NAMES_MOST && bytes <= BYTES_MOST;
}

/** @param to  the path of the copy */
static void double_copy(const char *of, const char *to, const struct stat *in)
{
    FTS *way = double_way(of);

    for (FTSENT *e; way && (e = double_next(way, in));) {
        char *name = sim_format("%s%s", to, e->fts_path + strlen(of));
        double_entry(e, name);
        free(name);
    }
    if (way)
        fts_close(way);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool is_in_another(char *const *host, size_t count, size_t i)
{
    bool is = false;

    for (size_t k = 0; k < count && !is; k++)
        is = k != i && double_rest(host[i], host[k]) && (strcmp(host[i], host[k]) != 0 || k < i);
    return is;
}

int prog_doubles_make(struct prog_doubles *d, char *const *host, size_t count, const char *in)
{
    struct stat here;

    if (stat(in, &here) != 0)
        return -errno;
    d->of = sim_alloc(count + 1, sizeof *d->of);
    for (size_t i = 0; i < count; i++) {
        if (is_in_another(host, count, i))
            continue;
        struct prog_double *one = &d->of[d->count++];
        one->of = sim_strdup(host[i]);
        if (!double_is_small(host[i], &here))
            continue;
        char *directory = sim_format("%s/double-%zu", in, i);
        if (mkdir(directory, 0700) != 0)
            return -errno;
        one->as = sim_format("%s%s", directory, strrchr(host[i], '/'));
        double_copy(host[i], one->as, &here);
        free(directory);
    }
    return 0;
}

void prog_doubles_free(struct prog_doubles *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->of[i].of);
        free(d->of[i].as);
    }
    free(d->of);
    *d = (struct prog_doubles){0};
}

bool prog_doubles_find(const struct prog_doubles *d, char **path)
{
    for (size_t i = 0; i < d->count; i++) {
        const struct prog_double *one = &d->of[i];
        const char *rest = double_rest(*path, one->of);
        if (!rest)
            continue;
        if (!one->as)
            return false;
        char *as = sim_format("%s%s", one->as, rest);
        free(*path);
        *path = as;
        return true;
    }
    return true;
}

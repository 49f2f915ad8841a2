/*
 * Files that are there whole or not at all.
 *
 * The one hard idea: a name must never stand for half a file, wherever the program is stopped. So
 * the bytes go to another name and to the disk first. Only then does one call give the file its own
 * name.
 */
#include "report/whole.h"

#include "base/alloc.h"
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

bool rep_content_of(int fd, struct rep_content *content)
{
    char block[65536];
    ssize_t n;
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        sim_no_memory();
    XXH64_reset(state, 0);
    *content = (struct rep_content){0};
    while ((n = pread(fd, block, sizeof block, (off_t)content->bytes)) > 0) {
        XXH64_update(state, block, (size_t)n);
        content->bytes += (uint64_t)n;
    }
    content->xxh64 = XXH64_digest(state);
    XXH64_freeState(state);
    return n == 0;
}

/* How a file is written. */
struct way {
    rep_try_fn *write;
    void *ctx;
    bool fresh;
    struct rep_content *content; /* NULL: nobody wants to know */
};

/* The bytes, on the disk. @return 0 or an errno; ECANCELED: there shall be no file */
static int put(FILE *out, const struct way *way)
{
    int error = 0;
    errno = 0;
    if (!way->write(way->ctx, out))
        error = ECANCELED;
    else if (ferror(out) || fflush(out) != 0 || fsync(fileno(out)) < 0 ||
             (way->content && !rep_content_of(fileno(out), way->content)))
        error = errno ? errno : EIO;
    if (fclose(out) != 0 && !error)
        error = errno;
    return error;
}

/* A new file of that name, never what a link of that name leads to. What a killed run has left is
 * replaced, unless nothing may be. */
static FILE *open_unfinished(const char *path, bool fresh)
{
    enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    int fd = open(path, FLAGS, 0666);
    if (fd < 0 && errno == EEXIST && !fresh && unlink(path) == 0)
        fd = open(path, FLAGS, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

/* Gives the finished file its name. */
static int give_name(const char *unfinished, const char *path, bool fresh)
{
    int bad = renameat2(AT_FDCWD, unfinished, AT_FDCWD, path, fresh ? RENAME_NOREPLACE : 0);
    if (bad && fresh && errno == EINVAL) { /* this file system knows another way only */
        bad = link(unfinished, path);
        if (!bad)
            unlink(unfinished);
    }
    return bad ? errno : 0;
}

/* A device or a FIFO of that name is for others than us. A link is replaced, not what it leads to.
 */
static bool is_special(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) &&
           !S_ISDIR(st.st_mode);
}

/* @return 0 or an errno; `why` has a sentence then */
static int write_whole(const char *path, const struct way *way, char *why, size_t size)
{
    const bool fresh = way->fresh;
    char unfinished[PATH_MAX + 8];
    if (is_special(path)) {
        snprintf(why, size, "cannot write '%s': it is there and not a regular file", path);
        return EEXIST;
    }
    const int length = snprintf(unfinished, sizeof unfinished, "%s" REP_UNFINISHED, path);
    const bool fits = (size_t)length < sizeof unfinished;
    FILE *out = fits ? open_unfinished(unfinished, fresh) : NULL;
    int error = out ? 0 : fits ? errno : ENAMETOOLONG;
    if (out) {
        error = put(out, way);
        if (!error)
            error = give_name(unfinished, path, fresh);
        if (error)
            unlink(unfinished);
    }
    if (error)
        snprintf(why, size, "cannot write '%s': %s", out || !fits ? path : unfinished,
                 sim_refusal_of(error, path).text);
    return error;
}

/* What always writes. */
struct always {
    rep_write_fn *write;
    void *ctx;
};

static bool write_always(void *ctx, FILE *out)
{
    const struct always *always = ctx;
    always->write(always->ctx, out);
    return true;
}

bool rep_whole_write(const char *path, bool fresh, rep_write_fn *write, void *ctx,
                     struct rep_content *content, char *why, size_t size)
{
    struct always always = {write, ctx};
    return !write_whole(path, &(struct way){write_always, &always, fresh, content}, why, size);
}

bool rep_whole_try(const char *path, rep_try_fn *write, void *ctx, char *why, size_t size)
{
    const int error = write_whole(path, &(struct way){write, ctx, false, NULL}, why, size);
    if (error == ECANCELED)
        *why = '\0';
    return !error;
}

void rep_whole_sync(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

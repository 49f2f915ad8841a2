/*
 * Files that are there whole or not at all.
 *
 * The one hard idea: a name must never stand for half a file, wherever the program is stopped. So
 * the bytes go to a file without a name, or, where the file system has none, to another name, and
 * to the disk first. Only then does one call give the file its own name. What has no name is gone
 * when the program is, however that ends.
 */
#include "documents/whole.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

bool doc_content_of(int fd, struct doc_content *content)
{
    char block[65536];
    ssize_t n;
    XXH64_state_t *state = sim_hash_new(0);
    *content = (struct doc_content){0};
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
    doc_try_fn *write;
    void *ctx;
    bool fresh;
    struct doc_content *content; /* NULL: nobody wants to know */
};

/* The file being written: by this descriptor it gets a name; -1: it has one. */
struct unfinished {
    char name[PATH_MAX + 8], descriptor[40];
    int unnamed;
    bool named;   /* by us: the name is to go if anything fails */
    bool refused; /* the name cannot be had */
};

/* The bytes, on the disk. @return 0 or an errno; ECANCELED: there shall be no file */
static int whole_put(FILE *out, const struct way *way)
{
    int error = 0;
    errno = 0;
    if (!way->write(way->ctx, out))
        error = ECANCELED;
    else if (ferror(out) || fflush(out) != 0 || fsync(fileno(out)) < 0 ||
             (way->content && !doc_content_of(fileno(out), way->content)))
        error = errno ? errno : EIO;
    if (fclose(out) != 0 && !error)
        error = errno;
    return error;
}

/* A file without a name in the directory of one. @return -1: there are none here, or no /proc by
 * which they get one */
static int open_unnamed(struct unfinished *u)
{
    const char *slash = strrchr(u->name, '/');
    char directory[PATH_MAX + 8];
    const size_t length = slash && slash > u->name ? (size_t)(slash - u->name) : 1;
    snprintf(directory, sizeof directory, "%.*s", (int)length, slash ? u->name : ".");
    const int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    u->unnamed = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    snprintf(u->descriptor, sizeof u->descriptor, "/proc/self/fd/%d", u->unnamed);
    if (u->unnamed >= 0 && !access(u->descriptor, F_OK))
        return fd;
    if (u->unnamed >= 0)
        close(u->unnamed);
    u->unnamed = -1;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* A new file, never what a link of its name leads to. What a killed run has left is replaced,
 * unless nothing may be. */
static FILE *open_unfinished(struct unfinished *u, bool fresh)
{
    enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    int fd = open_unnamed(u);
    if (fd < 0)
        fd = open(u->name, FLAGS, 0666);
    if (fd < 0 && errno == EEXIST && !fresh && unlink(u->name) == 0)
        fd = open(u->name, FLAGS, 0666);
    u->named = fd >= 0 && u->unnamed < 0;
    u->refused = fd < 0;
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

/* What had no name gets the one of an unfinished file, for the moment until it is renamed. */
static bool name_unfinished(struct unfinished *u, bool fresh)
{
    if (u->named)
        return true;
    int bad = linkat(AT_FDCWD, u->descriptor, AT_FDCWD, u->name, AT_SYMLINK_FOLLOW);
    if (bad && errno == EEXIST && !fresh && unlink(u->name) == 0)
        bad = linkat(AT_FDCWD, u->descriptor, AT_FDCWD, u->name, AT_SYMLINK_FOLLOW);
    u->named = !bad;
    u->refused = bad;
    return !bad;
}

/* Gives the finished file its name. */
static int give_name(struct unfinished *u, const char *path, bool fresh)
{
    const char *unfinished = u->name;
    if (!name_unfinished(u, fresh))
        return errno;
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
    struct unfinished unfinished = {.unnamed = -1};
    if (is_special(path)) {
        snprintf(why, size, "cannot write '%s': it is there and not a regular file", path);
        return EEXIST;
    }
    const int length = snprintf(unfinished.name, sizeof unfinished.name, "%s" DOC_UNFINISHED, path);
    const bool fits = (size_t)length < sizeof unfinished.name;
    FILE *out = fits ? open_unfinished(&unfinished, fresh) : NULL;
    int error = out ? 0 : fits ? errno : ENAMETOOLONG;
    if (out) {
        error = whole_put(out, way);
        if (!error)
            error = give_name(&unfinished, path, fresh);
        if (error && unfinished.named)
            unlink(unfinished.name);
    }
    if (unfinished.unnamed >= 0)
        close(unfinished.unnamed);
    if (error)
        snprintf(why, size, "cannot write '%s': %s", unfinished.refused ? unfinished.name : path,
                 sim_refusal_of(error, path).text);
    return error;
}

/* What always writes. */
struct always {
    doc_write_fn *write;
    void *ctx;
};

static bool write_always(void *ctx, FILE *out)
{
    const struct always *always = ctx;
    always->write(always->ctx, out);
    return true;
}

bool doc_whole_write(const char *path, bool fresh, doc_write_fn *write, void *ctx,
                     struct doc_content *content, char *why, size_t size)
{
    struct always always = {write, ctx};
    return !write_whole(path, &(struct way){write_always, &always, fresh, content}, why, size);
}

bool doc_whole_try(const char *path, doc_try_fn *write, void *ctx, char *why, size_t size)
{
    const int error = write_whole(path, &(struct way){write, ctx, false, NULL}, why, size);
    if (error == ECANCELED)
        *why = '\0';
    return !error;
}

void doc_whole_sync(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

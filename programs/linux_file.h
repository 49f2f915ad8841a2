/* What the file handlers share. */
#ifndef PROG_LINUX_FILE_H
#define PROG_LINUX_FILE_H

#include "programs/synthetic.h"
#include "programs/syscall.h"

/** MIPS Linux open flags. */
enum {
    G_O_APPEND = 0x8,
    G_O_NONBLOCK = 0x80,
    G_O_CREAT = 0x100,
    G_O_TRUNC = 0x200,
    G_O_EXCL = 0x400,
    G_O_NOCTTY = 0x800,
    G_O_ASYNC = 0x1000,
    G_O_DIRECTORY = 0x10000,
    G_O_NOFOLLOW = 0x20000,
    G_O_CLOEXEC = 0x80000,
    G_O_PATH = 0x200000,
    G_O_TMPFILE = 0x400000,
};

/** An open file without a descriptor yet. `host` becomes its own unless `standard` is set. */
struct file *file_new(struct prog *p, enum file_kind kind, int host, uint32_t flags);
/** One descriptor less; the last one closes. */
void file_release(struct prog *p, struct file *f);
/** Gives it the lowest free descriptor from `from` on; releases a new file on -EMFILE. */
int64_t file_install(struct prog *p, struct file *f, unsigned from, bool cloexec);
int64_t file_close(struct prog *p, uint64_t fd);
/** What has no name has seals. @param sealable  more can be added */
void seals_born(struct inode *n, bool sealable);
/** F_ADD_SEALS and F_GET_SEALS. @return -EINVAL: not such a file; -EPERM, -EBUSY */
int64_t seal_fcntl(struct call *c, bool add, uint64_t seals);
/** Whether a file of `size` bytes may be written up to `end`. @return 0, -EPERM */
int64_t seals_on_write(const struct file *f, uint64_t size, uint64_t end);
/** Whether its size may change. @return 0, -EPERM */
int64_t seals_on_resize(const struct file *f, uint64_t from, uint64_t to);
/** Whether it may be mapped shared. @param stores  to be written at once
 *  @param storable  in: by the descriptor, it could be written later; out: also by its seals
 *  @return 0, -EPERM */
int64_t seals_on_map(const struct file *f, bool stores, bool *storable);
/** Sets the size of a regular file that is open for writing. */
int64_t file_resize(struct prog *p, struct file *f, uint64_t size);

/** The guest's AT_FDCWD. */
enum { PATH_CWD = -100 };

/** Follows a path as the call's program would. @param dir  descriptor a relative one starts at, or
 *  PATH_CWD. As view_find, and -EBADF, -ENOTDIR for `dir` */
int64_t path_find(struct call *c, int64_t dir, const char *path, bool follow, struct spot *s);
/** path_find; with AT_EMPTY_PATH among `flags` no path means the descriptor itself. */
int64_t path_find_at(struct call *c, int64_t dir, const char *path, uint64_t flags, bool follow,
                     struct spot *s);
/** What the host said, but its own limits end the run: a guest must not see them. */
int64_t host_says(struct prog *p, int64_t err);

/** Opens a FIFO; waits for its other end. @return a descriptor or -errno */
int64_t fifo_open(struct call *c, struct inode *n, uint32_t flags);
/** One end less of a pipe. */
void pipe_end(struct prog *p, struct file *f);

/** Position in a directory that has been listed; 0 reads it anew. */
int64_t directory_seek(struct prog *p, struct file *f, int64_t offset, uint64_t whence);
void directory_free(struct file *f);

/** Whether the file can be read from, or written to, by its flags. */
static inline bool may_read(const struct file *f)
{
    return (f->flags & 3) != 1;
}

static inline bool may_write(const struct file *f)
{
    return (f->flags & 3) != 0;
}

int64_t pipe_read(struct call *c, struct file *f, uint64_t va, uint64_t len);
int64_t pipe_write(struct call *c, struct file *f, uint64_t va, uint64_t len);
/** The same from the host's memory. */
int64_t pipe_put(struct call *c, struct file *f, const uint8_t *buf, size_t len);

#endif

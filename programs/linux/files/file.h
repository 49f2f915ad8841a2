/* What the file handlers share. */
#ifndef LX_FILE_H
#define LX_FILE_H

#include "programs/linux/process/call.h"
#include "programs/linux/view/synthetic.h"

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
struct lx_file *lx_file_new(struct lx_prog *p, enum lx_file_kind kind, int host, uint32_t flags);
/** One descriptor less; the last one closes. */
void lx_file_release(struct lx_prog *p, struct lx_file *f);
/** Gives it the lowest free descriptor from `from` on; releases a new file on -EMFILE. */
int64_t lx_file_install(struct lx_prog *p, struct lx_file *f, unsigned from, bool cloexec);
int64_t lx_file_close(struct lx_prog *p, uint64_t fd);
/** What has no name has seals. @param sealable  more can be added */
void lx_seals_born(struct lx_inode *n, bool sealable);
/** F_ADD_SEALS and F_GET_SEALS. @return -EINVAL: not such a file; -EPERM, -EBUSY */
int64_t lx_seal_fcntl(struct lx_call *c, bool add, uint64_t seals);
/** Whether a file of `size` bytes may be written up to `end`. @return 0, -EPERM */
int64_t lx_seals_on_write(const struct lx_file *f, uint64_t size, uint64_t end);
/** Whether its size may change. @return 0, -EPERM */
int64_t lx_seals_on_resize(const struct lx_file *f, uint64_t from, uint64_t to);
/** Whether it may be mapped shared. @param stores  to be written at once
 *  @param storable  in: by the descriptor, it could be written later; out: also by its seals
 *  @return 0, -EPERM */
int64_t lx_seals_on_map(const struct lx_file *f, bool stores, bool *storable);
/** Sets the size of a regular file that is open for writing. */
int64_t lx_file_resize(struct lx_call *c, struct lx_file *f, uint64_t size);

/** The guest's AT_FDCWD. */
enum { PATH_CWD = -100 };

/** Follows a path as the call's program would. @param dir  descriptor a relative one starts at, or
 *  PATH_CWD. As lx_view_find, and -EBADF, -ENOTDIR for `dir` */
int64_t lx_path_find(struct lx_call *c, int64_t dir, const char *path, bool follow,
                     struct lx_spot *s);
/** lx_path_find; with AT_EMPTY_PATH among `flags` no path means the descriptor itself. */
int64_t lx_path_find_at(struct lx_call *c, int64_t dir, const char *path, uint64_t flags,
                        bool follow, struct lx_spot *s);
/** What the host said, but its own limits end the run: a guest must not see them. */
int64_t lx_host_says(struct lx_prog *p, int64_t err);

/** Opens a FIFO; waits for its other end. @return a descriptor or -errno */
int64_t lx_fifo_open(struct lx_call *c, struct lx_inode *n, uint32_t flags);
/** One end less of a pipe. */
void lx_pipe_end(struct lx_prog *p, struct lx_file *f);

/** Position in a directory that has been listed; 0 reads it anew. */
int64_t lx_directory_seek(struct lx_prog *p, struct lx_file *f, int64_t offset, uint64_t whence);
void lx_directory_free(struct lx_prog *p, struct lx_file *f);

/** Whether the file can be read from, or written to, by its flags. */
static inline bool lx_may_read(const struct lx_file *f)
{
    return (f->flags & 3) != 1;
}

static inline bool lx_may_write(const struct lx_file *f)
{
    return (f->flags & 3) != 0;
}

int64_t lx_pipe_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
int64_t lx_pipe_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
/** The same from the host's memory. */
int64_t lx_pipe_put(struct lx_call *c, struct lx_file *f, const uint8_t *buf, size_t len);

#endif

/* What the file handlers share. */
#ifndef PROG_LINUX_FILE_H
#define PROG_LINUX_FILE_H

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

/** Host flags for open; always close-on-exec. */
int file_host_flags(uint32_t guest);

/** An open file without a descriptor yet. `host` becomes its own unless `standard` is set. */
struct file *file_new(enum file_kind kind, int host, uint32_t flags);
/** One descriptor less; the last one closes. */
void file_release(struct prog *p, struct file *f);
/** Gives it the lowest free descriptor from `from` on; releases a new file on -EMFILE. */
int64_t file_install(struct prog *p, struct file *f, unsigned from, bool cloexec);

/** Opens a file that is ours and not the host's (/proc, /sys, devices).
 *  @return a descriptor, -errno, or -ENXIO when the path is the host's business */
int64_t special_open(struct call *c, const char *path, uint32_t flags);
/** True for paths that must never reach the host: /proc, /sys. */
bool special_path(const char *path);

/** Position in a directory that has been listed; 0 reads it anew. */
int64_t directory_seek(struct file *f, int64_t offset, uint64_t whence);
void directory_free(struct file *f);

/** An inode number as the ABI can hold it: o32 programs fail on numbers above 32 bits. */
static inline uint64_t guest_inode(const struct prog *p, uint64_t ino)
{
    return p->n64 ? ino : (uint32_t)(ino ^ ino >> 32);
}

int64_t pipe_read(struct call *c, struct file *f, uint64_t va, uint64_t len);
int64_t pipe_write(struct call *c, struct file *f, uint64_t va, uint64_t len);

#endif

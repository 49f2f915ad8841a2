/*
 * Files of the host as the guest sees them: its own numbers, the simulation's dates, and none of
 * the differences between file systems.
 */
#include "programs/inode.h"

#include "base/alloc.h"
#include "programs/lock.h"
#include "programs/view.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, SECTOR = 512, USER = 1000 };

struct inode *inode_at(struct prog *p, dev_t dev, ino_t ino)
{
    const struct timespec old = {.tv_sec = PROG_EPOCH};
    struct inode_key key;
    struct inode *n;

    memset(&key, 0, sizeof key);
    key.dev = dev;
    key.ino = ino;
    HASH_FIND(hh, p->inodes, &key, sizeof key, n);
    if (n)
        return n;
    n = nm_alloc(1, sizeof *n);
    n->key = key;
    n->number = ++p->inode_count;
    n->atime = n->mtime = n->ctime = old;
    HASH_ADD(hh, p->inodes, key, sizeof key, n);
    return n;
}

struct inode *inode_of(struct prog *p, const struct stat *st)
{
    return inode_at(p, st->st_dev, st->st_ino);
}

void inodes_free(struct prog *p)
{
    struct inode *n, *tmp;

    HASH_ITER(hh, p->inodes, n, tmp)
    {
        lock_free(n);
        HASH_DEL(p->inodes, n);
        free(n);
    }
}

struct timespec inode_now(const struct prog *p)
{
    const uint64_t ns = prog_ns(p, prog_now(p));

    return (struct timespec){(time_t)(ns / 1000000000) + PROG_EPOCH, (long)(ns % 1000000000)};
}

void inode_born(struct prog *p, struct inode *n)
{
    n->number = ++p->inode_count;
    n->special = n->seals = 0;
    n->memory = false;
    n->atime = n->mtime = n->ctime = inode_now(p);
}

void inode_wrote(struct prog *p, struct inode *n)
{
    n->mtime = n->ctime = inode_now(p);
}

void inode_changed(struct prog *p, struct inode *n)
{
    n->ctime = inode_now(p);
}

void inode_chowned(struct prog *p, struct inode *n, mode_t mode)
{
    inode_changed(p, n);
    if (!S_ISDIR(mode)) /* without a right to execute, the group's bit means locks */
        n->special &= mode & S_IXGRP ? 0 : S_ISGID;
}

/** Sizes and links of directories are each file system's own. */
static void show_directory(struct stat *st)
{
    st->st_size = BLOCK;
    st->st_nlink = 1; /* as where nobody counts */
}

void inode_show(struct prog *p, struct stat *st)
{
    const struct inode *n = inode_of(p, st);

    if (S_ISDIR(st->st_mode))
        show_directory(st);
    st->st_mode |= n->special;
    st->st_uid = st->st_gid = view_owns(st) ? USER : 0;
    st->st_dev = 1;
    st->st_ino = n->number;
    st->st_rdev = 0;
    st->st_blocks = (st->st_size + BLOCK - 1) / BLOCK * (BLOCK / SECTOR);
    st->st_atim = n->atime;
    st->st_mtim = n->mtime;
    st->st_ctim = n->ctime;
}

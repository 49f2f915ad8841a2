/*
 * Files of the host as the guest sees them: its own numbers, the simulation's dates, and none of
 * the differences between file systems.
 */
#include "programs/linux/files/inode.h"

#include "base/alloc.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/lock.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { BLOCK = 4096, SECTOR = 512, USER = 1000 };

struct lx_inode *lx_inode_known(struct lx_prog *p, dev_t dev, ino_t ino)
{
    struct lx_inode_key key;
    struct lx_inode *n;

    memset(&key, 0, sizeof key);
    key.dev = dev;
    key.ino = ino;
    HASH_FIND(hh, p->inodes, &key, sizeof key, n);
    return n;
}

struct lx_inode *lx_inode_at(struct lx_prog *p, dev_t dev, ino_t ino)
{
    const struct timespec old = {.tv_sec = LX_EPOCH};
    struct lx_inode *n = lx_inode_known(p, dev, ino);

    if (n)
        return n;
    n = sim_alloc(1, sizeof *n);
    n->key.dev = dev;
    n->key.ino = ino;
    n->number = ++p->inode_count;
    n->atime = n->mtime = n->ctime = old;
    HASH_ADD(hh, p->inodes, key, sizeof n->key, n);
    return n;
}

struct lx_inode *lx_inode_of(struct lx_prog *p, const struct stat *st)
{
    return lx_inode_at(p, st->st_dev, st->st_ino);
}

bool lx_inode_may_name(const struct lx_prog *p)
{
    return lx_room(p) >= LX_NAME_BYTES;
}

void lx_inode_named(struct lx_prog *p, struct lx_inode *n)
{
    n->names += lx_keep(p, LX_NAME_BYTES);
}

/** It has not more than `most` names. */
static void drop_names(struct lx_prog *p, struct lx_inode *n, uint64_t most)
{
    if (n->names <= most)
        return;
    lx_give_back(p, (n->names - most) * LX_NAME_BYTES);
    n->names = most;
}

static void inode_forget(struct lx_prog *p, struct lx_inode *n)
{
    lx_lock_free(p, n);
    drop_names(p, n, 0);
    lx_give_back(p, n->kept);
    HASH_DEL(p->inodes, n);
    free(n);
}

void lx_inodes_free(struct lx_prog *p)
{
    struct lx_inode *n, *tmp;

    HASH_ITER(hh, p->inodes, n, tmp)
        inode_forget(p, n);
}

struct timespec lx_inode_now(const struct lx_prog *p)
{
    const uint64_t ns = lx_ns(p, lx_now(p));

    return (struct timespec){(time_t)(ns / 1000000000) + LX_EPOCH, (long)(ns % 1000000000)};
}

void lx_inode_born(struct lx_prog *p, struct lx_inode *n)
{
    lx_inode_sized(p, n, 0);
    drop_names(p, n, 0);
    n->number = ++p->inode_count;
    n->special = n->seals = 0;
    n->memory = n->nameless = n->counted = false;
    n->made = true;
    n->atime = n->mtime = n->ctime = lx_inode_now(p);
}

void lx_inode_wrote(struct lx_prog *p, struct lx_inode *n)
{
    n->mtime = n->ctime = lx_inode_now(p);
}

void lx_inode_changed(struct lx_prog *p, struct lx_inode *n)
{
    n->ctime = lx_inode_now(p);
}

void lx_inode_unset_id(struct lx_inode *n, mode_t mode)
{
    if (!S_ISDIR(mode)) /* without a right to execute, the group's bit means locks */
        n->special &= (mode | n->special) & S_IXGRP ? 0777 : 0777 | S_ISGID;
}

unsigned lx_inode_may_execute(struct lx_prog *p, const struct stat *st)
{
    const struct lx_inode *n = lx_inode_known(p, st->st_dev, st->st_ino);

    return n && lx_view_owns(st) ? n->special >> 6 & 1 : 0;
}

uint64_t lx_inode_extend(struct lx_prog *p, struct lx_inode *n, uint64_t end)
{
    if (!n->counted || end <= n->kept)
        return end;
    if (end - n->kept > lx_room(p))
        end = n->kept + lx_room(p);
    lx_keep(p, end - n->kept);
    n->kept = end;
    return end;
}

void lx_inode_sized(struct lx_prog *p, struct lx_inode *n, uint64_t size)
{
    if (!n->counted || size > n->kept) /* somebody else's doing */
        return;
    lx_give_back(p, n->kept - size);
    n->kept = size;
}

/** Whether it is open, mapped, or where the program is. */
static bool in_use(const struct lx_prog *p, const struct lx_inode *n)
{
    const struct lx_file *f;

    if (n->fifo || (p->cwd->st.st_ino == n->key.ino && p->cwd->st.st_dev == n->key.dev))
        return true;
    DL_FOREACH(p->files, f)
        if (f->inode == n)
            return true;
    return lx_vm_file_mapped(&p->vm, n->key.dev, n->key.ino);
}

void lx_inode_left(struct lx_prog *p, struct lx_inode *n)
{
    if (n->nameless && !in_use(p, n))
        inode_forget(p, n);
}

void lx_inode_unlinked(struct lx_prog *p, struct lx_inode *n, uint64_t links)
{
    lx_inode_changed(p, n);
    n->nameless = links <= 1;
    drop_names(p, n, n->nameless ? 1 : links - 1);
    lx_inode_left(p, n);
}

/** Sizes and links of directories are each file system's own. */
static void show_directory(struct stat *st)
{
    st->st_size = BLOCK;
    st->st_nlink = st->st_nlink > 0; /* as where nobody counts */
}

void lx_inode_show_size(struct stat *st, off_t size)
{
    st->st_size = size;
    st->st_blocks = (size + BLOCK - 1) / BLOCK * (BLOCK / SECTOR);
}

void lx_inode_show(struct lx_prog *p, struct stat *st)
{
    const struct lx_inode *n = lx_inode_of(p, st);

    if (S_ISDIR(st->st_mode))
        show_directory(st);
    st->st_mode |= n->special;
    st->st_uid = st->st_gid = lx_view_owns(st) ? USER : 0;
    st->st_dev = LX_DEV_HOST;
    st->st_ino = n->number;
    st->st_rdev = 0;
    lx_inode_show_size(st, st->st_size);
    st->st_atim = n->atime;
    st->st_mtim = n->mtime;
    st->st_ctim = n->ctime;
}

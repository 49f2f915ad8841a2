/*
 * What the simulator knows about a file of the host beside its bytes: the number and the dates the
 * guest sees, its locks, and the pipe behind a FIFO.
 *
 * Numbers go by first sight, and dates are simulated: what the guest has not touched is as old as
 * the machine's clock. So nothing a program can ask of a file depends on the host or the day.
 */
#ifndef LX_INODE_H
#define LX_INODE_H

#include "programs/linux/process/process.h"

#include "base/alloc.h" /* before uthash: what it does without memory */
#include <sys/stat.h>

#include <uthash.h>

/** [bytes] What is put aside for a name in a private directory, and for a file without one: a block
 * of the host's file systems, which is what a folder's first name or the text of a symbolic link
 * takes there. All else that a name takes, there and here, is less. */
enum { LX_NAME_BYTES = 4096 };
/** st_dev of all files of the host. */
enum { LX_DEV_HOST = 1 };

struct lx_inode_key {
    dev_t dev;
    ino_t ino;
};

struct lx_inode {
    struct lx_inode_key key;
    UT_hash_handle hh;
    uint64_t number; /**< from 1 */
    struct timespec atime, mtime, ctime;
    bool memory;          /**< made by memfd_create */
    bool nameless;        /**< goes when it is closed and unmapped for the last time */
    bool counted;         /**< its bytes are put aside (lx_keep): */
    uint64_t kept;        /**< ... so many */
    uint64_t names;       /**< for which LX_NAME_BYTES each are put aside */
    unsigned seals;       /**< what may not be done to it (seal.c) */
    bool made;            /**< by the guest */
    unsigned special;     /**< bits of its mode that the guest sees and the host does not get */
    struct lx_pipe *fifo; /**< NULL: nobody has it open */
    struct lock *locks;   /**< lock.c */
};

/** What is known of a file; remembered from now on, with the old dates at first sight. */
struct lx_inode *lx_inode_of(struct lx_prog *p, const struct stat *st);
/** The same for a name in a listing. */
struct lx_inode *lx_inode_at(struct lx_prog *p, dev_t dev, ino_t ino);
/** NULL: nobody has looked at it. */
struct lx_inode *lx_inode_known(struct lx_prog *p, dev_t dev, ino_t ino);
void lx_inodes_free(struct lx_prog *p);

/** The simulated date. */
struct timespec lx_inode_now(const struct lx_prog *p);
/** The bit of a mode that lets the guest execute a file, if the host has not got it. */
unsigned lx_inode_may_execute(struct lx_prog *p, const struct stat *st);
/** It is new: nothing said of an earlier file of its number holds. */
void lx_inode_born(struct lx_prog *p, struct lx_inode *n);
/** Its bytes or, of a directory, names have changed. */
void lx_inode_wrote(struct lx_prog *p, struct lx_inode *n);
/** Something else about it has changed. */
void lx_inode_changed(struct lx_prog *p, struct lx_inode *n);

/** A counted file is about to have bytes up to `end`: puts aside what it takes, as far as there is
 *  room. @return how far; `end` of others */
uint64_t lx_inode_extend(struct lx_prog *p, struct lx_inode *n, uint64_t end);
/** It has `size` bytes, not more than were put aside. */
void lx_inode_sized(struct lx_prog *p, struct lx_inode *n, uint64_t size);
/** Whether a name, or a file without one, can be put aside. */
bool lx_inode_may_name(const struct lx_prog *p);
/** It has got a name in a private directory, or will never have one: puts that aside. There is room
 *  for it. */
void lx_inode_named(struct lx_prog *p, struct lx_inode *n);
/** It has lost a name of `links`. What was put aside for the last one goes with the file. */
void lx_inode_unlinked(struct lx_prog *p, struct lx_inode *n, uint64_t links);
/** It was closed or unmapped: without a name, and open and mapped no more, it is forgotten. */
void lx_inode_left(struct lx_prog *p, struct lx_inode *n);

/** Its bytes, its size or its owner have been set: a file loses set-id bits, but for the group's
 *  where the group may not execute it. @param mode  the host's */
void lx_inode_unset_id(struct lx_inode *n, mode_t mode);

/** A size, and the blocks that go with it. */
void lx_inode_show_size(struct stat *st, off_t size);
/** Turns what the host says of a file into what the guest sees. */
void lx_inode_show(struct lx_prog *p, struct stat *st);

#endif

/*
 * What the simulator knows about a file of the host beside its bytes: the number and the dates the
 * guest sees, its locks, and the pipe behind a FIFO.
 *
 * Numbers go by first sight, and dates are simulated: what the guest has not touched is as old as
 * the machine's clock. So nothing a program can ask of a file depends on the host or the day.
 */
#ifndef PROG_INODE_H
#define PROG_INODE_H

#include "programs/linux.h"

#include "base/alloc.h" /* before uthash: what it does without memory */
#include <sys/stat.h>

#include <uthash.h>

struct inode_key {
    dev_t dev;
    ino_t ino;
};

struct inode {
    struct inode_key key;
    UT_hash_handle hh;
    uint64_t number; /**< from 1 */
    struct timespec atime, mtime, ctime;
    bool memory;        /**< made by memfd_create */
    unsigned seals;     /**< what may not be done to it (linux_seal.c) */
    unsigned special;   /**< set-id bits: the guest sees them, the host does not get them */
    struct pipe *fifo;  /**< NULL: nobody has it open */
    struct lock *locks; /**< linux_lock.c */
};

/** What is known of a file; remembered from now on, with the old dates at first sight. */
struct inode *inode_of(struct prog *p, const struct stat *st);
/** The same for a name in a listing. */
struct inode *inode_at(struct prog *p, dev_t dev, ino_t ino);
void inodes_free(struct prog *p);

/** The simulated date. */
struct timespec inode_now(const struct prog *p);
/** It is new: nothing said of an earlier file of its number holds. */
void inode_born(struct prog *p, struct inode *n);
/** Its bytes or, of a directory, names have changed. */
void inode_wrote(struct prog *p, struct inode *n);
/** Something else about it has changed. */
void inode_changed(struct prog *p, struct inode *n);

/** Its owner has been set, if only to what it is: it loses set-id bits. @param mode  the host's */
void inode_chowned(struct prog *p, struct inode *n, mode_t mode);

/** Turns what the host says of a file into what the guest sees. */
void inode_show(struct prog *p, struct stat *st);

#endif

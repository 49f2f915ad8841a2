/* Files that exist only in the view: what C libraries read in /proc, /sys, /dev and /etc. */
#ifndef LX_SYNTHETIC_H
#define LX_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lx_prog;

enum lx_synthetic_kind {
    SYN_TEXT, /**< written when read from its beginning */
    SYN_NULL,
    SYN_ZERO,
    SYN_FULL,
    SYN_RANDOM,
    SYN_DEVICE,  /**< /dev/numachine/ */
    SYN_EXE,     /**< the link to the program itself ... */
    SYN_PROGRAM, /**< ... and that, by the path that the link says: in no row */
    SYN_FD,      /**< one of the program's open files */
    SYN_LINK,    /**< to the path that it writes */
    SYN_SELF,    /**< the same, and followed it is the directory of its rows */
    SYN_NAME,    /**< a thread's name: may be written */
    SYN_PROCESS  /**< a process, as IRIX has it: its number may have leading zeros */
};

struct lx_synthetic {
    const char *path; /**< "#" stands for a number */
    enum lx_synthetic_kind kind;
    unsigned number;                             /**< where there is no "#": which */
    void (*write)(struct lx_prog *p, FILE *out); /**< SYN_TEXT, SYN_LINK, SYN_SELF, or ... */
    /** ... its text, and SYN_NAME's, of a number; false: none. `out` NULL: only whether. */
    bool (*of)(struct lx_prog *p, unsigned number, FILE *out);
};

/* The program's directory in /proc has several names: all find the rows of /proc/self. */

/** The row of a path, or NULL. @param[out] number  what stands for "#" */
const struct lx_synthetic *lx_synthetic_find(const char *path, unsigned *number);
/** Whether it is a directory of one. */
bool lx_synthetic_above(const char *path);
/** The i-th row, NULL after the last. */
const struct lx_synthetic *lx_synthetic_row(size_t i);
/** What follows a directory in the i-th row's path, from '/' on; NULL: it lies elsewhere. */
const char *lx_synthetic_beneath(size_t i, const char *dir);
/** The first row beneath a directory whose path has a number, and what it stands for. @return NULL:
 *  none has */
const struct lx_synthetic *lx_synthetic_within(const char *dir, unsigned *number);

#endif

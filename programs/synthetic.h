/* Files that exist only in the view: what C libraries read in /proc, /sys, /dev and /etc. */
#ifndef PROG_SYNTHETIC_H
#define PROG_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct prog;

enum synthetic_kind {
    SYN_TEXT, /**< written when opened */
    SYN_NULL,
    SYN_ZERO,
    SYN_RANDOM,
    SYN_DEVICE, /**< /dev/numachine/ */
    SYN_EXE,    /**< the program itself */
    SYN_FD,     /**< one of the program's open files */
};

struct synthetic {
    const char *path; /**< "#" at its end stands for a number */
    enum synthetic_kind kind;
    unsigned number;                          /**< SYN_FD without "#": which */
    void (*write)(struct prog *p, FILE *out); /**< SYN_TEXT */
};

/** The row of a path, or NULL. @param[out] number  what stands for "#" */
const struct synthetic *synthetic_find(const char *path, unsigned *number);
/** Whether it is a directory of one. */
bool synthetic_above(const char *path);
/** The i-th row's path, NULL after the last. */
const char *synthetic_path(size_t i);

#endif

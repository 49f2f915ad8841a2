/*
 * By what a file that was looked at is known again without being read.
 *
 * The one hard idea: a file system's clock has ticks, and a file can change twice within one. Who
 * has read it in between would take the second state for the first. So a file must have been left
 * alone for longer than any such tick.
 */
#include "programs/stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SETTLED = 3 /**< [s] design: FAT's clock has the longest tick, 2 s */ };

void prog_stamp_of(const char *path, struct prog_stamp *stamp)
{
    struct stat st;
    *stamp = (struct prog_stamp){"-"};
    if (stat(path, &st) != 0 || st.st_ctim.tv_sec > time(NULL) - SETTLED)
        return;
    snprintf(stamp->text, sizeof stamp->text, "%jx.%jx.%jx.%jx.%lx.%jx.%lx", (uintmax_t)st.st_dev,
             (uintmax_t)st.st_ino, (uintmax_t)st.st_size, (uintmax_t)st.st_mtim.tv_sec,
             (unsigned long)st.st_mtim.tv_nsec, (uintmax_t)st.st_ctim.tv_sec,
             (unsigned long)st.st_ctim.tv_nsec);
}

bool prog_stamp_holds(const struct prog_stamp *before, const struct prog_stamp *after)
{
    return strcmp(before->text, "-") != 0 && !strcmp(before->text, after->text);
}

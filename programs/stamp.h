/* By what a file that was looked at is known again without being read. */
#ifndef PROG_STAMP_H
#define PROG_STAMP_H

#include <stdbool.h>

/** A file's place, size and times as its file system has them, as a text without blanks; "-": not
 * to be known again. */
struct prog_stamp {
    char text[128];
};

/**
 * The stamp of a file now. A write, a replacement or a touch of the file changes it: the time of
 * its status cannot be set back. A file that has changed within the last seconds has "-", because
 * it may change once more without another time; so has one that cannot be looked at.
 */
void prog_stamp_of(const char *path, struct prog_stamp *stamp);

/** Whether a file had one stamp before and after it was read, and is the same whenever it has it
 * again. */
bool prog_stamp_holds(const struct prog_stamp *before, const struct prog_stamp *after);

#endif

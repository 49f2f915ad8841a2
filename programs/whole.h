/* A regular file, read as a whole. */
#ifndef PROG_WHOLE_H
#define PROG_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

struct prog_whole {
    char *bytes; /**< with a 0 behind them; allocated, the caller frees; NULL: not read */
    size_t count;
};

/** @return false, with nothing allocated, when it is no regular file, larger than 1 GiB, or cannot
 * be read */
bool prog_whole_read(const char *path, struct prog_whole *whole);

#endif

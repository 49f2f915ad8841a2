/*
 * Doubles: copies of what a guest may change on the host, for a run that has been before and is to
 * change nothing now. They lie in the run's private directories and go with them.
 */
#ifndef PROG_DOUBLE_H
#define PROG_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>

/** One; zero is none. */
struct prog_double {
    char *of; /**< the host's absolute path, without links; owned */
    char *as; /**< the copy's; NULL: it would be too large, and nothing may change. Owned */
};

/** Zero is none. */
struct prog_doubles {
    struct prog_double *of; /**< [count] none in another */
    size_t count;
};

/** Copies files and directories, those that lie in others with them.
 *  @param host  [count] absolute paths without links
 *  @param in    the directory of the host where copies come, which is in none of them
 *  @return 0 or -errno; prog_doubles_free is due in any case */
int prog_doubles_make(struct prog_doubles *d, char *const *host, size_t count, const char *in);
/** Forgets them; their files stay. */
void prog_doubles_free(struct prog_doubles *d);

/** Where a path of the host's is meant.
 *  @param[in,out] path  owned by the caller; replaced if it is in a double
 *  @return false: it lies in what would be too large a copy */
bool prog_doubles_find(const struct prog_doubles *d, char **path);

#endif

/*
 * Source text of a program, as its files have it today.
 */
#ifndef REP_SOURCE_H
#define REP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/** A file of source text. */
struct rep_source {
    const char *path;
    const char *why; /**< it cannot be read: why. NULL: it is */
    bool newer;      /**< it was changed after the run */
    bool told;       /**< the reader's, false at first */

    /* its own */
    char **line; /* [lines] */
    size_t lines;
    char *text;
};

/** Files that have been asked for. Zero and `ran` is a good start; rep_sources_free releases it. */
struct rep_sources {
    struct timespec ran;      /**< what was changed after it is newer */
    struct rep_source **file; /**< [files] in the order in which they were asked for */
    size_t files;
};

/** A file by name, which must stay where it is; the sources' */
struct rep_source *rep_source_get(struct rep_sources *sources, const char *path);

/** @param line  from 1 on @return NULL: there is none */
const char *rep_source_line(const struct rep_source *source, unsigned line);

void rep_sources_free(struct rep_sources *sources);

#endif

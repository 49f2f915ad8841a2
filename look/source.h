/*
 * Source text of a program, as its files have it today.
 */
#ifndef LOOK_SOURCE_H
#define LOOK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/** A file of source text. */
struct look_source {
    const char *path;
    const char *why; /**< it cannot be read: why. NULL: it is */
    bool newer;      /**< it was changed after the run */
    bool told;       /**< the reader's, false at first */

    /* its own */
    char **line; /* [lines] */
    size_t lines;
    char *text;
};

/** Files that have been asked for. Zero and `ran` is a good start; look_sources_free releases it.
 */
struct look_sources {
    struct timespec ran;       /**< what was changed after it is newer */
    struct look_source **file; /**< [files] in the order in which they were asked for */
    size_t files;
};

/** A file by name, which must stay where it is; the sources' */
struct look_source *look_source_get(struct look_sources *sources, const char *path);

/** @param line  from 1 on @return NULL: there is none */
const char *look_source_line(const struct look_source *source, unsigned line);

void look_sources_free(struct look_sources *sources);

#endif

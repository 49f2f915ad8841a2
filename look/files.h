/*
 * Files of source text by name: which are the program's own, and where they are today.
 */
#ifndef LOOK_FILES_H
#define LOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>

/** What the user says of files. Zero is nothing. Each NULL-terminated, or NULL. */
struct look_files {
    char *const *system; /**< folders of files that are not the program's own, in place of those of
                              look/system.def; a first "+" says beside them, "none" that there are
                              none */
    char *const *debug;  /**< folders with debugging information */
    char *const *moved;  /**< "FROM=TO": what was in FROM when the program was compiled is in TO */
};

/** @return false with one sentence in `why`: something that cannot be meant */
bool look_files_check(const struct look_files *files, char *why, size_t size);

/** Whether a file is not the program's own. @param file  NULL: not known, and the program's */
bool look_files_system(const struct look_files *files, const char *file);

/** Where a file is today; the caller's. @return NULL: where it was */
char *look_files_moved(const struct look_files *files, const char *file);

#endif

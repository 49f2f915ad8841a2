/*
 * The shipped files: configs/, experiments/, monitor/groups/. They are found from any current
 * directory, in the tree as in the place it was installed to.
 */
#ifndef IN_HOME_H
#define IN_HOME_H

#include <stdbool.h>

/**
 * Path of a shipped file, for example in_home_path("configs/%s.yaml", name). It begins with
 * $NUMACHINE_HOME; else with share/numachine/ in the nearest folder above the program, or above the
 * shared library this is part of; else with where that was configured to be installed. Allocated.
 */
char *in_home_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** What is wrong with $NUMACHINE_HOME, if it is set: which folder, why, and the mend, in one line.
 *  Allocated; NULL: nothing. */
char *in_home_wrong(void);

/** Directories that are this program's own: of the shipped files, of itself, and of its build.
 *  NULL-terminated and allocated (in_free_list). */
char **in_home_own(void);

/** Names of the files of a shipped directory that end in `suffix`, without it, sorted;
 *  NULL-terminated and allocated (in_free_list), NULL when there are none. */
char **in_home_names(const char *directory, const char *suffix);

/** File name without directory and suffix. Allocated. */
char *in_base_name(const char *path);

#endif

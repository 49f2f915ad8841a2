/* The shipped files: configs/, experiments/. Found whatever the current directory is. */
#ifndef IN_HOME_H
#define IN_HOME_H

#include <stdbool.h>

/** Directory of the project: $NUMACHINE_HOME, else where the program was built from. Static. */
const char *in_home(void);

/** Path of a shipped file, for example in_home_path("configs/%s.yaml", name). Allocated. */
char *in_home_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Names of the files of a shipped directory that end in `suffix`, without it, sorted;
 *  NULL-terminated and allocated (in_free_list), NULL when there are none. */
char **in_home_names(const char *directory, const char *suffix);

/** File name without directory and suffix. Allocated. */
char *in_base_name(const char *path);

#endif

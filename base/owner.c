/*
 * Why nothing can be written somewhere: often because root has been there before, or somebody else.
 */
#include "base/owner.h"

#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Puts the nearest directory above that is there in place of the path. @return whether there is
 * one */
static bool find_directory(char *path, struct stat *st)
{
    const char *above;

    do {
        above = dirname(path);
        memmove(path, above, strlen(above) + 1);
        if (stat(path, st) == 0)
            return true;
    } while (errno == ENOENT && strcmp(path, "/") != 0);
    return false;
}

struct sim_refusal sim_refusal_of(int error, const char *path)
{
    struct sim_refusal refusal;
    struct stat st;
    char directory[256];

    snprintf(refusal.text, sizeof refusal.text, "%s", strerror(error));
    if ((error == EACCES || error == EPERM) &&
        snprintf(directory, sizeof directory, "%s", path) < (int)sizeof directory &&
        find_directory(directory, &st) && st.st_uid != geteuid()) {
        const struct passwd *user = getpwuid(st.st_uid);
        snprintf(refusal.text, sizeof refusal.text,
                 "%s: '%s' belongs to %s (user %u), and you are user %u; choose a directory of "
                 "your own, or have "
                 "that one given to you (chown)",
                 strerror(error), directory, user ? user->pw_name : "somebody", (unsigned)st.st_uid,
                 (unsigned)geteuid());
    }
    return refusal;
}

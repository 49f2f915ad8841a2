/*
 * Where the shipped files are: beside the program's source, unless the user says otherwise.
 */
#include "input/home.h"

#include "base/alloc.h"
#include "input/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *in_home(void)
{
    const char *home = getenv("NUMACHINE_HOME");
    return home && *home ? home : NM_HOME;
}

char *in_home_path(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *sub = nm_vformat(format, ap);
    va_end(ap);
    char *path = nm_format("%s/%s", in_home(), sub);
    free(sub);
    return path;
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char **in_home_names(const char *directory, const char *suffix)
{
    struct dirent **entries;
    char **names = NULL;
    char *path = in_home_path("%s", directory);
    const int n = scandir(path, &entries, NULL, by_bytes);
    if (n < 0 && errno == ENOMEM)
        nm_no_memory();
    for (int i = 0; i < n; i++) {
        char *name = entries[i]->d_name;
        if (name[0] != '.' && ends_in(name, suffix)) {
            name[strlen(name) - strlen(suffix)] = '\0';
            in_push(&names, name);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    free(path);
    return names;
}

char *in_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = in_strdup(slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

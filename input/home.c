/*
 * Where the shipped files are.
 *
 * The one hard idea: an installed program may be moved with its files, so it looks from where it is
 * itself: PREFIX/bin/numachine and PREFIX/lib/ARCH/libnumachine.so find PREFIX/share/numachine. A
 * build directory has a link of that name to the tree (meson.build), so that there is one rule.
 */
#include "input/home.h"

#include "base/alloc.h"
#include "input/datadir.h"
#include "input/yaml.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* realpath. Allocated; NULL: there is none. */
static char *real(const char *path)
{
    char *found = realpath(path, NULL);
    if (!found && errno == ENOMEM)
        sim_no_memory();
    return found;
}

/* Path of the program, or of the shared library that has this. Allocated; NULL: unknown. */
static char *own_path(void)
{
    Dl_info info;
    void *map = NULL;
    const bool known =
        dladdr1((const void *)(uintptr_t)own_path, &info, &map, RTLD_DL_LINKMAP) && map;
    const char *name = known ? ((const struct link_map *)map)->l_name : ""; /* "": the program */
    return real(*name ? name : "/proc/self/exe");
}

/* Directory of the shipped files. Allocated. */
static char *home_of_files(void)
{
    const char *given = getenv("NUMACHINE_HOME");
    if (given && *given)
        return sim_strdup(given);
    char *path = own_path(), *home = NULL;
    for (char *slash; !home && path && (slash = strrchr(path, '/'));) {
        *slash = '\0';
        char *below = sim_format("%s/share/numachine", path);
        home = real(below);
        free(below);
    }
    free(path);
    return home ? home : sim_strdup(NM_DATADIR);
}

char *in_home_path(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *sub = sim_vformat(format, ap);
    va_end(ap);
    char *home = home_of_files(), *path = sim_format("%s/%s", home, sub);
    free(home);
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
        sim_no_memory();
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

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
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* realpath. Allocated; NULL: there is none. */
static char *home_real(const char *path)
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
    return home_real(*name ? name : "/proc/self/exe");
}

/* What $NUMACHINE_HOME names; NULL: it does not name anything. */
static const char *given_home(void)
{
    const char *given = getenv("NUMACHINE_HOME");
    return given && *given ? given : NULL;
}

/* Directory of the shipped files by where the program is. Allocated. */
static char *home_of_program(void)
{
    char *path = own_path(), *home = NULL;
    for (char *slash; !home && path && (slash = strrchr(path, '/'));) {
        *slash = '\0';
        char *below = sim_format("%s/share/numachine", path);
        home = home_real(below);
        free(below);
    }
    free(path);
    return home ? home : sim_strdup(NM_DATADIR);
}

/* Directory of the shipped files. Allocated. */
static char *home_of_files(void)
{
    const char *given = given_home();
    return given ? sim_strdup(given) : home_of_program();
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

/* Why a folder cannot be read; 0: it can. */
static int no_folder(const char *path)
{
    DIR *folder = opendir(path);
    const int why = folder ? 0 : errno;
    if (folder)
        closedir(folder);
    return why;
}

char *in_home_wrong(void)
{
    if (!given_home())
        return NULL;
    char *home = home_of_files(), *configs = in_home_path("configs"), *wrong = NULL;
    const char *bad = no_folder(home) ? home : configs;
    const int why = no_folder(bad);
    if (why)
        wrong = sim_format("NUMACHINE_HOME: '%s': %s; unset NUMACHINE_HOME, or let it name a "
                           "folder with configs/, experiments/ and monitor/groups/",
                           bad, strerror(why));
    free(home);
    free(configs);
    return wrong;
}

char **in_home_own(void)
{
    char **list = NULL;
    char *home = home_of_program(), *self = own_path(), *slash = self ? strrchr(self, '/') : NULL;
    in_push(&list, home);
    if (given_home())
        in_push(&list, given_home());
    if (slash) {
        *slash = '\0';
        char *build = sim_format("%s/..", self), *file = sim_format("%s/build.ninja", build);
        in_push(&list, self);
        if (!access(file, F_OK))
            in_push(&list, build);
        free(build);
        free(file);
    }
    free(home);
    free(self);
    return list;
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

/*
 * What others trust in the directory where a guest works.
 *
 * The hard idea: whoever started the simulator will go on working there, with git, a shell and this
 * program. So a guest must not write what these obey. A directory is known by what it is or holds,
 * not by its name alone, and git takes any directory for its own that has a HEAD; so none is made.
 */
#include "programs/linux/view/guard.h"
#include "programs/host.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
    const char *file, *mend;
} guard_rows[GUARD__COUNT] = {
#define GUARD(name, file, mend) [GUARD_##name] = {file, mend},
#include "programs/linux/view/guards.def"
#undef GUARD
};

/* A directory that has all of these is one of ... */
static const struct mark {
    const char *name[3];
    enum lx_guard guard;
} marks[] = {
    {{"manifest.json", "config.resolved.yaml"}, GUARD_RESULTS},
    {{"sweep.json", "points"}, GUARD_RESULTS},
    {{"collected.json"}, GUARD_RESULTS},
    {{"HEAD", "objects", "refs"}, GUARD_GIT},
    {{"HEAD", "commondir"}, GUARD_GIT},
};

static bool guard_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

void lx_guards_know(struct lx_guards *g, const char *const *tool)
{
    const char *home = getenv("HOME");
    size_t n = 0;

    while (tool && tool[n])
        n++;
    g->tool = sim_alloc(n + 1, sizeof *g->tool);
    for (size_t i = 0; i < n; i++)
        g->tools += stat(tool[i], &g->tool[g->tools]) == 0;
    g->at_home = home && *home == '/' && stat(home, &g->home) == 0;
}

void lx_guards_free(struct lx_guards *g)
{
    free(g->tool);
}

static bool has_all(int directory, const struct mark *m)
{
    for (size_t i = 0; i < sizeof m->name / sizeof *m->name && m->name[i]; i++)
        if (prog_host_faccessat(directory, m->name[i], F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
    return true;
}

/** What its names make of a directory. */
static enum lx_guard marked(int fd)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has_all(fd, &marks[i]))
            return marks[i].guard;
    return GUARD_WORKS;
}

static enum lx_guard of_directory(const struct lx_guards *g, int fd, const struct stat *st)
{
    for (size_t i = 0; i < g->tools; i++)
        if (guard_is_same(&g->tool[i], st))
            return GUARD_TOOL;
    return marked(fd);
}

enum lx_guard lx_guard_of(const struct lx_guards *g, enum lx_guard around, const struct stat *in,
                          const char *name, int fd, const struct stat *st)
{
    if (around == GUARD_GIVEN && fd >= 0 && S_ISDIR(st->st_mode))
        return marked(fd) == GUARD_RESULTS ? GUARD_RESULTS : GUARD_GIVEN;
    if (around != GUARD_WORKS)
        return around;
    if (strncasecmp(name, ".git", 4) == 0 || strcmp(name, "HEAD") == 0)
        return GUARD_GIT;
    if (name[0] == '.' && g->at_home && guard_is_same(in, &g->home))
        return GUARD_HIDDEN;
    if (fd >= 0 && S_ISDIR(st->st_mode))
        return of_directory(g, fd, st);
    if (fd >= 0 && S_ISREG(st->st_mode) && st->st_mode & 0111)
        return GUARD_EXECUTABLE;
    return GUARD_WORKS;
}

/** Looks at a directory of the path, and puts it in the place of the one above. */
static enum lx_guard go_down(const struct lx_guards *g, enum lx_guard guard, int *fd,
                             struct stat *at, const char *name)
{
    const int next = prog_host_openat(*fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
    struct stat st;

    if (next >= 0 && prog_host_fstat(next, &st) == 0) {
        guard = lx_guard_of(g, guard, at, name, next, &st);
        *at = st;
    }
    prog_host_close(*fd);
    *fd = next;
    return guard;
}

enum lx_guard lx_guard_beneath(const struct lx_guards *g, const char *top, const char *path)
{
    enum lx_guard guard = top ? GUARD_GIVEN : GUARD_WORKS;
    char *copy = sim_strdup(path + (top ? strlen(top) : 0)), *rest = copy;
    struct stat at;
    int fd = prog_host_open(top ? top : "/", O_PATH | O_CLOEXEC, 0);

    if (fd >= 0 && prog_host_fstat(fd, &at) == 0 && !top)
        guard = of_directory(g, fd, &at);
    for (char *name; fd >= 0 && guard <= GUARD_WORKS && (name = strsep(&rest, "/"));)
        if (*name)
            guard = go_down(g, guard, &fd, &at, name);
    prog_host_close(fd);
    free(copy);
    return guard;
}

const char *lx_guard_file(enum lx_guard guard)
{
    return guard_rows[guard].file;
}

const char *lx_guard_mend(enum lx_guard guard)
{
    return guard_rows[guard].mend;
}

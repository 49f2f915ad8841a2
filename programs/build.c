/*
 * Runs the cross compiler.
 *
 * The one hard idea: the executable is an input of a deterministic run, so nothing of this host may
 * get into it. Paths are mapped away, the build id is left out, the date is the epoch, the locale
 * is C, and the compiler sees an environment of our own making.
 */
#include "programs/build.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ARGS_MAX = 4200,  /**< arguments of the compiler, NULL included */
    LOG_SHOWN = 16384 /**< [bytes] of the compiler's words */
};

/** A binary interface and who compiles for it. */
static const struct compiler {
    const char *abi, *command, *package;
} compilers[] = {
    {"o32", "mips-linux-gnu-gcc", "gcc-mips-linux-gnu"},
    {"n64", "mips64-linux-gnuabi64-gcc", "gcc-mips64-linux-gnuabi64"},
};

static const struct compiler *find_compiler(const char *abi)
{
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++)
        if (!strcmp(compilers[i].abi, abi))
            return &compilers[i];
    return NULL;
}

/** Paths of one build. All allocated. */
struct paths {
    char *home;      /**< absolute directory of the source: the compiler runs there */
    char *name;      /**< the source within it; "./" in front, so that it is never a flag */
    char *directory; /**< absolute */
    char *output, *log;
    char *include; /**< absolute, or NULL */
};

/** The executable's name: the source's without its suffix. */
static char *output_path(const char *directory, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? sim_format("%s/%.*s", directory, (int)(dot - name), name)
                              : sim_format("%s/%s.out", directory, name);
}

/** @return false when a directory does not exist */
static bool find_paths(struct paths *p, const struct prog_build *what)
{
    const char *slash = strrchr(what->source, '/');
    const char *name = slash ? slash + 1 : what->source;
    char *home =
        slash ? sim_format("%.*s/", (int)(slash - what->source), what->source) : sim_format(".");
    *p = (struct paths){.home = realpath(home, NULL),
                        .name = sim_format("./%s", name),
                        .directory = realpath(what->directory, NULL),
                        .include = what->include ? realpath(what->include, NULL) : NULL};
    free(home);
    if (!p->home || !p->directory)
        return false;
    p->output = output_path(p->directory, name);
    p->log = sim_format("%s/build.log", p->directory);
    return true;
}

static void free_paths(struct paths *p)
{
    free(p->home);
    free(p->name);
    free(p->directory);
    free(p->output);
    free(p->log);
    free(p->include);
}

/** An argument list under construction; texts are owned when `owned`. */
struct args {
    char *arg[ARGS_MAX];
    bool owned[ARGS_MAX];
    size_t count;
};

static void add(struct args *a, const char *text)
{
    if (a->count < ARGS_MAX - 1)
        a->arg[a->count++] = (char *)text;
}

static void add_owned(struct args *a, char *text)
{
    a->owned[a->count] = true;
    add(a, text);
}

/** The user's flags come after ours, so that they win; the output comes last, so that it stays. */
static void fill(struct args *a, const struct compiler *cc, const struct prog_build *what,
                 const struct paths *paths)
{
    add(a, cc->command);
    add(a, "-static");
    add(a, "-pthread");
    if (paths->include)
        add_owned(a, sim_format("-I%s", paths->include));
    for (size_t i = 0; what->cflags && what->cflags[i] && a->count < ARGS_MAX - 16; i++)
        add(a, what->cflags[i]);
    add_owned(a, sim_format("-ffile-prefix-map=%s=.", paths->home));
    if (paths->include)
        add_owned(a, sim_format("-ffile-prefix-map=%s=include", paths->include));
    add(a, "-gno-record-gcc-switches");
    add(a, "-Wl,--build-id=none");
    add(a, paths->name);
    add(a, "-o");
    add(a, paths->output);
}

/** Starts the compiler beside the source, with our environment. @return 0 or an errno */
static int start(struct args *a, const struct paths *paths, pid_t *pid)
{
    const char *search = getenv("PATH");
    char *path = sim_format("PATH=%s", search ? search : "/usr/bin:/bin");
    char *const env[] = {path, "LC_ALL=C", "SOURCE_DATE_EPOCH=0", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t ours; /* what we ignore is no business of the compiler's */
    sigemptyset(&ours);
    sigaddset(&ours, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, paths->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, paths->home);
    const int error = posix_spawnp(pid, a->arg[0], &actions, &attributes, a->arg, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(path);
    return error;
}

/** What the compiler said, without its last newline. Allocated. */
static char *read_log(const char *log)
{
    char *text = sim_alloc(LOG_SHOWN + 1, 1);
    FILE *f = fopen(log, "re");
    size_t n = f ? fread(text, 1, LOG_SHOWN, f) : 0;
    while (n && text[n - 1] == '\n')
        text[--n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/** Whether a compiler failed for want of a place to write to, by its words. */
static bool had_no_room(const char *log)
{
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG, EROFS};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strstr(log, strerror(errors[i])))
            return true;
    return false;
}

/** Runs the compiler to its end. */
static enum prog_built run(struct args *a, const struct compiler *cc, const struct paths *paths,
                           char **why)
{
    pid_t pid;
    int status = 0;
    const int error = start(a, paths, &pid);
    if (error == ENOENT) {
        *why = sim_format("%s is not installed; it is in the Debian package %s", cc->command,
                          cc->package);
        return PROG_BUILD_MISSING;
    }
    if (error) {
        *why = sim_format("cannot start %s with its output in %s: %s", cc->command, paths->log,
                          strerror(error));
        return PROG_BUILD_IO;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            break;
    *why = read_log(paths->log);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PROG_BUILT;
    return had_no_room(*why) ? PROG_BUILD_IO : PROG_BUILD_FAILED;
}

static enum prog_built build(const struct prog_build *what, const struct compiler *cc,
                             const struct paths *paths, char **why)
{
    struct args *a = sim_alloc(1, sizeof *a);
    fill(a, cc, what, paths);
    const enum prog_built result = run(a, cc, paths, why);
    for (size_t i = 0; i < a->count; i++)
        if (a->owned[i])
            free(a->arg[i]);
    free(a);
    return result;
}

enum prog_built prog_build(const struct prog_build *what, char **path, char **why)
{
    struct paths paths;
    const struct compiler *cc = find_compiler(what->abi);
    enum prog_built result = PROG_BUILD_FAILED;
    *path = NULL;
    if (!find_paths(&paths, what)) {
        *why = sim_format("no directory '%s'", paths.home ? what->directory : what->source);
        result = PROG_BUILD_IO;
    } else if (!cc) {
        *why = sim_format("no binary interface '%s': o32 or n64", what->abi);
    } else {
        result = build(what, cc, &paths, why);
    }
    if (result == PROG_BUILT) {
        *path = paths.output;
        paths.output = NULL;
    }
    free_paths(&paths);
    return result;
}

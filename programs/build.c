/*
 * Runs the cross compiler.
 *
 * The one hard idea: the executable is an input of a deterministic run, so nothing of this host may
 * get into it. Paths are mapped away, the build id is left out, the date is the epoch, the locale
 * is C, and the compiler sees an environment of our own making.
 */
#include "programs/build.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
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

static char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *text, ...)
{
    char *out;
    va_list ap;
    va_start(ap, text);
    const int n = vasprintf(&out, text, ap);
    va_end(ap);
    if (n < 0)
        abort();
    return out;
}

static const struct compiler *find_compiler(const char *abi)
{
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++)
        if (!strcmp(compilers[i].abi, abi))
            return &compilers[i];
    return NULL;
}

/** Full path of the executable: the source's name without its suffix. Allocated. */
static char *output_path(const struct prog_build *what)
{
    const char *slash = strrchr(what->source, '/');
    const char *name = slash ? slash + 1 : what->source;
    const char *dot = strrchr(name, '.');
    const size_t n = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    const char *suffix = dot && dot != name ? "" : ".out";
    return format("%s/%.*s%s", what->directory, (int)n, name, suffix);
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
                 const char *output)
{
    const char *slash = strrchr(what->source, '/');
    add(a, cc->command);
    add(a, "-static");
    add(a, "-pthread");
    if (what->include)
        add_owned(a, format("-I%s", what->include));
    for (size_t i = 0; what->cflags && what->cflags[i] && a->count < ARGS_MAX - 16; i++)
        add(a, what->cflags[i]);
    char *here = getcwd(NULL, 0);
    if (here)
        add_owned(a, format("-ffile-prefix-map=%s=.", here));
    free(here);
    if (slash)
        add_owned(a, format("-ffile-prefix-map=%.*s=.", (int)(slash - what->source), what->source));
    if (what->include)
        add_owned(a, format("-ffile-prefix-map=%s=include", what->include));
    add(a, "-gno-record-gcc-switches");
    add(a, "-Wl,--build-id=none");
    /* A name that begins with '-' would be taken for a flag. */
    add_owned(a, format("%s%s", what->source[0] == '-' ? "./" : "", what->source));
    add(a, "-o");
    add(a, output);
}

/** Starts the compiler with our environment. @return 0 or an errno */
static int start(struct args *a, const char *log, pid_t *pid)
{
    const char *search = getenv("PATH");
    char *path = format("PATH=%s", search ? search : "/usr/bin:/bin");
    char *const env[] = {path, "LC_ALL=C", "SOURCE_DATE_EPOCH=0", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int error = posix_spawnp(pid, a->arg[0], &actions, NULL, a->arg, env);
    posix_spawn_file_actions_destroy(&actions);
    free(path);
    return error;
}

/** What the compiler said, without its last newline. Allocated. */
static char *read_log(const char *log)
{
    char *text = calloc(LOG_SHOWN + 1, 1);
    FILE *f = fopen(log, "re");
    if (!text)
        abort();
    size_t n = f ? fread(text, 1, LOG_SHOWN, f) : 0;
    while (n && text[n - 1] == '\n')
        text[--n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/** Runs the compiler to its end. */
static enum prog_built run(struct args *a, const struct compiler *cc, const char *log, char **why)
{
    pid_t pid;
    int status = 0;
    const int error = start(a, log, &pid);
    if (error == ENOENT && access(log, F_OK) == 0) {
        *why =
            format("%s is not installed; it is in the Debian package %s", cc->command, cc->package);
        return PROG_BUILD_MISSING;
    }
    if (error) {
        *why =
            format("cannot start %s with its output in %s: %s", cc->command, log, strerror(error));
        return PROG_BUILD_IO;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            break;
    *why = read_log(log);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PROG_BUILT : PROG_BUILD_FAILED;
}

enum prog_built prog_build(const struct prog_build *what, char **path, char **why)
{
    struct args *a = calloc(1, sizeof *a);
    const struct compiler *cc = find_compiler(what->abi);
    char *output = output_path(what);
    char *log = format("%s/build.log", what->directory);
    enum prog_built result = PROG_BUILD_FAILED;
    if (!a)
        abort();
    if (cc) {
        fill(a, cc, what, output);
        result = run(a, cc, log, why);
    } else {
        *why = format("no binary interface '%s': o32 or n64", what->abi);
    }
    *path = result == PROG_BUILT ? output : NULL;
    if (!*path)
        free(output);
    for (size_t i = 0; i < a->count; i++)
        if (a->owned[i])
            free(a->arg[i]);
    free(log);
    free(a);
    return result;
}

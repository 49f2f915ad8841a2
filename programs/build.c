/*
 * Builds guest programs, and kernels of the host's.
 *
 * The one hard idea: the executable is an input of a deterministic run, so nothing of this host may
 * get into it. Paths are mapped away, the build id is left out, and the compiler has an environment
 * of our own making (compiler.c).
 */
#include "programs/build.h"

#include "base/alloc.h"
#include "programs/compiler.h"
#include "programs/key.h"
#include "programs/whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_SHOWN = 16384 /**< [bytes] of the compiler's words */ };

/** Binary interfaces, what Debian calls their compilers' targets, and what their programs are. */
static const struct target {
    const char *abi;
    const char *name;     /**< in front of a compiler's own; "": the host's */
    const char *releases; /**< " of Debian ..." where not all since 12 have it */
    const char *flag[4];  /**< NULL after the last */
} targets[] = {
    {"o32", "mips-linux-gnu", " of Debian 12 and 13", {"-static", "-pthread"}},
    {"n64", "mips64-linux-gnuabi64", " of Debian 12 and 13", {"-static", "-pthread"}},
    {"armel", "arm-linux-gnueabi", "", {"-static", "-pthread"}},
    {"host", "", "", {"-shared", "-fPIC", "-ffp-contract=off"}},
};

/** Who compiles: mips-linux-gnu-gcc of the package gcc-mips-linux-gnu. */
struct compiler {
    const struct prog_language *language;
    const struct target *target;
    char *command, *package; /**< allocated */
};

static const struct target *find_target(const char *abi)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (!strcmp(targets[i].abi, abi))
            return &targets[i];
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

/** The user's flags come after ours, so that they win. */
static void build_fill(struct prog_args *a, const struct compiler *cc,
                       const struct prog_build *what, const struct paths *paths)
{
    prog_args_add(a, cc->command);
    for (const char *const *flag = cc->target->flag; *flag; flag++)
        prog_args_add(a, *flag);
    if (paths->include)
        prog_args_own(a, sim_format("-I%s", paths->include));
    for (size_t i = 0; what->cflags && what->cflags[i] && a->count < PROG_ARGS_MAX - 24; i++)
        prog_args_add(a, what->cflags[i]);
    prog_args_own(a, sim_format("-ffile-prefix-map=%s=.", paths->home));
    if (paths->include)
        prog_args_own(a, sim_format("-ffile-prefix-map=%s=include", paths->include));
    if (strcmp(cc->language->tool, "gfortran") != 0)
        prog_args_add(a, "-gno-record-gcc-switches");
    prog_args_add(a, "-Wl,--build-id=none");
    if (cc->language->links && *cc->target->name)
        prog_args_add(a, cc->language->links);
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

/**
 * Runs the compiler to its end; the output comes last, so that it stays.
 * @param inputs  file in which the linker names what it reads, or NULL
 */
static enum prog_built build_run(const struct prog_args *args, const struct compiler *cc,
                                 const struct paths *paths, const char *inputs, char **why)
{
    struct prog_args *a = prog_args_more(args);
    int status = 0;
    if (!strcmp(cc->language->tool, "gfortran")) /* modules that it makes are not to stay */
        prog_args_own(a, sim_format("-J%s", paths->directory));
    if (inputs)
        prog_args_own(a, sim_format("-Wl,--dependency-file=%s", inputs));
    prog_args_add(a, paths->name);
    prog_args_add(a, "-o");
    prog_args_add(a, paths->output);
    const int error = prog_compiler_run(a, paths->home, paths->log, NULL, &status);
    prog_args_free(a);
    if (error == ENOENT) {
        *why = sim_format("%s is not installed; it is in the Debian package %s%s", cc->command,
                          cc->package, cc->target->releases);
        return PROG_BUILD_MISSING;
    }
    if (error) {
        *why = sim_format("cannot start %s with its output in %s: %s", cc->command, paths->log,
                          strerror(error));
        return PROG_BUILD_IO;
    }
    *why = read_log(paths->log);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PROG_BUILT;
    return had_no_room(*why) ? PROG_BUILD_IO : PROG_BUILD_FAILED;
}

/** Path of a program that is named without one. Allocated; NULL: it is nowhere. */
static char *build_searched(const char *tool)
{
    const char *search = getenv("PATH");
    char *all = sim_strdup(search ? search : "/usr/bin:/bin"), *rest = all, *path = NULL;
    for (const char *directory; !path && (directory = strtok_r(rest, ":", &rest));) {
        path = sim_format("%s/%s", directory, tool);
        if (access(path, X_OK) != 0) {
            free(path);
            path = NULL;
        }
    }
    free(all);
    return path;
}

/** Path of a program that the compiler uses; allocated, NULL: it does not say. */
static char *tool_path(const struct compiler *cc, const struct paths *paths, const char *tool)
{
    struct prog_args *a = sim_alloc(1, sizeof *a);
    char *said = sim_format("%s/build.tool", paths->directory), *path = NULL;
    struct prog_whole whole;
    int status;
    prog_args_add(a, cc->command);
    prog_args_own(a, sim_format("-print-prog-name=%s", tool));
    if (prog_compiler_run(a, paths->home, said, NULL, &status) == 0 && status == 0 &&
        prog_whole_read(said, &whole)) {
        whole.bytes[strcspn(whole.bytes, "\n")] = '\0';
        path = strchr(whole.bytes, '/') ? sim_strdup(whole.bytes) : build_searched(whole.bytes);
        free(whole.bytes);
    }
    prog_args_free(a);
    free(said);
    return path;
}

/**
 * What makes an executable of the compiler's output: assembler, linker, and what the linker has
 * read. Objects that were the compiler's own are no longer there.
 * @return NULL-terminated, for prog_key_free; NULL: not all of them are known
 */
static char **build_linked(const struct compiler *cc, const struct paths *paths, const char *inputs)
{
    static const char *const tools[] = {"as", "ld"};
    char **files = prog_key_paths(inputs, paths->home);
    size_t count = 0;
    for (size_t i = 0; files && files[i]; i++) {
        if (access(files[i], F_OK) == 0)
            files[count++] = files[i];
        else
            free(files[i]);
    }
    for (size_t i = 0; files && i < sizeof tools / sizeof *tools; i++) {
        files = sim_grow(files, count + 2, sizeof *files);
        files[count] = tool_path(cc, paths, tools[i]);
        files[count + 1] = NULL;
        if (files[count]) {
            count++;
        } else {
            prog_key_free(files);
            files = NULL;
        }
    }
    return files;
}

/** Whether all flags are such that the cache can be asked. */
static bool build_cacheable(const struct prog_build *what)
{
    bool all = what->cache;
    for (size_t i = 0; all && what->cflags && what->cflags[i]; i++)
        all = prog_key_knows(what->cflags[i]);
    return all;
}

/** Builds, and puts into the cache what was built; not if the source has changed meanwhile. */
static enum prog_built build_and_keep(const struct prog_build *what, const struct prog_args *args,
                                      const struct compiler *cc, const struct paths *paths,
                                      const struct prog_key *key, char **why)
{
    struct prog_key now;
    char *inputs = sim_format("%s/build.inputs", paths->directory), **files = NULL;
    const enum prog_built result = build_run(args, cc, paths, inputs, why);
    if (result == PROG_BUILT && strlen(*why) < LOG_SHOWN &&
        prog_key_of(&now, args, cc->language, paths->home, paths->name, paths->directory) &&
        !strcmp(now.text, key->text) && (files = build_linked(cc, paths, inputs)))
        prog_cache_put(what->cache, key, paths->output, *why, files);
    prog_key_free(files);
    free(inputs);
    return result;
}

static enum prog_built programs_build(const struct prog_build *what, const struct compiler *cc,
                                      const struct paths *paths, char **why)
{
    struct prog_args *a = sim_alloc(1, sizeof *a);
    struct prog_key key;
    enum prog_built result = PROG_BUILT;
    build_fill(a, cc, what, paths);
    if (!build_cacheable(what) ||
        !prog_key_of(&key, a, cc->language, paths->home, paths->name, paths->directory))
        result = build_run(a, cc, paths, NULL, why);
    else if (!prog_cache_take(what->cache, &key, paths->output, why))
        result = build_and_keep(what, a, cc, paths, &key, why);
    prog_args_free(a);
    return result;
}

/** Builds, when all that is asked for is known. */
static enum prog_built build_known(const struct prog_build *what, const struct paths *paths,
                                   char **why)
{
    struct compiler cc = {.language = prog_language_of(what->source),
                          .target = find_target(what->abi)};
    enum prog_built result = PROG_BUILD_FAILED;
    if (!cc.target) {
        *why = sim_format("no binary interface '%s': o32, n64, armel or host", what->abi);
    } else if (!cc.language) {
        *why = sim_format("a source ends in one of %s", prog_language_suffixes());
    } else {
        const char *tool = cc.language->tool, *name = cc.target->name;
        const char *between = *name ? "-" : "";
        cc.command = sim_format("%s%s%s", name, between, tool);
        cc.package = sim_format("%s%s%s", tool, between, name);
        result = programs_build(what, &cc, paths, why);
    }
    free(cc.command);
    free(cc.package);
    return result;
}

enum prog_built prog_build_program(const struct prog_build *what, char **path, char **why)
{
    struct paths paths;
    enum prog_built result = PROG_BUILD_IO;
    *path = NULL;
    if (find_paths(&paths, what))
        result = build_known(what, &paths, why);
    else
        *why = sim_format("no directory '%s'", paths.home ? what->directory : what->source);
    if (result == PROG_BUILT) {
        *path = paths.output;
        paths.output = NULL;
    }
    free_paths(&paths);
    return result;
}

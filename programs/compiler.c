/*
 * Runs a cross compiler.
 *
 * The one hard idea: nothing of this host may get into what it makes. The compiler sees an
 * environment of our own making: the search path, the locale C, and a date that is the epoch.
 */
#include "programs/compiler.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const struct prog_language languages[] = {
#define LANGUAGE(suffix, tool, reads, links) {suffix, tool, reads, links},
#include "programs/languages.def"
#undef LANGUAGE
};

const char *prog_language_suffixes(void)
{
    static const char all[] =
#define LANGUAGE(suffix, tool, reads, links) " " suffix
#include "programs/languages.def"
#undef LANGUAGE
        ;
    return all + 1;
}

const struct prog_language *prog_language_of(const char *source)
{
    const char *slash = strrchr(source, '/'), *dot = strrchr(slash ? slash : source, '.');
    for (size_t i = 0; dot && i < sizeof languages / sizeof *languages; i++)
        if (!strcmp(languages[i].suffix, dot))
            return &languages[i];
    return NULL;
}

void prog_args_add(struct prog_args *a, const char *text)
{
    if (a->count < PROG_ARGS_MAX - 1)
        a->arg[a->count++] = (char *)text;
}

void prog_args_own(struct prog_args *a, char *text)
{
    if (a->count < PROG_ARGS_MAX - 1) {
        a->owned[a->count] = true;
        prog_args_add(a, text);
    } else {
        free(text);
    }
}

struct prog_args *prog_args_more(const struct prog_args *from)
{
    struct prog_args *a = sim_alloc(1, sizeof *a);
    for (size_t i = 0; i < from->count; i++)
        prog_args_add(a, from->arg[i]);
    return a;
}

void prog_args_free(struct prog_args *a)
{
    for (size_t i = 0; a && i < a->count; i++)
        if (a->owned[i])
            free(a->arg[i]);
    free(a);
}

/** Where its standard streams lead. */
static void redirect(posix_spawn_file_actions_t *actions, const char *out, const char *err)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(actions, 1, out, flags, 0666);
    if (err)
        posix_spawn_file_actions_addopen(actions, 2, err, flags, 0666);
    else
        posix_spawn_file_actions_adddup2(actions, 1, 2);
}

/** @return 0 or an errno */
static int compiler_start(struct prog_args *a, const char *home, const char *out, const char *err,
                          pid_t *pid)
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
    redirect(&actions, out, err);
    posix_spawn_file_actions_addchdir_np(&actions, home);
    const int error = posix_spawnp(pid, a->arg[0], &actions, &attributes, a->arg, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(path);
    return error;
}

int prog_compiler_run(struct prog_args *a, const char *home, const char *out, const char *err,
                      int *status)
{
    pid_t pid;
    const int error = compiler_start(a, home, out, err, &pid);
    *status = 0;
    while (!error && waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            break;
    return error;
}

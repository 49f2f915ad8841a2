/*
 * A directory for what inputs do to files. The hard idea: guests of the fuzzer call unlink and
 * rename with any names, so the process first gives away every right it does not need.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534, FILE_MAX = 1 << 20, WALK_FDS = 16 };

static char home[] = "/tmp/numachine-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind;
    if (at->level > 0)
        remove(path);
    return 0;
}

void fuzz_sweep(void)
{
    if (chdir(home))
        abort();
    nftw(home, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void leave(void)
{
    fuzz_sweep();
    rmdir(home);
}

void fuzz_scratch(void)
{
    static bool entered;

    if (entered)
        return;
    entered = true;
    if (!mkdtemp(home) || chdir(home))
        abort();
    atexit(leave);
}

void fuzz_confine(void)
{
    const struct rlimit limit = {FILE_MAX, FILE_MAX};

    if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
        abort();
    umask(0);
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        abort();
    fuzz_scratch();
}

void fuzz_write(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(name, "we");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        abort();
}

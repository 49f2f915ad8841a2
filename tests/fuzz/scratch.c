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
    return at->level > 0 && remove(path) != 0;
}

/** A directory that a guest has closed to everybody is opened again. */
static int open_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)at;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, 0700);
    return 0;
}

void fuzz_sweep(void)
{
    enum { DEEPEST = 8 };

    chmod(home, 0700);
    if (chdir(home))
        abort();
    for (unsigned n = 0; n < DEEPEST; n++) {
        if (nftw(home, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0)
            break;
        nftw(home, open_one, WALK_FDS, FTW_PHYS | FTW_MOUNT);
    }
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
    unlink(name); /* a file cut to nothing and written again goes to the disk at once */
    FILE *f = fopen(name, "we");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        abort();
}

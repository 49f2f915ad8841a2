/*
 * The host refuses once: the program as it is, but the n-th call that can fail does.
 *
 * The hard idea: which call that is must be the same in every run, so calls are counted, not drawn
 * by lot, and told by a shared page which one to fail and how many there were. Two counts are kept:
 * calls of our own objects, which the linker sends here (--wrap), and requests for memory of the
 * libraries (SimGrid, C++, libyaml, libelf, the C library itself), which find our malloc before
 * theirs. A sanitizer has a malloc of its own, and then the second count stays 0.
 */
#include "base/sanitized.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

typedef int faults_filter(const struct dirent64 *);
typedef int faults_order(const struct dirent64 **, const struct dirent64 **);

enum side { OURS, THEIRS, SIDES };
enum { KEPT = 1 << 16 };

/** Shared with faults.py; which file it is says NUMACHINE_FAULTS. */
struct page {
    uint64_t fail[SIDES];  /**< number of the call to fail, from 1; 0: none */
    uint64_t count[SIDES]; /**< calls so far */
    char name[32];         /**< of the call that failed */
    char place[64]; /**< of theirs: the library that asked, and its function if it has a name */
    uint32_t
        site[KEPT]; /**< of ours: from where, if it asks for something else than memory; else 0 */
};

static struct page *page;

/** Counts a call. @param caller  where it returns to @return whether it is the one */
static bool fails(enum side side, const char *name, int error, const void *caller)
{
    if (!page)
        return false;
    const uint64_t number = ++page->count[side];
    if (side == OURS && number <= KEPT)
        page->site[number - 1] =
            error == ENOMEM ? 0 : (uint32_t)((uintptr_t)caller - (uintptr_t)fails);
    if (number != page->fail[side])
        return false;
    strncpy(page->name, name, sizeof page->name - 1);
    return true;
}

#define FAULT(name, type, parameters, arguments, refusal, error)      \
    type __real_##name parameters;                                    \
    type __wrap_##name parameters;                                    \
    type __wrap_##name parameters                                     \
    {                                                                 \
        if (fails(OURS, #name, error, __builtin_return_address(0))) { \
            errno = error;                                            \
            return refusal;                                           \
        }                                                             \
        return __real_##name arguments;                               \
    }
#include "tests/faults.def"
#undef FAULT

/* ---- calls with a mode that may be there ----------------------------------------------------- */

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (!fails(OURS, "open64", EMFILE, __builtin_return_address(0)))
        return __real_open64(path, flags, mode);
    errno = EMFILE;
    return -1;
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (!fails(OURS, "openat64", EMFILE, __builtin_return_address(0)))
        return __real_openat64(at, path, flags, mode);
    errno = EMFILE;
    return -1;
}

/** A file that could not be closed is closed all the same. */
int __real_fclose(FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_fclose(FILE *f)
{
    const bool fail = fails(OURS, "fclose", ENOSPC, __builtin_return_address(0));
    const int result = __real_fclose(f);
    if (!fail)
        return result;
    errno = ENOSPC;
    return EOF;
}

/* ---- memory of the libraries ----------------------------------------------------------------- */

#if !SIM_ADDRESSES_WATCHED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

/** Notes who asked. */
static void note_place(const void *caller)
{
    Dl_info at;

    if (dladdr(caller, &at) && at.dli_fname)
        snprintf(page->place, sizeof page->place, "%s %s", basename(at.dli_fname),
                 at.dli_sname ? at.dli_sname : "");
}

/** @param caller  an address in the function that asks. @return whether the request is granted */
static bool grant(const void *caller)
{
    if (!fails(THEIRS, "library memory", ENOMEM, caller))
        return true;
    note_place(caller);
    errno = ENOMEM;
    return false;
}

void *malloc(size_t size)
{
    return grant(__builtin_return_address(0)) ? __libc_malloc(size) : NULL;
}

void *calloc(size_t nmemb, size_t size)
{
    return grant(__builtin_return_address(0)) ? __libc_calloc(nmemb, size) : NULL;
}

void *realloc(void *ptr, size_t size)
{
    return grant(__builtin_return_address(0)) ? __libc_realloc(ptr, size) : NULL;
}
#endif

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("NUMACHINE_FAULTS");
    const int fd = path ? __real_open64(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *p = __real_mmap64(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED)
        page = p;
}

/* Guest programs built from source with Debian's cross compilers for MIPS and ARM, and kernels with
 * the host's.
 */
#ifndef PROG_BUILD_H
#define PROG_BUILD_H

#include "programs/cache.h"

#include <stdbool.h>
#include <stddef.h>

/** What to build. All pointers belong to the caller. */
struct prog_build {
    const char *source;    /**< file on the host, of a language of languages.def */
    const char *abi;       /**< "o32", "n64", "armel", or "host": a shared object */
    char *const *cflags;   /**< NULL-terminated, after the binary interface's own */
    const char *include;   /**< directory of numachine.h, or NULL */
    const char *directory; /**< existing directory for the executable and notes (build.*) */
    const struct prog_cache *cache; /**< executables built before, or NULL */
};

enum prog_built {
    PROG_BUILT,
    PROG_BUILD_FAILED,  /**< the source does not compile; why: the compiler's words */
    PROG_BUILD_MISSING, /**< no compiler; why: the Debian package that has it */
    PROG_BUILD_IO,      /**< the directory cannot be written, the compiler cannot be started */
};

/**
 * Builds an executable <directory>/<source without its suffix>, from the source's own directory, or
 * takes it from the cache. The same source and flags give the same bytes in any directory and
 * environment, on any date, with a cache or without.
 * @param[out] path  of the executable, absolute; allocated, caller frees; NULL unless PROG_BUILT
 * @param[out] why   what went wrong, or the compiler's warnings, or ""; allocated, caller frees
 */
enum prog_built prog_build_program(const struct prog_build *what, char **path, char **why);

#endif

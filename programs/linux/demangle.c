/*
 * Names of C++, taken apart by the C++ library that is in the process anyway, for SimGrid.
 *
 * The one hard idea: nothing here is C++, so the library's function is looked for by its name,
 * which the ABI of C++ fixes. Without it, names stay as they are.
 */
#include "programs/linux/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The ABI's: `buffer` and `length` may be NULL. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

char *lx_demangle(const char *name)
{
    demangle_fn *demangle;
    void *const symbol = strncmp(name, "_Z", 2) ? NULL : dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status;

    memcpy(&demangle, &symbol, sizeof demangle);
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

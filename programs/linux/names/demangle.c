/*
 * Names of C++, taken apart by the C++ library, which SimGrid needs anyway.
 *
 * The one hard idea: nothing here is C++, so the library's function is looked for by its name,
 * which the ABI of C++ fixes. Without it, names stay as they are. The library stays once it is
 * there, as there are many names.
 */
#include "programs/linux/names/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The ABI's: `buffer` and `length` may be NULL. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

char *lx_demangle(const char *name)
{
    demangle_fn *demangle;
    char *plain = NULL;
    void *symbol, *library;
    int status;

    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&demangle, &symbol, sizeof demangle);
    if (demangle)
        plain = demangle(name, NULL, NULL, &status);
    if (library)
        dlclose(library);
    return plain;
}

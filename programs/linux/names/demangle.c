/*
 * Names of C++, taken apart by the C++ library, which SimGrid needs anyway.
 *
 * The one hard idea: nothing here is C++, so the library's function is looked for by its name,
 * which the ABI of C++ fixes. Without it, names stay as they are. The library stays once it is
 * there, as there are many names.
 */
#include "programs/linux/names/demangle.h"

#include "base/alloc.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
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

/* ---- arguments of templates ------------------------------------------------------------------ */

enum { TEMPLATES = 64 /* in one another */ };

/* What is written of a name. */
struct plain {
    char *out;
    size_t length;
    bool standard[TEMPLATES]; /* whether a template that is open is the library's */
    unsigned open;
};

/* Whether the word that has just been written begins with std::. */
static bool plain_is_standard(const struct plain *p)
{
    size_t from = p->length;
    while (from && (isalnum((unsigned char)p->out[from - 1]) || strchr("_:", p->out[from - 1])))
        from--;
    return p->length - from > 5 && !strncmp(p->out + from, "std::", 5);
}

/* [bytes] of "std::allocator<int>" at a place, if it is of those that nobody writes down. */
static size_t default_argument(const char *at)
{
    static const char *const all[] = {"allocator<", "char_traits<", "default_delete<",
                                      "equal_to<",  "hash<",        "less<"};
    const char *from = at + 5;
    unsigned depth = 0;
    bool known = false;
    if (strncmp(at, "std::", 5) != 0)
        return 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        known |= !strncmp(from, all[i], strlen(all[i]));
    for (const char *c = from; known && *c; c++) {
        depth += *c == '<';
        if (*c == '>' && --depth == 0)
            return (size_t)(c + 1 - at);
    }
    return 0;
}

/* Takes a bracket or another character. @return false: brackets do not make sense */
static bool plain_take(struct plain *p, char c)
{
    if (c == '<') {
        if (p->open == TEMPLATES)
            return false;
        p->standard[p->open++] = plain_is_standard(p);
    }
    if (c == '>' && !p->open--)
        return false;
    if (c == '>' && p->length && p->out[p->length - 1] == ' ')
        p->length--;
    p->out[p->length++] = c;
    return true;
}

/* Puts the shorter text in place of the longer one, wherever that is. */
static void plain_replace(char *text, const char *longer, const char *shorter)
{
    const size_t old = strlen(longer), new = strlen(shorter);
    for (char *at = text; (at = strstr(at, longer)); at += new) {
        memcpy(at, shorter, new);
        memmove(at + new, at + old, strlen(at + old) + 1);
    }
}

void lx_plain_templates(char *name)
{
    struct plain p = {.out = NULL};
    bool good = strchr(name, '<') && !strstr(name, "operator") && !strchr(name, '\'');
    if (!good)
        return;
    p.out = sim_alloc(strlen(name) + 1, 1);
    for (const char *c = name; good && *c;) {
        const size_t skipped =
            p.open && p.open <= TEMPLATES && p.standard[p.open - 1] && c[0] == ',' && c[1] == ' '
                ? default_argument(c + 2)
                : 0;
        if (skipped)
            c += 2 + skipped;
        else
            good = plain_take(&p, *c++);
    }
    p.out[p.length] = '\0';
    if (good && !p.open) {
        plain_replace(p.out, "std::__cxx11::", "std::");
        plain_replace(p.out, "std::basic_string<char>", "std::string");
        strcpy(name, p.out);
    }
    free(p.out);
}

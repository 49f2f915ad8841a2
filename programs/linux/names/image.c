/*
 * What can be asked of an executable without running it.
 */
#include "programs/linux/names/image.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "programs/compiler.h"
#include "programs/linux/binary/elf.h"
#include "programs/linux/names/apart.h"
#include "programs/linux/names/chains.h"
#include "programs/linux/names/demangle.h"
#include "programs/linux/names/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What somebody may have wanted who names such a file as a program. Allocated. */
static char *hint_for(const char *path)
{
    const struct prog_language *language = prog_language_of(path);
    const char *dot = strrchr(path, '.');

    if (language)
        return sim_format("; compile it with mips-linux-gnu-%s -static, or name it as "
                          "program.source",
                          language->tool);
    return sim_strdup(dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))
                          ? "; numachine run runs experiments"
                          : "");
}

bool lx_check(const char *path, char *why, size_t size)
{
    struct lx_elf_image image;
    char reason[512];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe has perhaps no writer */
    bool ok;

    if (fd < 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    ok = lx_elf_read(fd, &image, reason, sizeof reason);
    if (!ok) {
        char *hint = hint_for(path);
        snprintf(why, size, "%s: %s%s", path, reason, hint);
        free(hint);
    }
    close(fd);
    return ok;
}

static const char *image_next_name(void *ctx, size_t i)
{
    char **names = ctx;
    return names[i];
}

/* Why a symbol is not to be had: there is none, or there are several, or it has no size. */
static void explain_symbol(int fd, const char *name, unsigned found, char *why, size_t size)
{
    char **names = lx_elf_names(fd);
    const char *near = found ? NULL : sim_nearest(name, image_next_name, names);
    if (found > 1)
        snprintf(why, size, "there are %u symbols '%.100s'; give the addresses of one", found,
                 name);
    else if (found)
        snprintf(why, size, "the symbol '%.100s' has no size; give its addresses", name);
    else if (near)
        snprintf(why, size, "the program has no symbol '%.100s'; did you mean '%.64s'?", name,
                 near);
    else
        snprintf(why, size, "the program has no symbol '%.100s'", name);
    for (size_t i = 0; names[i]; i++)
        free(names[i]);
    free(names);
}

bool lx_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size)
{
    struct lx_elf_image image;
    uint64_t length = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool good = fd >= 0 && lx_elf_read(fd, &image, why, size);
    struct lx_apart *apart = good ? lx_apart_new(fd, path, NULL) : NULL;
    const unsigned found = good ? lx_elf_find(apart->symbols, &image, name, from, &length) : 0;
    *to = *from + length;
    if (fd < 0)
        snprintf(why, size, "cannot read '%.100s': %s", path, strerror(errno));
    if (good && (found != 1 || !length))
        explain_symbol(apart->symbols, name, found, why, size);
    lx_apart_free(apart);
    if (fd >= 0)
        close(fd);
    return found == 1 && length;
}

/* ---- where a function begins ----------------------------------------------------------------- */

/** Functions that are held against a name. */
struct search {
    const char *name;
    uint64_t at;    /**< of the last one found */
    unsigned found; /**< at how many addresses; more than 2 are not told apart */
    char **names;   /**< all, as people write them; NULL-terminated */
    size_t count;
    char *made; /**< what the compiler has made of a function of that name: "step.part.0" */
    char *in;   /**< or a function that it is inlined in, ... */
    uint64_t inline_at;
    unsigned inlined; /**< ... and in how many places */
};

/** Where the arguments of a C++ name begin, or its end. */
static size_t without_arguments(const char *name)
{
    const char *operator= strstr(name, "operator()"), *from = operator? operator+ 10 : name;
    return (size_t)(from - name) + strcspn(from, "(");
}

/** @param plain  as people write it; NULL: as the symbol is */
static bool image_is_called(const char *asked, const char *symbol, const char *plain)
{
    const size_t length = plain ? without_arguments(plain) : 0;
    if (!strcmp(asked, symbol))
        return true;
    return plain &&
           (!strcmp(asked, plain) || (strlen(asked) == length && !strncmp(asked, plain, length)));
}

/** Whether a compiler has made the function of the one asked for: a copy for some arguments, or a
 * part of it. */
static bool is_made_of(const char *asked, const char *symbol)
{
    const size_t length = strlen(asked);
    return !strncmp(asked, symbol, length) && symbol[length] == '.';
}

static void hold_against(void *ctx, const char *symbol, uint64_t va)
{
    struct search *s = ctx;
    char *plain = lx_demangle(symbol);
    if (!s->made && is_made_of(s->name, symbol))
        s->made = sim_strdup(symbol);
    if (image_is_called(s->name, symbol, plain) && (!s->found || s->at != va)) {
        s->at = va;
        s->found++;
    }
    if (!(s->count & (s->count + 1))) /* one more than a power of two has room for the NULL, too */
        s->names = sim_grow(s->names, 2 * (s->count + 1), sizeof *s->names);
    s->names[s->count++] =
        plain ? sim_format("%.*s", (int)without_arguments(plain), plain) : sim_strdup(symbol);
    s->names[s->count] = NULL;
    free(plain);
}

static void hold_inlined(struct search *s, const struct lx_chain *call)
{
    const struct lx_chain *in = call->in;
    char *plain = lx_demangle(call->name);
    if (image_is_called(s->name, call->name, plain) && !s->inlined++) {
        while (in->in)
            in = in->in;
        char *around = lx_demangle(in->name);
        s->in = around ? around : sim_strdup(in->name);
        s->inline_at = call->from;
    }
    free(plain);
}

static void search_inlined(const struct lx_apart *apart, const struct lx_elf_image *image,
                           struct search *s)
{
    struct lx_chains *chains = lx_chains_new(&apart->dwarf, image);
    const struct lx_chain *call;
    for (size_t i = 0; (call = lx_chains_get(chains, i)); i++)
        if (call->in && call->from != UINT64_MAX)
            hold_inlined(s, call);
    lx_chains_free(chains);
}

static void explain_function(const struct search *s, char *why, size_t size)
{
    const char *near =
        s->found || !s->names ? NULL : sim_nearest(s->name, image_next_name, s->names);
    if (s->found)
        snprintf(why, size,
                 "there are several functions '%.100s'; name one with its arguments, or give its "
                 "address: pc 0x%" PRIx64,
                 s->name, s->at);
    else if (!s->count)
        snprintf(
            why, size,
            "the program has no symbols, so no function '%.100s'; give its address: pc ADDRESS",
            s->name);
    else if (s->made)
        snprintf(why, size,
                 "the program has no function '%.100s': the compiler has made '%.100s' of it; name "
                 "that",
                 s->name, s->made);
    else if (s->inlined)
        snprintf(why, size,
                 "the program has no function '%.100s': the compiler has inlined it, in '%.100s' "
                 "(pc 0x%" PRIx64 ")%s; give such an address, or build it with "
                 "__attribute__((noinline))",
                 s->name, s->in, s->inline_at, s->inlined > 1 ? " and elsewhere" : "");
    else if (near)
        snprintf(why, size, "the program has no function '%.100s'; did you mean '%.64s'?", s->name,
                 near);
    else
        snprintf(why, size, "the program has no function '%.100s'", s->name);
}

static bool find_function(const struct lx_apart *apart, const struct lx_elf_image *image,
                          const char *name, uint64_t *at, char *why, size_t size)
{
    struct search s = {.name = name};
    lx_elf_functions(apart->symbols, image, hold_against, &s);
    *at = s.at;
    if (!s.found)
        search_inlined(apart, image, &s);
    if (s.found != 1)
        explain_function(&s, why, size);
    for (size_t i = 0; i < s.count; i++)
        free(s.names[i]);
    free(s.names);
    free(s.made);
    free(s.in);
    return s.found == 1;
}

bool lx_entry(const char *path, const char *name, uint64_t *at, char *why, size_t size)
{
    struct lx_elf_image image;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 && lx_elf_read(fd, &image, why, size);
    if (fd < 0)
        snprintf(why, size, "cannot read '%.100s': %s", path, strerror(errno));
    if (good && name) {
        struct lx_apart *apart = lx_apart_new(fd, path, NULL);
        good = find_function(apart, &image, name, at, why, size);
        lx_apart_free(apart);
    }
    if (good && !lx_elf_executes(&image, *at)) {
        snprintf(why, size,
                 "0x%" PRIx64 " is not the address of an instruction: a multiple of %u in an "
                 "executable segment of the program",
                 *at, image.kind->step);
        good = false;
    }
    if (fd >= 0)
        close(fd);
    return good;
}

/*
 * What an executable's addresses are called: its symbols and its line table behind one question.
 *
 * The hard idea: the file may be damaged anywhere. What keeps it from running, or shows that a part
 * is cut off, is said; whatever is wrong with symbols or debugging information only makes fewer
 * names (symbols.c, lines.c).
 */
#include "programs/linux/names/names.h"

#include "base/alloc.h"
#include "programs/linux/names/apart.h"
#include "programs/linux/names/chains.h"
#include "programs/linux/names/demangle.h"
#include "programs/linux/names/lines.h"
#include "programs/linux/names/reach.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/names/types.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

/** A function's symbol that is a name of C++, as people write it. */
struct readable {
    const char *symbol; /* the table's */
    char *name;         /* NULL: it is none after all */
    UT_hash_handle hh;
};

struct names {
    struct prog_declarations declarations; /* first: the caller's pointer */
    int fd;
    struct lx_elf_image image;
    struct lx_apart *apart;
    struct lx_symbols *functions;
    struct lx_lines *lines;
    /* made when somebody asks */
    struct readable *readable;
    struct lx_symbols *objects, *locals;
    struct lx_types *types;
    struct lx_chains *chains;
};

static const char *names_readable(struct names *n, const char *symbol)
{
    struct readable *known;

    if (strncmp(symbol, "_Z", 2))
        return symbol;
    HASH_FIND_PTR(n->readable, &symbol, known);
    if (!known) {
        known = sim_alloc(1, sizeof *known);
        known->symbol = symbol;
        known->name = lx_demangle(symbol);
        HASH_ADD_PTR(n->readable, symbol, known);
    }
    return known->name ? known->name : symbol;
}

static void free_readable(struct names *n)
{
    struct readable *known, *next;

    HASH_ITER(hh, n->readable, known, next) {
        HASH_DEL(n->readable, known);
        free(known->name);
        free(known);
    }
}

static bool names_at(struct prog_names *names, uint64_t va, struct prog_place *out)
{
    struct names *n = (struct names *)names;
    const struct lx_symbol *function = lx_symbols_at(n->functions, va);
    const struct lx_line *line = lx_lines_at(n->lines, va);
    const struct lx_os_function *os = lx_os_function_at(n->image.kind, va);

    *out = (struct prog_place){0};
    if (os) {
        out->function = os->name;
        out->from = n->image.kind->os + os->from;
        out->to = n->image.kind->os + os->to;
    }
    if (function) {
        out->function = names_readable(n, function->name);
        out->from = function->from;
        out->to = function->to;
    }
    if (line) {
        out->file = line->file;
        out->line = line->line;
    }
    return function || line || os;
}

/** Where in a function its own code is, or that of what was inlined in it. */
static unsigned names_chain(struct prog_names *names, uint64_t va, struct prog_frame *out,
                            unsigned most)
{
    struct names *n = (struct names *)names;
    struct prog_place place;
    unsigned count = 0, left = 0;

    if (!names_at(names, va, &place))
        return 0;
    if (!n->chains)
        n->chains = lx_chains_new(&n->apart->dwarf, &n->image);
    const struct lx_chain *call = lx_chains_at(n->chains, va);
    struct prog_frame frame = {.file = place.file, .line = place.line};
    for (const struct lx_chain *c = call; c && c->in; c = c->in)
        left++;
    for (; call && call->in; call = call->in, left--) {
        frame.function = names_readable(n, call->name);
        frame.from = call->from;
        frame.call = lx_chains_number(n->chains, call);
        frame.made = call->made;
        if (left < most)
            out[count++] = frame;
        frame = (struct prog_frame){.file = call->file, .line = call->line};
    }
    frame.function = place.function ? place.function : call ? names_readable(n, call->name) : NULL;
    frame.from = place.from;
    out[count++] = frame;
    return count;
}

/* ---- variables ------------------------------------------------------------------------------- */

static void read_objects(struct names *n)
{
    if (n->types)
        return;
    n->objects = lx_symbols_new(n->apart->symbols, &n->image, LX_OBJECT);
    n->locals = lx_symbols_new(n->apart->symbols, &n->image, LX_THREAD_LOCAL);
    n->types = lx_types_new(&n->apart->dwarf, n->fd, &n->image, n->objects);
}

/** The symbol says how long it is, the debugging information what it is. */
static bool object_at(struct names *n, bool local, uint64_t va, struct prog_object *out)
{
    const struct lx_symbol *symbol;
    const struct lx_variable *variable;
    uint64_t end = 0;

    read_objects(n);
    symbol = lx_symbols_before(local ? n->locals : n->objects, va, &end);
    variable = symbol ? lx_types_at(n->types, local, symbol->from) : NULL;
    if (!variable || !lx_types_is_open(n->types, variable->type))
        end = symbol ? symbol->to : 0;
    *out = (struct prog_object){0};
    if (va >= end)
        return false;
    *out = (struct prog_object){.name = variable ? variable->name : names_readable(n, symbol->name),
                                .from = symbol->from,
                                .to = end,
                                .local = local,
                                .type = variable ? variable->type : 0};
    return true;
}

static bool names_object(struct prog_names *names, uint64_t va, struct prog_object *out)
{
    return object_at((struct names *)names, false, va, out);
}

static bool names_local(struct prog_names *names, uint64_t offset, struct prog_object *out)
{
    return object_at((struct names *)names, true, offset, out);
}

/** A symbol of that name. @return false: there is none */
static bool find_symbol(const struct names *n, const char *name, uint64_t *from, uint64_t *to)
{
    uint64_t length;

    if (strstr(name, "::") || !lx_elf_find(n->apart->symbols, &n->image, name, from, &length))
        return false;
    *to = *from + length;
    return true;
}

static bool names_find(struct prog_names *names, const char *name, uint64_t *from, uint64_t *to)
{
    struct names *n = (struct names *)names;
    const bool symbol = find_symbol(n, name, from, to);
    const struct lx_variable *variable;
    struct prog_object object;

    if (symbol && lx_symbols_at(n->functions, *from))
        return true; /* without a look at variables */
    read_objects(n);
    variable = symbol ? NULL : lx_types_find(n->types, name);
    if (!symbol && (!variable || variable->local))
        return false;
    if (object_at(n, false, symbol ? *from : variable->from, &object)) {
        *from = object.from;
        *to = object.to;
    }
    return symbol || object.name;
}

static void names_member(struct prog_names *names, const struct prog_object *o, uint64_t offset,
                         unsigned depth, struct prog_member *out)
{
    struct names *n = (struct names *)names;

    read_objects(n);
    lx_types_member(n->types, o->type, o->to - o->from, offset, depth, out);
}

static bool names_variable_declared(struct prog_names *names, const struct prog_object *o,
                                    const char *function, struct prog_line *out)
{
    struct names *n = (struct names *)names;

    read_objects(n);
    return lx_types_variable_declared(n->types, o, function, out);
}

static bool names_type_declared(struct prog_names *names, uint32_t type, struct prog_line *out)
{
    struct names *n = (struct names *)names;

    read_objects(n);
    return lx_types_type_declared(n->types, type, out);
}

static size_t names_reach(struct prog_names *names, const struct prog_memory *memory,
                          prog_found_fn *found, void *ctx)
{
    struct names *n = (struct names *)names;

    read_objects(n);
    return lx_reach(n->types, n->objects, n->image.kind, memory, found, ctx);
}

static bool names_on_stack(struct prog_names *names, const struct prog_memory *memory, uint64_t va,
                           struct prog_part *out)
{
    struct names *n = (struct names *)names;

    read_objects(n);
    return lx_on_stack(n->types, n->image.kind, memory, va, out);
}

static bool names_function(struct prog_names *names, const char *name, uint64_t *from)
{
    const struct lx_symbol *symbol =
        lx_symbols_named(((const struct names *)names)->functions, name);

    if (symbol)
        *from = symbol->from;
    return symbol;
}

static void free_names(struct prog_names *names)
{
    struct names *n = (struct names *)names;

    free_readable(n);
    lx_symbols_free(n->functions);
    lx_lines_free(n->lines);
    lx_symbols_free(n->objects);
    lx_symbols_free(n->locals);
    lx_types_free(n->types);
    lx_chains_free(n->chains);
    lx_apart_free(n->apart);
    close(n->fd);
    free(n);
}

/** Where the table of sections ends, which linkers put behind all else. @return [bytes] */
static uint64_t sections_end(int fd)
{
    GElf_Ehdr eh;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    uint64_t end = 0;

    if (elf && gelf_getehdr(elf, &eh) && eh.e_shoff)
        end = eh.e_shoff + (uint64_t)eh.e_shnum * eh.e_shentsize;
    elf_end(elf);
    return end;
}

/** Opens an executable that is whole. @return its descriptor, or -1 with one line in `why` */
static int open_whole(const char *path, struct lx_elf_image *image, char *why, size_t size)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe has perhaps no writer */
    char reason[512];
    struct stat st;

    if (fd < 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!lx_elf_read(fd, image, reason, sizeof reason))
        snprintf(why, size, "%s: %s", path, reason);
    else if (fstat(fd, &st) == 0 && sections_end(fd) > (uint64_t)st.st_size)
        snprintf(why, size,
                 "%s: truncated: its sections end at byte %" PRIu64 " of a file of %" PRIu64
                 " bytes",
                 path, sections_end(fd), (uint64_t)st.st_size);
    else
        return fd;
    close(fd);
    return -1;
}

struct prog_names *lx_names(const char *path, const struct prog_search *search, char *why,
                            size_t size)
{
    struct lx_elf_image image;
    const int fd = open_whole(path, &image, why, size);
    struct names *n;

    if (fd < 0)
        return NULL;
    n = sim_alloc(1, sizeof *n);
    n->fd = fd;
    n->image = image;
    n->apart = lx_apart_new(fd, path, search);
    n->functions = lx_symbols_new(n->apart->symbols, &image, LX_FUNCTION);
    n->lines = lx_lines_new(&n->apart->dwarf, &image);
    n->declarations = (struct prog_declarations){
        .names = {.symbols = lx_symbols_count(n->functions) > 0,
                  .lines = lx_lines_count(n->lines) > 0,
                  .declares = true,
                  .missing = n->apart->missing,
                  .at = names_at,
                  .chain = names_chain,
                  .object = names_object,
                  .local = names_local,
                  .find = names_find,
                  .member = names_member,
                  .reach = names_reach,
                  .on_stack = names_on_stack,
                  .function = names_function,
                  .free = free_names},
        .variable = names_variable_declared,
        .type = names_type_declared,
    };
    return &n->declarations.names;
}

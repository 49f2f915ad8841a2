/*
 * Chains of inlined calls, read by libdw in a process of its own (dwarf.c). What comes from there
 * is checked: it may be anything.
 *
 * The hard idea: calls are nested as functions are, but their instructions need not lie together.
 * So a call has any number of ranges. They are cut into pieces once, and a piece belongs to the
 * range that began last: the innermost one, as ranges of what is inlined lie within their caller's.
 */
#include "programs/linux/names/chains.h"

#include "base/alloc.h"
#include "programs/linux/names/dwarf.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/names/texts.h"

#include <dwarf.h>
#include <string.h>
#include <uthash.h>

#define CHAINS_BYTES_MAX (UINT64_C(512) << 20) /* that the process may send */

enum { NO_CALL = UINT32_MAX, DEEPEST = 1000 /**< calls inlined in one another; more are damage */ };

/** How a call is sent, and then each of its ranges. */
struct chain_sent {
    uint64_t from, to; /**< of a range: the file's own addresses; of a call: to is 0 */
    uint32_t in;       /**< of a call: the number of another; NO_CALL: none */
    uint32_t line;
    uint32_t made;       /**< of a call: as lx_chain has it */
    uint32_t name, file; /**< [bytes] that follow; 0 of a range */
};

/* ---- the process that reads ------------------------------------------------------------------ */

/** A function that linkers have no name for: with what its declaration is in. */
struct chain_scoped {
    const void *die;
    char *name;
    UT_hash_handle hh;
};

struct chain_sender {
    FILE *out;
    Dwarf_Files *files; /**< of the unit; NULL: it has none */
    uint32_t count;     /**< of calls that were sent */
    struct chain_scoped *scoped;
};

/** What DIEs are in. A function is sent when something is inlined in it. */
struct chain_around {
    Dwarf_Die *function; /**< NULL: none */
    uint32_t number;     /**< of it, or of the call in it; NO_CALL: it has not been sent */
    unsigned depth;
};

static void chains_put(struct chain_sender *s, const struct chain_sent *sent, const char *name,
                       const char *file)
{
    if (fwrite(sent, sizeof *sent, 1, s->out) != 1 ||
        fwrite(name, 1, sent->name, s->out) != sent->name ||
        fwrite(file, 1, sent->file, s->out) != sent->file)
        lx_dwarf_stop();
}

/** As linkers call it. @return NULL: they do not */
static const char *chains_linked(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name;
}

/** Where a function is declared: with its class, if it has one. */
static Dwarf_Die chains_declared(Dwarf_Die *function)
{
    enum { STEPS = 4 }; /* from what is inlined to the function, and to its declaration */
    static const unsigned refers[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Attribute attribute;
    Dwarf_Die die = *function, next;

    for (unsigned i = 0; i < STEPS; i++)
        if (dwarf_attr(&die, refers[i % 2], &attribute) && dwarf_formref_die(&attribute, &next))
            die = next;
    return die;
}

/** @return NULL: it has no name */
static const char *chains_name_of(const struct chain_sender *s, Dwarf_Die *function)
{
    const char *name = chains_linked(function);
    const Dwarf_Die die = chains_declared(function);
    struct chain_scoped *scoped;

    if (name)
        return name;
    HASH_FIND_PTR(s->scoped, &die.addr, scoped);
    return scoped ? scoped->name : dwarf_diename(function);
}

static void chains_note(struct chain_sender *s, Dwarf_Die *function, const char *name)
{
    struct chain_scoped *scoped = sim_alloc(1, sizeof *scoped);

    scoped->die = function->addr;
    scoped->name = sim_strdup(name);
    HASH_ADD_PTR(s->scoped, die, scoped);
}

/** Whether a function is a lambda's: gcc says that it made it, but its lines are written. */
static bool chains_lambda(Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    Dwarf_Die object;

    if (!dwarf_attr_integrate(call, DW_AT_object_pointer, &attribute) ||
        !dwarf_formref_die(&attribute, &object))
        return false;
    const char *name = dwarf_diename(&object);
    return name && strcmp(name, "__closure") == 0;
}

/** What stands for the name of a class without one: a lambda's place, for a function has many. */
static char *chains_unnamed(Dwarf_Die *type)
{
    Dwarf_Die die;
    int line = 0, column = 0;

    for (bool more = dwarf_child(type, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0)
        if (dwarf_tag(&die) == DW_TAG_subprogram && chains_lambda(&die) &&
            dwarf_decl_line(type, &line) == 0 && dwarf_decl_column(type, &column) == 0)
            return sim_format("{lambda:%d:%d}", line, column);
    return sim_strdup("(anonymous)");
}

/** What a scope adds to the names of functions in it; of the caller */
static char *chains_scope(Dwarf_Die *die)
{
    const char *own = dwarf_diename(die);

    if (own)
        return sim_strdup(own);
    return dwarf_tag(die) == DW_TAG_namespace ? sim_strdup("(anonymous namespace)")
                                              : chains_unnamed(die);
}

/** Notes functions that are in something with a name.
 *  @param scope  what is in front of their names; "": nothing */
static void chains_note_all(struct chain_sender *s, Dwarf_Die *parent, const char *scope)
{
    Dwarf_Die die;

    for (bool more = dwarf_child(parent, &die) == 0; more;
         more = dwarf_siblingof(&die, &die) == 0) {
        const int tag = dwarf_tag(&die);
        const bool function = tag == DW_TAG_subprogram;
        if (tag == DW_TAG_lexical_block)
            chains_note_all(s, &die, scope);
        if (!function && tag != DW_TAG_namespace && tag != DW_TAG_class_type &&
            tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
            continue;
        char *const own = chains_scope(&die);
        char *const name = sim_format("%s%s%s", scope, *scope ? "::" : "", own);
        if (function && *scope && !chains_linked(&die))
            chains_note(s, &die, name);
        chains_note_all(s, &die, name);
        free(name);
        free(own);
    }
}

static Dwarf_Word chains_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;

    if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value))
        return 0;
    return value;
}

/** Whether the compiler made the function that is inlined: nobody has written a line of it. */
static bool chains_made(Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    bool made = false;

    return dwarf_attr_integrate(call, DW_AT_artificial, &attribute) &&
           !dwarf_formflag(&attribute, &made) && made && !chains_lambda(call);
}

/** @return the call's number */
static uint32_t send_call(struct chain_sender *s, Dwarf_Die *function, uint32_t in)
{
    char file[LX_FILE_LONGEST + 1] = "";
    const char *name = chains_name_of(s, function);
    struct chain_sent sent = {.in = in};

    name = name ? name : "";
    if (in != NO_CALL) {
        const Dwarf_Word number = chains_number(function, DW_AT_call_file);
        lx_file_name(s->files, s->files ? dwarf_filesrc(s->files, number, NULL, NULL) : NULL, file);
        sent.line = (uint32_t)chains_number(function, DW_AT_call_line);
        sent.made = sent.line && chains_made(function);
    }
    sent.name = (uint32_t)strlen(name);
    sent.file = (uint32_t)strlen(file);
    chains_put(s, &sent, name, file);
    return s->count++;
}

static void send_ranges(struct chain_sender *s, Dwarf_Die *call)
{
    Dwarf_Addr base = 0, from, to;

    for (ptrdiff_t at = 0; (at = dwarf_ranges(call, at, &base, &from, &to)) > 0;)
        if (from < to)
            chains_put(s, &(struct chain_sent){.from = from, .to = to, .in = NO_CALL}, "", "");
}

static struct chain_around send_inlined(struct chain_sender *s, Dwarf_Die *call,
                                        struct chain_around *around)
{
    if (around->number == NO_CALL)
        around->number = send_call(s, around->function, NO_CALL);
    const uint32_t number = send_call(s, call, around->number);
    send_ranges(s, call);
    return (struct chain_around){around->function, number, around->depth + 1};
}

static void chains_walk(struct chain_sender *s, Dwarf_Die *parent, struct chain_around *around)
{
    Dwarf_Die die;

    for (bool more = dwarf_child(parent, &die) == 0; more;
         more = dwarf_siblingof(&die, &die) == 0) {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) {
            chains_walk(s, &die, &(struct chain_around){&die, NO_CALL, 0});
        } else if (tag == DW_TAG_inlined_subroutine && around->function &&
                   around->depth < DEEPEST) {
            struct chain_around inner = send_inlined(s, &die, around);
            chains_walk(s, &die, &inner);
        } else {
            chains_walk(s, &die, around);
        }
    }
}

static void chains_send(Dwarf *dwarf, FILE *out)
{
    struct chain_sender s = {.out = out};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (lx_dwarf_next(dwarf, &unit, &die))
        chains_note_all(&s, &die, "");
    unit = NULL;
    while (lx_dwarf_next(dwarf, &unit, &die)) {
        s.files = NULL;
        if (dwarf_getsrcfiles(&die, &s.files, NULL))
            s.files = NULL;
        chains_walk(&s, &die, &(struct chain_around){NULL, NO_CALL, 0});
    }
}

/* ---- what comes back ------------------------------------------------------------------------- */

/** Instructions of a call. */
struct chain_range {
    uint64_t from, to;
    uint32_t call; /**< NO_CALL, of a piece: of none */
};

struct lx_chains {
    struct lx_chain *call;
    size_t calls, call_room;
    struct chain_range *range; /**< while they come; then pieces, which do not overlap */
    size_t ranges, range_room;
    struct lx_texts texts;
};

/** A text of that many bytes. @return NULL: it is none, or has not come whole (*good is false) */
static const char *chains_take_text(struct lx_chains *c, uint32_t size, FILE *in, bool *good)
{
    char text[LX_FILE_LONGEST + 1];

    if (size > LX_FILE_LONGEST || fread(text, 1, size, in) != size) {
        *good = false;
        return NULL;
    }
    text[size] = '\0';
    return size < LX_FILE_LONGEST ? lx_texts_keep(&c->texts, text) : NULL;
}

static bool take_call(struct lx_chains *c, const struct chain_sent *s, FILE *in)
{
    bool good = s->in == NO_CALL || s->in < c->calls;
    const char *name = chains_take_text(c, s->name, in, &good);
    const char *file = good ? chains_take_text(c, s->file, in, &good) : NULL;

    if (!good)
        return false;
    SIM_ROOM(c->call, c->calls, c->call_room, 64);
    /* `in` is a number until all are there */
    c->call[c->calls++] = (struct lx_chain){.name = name ? name : "(unnamed)",
                                            .file = file,
                                            .line = s->line,
                                            .made = s->made != 0,
                                            .from = s->in == NO_CALL ? 0 : UINT64_MAX,
                                            .in = (void *)(uintptr_t)s->in};
    return true;
}

static void take_range(struct lx_chains *c, const struct lx_elf_image *image,
                       const struct chain_sent *s)
{
    const uint64_t from = s->from + image->bias, to = s->to + image->bias;

    if (!c->calls || !lx_elf_holds_code(image, from, to))
        return;
    SIM_ROOM(c->range, c->ranges, c->range_room, 64);
    c->range[c->ranges++] = (struct chain_range){from, to, (uint32_t)c->calls - 1};
    if (from < c->call[c->calls - 1].from)
        c->call[c->calls - 1].from = from;
}

static void chains_take(struct lx_chains *c, const struct lx_elf_image *image, FILE *in)
{
    struct chain_sent s;

    for (uint64_t bytes = 0; bytes < CHAINS_BYTES_MAX && fread(&s, sizeof s, 1, in) == 1;
         bytes += sizeof s + s.name + s.file)
        if (s.to)
            take_range(c, image, &s);
        else if (!take_call(c, &s, in))
            break;
    for (size_t i = 0; i < c->calls; i++) {
        const uint32_t number = (uint32_t)(uintptr_t)c->call[i].in;
        c->call[i].in = number == NO_CALL ? NULL : &c->call[number];
    }
}

/** By address; of those that begin together, the innermost one last. */
static int compare_ranges(const void *pa, const void *pb)
{
    const struct chain_range *a = pa, *b = pb;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/** What is being cut: the ranges that are open, and the pieces so far. */
struct chain_cutting {
    struct chain_range *piece, *open;
    size_t pieces, depth;
};

static void chains_cut(struct chain_cutting *c, uint64_t from)
{
    if (c->pieces && c->piece[c->pieces - 1].from == from)
        c->pieces--;
    c->piece[c->pieces++] =
        (struct chain_range){from, 0, c->depth ? c->open[c->depth - 1].call : NO_CALL};
}

/** Ranges that end at or before `va` do. */
static void chains_close(struct chain_cutting *c, uint64_t va)
{
    while (c->depth && c->open[c->depth - 1].to <= va) {
        const uint64_t end = c->open[--c->depth].to;
        while (c->depth && c->open[c->depth - 1].to <= end)
            c->depth--;
        chains_cut(c, end);
    }
}

static void cut_ranges(struct lx_chains *chains)
{
    struct chain_cutting c = {
        .piece = sim_alloc(2 * chains->ranges, sizeof *c.piece),
        .open = sim_alloc(chains->ranges, sizeof *c.open),
    };

    if (chains->ranges)
        qsort(chains->range, chains->ranges, sizeof *chains->range, compare_ranges);
    for (size_t i = 0; i < chains->ranges; i++) {
        chains_close(&c, chains->range[i].from);
        c.open[c.depth++] = chains->range[i];
        chains_cut(&c, chains->range[i].from);
    }
    chains_close(&c, UINT64_MAX);
    free(c.open);
    free(chains->range);
    chains->range = c.piece;
    chains->ranges = c.pieces;
}

struct lx_chains *lx_chains_new(const struct lx_dwarf_files *files,
                                const struct lx_elf_image *image)
{
    struct lx_chains *c = sim_alloc(1, sizeof *c);
    pid_t child;
    FILE *in = lx_dwarf_begin(files, chains_send, &child);

    if (in)
        chains_take(c, image, in);
    lx_dwarf_end(in, child);
    cut_ranges(c);
    return c;
}

void lx_chains_free(struct lx_chains *c)
{
    if (!c)
        return;
    lx_texts_free(&c->texts);
    free(c->call);
    free(c->range);
    free(c);
}

const struct lx_chain *lx_chains_at(const struct lx_chains *c, uint64_t va)
{
    size_t low = 0, high = c->ranges;

    while (low < high) { /* the first piece that starts behind `va` */
        const size_t middle = low + (high - low) / 2;
        if (c->range[middle].from <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low && c->range[low - 1].call != NO_CALL ? &c->call[c->range[low - 1].call] : NULL;
}

uint32_t lx_chains_number(const struct lx_chains *c, const struct lx_chain *chain)
{
    return (uint32_t)(chain - c->call) + 1;
}

const struct lx_chain *lx_chains_get(const struct lx_chains *c, size_t i)
{
    return i < c->calls ? &c->call[i] : NULL;
}

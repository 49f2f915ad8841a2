/*
 * The symbol table of an executable, by address.
 *
 * The hard idea: symbols overlap, and a damaged table has any number that cover everything. So the
 * table is cut into pieces once, each of which belongs to one symbol or to none, and an address is
 * looked up among the pieces. Nothing here takes longer than sorting the symbols.
 */
#include "programs/linux/names/symbols.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <string.h>

/* ---- the file's table ------------------------------------------------------------------------ */

/** The table and its names, while the file is read. */
struct table {
    Elf *elf;
    bool arm;
    Elf_Data *symbols;
    size_t count;
    const char *strings;
    size_t strings_size; /**< [bytes] up to the last NUL and with it */
};

static void find_strings(struct table *t, size_t section)
{
    Elf_Scn *scn = elf_getscn(t->elf, section);
    const Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
    const char *last = data && data->d_buf ? memrchr(data->d_buf, '\0', data->d_size) : NULL;

    t->strings = last ? data->d_buf : NULL;
    t->strings_size = last ? (size_t)(last - t->strings) + 1 : 0;
}

/** A file has one table of symbols; if a damaged one has more, the first counts. */
static void open_table(struct table *t, int fd)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    GElf_Ehdr eh;

    elf_version(EV_CURRENT);
    *t = (struct table){.elf = elf_begin(fd, ELF_C_READ, NULL)};
    t->arm = t->elf && gelf_getehdr(t->elf, &eh) && eh.e_machine == EM_ARM;
    while (t->elf && !t->symbols && (scn = elf_nextscn(t->elf, scn)))
        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB && sh.sh_entsize)
            t->symbols = elf_getdata(scn, NULL);
    if (!t->symbols)
        return;
    t->count = t->symbols->d_size / sh.sh_entsize;
    find_strings(t, sh.sh_link);
}

static void close_table(struct table *t)
{
    elf_end(t->elf);
}

bool lx_is_name(const char *name)
{
    const size_t length = strnlen(name, LX_SYMBOL_LONGEST + 1);

    if (length == 0 || length > LX_SYMBOL_LONGEST)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f)
            return false;
    return sim_is_utf8(name);
}

/** $a, $t and $d (perhaps with a dot and more) say what follows: ARM code, Thumb code, data. */
static bool symbols_is_mapping(const char *name)
{
    return name[0] == '$' && name[1] && strchr("atd", name[1]) && (!name[2] || name[2] == '.');
}

/** The i-th symbol; bit 0 of an ARM function's value is not of its address (it says Thumb).
 *  @return its name, whatever that is, or NULL: it has none, or lies nowhere */
static const char *any_symbol(const struct table *t, size_t i, GElf_Sym *sym)
{
    const char *name;

    if (!gelf_getsym(t->symbols, (int)i, sym) || sym->st_name >= t->strings_size ||
        sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
        return NULL;
    name = t->strings + sym->st_name;
    if (t->arm && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
        sym->st_value &= ~UINT64_C(1);
    return *name && !(t->arm && symbols_is_mapping(name)) ? name : NULL;
}

/** The same, of names that can be one. */
static const char *read_symbol(const struct table *t, size_t i, GElf_Sym *sym)
{
    const char *name = any_symbol(t, i, sym);

    return name && lx_is_name(name) ? name : NULL;
}

/* ---- one symbol for an address --------------------------------------------------------------- */

struct entry {
    struct lx_symbol symbol; /**< `to` is `from` while it has no size */
    uint64_t end;            /**< the latest that is possible */
    bool label, seen, weak;
    unsigned underscores;
};

/** From here to the next piece addresses belong to that symbol. */
struct piece {
    uint64_t from;
    size_t symbol; /**< NO_SYMBOL: to none */
};

#define NO_SYMBOL SIZE_MAX

struct lx_symbols {
    struct table table; /**< its strings are the names */
    struct entry *entry;
    size_t count;
    struct lx_symbol *alias; /**< other names of what an entry speaks for: found by name only */
    size_t aliases;
    struct piece *piece;
    size_t pieces;
};

static const struct lx_elf_segment *segment_at(const struct lx_elf_image *image, uint64_t va)
{
    for (unsigned i = 0; i < image->segments; i++)
        if (va >= image->segment[i].va && va - image->segment[i].va < image->segment[i].memsz)
            return &image->segment[i];
    return NULL;
}

/** The section a symbol says it is in. @return whether there is one */
static bool section_of(const struct table *t, const GElf_Sym *sym, GElf_Shdr *out)
{
    Elf_Scn *scn = elf_getscn(t->elf, sym->st_shndx);

    return scn && gelf_getshdr(scn, out);
}

/** Where what starts with a symbol ends at the latest: with its section, or with its segment. */
static uint64_t end_of(const struct table *t, const GElf_Sym *sym, uint64_t left)
{
    GElf_Shdr sh;

    if (section_of(t, sym, &sh) && sym->st_value >= sh.sh_addr &&
        sym->st_value - sh.sh_addr < sh.sh_size && sh.sh_size - (sym->st_value - sh.sh_addr) < left)
        left = sh.sh_size - (sym->st_value - sh.sh_addr);
    return left;
}

/** Whether a symbol names something of that kind. */
static bool is_kind(const struct table *t, const GElf_Sym *sym, enum lx_symbol_kind kind)
{
    const unsigned type = GELF_ST_TYPE(sym->st_info);
    GElf_Shdr sh;

    if (kind != LX_FUNCTION)
        return type == (kind == LX_OBJECT ? STT_OBJECT : STT_TLS);
    return type == STT_FUNC || (type == STT_NOTYPE && GELF_ST_BIND(sym->st_info) != STB_LOCAL &&
                                section_of(t, sym, &sh) && (sh.sh_flags & SHF_EXECINSTR));
}

/** @param left  [bytes] from `va` on that it may cover */
static struct entry entry_of(const char *name, const GElf_Sym *sym, uint64_t va, uint64_t left)
{
    const unsigned bind = GELF_ST_BIND(sym->st_info), sight = GELF_ST_VISIBILITY(sym->st_other);
    const uint64_t size = sym->st_size < left ? sym->st_size : left;
    const bool label = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE;

    return (struct entry){
        .symbol = {.from = va, .to = va + (label ? 0 : size), .name = name},
        .end = va + left,
        .label = label,
        .seen = bind != STB_LOCAL && (sight == STV_DEFAULT || sight == STV_PROTECTED),
        .weak = bind == STB_WEAK,
        .underscores = (unsigned)strspn(name, "_"),
    };
}

/** What holds a symbol of a kind: a segment, or the variables of any thread. */
static bool lies_in(const struct lx_elf_image *image, enum lx_symbol_kind kind, const GElf_Sym *sym,
                    struct lx_elf_segment *out)
{
    const struct lx_elf_segment *in = segment_at(image, sym->st_value + image->bias);

    if (kind == LX_THREAD_LOCAL) {
        *out = (struct lx_elf_segment){.memsz = image->tls};
        return sym->st_value < image->tls;
    }
    if (in)
        *out = *in;
    return in && (kind == LX_OBJECT || (in->rights & LX_X));
}

static void collect_entries(struct lx_symbols *s, const struct lx_elf_image *image,
                            enum lx_symbol_kind kind)
{
    for (size_t i = 0; i < s->table.count; i++) {
        GElf_Sym sym;
        const char *name = any_symbol(&s->table, i, &sym);
        struct lx_elf_segment in;
        if (!name || !is_kind(&s->table, &sym, kind) || !lies_in(image, kind, &sym, &in))
            continue;
        const uint64_t va = sym.st_value + (kind == LX_THREAD_LOCAL ? 0 : image->bias);
        if ((s->count & (s->count - 1)) == 0)
            s->entry = sim_grow(s->entry, s->count ? 2 * s->count : 1, sizeof *s->entry);
        uint64_t left = in.va + in.memsz - va;
        if (kind != LX_THREAD_LOCAL)
            left = end_of(&s->table, &sym, left);
        if (!lx_is_name(name)) /* its addresses are not its neighbour's */
            name = "(unprintable)";
        s->entry[s->count++] = entry_of(name, &sym, va, left);
    }
}

static int symbols_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/** Of two at one address, the one that speaks for it first. */
static int compare_speakers(const struct entry *a, const struct entry *b)
{
    const int by[] = {
        symbols_order(a->label, b->label),
        symbols_order(a->symbol.to == a->symbol.from, b->symbol.to == b->symbol.from),
        symbols_order(b->seen, a->seen),
        symbols_order(a->underscores, b->underscores),
        symbols_order(a->weak, b->weak),
        symbols_order(b->symbol.to, a->symbol.to),
        symbols_order(strlen(a->symbol.name), strlen(b->symbol.name)),
    };

    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return strcmp(a->symbol.name, b->symbol.name);
}

/** By address: of most symbols no more is looked at. */
static int compare_entries(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    const int by_address = symbols_order(a->symbol.from, b->symbol.from);

    return by_address ? by_address : compare_speakers(a, b);
}

static void add_alias(struct lx_symbols *s, const struct lx_symbol *symbol)
{
    if ((s->aliases & (s->aliases - 1)) == 0)
        s->alias = sim_grow(s->alias, s->aliases ? 2 * s->aliases : 1, sizeof *s->alias);
    s->alias[s->aliases++] = *symbol;
}

/** Leaves one symbol for each address, and no label within a function. */
static void choose_entries(struct lx_symbols *s)
{
    uint64_t covered = 0;
    size_t kept = 0;

    qsort(s->entry, s->count, sizeof *s->entry, compare_entries);
    for (size_t i = 0; i < s->count; i++) {
        const struct entry *e = &s->entry[i];
        if (kept && e->symbol.from == s->entry[kept - 1].symbol.from) {
            add_alias(s, &e->symbol);
            continue;
        }
        if (e->label && e->symbol.from < covered)
            continue;
        covered = e->symbol.to > covered ? e->symbol.to : covered;
        s->entry[kept++] = *e;
    }
    s->count = kept;
}

/** Gives those without a size an end. */
static void end_entries(struct lx_symbols *s)
{
    uint64_t covered = 0; /* by those with a size */

    for (size_t i = 0; i < s->count; i++) {
        struct entry *e = &s->entry[i];
        uint64_t to = e->end;
        if (e->symbol.to > e->symbol.from) {
            covered = e->symbol.to > covered ? e->symbol.to : covered;
            continue;
        }
        if (i + 1 < s->count && s->entry[i + 1].symbol.from < to)
            to = s->entry[i + 1].symbol.from;
        if (covered > e->symbol.from && covered < to)
            to = covered;
        e->symbol.to = to;
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_piece(struct lx_symbols *s, uint64_t from, size_t symbol)
{
    if (s->pieces && s->piece[s->pieces - 1].from == from)
        s->pieces--;
    s->piece[s->pieces++] = (struct piece){from, symbol};
}

/** Symbols that end at or before `va` do: what is open around each goes on behind it. */
static size_t close_entries(struct lx_symbols *s, const size_t *open, size_t depth, uint64_t va)
{
    while (depth && s->entry[open[depth - 1]].symbol.to <= va) {
        const uint64_t end = s->entry[open[--depth]].symbol.to;
        while (depth && s->entry[open[depth - 1]].symbol.to <= end)
            depth--;
        add_piece(s, end, depth ? open[depth - 1] : NO_SYMBOL);
    }
    return depth;
}

static void cut_pieces(struct lx_symbols *s)
{
    size_t *open = sim_alloc(s->count, sizeof *open), depth = 0;

    s->piece = sim_alloc(2 * s->count, sizeof *s->piece);
    for (size_t i = 0; i < s->count; i++) {
        depth = close_entries(s, open, depth, s->entry[i].symbol.from);
        add_piece(s, s->entry[i].symbol.from, i);
        open[depth++] = i;
    }
    close_entries(s, open, depth, UINT64_MAX);
    free(open);
}

struct lx_symbols *lx_symbols_new(int fd, const struct lx_elf_image *image,
                                  enum lx_symbol_kind kind)
{
    struct lx_symbols *s = sim_alloc(1, sizeof *s);

    open_table(&s->table, fd);
    collect_entries(s, image, kind);
    if (s->count) {
        choose_entries(s);
        end_entries(s);
    }
    cut_pieces(s);
    return s;
}

void lx_symbols_free(struct lx_symbols *s)
{
    if (!s)
        return;
    close_table(&s->table);
    free(s->entry);
    free(s->alias);
    free(s->piece);
    free(s);
}

size_t lx_symbols_count(const struct lx_symbols *s)
{
    return s->count;
}

const struct lx_symbol *lx_symbols_get(const struct lx_symbols *s, size_t i)
{
    return &s->entry[i].symbol;
}

/** How many pieces start at `va` or in front of it. */
static size_t pieces_to(const struct lx_symbols *s, uint64_t va)
{
    size_t low = 0, high = s->pieces;

    while (low < high) { /* the first piece that starts behind `va` */
        const size_t middle = low + (high - low) / 2;
        if (s->piece[middle].from <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct lx_symbol *lx_symbols_at(const struct lx_symbols *s, uint64_t va)
{
    const size_t i = pieces_to(s, va);

    if (i == 0 || s->piece[i - 1].symbol == NO_SYMBOL)
        return NULL;
    return &s->entry[s->piece[i - 1].symbol].symbol;
}

const struct lx_symbol *lx_symbols_before(const struct lx_symbols *s, uint64_t va, uint64_t *end)
{
    size_t i = pieces_to(s, va), next = i;
    const struct entry *e;

    while (i > 0 && s->piece[i - 1].symbol == NO_SYMBOL)
        i--;
    if (i == 0)
        return NULL;
    e = &s->entry[s->piece[i - 1].symbol];
    while (next < s->pieces && s->piece[next].symbol == NO_SYMBOL)
        next++;
    *end = next < s->pieces && s->piece[next].from < e->end ? s->piece[next].from : e->end;
    return va < *end ? &e->symbol : NULL;
}

const struct lx_symbol *lx_symbols_named(const struct lx_symbols *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->entry[i].symbol.name, name))
            return &s->entry[i].symbol;
    for (size_t i = 0; i < s->aliases; i++)
        if (!strcmp(s->alias[i].name, name))
            return &s->alias[i];
    return NULL;
}

/* ---- for people ------------------------------------------------------------------------------ */

void lx_symbols_tell(struct lx_symbols_told *told, int fd, const struct lx_elf_image *image,
                     uint64_t va, char *buf, size_t size)
{
    const struct lx_elf_segment *in = segment_at(image, va);

    buf[0] = '\0';
    if (!in)
        return;
    const enum lx_symbol_kind kind = in->rights & LX_X ? LX_FUNCTION : LX_OBJECT;
    if (!told->of[kind])
        told->of[kind] = lx_symbols_new(fd, image, kind);
    const struct lx_symbol *at = lx_symbols_at(told->of[kind], va);
    if (at && at->from == va)
        snprintf(buf, size, "%s", at->name);
    else if (at)
        snprintf(buf, size, "%s+0x%" PRIx64, at->name, va - at->from);
}

void lx_symbols_told_free(struct lx_symbols_told *told)
{
    for (unsigned kind = 0; kind < LX_THREAD_LOCAL; kind++)
        lx_symbols_free(told->of[kind]);
}

/* ---- by name --------------------------------------------------------------------------------- */

/** The next object or function from the *i-th symbol on. @return its name; NULL: there is none */
static const char *next_named(const struct table *t, size_t *i, GElf_Sym *sym)
{
    while (*i < t->count) {
        const char *name = read_symbol(t, (*i)++, sym);
        const unsigned type = name ? GELF_ST_TYPE(sym->st_info) : STT_NOTYPE;
        if (type == STT_OBJECT || type == STT_FUNC)
            return name;
    }
    return NULL;
}

unsigned lx_elf_find(int fd, const struct lx_elf_image *image, const char *name, uint64_t *va,
                     uint64_t *length)
{
    struct table t;
    const char *at;
    GElf_Sym sym;
    unsigned found = 0;

    open_table(&t, fd);
    for (size_t i = 0; (at = next_named(&t, &i, &sym));) {
        if (strcmp(at, name) || (found && *va == sym.st_value + image->bias))
            continue;
        *va = sym.st_value + image->bias;
        *length = sym.st_size;
        found++;
    }
    close_table(&t);
    return found;
}

void lx_elf_functions(int fd, const struct lx_elf_image *image,
                      void (*each)(void *ctx, const char *name, uint64_t va), void *ctx)
{
    struct table t;

    open_table(&t, fd);
    for (size_t i = 0; i < t.count; i++) {
        GElf_Sym sym;
        struct lx_elf_segment in;
        const char *name = read_symbol(&t, i, &sym);
        if (name && is_kind(&t, &sym, LX_FUNCTION) && lies_in(image, LX_FUNCTION, &sym, &in))
            each(ctx, name, sym.st_value + image->bias);
    }
    close_table(&t);
}

bool lx_elf_executes(const struct lx_elf_image *image, uint64_t va)
{
    const struct lx_elf_segment *in = segment_at(image, va);

    return in && (in->rights & LX_X) && va % image->kind->step == 0;
}

bool lx_elf_holds_code(const struct lx_elf_image *image, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < image->segments; i++) {
        const struct lx_elf_segment *s = &image->segment[i];
        if ((s->rights & LX_X) && from >= s->va && from < to && to - s->va <= s->memsz)
            return true;
    }
    return false;
}

char **lx_elf_names(int fd)
{
    struct table t;
    GElf_Sym sym;
    const char *at;
    char **names = NULL;
    size_t count = 0;

    open_table(&t, fd);
    for (size_t i = 0; (at = next_named(&t, &i, &sym));) {
        names = sim_grow(names, count + 2, sizeof *names);
        names[count++] = sim_strdup(at);
    }
    close_table(&t);
    names = sim_grow(names, count + 1, sizeof *names);
    names[count] = NULL;
    return names;
}

/*
 * Variables and their types, as they come from the process that reads them (types_send.c). It may
 * have been fed anything: a type's number may be of no type, sizes may be of another one, and a
 * struct may be said to hold itself.
 *
 * The hard idea is what overlaps. Members of a union, and bit fields, share bytes: nobody knows
 * which of them a program means. So members that overlap are one part with all of their names.
 * Members of what has no name itself (an anonymous union, a base class) are those of what it is in.
 */
#include "programs/linux/names/types.h"

#include "base/alloc.h"
#include "programs/linux/names/demangle.h"
#include "programs/linux/names/locals.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/names/texts.h"
#include "programs/linux/names/types_sent.h"
#include "programs/linux/names/vtables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <uthash.h>

#define TYPES_BYTES_MAX (UINT64_C(256) << 20) /* that may come */
#define SIZE_MOST       (UINT64_C(1) << 40)   /* [bytes] of a type */

enum {
    PARTS_MAX = 65536, /* of a struct, with those of nameless members */
    NAMES_MAX = 3      /* of members that overlap; more are "..." */
};

/** A member, as it came. */
struct member {
    uint64_t at, size; /**< size: of a bit field */
    uint64_t id;       /**< of its type; 0: a bit field */
    bool in_table;     /**< a virtual base: `at` is where the struct's table says its place */
    char *name;        /**< NULL: none */
};

/** A part of a struct, none of which overlap. */
struct part {
    uint64_t at, size;
    size_t turn;   /**< its place in the source */
    uint32_t type; /**< LX_NO_TYPE: it has no parts of its own */
    bool empty;    /**< a class without data, whose byte others may have */
    char *name;
};

struct type {
    uint64_t id;
    enum lx_sent_kind kind;
    uint64_t size;  /**< as it came */
    uint64_t count; /**< of an array */
    uint64_t of;    /**< id of an array's elements, or of what a pointer leads to */
    struct lx_source source;
    char *name; /**< with what is around it; NULL: none */
    struct member *member;
    size_t members;
    bool columns;      /**< an array of Fortran's, whose elements are counted */
    int64_t first;     /**< from here on */
    struct part *part; /**< [parts] by `at`; of a struct */
    size_t parts;
    uint32_t number; /**< in struct lx_types */
    uint32_t
        derived;    /**< the last struct that begins with this one as its base; LX_NO_TYPE: none */
    uint32_t other; /**< the one before it; LX_NO_TYPE: none */
    UT_hash_handle hh, named;
};

/** A variable that is where its symbol is. */
struct declared {
    char *symbol;
    uint64_t id; /**< of its type; 0: it has none */
    struct lx_source source;
};

struct lx_types {
    struct type *by_id;
    struct type *by_name; /**< whole structs and unions, the first of each name */
    struct lx_locals *locals;
    struct lx_vtables *vtables; /**< while structs get their parts, if one has a virtual base */
    struct type **type;         /**< [types + 1] by number, from 1 */
    struct lx_type *told;       /**< [types + 1] what lx_types_tell says, once all are there */
    size_t types;
    struct lx_variable *variable; /**< [variables] by local, from */
    size_t variables;
    struct declared *declared; /**< [declareds] until all have come */
    size_t declareds;
    struct lx_texts texts; /**< paths of source files */
    const char **file;     /**< [files + 1] by number, from 1; NULL: nobody can print it */
    size_t files;
};

static struct type *type_at(const struct lx_types *t, uint64_t id)
{
    struct type *type;

    HASH_FIND(hh, t->by_id, &id, sizeof id, type);
    return type;
}

/* ---- what comes ------------------------------------------------------------------------------ */

static struct type *add_type(struct lx_types *t, const struct lx_sent *s, struct lx_source source,
                             const char *name)
{
    struct type *type = type_at(t, s->id);

    if (type)
        return NULL; /* the first one holds */
    type = sim_alloc(1, sizeof *type);
    type->id = s->id;
    type->columns = s->kind == LX_SENT_COLUMNS;
    type->kind = type->columns ? LX_SENT_ARRAY : (enum lx_sent_kind)s->kind;
    type->first = (int64_t)s->size;
    type->size = s->size <= SIZE_MOST && !type->columns ? s->size : 0;
    type->count = s->at;
    type->of = s->type;
    type->source = source;
    type->name = name ? sim_strdup(name) : NULL;
    type->number = (uint32_t)++t->types;
    HASH_ADD(hh, t->by_id, id, sizeof type->id, type);
    if ((t->types & (t->types - 1)) == 0)
        t->type = sim_grow(t->type, 2 * t->types + 1, sizeof(struct type *));
    t->type[type->number] = type;
    return type;
}

static void add_member(struct type *to, const struct lx_sent *s, const char *name)
{
    if (!to || s->at > SIZE_MOST || s->size > SIZE_MOST)
        return;
    if ((to->members & (to->members + 1)) == 0)
        to->member = sim_grow(to->member, 2 * to->members + 1, sizeof *to->member);
    to->member[to->members++] = (struct member){.at = s->at,
                                                .size = s->size,
                                                .id = s->type,
                                                .in_table = s->id,
                                                .name = name ? sim_strdup(name) : NULL};
}

static void add_variable(struct lx_types *t, const struct lx_sent *s, uint64_t bias,
                         struct lx_source source, const char *name)
{
    const bool local = s->kind == LX_SENT_LOCAL;

    if (!name)
        return;
    if ((t->variables & (t->variables + 1)) == 0)
        t->variable = sim_grow(t->variable, 2 * t->variables + 1, sizeof *t->variable);
    t->variable[t->variables++] =
        (struct lx_variable){.from = s->at + (local ? 0 : bias),
                             .size = s->type, /* an id, until all types are there */
                             .source = source,
                             .local = local,
                             .name = sim_strdup(name)};
}

static void add_declared(struct lx_types *t, const struct lx_sent *s, struct lx_source source,
                         const char *symbol)
{
    if (!symbol)
        return;
    if ((t->declareds & (t->declareds + 1)) == 0)
        t->declared = sim_grow(t->declared, 2 * t->declareds + 1, sizeof *t->declared);
    t->declared[t->declareds++] = (struct declared){sim_strdup(symbol), s->type, source};
}

/** A name with what a template is made for: there may be blanks in it. */
static bool is_type_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return *name;
}

static bool is_type(uint32_t kind)
{
    return kind <= LX_SENT_DESCRIPTOR && kind != LX_SENT_MEMBER;
}

/** @return the name behind a record, in `buf`; NULL: it has none that can be printed */
static const char *take_name(const struct lx_sent *s, FILE *in, char buf[LX_SENT_NAME + 1])
{
    if (s->name > LX_SENT_NAME || fread(buf, 1, s->name, in) != s->name)
        return NULL;
    buf[s->name] = '\0';
    const bool blanks = is_type(s->kind) || s->kind == LX_SENT_FUNCTION ||
                        s->kind == LX_SENT_STATIC || s->kind == LX_SENT_LOCAL;
    return (blanks ? is_type_name(buf) : lx_is_name(buf)) ? buf : NULL;
}

/** The path of the file with the next number. */
static void take_file(struct lx_types *t, const struct lx_sent *s, FILE *in)
{
    char path[LX_FILE_LONGEST + 1];

    if (s->name > LX_FILE_LONGEST || fread(path, 1, s->name, in) != s->name)
        return;
    path[s->name] = '\0';
    t->files++;
    if ((t->files & (t->files - 1)) == 0)
        t->file = sim_grow(t->file, 2 * t->files, sizeof *t->file);
    t->file[t->files] = s->name < LX_FILE_LONGEST ? lx_texts_keep(&t->texts, path) : NULL;
}

static struct lx_source take_source_of(struct lx_types *t, const struct lx_sent *s, FILE *in)
{
    if (s->name)
        take_file(t, s, in);
    if (!s->id || s->id > t->files || !t->file[s->id] || !s->at || s->at > UINT32_MAX)
        return (struct lx_source){0};
    return (struct lx_source){(uint32_t)s->id, (uint32_t)s->at};
}

/** What the record in front of one has said of it. */
struct taking {
    struct type *last; /**< the type whose members come; NULL: none */
    struct lx_source source;
    uint64_t bias;
};

static void take_one(struct lx_types *t, struct taking *now, const struct lx_sent *s,
                     const char *name)
{
    if (s->kind == LX_SENT_MEMBER || s->kind == LX_SENT_BOUND)
        add_member(now->last, s, name);
    else if (s->kind == LX_SENT_STATIC || s->kind == LX_SENT_LOCAL)
        add_variable(t, s, now->bias, now->source, name);
    else if (s->kind == LX_SENT_DECLARED)
        add_declared(t, s, now->source, name);
    else if (s->kind == LX_SENT_FUNCTION || s->kind == LX_SENT_AUTO)
        lx_locals_take(t->locals, s, now->bias, now->source, name);
    else if (is_type(s->kind))
        now->last = add_type(t, s, now->source, name);
    if (s->kind != LX_SENT_AUTO)
        now->source = (struct lx_source){0};
}

static void take_all(struct lx_types *t, uint64_t bias, FILE *in)
{
    char buf[LX_SENT_NAME + 1];
    struct taking now = {.bias = bias};
    struct lx_sent s;

    for (uint64_t bytes = 0; bytes < TYPES_BYTES_MAX && fread(&s, sizeof s, 1, in) == 1;
         bytes += sizeof s + s.name)
        if (s.kind == LX_SENT_SOURCE)
            now.source = take_source_of(t, &s, in);
        else
            take_one(t, &now, &s, take_name(&s, in, buf));
}

/* ---- parts ----------------------------------------------------------------------------------- */

/** [bytes] of a type; 0: not known, or of an array of any length. */
static uint64_t types_size_of(const struct lx_types *t, uint64_t id)
{
    const struct type *type = type_at(t, id);
    uint64_t times = 1;

    for (unsigned depth = 0; type && type->kind == LX_SENT_ARRAY; depth++) {
        if (depth == LX_TYPES_DEPTH_MAX || type->count == 0 || type->count > SIZE_MOST / times)
            return 0;
        times *= type->count;
        type = type_at(t, type->of);
    }
    return type && type->size <= SIZE_MOST / times ? type->size * times : 0;
}

static bool has_any_length(const struct lx_types *t, uint64_t id)
{
    const struct type *type = type_at(t, id);

    return type && type->kind == LX_SENT_ARRAY && (type->count == LX_SENT_OPEN || !type->count);
}

/** Whether a class has no data, nor have its bases. */
static bool has_no_data(const struct lx_types *t, const struct type *type, unsigned depth)
{
    bool none = type && type->kind == LX_SENT_STRUCT && depth < LX_TYPES_DEPTH_MAX;

    for (size_t i = 0; none && i < type->members; i++)
        none = !type->member[i].name && has_no_data(t, type_at(t, type->member[i].id), depth + 1);
    return none;
}

static void add_part(const struct lx_types *t, struct type *to, const struct member *m, uint64_t at)
{
    const struct type *type = type_at(t, m->id);
    const uint64_t size = m->id ? types_size_of(t, m->id) : m->size;
    const bool open = m->id && has_any_length(t, m->id);

    if (!m->name || (!size && !open) || (!open && (at > to->size || size > to->size - at)))
        return;
    if ((to->parts & (to->parts + 1)) == 0)
        to->part = sim_grow(to->part, 2 * to->parts + 1, sizeof *to->part);
    to->part[to->parts] = (struct part){.at = at,
                                        .turn = to->parts,
                                        .size = open ? 0 : size,
                                        .type = type ? type->number : LX_NO_TYPE,
                                        .empty = has_no_data(t, type, 0),
                                        .name = sim_strdup(m->name)};
    to->parts++;
}

/** Where a member is, of a struct at `at` in `to`. A virtual base is where the whole object's table
 *  says, which the first bases share. @return false: that is not known */
static bool place_in(const struct lx_types *t, const struct type *to, const struct member *m,
                     uint64_t at, uint64_t *out)
{
    *out = at + m->at;
    return !m->in_table || (!at && to->name && t->vtables &&
                            lx_vtables_base(t->vtables, to->name, m->at, out) && *out < to->size);
}

/** Its members, and those of its nameless ones, at their places. */
static void types_collect(const struct lx_types *t, struct type *to, const struct type *from,
                          uint64_t at, unsigned depth)
{
    for (size_t i = 0; i < from->members && to->parts < PARTS_MAX; i++) {
        const struct member *m = &from->member[i];
        const struct type *inner =
            m->name || depth == LX_TYPES_DEPTH_MAX ? NULL : type_at(t, m->id);
        uint64_t place;
        if (!place_in(t, to, m, at, &place))
            continue;
        if (inner && inner->members)
            types_collect(t, to, inner, place, depth + 1);
        else
            add_part(t, to, m, place);
    }
}

static int types_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_parts(const void *pa, const void *pb)
{
    const struct part *a = pa, *b = pb;

    if (a->at != b->at)
        return types_order(a->at, b->at);
    if (!a->size != !b->size) /* one of any length is behind all others */
        return !a->size - !b->size;
    return types_order(a->turn, b->turn);
}

static void drop_name(struct part *part)
{
    free(part->name);
    part->name = NULL;
}

/** Two parts become one with both names. @param names  that the first one has already */
static void types_join(struct part *to, struct part *from, unsigned names)
{
    const uint64_t end = to->at + to->size, more = from->at + from->size;
    char *name = names < NAMES_MAX    ? sim_format("%s|%s", to->name, from->name)
                 : names == NAMES_MAX ? sim_format("%s|...", to->name)
                                      : sim_strdup(to->name);

    to->size = (more > end ? more : end) - to->at;
    to->type = LX_NO_TYPE;
    drop_name(to);
    drop_name(from);
    to->name = name;
}

/** Makes one of those that overlap, and leaves one of any length only at the end. */
static void join_parts(struct type *type)
{
    size_t kept = 0;
    unsigned names = 1;

    qsort(type->part, type->parts, sizeof *type->part, compare_parts);
    for (size_t i = 0; i < type->parts; i++) {
        struct part *last = kept ? &type->part[kept - 1] : NULL, *part = &type->part[i];
        const bool overlaps = last && part->at < last->at + last->size;
        if ((!part->size && (overlaps || i + 1 < type->parts)) || (overlaps && part->empty)) {
            drop_name(part);
        } else if (overlaps && last->empty) {
            drop_name(last);
            *last = *part;
        } else if (overlaps) {
            types_join(last, part, names++);
        } else {
            type->part[kept++] = *part;
            names = 1;
        }
    }
    type->parts = kept;
}

int lx_types_sources(const struct lx_source *a, const struct lx_source *b)
{
    return a->file != b->file ? types_order(a->file, b->file) : types_order(a->line, b->line);
}

/** The same; what is not known is behind all else. */
static int compare_sources(const struct lx_source *a, const struct lx_source *b)
{
    return !a->file != !b->file ? !a->file - !b->file : lx_types_sources(a, b);
}

static int compare_variables(const void *pa, const void *pb)
{
    const struct lx_variable *a = pa, *b = pb;

    if (a->local != b->local)
        return a->local - b->local;
    if (a->from != b->from)
        return types_order(a->from, b->from);
    if (strlen(a->name) != strlen(b->name))
        return types_order(strlen(a->name), strlen(b->name));
    const int named = strcmp(a->name, b->name);
    return named ? named : compare_sources(&a->source, &b->source);
}

/** A struct that another file defines has been sent without members: its name says which it is. */
static void add_named(struct lx_types *t, struct type *type)
{
    struct type *known;

    if ((type->kind != LX_SENT_STRUCT && type->kind != LX_SENT_UNION) || !type->name || !type->size)
        return;
    HASH_FIND(named, t->by_name, type->name, strlen(type->name), known);
    if (!known)
        HASH_ADD_KEYPTR(named, t->by_name, type->name, strlen(type->name), type);
}

/** A struct whose first member has no name and lies at its beginning: its base. */
static void add_derived(struct lx_types *t, struct type *type)
{
    struct type *base =
        type->members && !type->member->name && !type->member->in_table && !type->member->at
            ? type_at(t, type->member->id)
            : NULL;

    if (!base || base->kind != LX_SENT_STRUCT || base->number == type->number)
        return;
    type->other = base->derived;
    base->derived = type->number;
}

/* ---- where declared variables are ------------------------------------------------------------ */

static int compare_symbols(const void *a, const void *b)
{
    return strcmp(((const struct declared *)a)->symbol, ((const struct declared *)b)->symbol);
}

static int compare_declared(const void *a, const void *b)
{
    const int named = compare_symbols(a, b);

    return named ? named
                 : compare_sources(&((const struct declared *)a)->source,
                                   &((const struct declared *)b)->source);
}

/** Sorts them; of those that several files declare the first one stays. */
static void sort_declared(struct lx_types *t)
{
    size_t kept = 0;

    if (t->declareds)
        qsort(t->declared, t->declareds, sizeof *t->declared, compare_declared);
    for (size_t i = 0; i < t->declareds; i++)
        if (kept && !compare_symbols(&t->declared[kept - 1], &t->declared[i]))
            free(t->declared[i].symbol);
        else
            t->declared[kept++] = t->declared[i];
    t->declareds = kept;
}

static void place_declared(struct lx_types *t, const struct declared *d,
                           const struct lx_symbol *symbol)
{
    const struct lx_sent s = {.kind = LX_SENT_STATIC, .type = d->id, .at = symbol->from};
    char *name = lx_demangle(d->symbol);

    lx_plain_templates(name ? name : d->symbol);
    add_variable(t, &s, 0, d->source, name ? name : d->symbol);
    free(name);
}

/** Those that no definition has placed are where their symbols are. */
static void place_all_declared(struct lx_types *t, const struct lx_symbols *objects)
{
    const size_t count = t->declareds ? lx_symbols_count(objects) : 0, had = t->variables;

    if (t->variables)
        qsort(t->variable, t->variables, sizeof *t->variable, compare_variables);
    sort_declared(t);
    for (size_t i = 0; i < count; i++) {
        const struct lx_types defined = {.variable = t->variable, .variables = had};
        const struct lx_symbol *symbol = lx_symbols_get(objects, i);
        const struct declared key = {.symbol = (char *)symbol->name};
        const struct declared *d =
            bsearch(&key, t->declared, t->declareds, sizeof *t->declared, compare_symbols);
        if (d && !lx_types_at(&defined, false, symbol->from))
            place_declared(t, d, symbol);
    }
    for (size_t i = 0; i < t->declareds; i++)
        free(t->declared[i].symbol);
    free(t->declared);
    t->declared = NULL;
    t->declareds = 0;
}

static void types_tell(const struct lx_types *t, uint32_t number, struct lx_type *out);

/** All has come: variables get their types, and structs their parts. */
static void types_settle(struct lx_types *t)
{
    for (size_t i = 1; i <= t->types; i++) {
        add_named(t, t->type[i]);
        if (t->type[i]->kind == LX_SENT_STRUCT)
            add_derived(t, t->type[i]);
    }
    for (size_t i = 0; i < t->variables; i++) {
        struct lx_variable *v = &t->variable[i];
        const struct type *type = type_at(t, v->size);
        v->size = types_size_of(t, v->size);
        v->type = type ? type->number : LX_NO_TYPE;
    }
    if (t->variables)
        qsort(t->variable, t->variables, sizeof *t->variable, compare_variables);
    for (size_t i = 1; i <= t->types; i++)
        if (t->type[i]->kind == LX_SENT_STRUCT) {
            types_collect(t, t->type[i], t->type[i], 0, 0);
            if (t->type[i]->parts)
                join_parts(t->type[i]);
        }
    t->told = sim_alloc(t->types + 1, sizeof *t->told);
    for (size_t i = 1; i <= t->types; i++)
        types_tell(t, (uint32_t)i, &t->told[i]);
}

static bool has_virtual_base(const struct lx_types *t)
{
    for (size_t i = 1; i <= t->types; i++)
        for (size_t m = 0; m < t->type[i]->members; m++)
            if (t->type[i]->member[m].in_table)
                return true;
    return false;
}

struct lx_types *lx_types_new(const struct lx_dwarf_files *files, int fd,
                              const struct lx_elf_image *image, const struct lx_symbols *objects)
{
    struct lx_types *t = sim_alloc(1, sizeof *t);
    pid_t child;
    t->locals = lx_locals_new();
    FILE *in = lx_dwarf_begin(files, lx_types_send, &child);

    if (in)
        take_all(t, image->bias, in);
    lx_dwarf_end(in, child);
    place_all_declared(t, objects);
    if (has_virtual_base(t))
        t->vtables = lx_vtables_new(fd, image, objects);
    types_settle(t);
    lx_vtables_free(t->vtables);
    t->vtables = NULL;
    lx_locals_settle(t->locals, t);
    return t;
}

static void free_type(struct type *type)
{
    for (size_t i = 0; i < type->members; i++)
        free(type->member[i].name);
    for (size_t i = 0; i < type->parts; i++)
        free(type->part[i].name);
    free(type->member);
    free(type->part);
    free(type->name);
    free(type);
}

void lx_types_free(struct lx_types *t)
{
    if (!t)
        return;
    lx_locals_free(t->locals);
    HASH_CLEAR(named, t->by_name);
    HASH_CLEAR(hh, t->by_id);
    for (size_t i = 1; i <= t->types; i++)
        free_type(t->type[i]);
    for (size_t i = 0; i < t->variables; i++)
        free((char *)t->variable[i].name);
    lx_texts_free(&t->texts);
    free((void *)t->file);
    free(t->told);
    free(t->type);
    free(t->variable);
    free(t);
}

/* ---- questions ------------------------------------------------------------------------------- */

const struct lx_variable *lx_types_at(const struct lx_types *t, bool local, uint64_t va)
{
    size_t low = 0, high = t->variables;

    while (low < high) { /* the first that is not in front of it */
        const size_t middle = low + (high - low) / 2;
        const struct lx_variable *v = &t->variable[middle];
        if (v->local < local || (v->local == local && v->from < va))
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->variables && t->variable[low].local == local && t->variable[low].from == va
               ? &t->variable[low]
               : NULL;
}

bool lx_types_is_open(const struct lx_types *t, uint32_t number)
{
    const struct type *type = number && number <= t->types ? t->type[number] : NULL;

    return type && type->kind == LX_SENT_STRUCT && type->parts && !type->part[type->parts - 1].size;
}

size_t lx_types_count(const struct lx_types *t)
{
    return t->types;
}

const struct lx_variable *lx_types_variables(const struct lx_types *t, size_t *count)
{
    *count = t->variables;
    return t->variable;
}

const struct lx_locals *lx_types_locals(const struct lx_types *t)
{
    return t->locals;
}

uint32_t lx_types_number(const struct lx_types *t, uint64_t id)
{
    const struct type *type = type_at(t, id);

    return type ? type->number : LX_NO_TYPE;
}

/** A declared struct's definition, if it has one. */
static const struct type *whole_of(const struct lx_types *t, const struct type *type)
{
    struct type *known = NULL;

    if (type && !type->size && type->name &&
        (type->kind == LX_SENT_STRUCT || type->kind == LX_SENT_UNION))
        HASH_FIND(named, t->by_name, type->name, strlen(type->name), known);
    return known ? known : type;
}

static void types_tell(const struct lx_types *t, uint32_t number, struct lx_type *out)
{
    const struct type *type = whole_of(t, t->type[number]);
    const struct type *of = type_at(t, type->of);

    out->number = type->number;
    out->name = type->name;
    out->size = types_size_of(t, type->id);
    out->of = of ? whole_of(t, of)->number : LX_NO_TYPE;
    out->parts = type->kind == LX_SENT_STRUCT       ? type->parts
                 : type->kind == LX_SENT_DESCRIPTOR ? type->members
                                                    : 0;
    out->count = type->count;
    out->kind = type->kind == LX_SENT_STRUCT       ? LX_TYPE_STRUCT
                : type->kind == LX_SENT_ARRAY      ? LX_TYPE_ARRAY
                : type->kind == LX_SENT_POINTER    ? LX_TYPE_POINTER
                : type->kind == LX_SENT_UNION      ? LX_TYPE_UNION
                : type->kind == LX_SENT_DESCRIPTOR ? LX_TYPE_DESCRIPTOR
                                                   : LX_TYPE_PLAIN;
}

const struct lx_type *lx_types_tell(const struct lx_types *t, uint32_t number)
{
    return &t->told[number <= t->types ? number : LX_NO_TYPE];
}

void lx_types_part(const struct lx_types *t, uint32_t number, size_t i, struct lx_part *out)
{
    const struct part *part = &t->type[number]->part[i];

    *out = (struct lx_part){.at = part->at, .type = part->type, .name = part->name};
}

void lx_types_bound(const struct lx_types *t, uint32_t number, size_t i, uint64_t *first,
                    uint64_t *last)
{
    *first = t->type[number]->member[i].at;
    *last = t->type[number]->member[i].size;
}

uint32_t lx_types_named(const struct lx_types *t, const char *name)
{
    struct type *known;

    HASH_FIND(named, t->by_name, name, strlen(name), known);
    return known ? known->number : LX_NO_TYPE;
}

uint32_t lx_types_derived(const struct lx_types *t, uint32_t base, uint32_t after)
{
    return after == LX_NO_TYPE ? t->type[base]->derived : t->type[after]->other;
}

const struct lx_variable *lx_types_find(const struct lx_types *t, const char *name)
{
    char *plain = sim_strdup(name);
    const struct lx_variable *found = NULL;

    lx_plain_templates(plain);
    for (size_t i = 0; i < t->variables && !found; i++)
        if (!strcmp(t->variable[i].name, plain))
            found = &t->variable[i];
    free(plain);
    return found;
}

static void __attribute__((format(printf, 2, 3)))
types_append(struct prog_member *out, const char *format, ...)
{
    const size_t length = strlen(out->name);
    va_list ap;

    va_start(ap, format);
    const int more = vsnprintf(out->name + length, sizeof out->name - length, format, ap);
    va_end(ap);
    if (more > 0 && (size_t)more >= sizeof out->name - length)
        memcpy(out->name + sizeof out->name - 4, "...", 4);
}

/** "[3]"; of Fortran, whose last dimension comes first here, "(3)", and then "(5,3)". */
static void append_index(const struct type *type, uint64_t index, struct prog_member *out)
{
    const size_t length = strlen(out->name);
    char *open = length && out->name[length - 1] == ')' ? strrchr(out->name, '(') : NULL;
    char rest[sizeof out->name];

    if (!type->columns) {
        types_append(out, "[%" PRIu64 "]", index);
    } else if (!open) {
        types_append(out, "(%" PRId64 ")", (int64_t)index + type->first);
    } else {
        strcpy(rest, open + 1);
        *open = '\0';
        types_append(out, "(%" PRId64 ",%s", (int64_t)index + type->first, rest);
    }
}

/** From an array to the element that has the offset. @return its type; LX_NO_TYPE: no further */
static uint32_t into_array(const struct lx_types *t, const struct type *type, uint64_t offset,
                           struct prog_member *out)
{
    const struct type *of = type_at(t, type->of);
    const uint64_t each = types_size_of(t, type->of), at = offset - out->offset;
    const uint64_t whole = each ? out->size / each : 0;
    const uint64_t count = type->count && type->count < whole ? type->count : whole;

    if (!each)
        return LX_NO_TYPE;
    out->padding = at / each >= count;
    if (out->padding) {
        out->offset += count * each;
        out->size -= count * each;
        return LX_NO_TYPE;
    }
    append_index(type, at / each, out);
    out->offset += at / each * each;
    out->size = each;
    return of ? of->number : LX_NO_TYPE;
}

/** Goes from a struct to the part that has the offset. */
static uint32_t into_struct(const struct type *type, uint64_t offset, struct prog_member *out)
{
    const uint64_t at = offset - out->offset, size = out->size;
    uint64_t gap = 0; /* where the last part in front of it ends */

    for (size_t i = 0; i < type->parts && type->part[i].at < size; i++) {
        const struct part *part = &type->part[i];
        const uint64_t left = size - part->at;
        const uint64_t has = part->size && part->size < left ? part->size : left;
        if (at < part->at) {
            out->padding = true;
            out->size = part->at - gap;
            out->offset += gap;
            return LX_NO_TYPE;
        }
        if (at - part->at < has) {
            types_append(out,
                         *out->name && out->name[strlen(out->name) - 1] == ')' ? "%%%s" : ".%s",
                         part->name);
            out->offset += part->at;
            out->size = has;
            return part->type;
        }
        gap = part->at + has;
    }
    out->padding = type->parts > 0;
    out->offset += gap;
    out->size -= gap;
    return LX_NO_TYPE;
}

bool lx_types_is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/** Takes a member's name away that its library keeps for itself, if there is more behind it: what a
 * program calls m.second.count is m._M_storage.second.count to the compiler.
 *  @param from  where in the name the member's begins, with its dot */
static void drop_reserved(struct prog_member *out, size_t from)
{
    const size_t length = strlen(out->name);

    if (from < length && out->name[from] == '.' && lx_types_is_reserved(out->name + from + 1))
        out->name[from] = '\0';
}

/** Whether a type has parts that are told apart. */
static bool has_parts(const struct lx_types *t, uint32_t number)
{
    const struct type *type = number != LX_NO_TYPE && number <= t->types ? t->type[number] : NULL;

    return type && (type->kind == LX_SENT_ARRAY || (type->kind == LX_SENT_STRUCT && type->parts));
}

/** A struct or union, or that of an array's elements; NULL: it is none. */
static const struct type *struct_of(const struct lx_types *t, uint32_t number)
{
    const struct type *type = number && number <= t->types ? t->type[number] : NULL;

    for (unsigned i = 0; type && type->kind == LX_SENT_ARRAY && i < LX_TYPES_DEPTH_MAX; i++)
        type = type_at(t, type->of);
    return type && (type->kind == LX_SENT_STRUCT || type->kind == LX_SENT_UNION) ? type : NULL;
}

void lx_types_member(const struct lx_types *t, uint32_t number, uint64_t size, uint64_t offset,
                     unsigned depth, struct prog_member *out)
{
    const struct type *whole = depth ? NULL : struct_of(t, number);
    const char *name = whole ? whole->name : NULL;

    *out = (struct prog_member){.size = size};
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    for (unsigned i = 0;
         i < depth && i < LX_TYPES_DEPTH_MAX && number != LX_NO_TYPE && number <= t->types; i++) {
        const struct type *type = t->type[number];
        const size_t length = strlen(out->name);
        const bool alone = type->kind == LX_SENT_STRUCT && type->parts == 1;
        if (type->kind == LX_SENT_ARRAY)
            number = into_array(t, type, offset, out);
        else if (type->kind == LX_SENT_STRUCT)
            number = into_struct(type, offset, out);
        else
            return;
        if (alone || (i + 1 < depth && !out->padding && has_parts(t, number)))
            drop_reserved(out, length);
    }
}

/* ---- where they are declared ----------------------------------------------------------------- */

static bool tell_source(const struct lx_types *t, struct lx_source source, struct prog_line *out)
{
    *out = source.file ? (struct prog_line){t->file[source.file], source.line}
                       : (struct prog_line){NULL, 0};
    return out->file;
}

bool lx_types_type_declared(const struct lx_types *t, uint32_t number, struct prog_line *out)
{
    const struct type *type = struct_of(t, number);

    return tell_source(t, type ? whole_of(t, type)->source : (struct lx_source){0}, out);
}

size_t lx_types_begins(const char *path, const char *name)
{
    const size_t length = strlen(name);

    return !strncmp(path, name, length) && (!path[length] || strchr(".-[(%", path[length])) ? length
                                                                                            : 0;
}

/** Of the variable that a path begins with: the longest name. */
static struct lx_source source_of_path(const struct lx_types *t, const char *path)
{
    struct lx_source best = {0};
    size_t longest = 0;

    for (size_t i = 0; i < t->variables; i++) {
        const struct lx_variable *v = &t->variable[i];
        const size_t length = v->source.file ? lx_types_begins(path, v->name) : 0;
        if (length <= longest)
            continue;
        longest = length;
        best = v->source;
    }
    return best;
}

bool lx_types_variable_declared(const struct lx_types *t, const struct prog_object *o,
                                const char *function, struct prog_line *out)
{
    const struct lx_variable *v = function ? NULL : lx_types_at(t, o->local, o->from);

    return tell_source(t,
                       function ? lx_locals_source(t->locals, function, o->name)
                       : v && !strcmp(v->name, o->name) ? v->source
                                                        : source_of_path(t, o->name),
                       out);
}

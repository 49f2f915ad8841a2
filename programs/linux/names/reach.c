/*
 * Following pointers.
 *
 * The hard idea is that a pointer's type is only said where the pointer is. A block has none of its
 * own: it is what the first pointer says that leads to its beginning, and from then on its members
 * lead on. So blocks are visited in order of their distance: from variables that are not a
 * function's first, pointers before what holds pointers; then from those of one function under way
 * after the other. A block that two pointers call
 * differently has the name of the one that says more (enum says), or came first. Memory is whatever
 * a program left there, and may hold the addresses of anything: a pointer into the midst of a block
 * names the struct that it points to, and a number no block at all.
 *
 * Names that a library keeps for itself (_M_start) are left out of paths: what std::vector<int>
 * bins leads to is bins[17].
 */
#include "programs/linux/names/reach.h"

#include "base/alloc.h"
#include "programs/linux/names/demangle.h"
#include "programs/linux/names/locals.h"

#include <inttypes.h>
#include <string.h>
#include <uthash.h>

enum {
    HEADER = 16,         /* [bytes] in front of an array that its block may begin with */
    VIEWS_MAX = 64,      /* of a block */
    ABOVE_MAX = 8,       /* pointers back, in which a type is looked for once more */
    INLINED = 64,        /* functions, more than there are in one another */
    WORDS_MAX = 4 << 20, /* looked at in all, */
    WORDS_NEAR = 256     /* ... and near a frame */
};

/* How much a pointer says of what it leads to: a char may be any byte. */
enum says { BYTES, ELEMENT, SCALARS, WHOLE };

/* A part of a block, as a pointer has it. */
struct view {
    uint64_t from, to, each;
    uint32_t type;
    enum says says;
    char *path;
    char *shape; /* of an array of Fortran's; NULL: of others */
    const char *function;
    uint32_t thread, depth;
    const struct view *above; /* that the pointer is in; NULL: in a variable */
    struct view *next;        /* all, in the order in which they came */
    bool gone;                /* another one says more */
};

struct node {
    uint64_t from, to;
    struct view *view[VIEWS_MAX];
    unsigned views;
    UT_hash_handle hh;
};

struct reach {
    const struct lx_types *types;
    const struct lx_symbols *objects;
    const struct lx_kind *kind;
    const struct prog_memory *memory;
    struct node *nodes;
    struct view *first, *last;
    uint8_t *leads; /* [types + 1] whether a type has pointers: 0 not known, 1 no, 2 yes */
    size_t words, most;

    /* the memory that was read last */
    uint64_t near;
    uint8_t bytes[256];
    bool there;

    /* the variable or view that is looked through */
    const struct view *in;
    const char *function;
    uint32_t thread, depth;
    char text[PROG_PATH + 64];
};

/* ---- memory ---------------------------------------------------------------------------------- */

static bool word_at(struct reach *r, uint64_t va, uint64_t *out)
{
    const unsigned word = r->kind->word;
    const uint64_t near = va & ~(uint64_t)(sizeof r->bytes - 1);

    r->words++;
    if (va % word)
        return false;
    if (near != r->near) {
        r->near = near;
        r->there = r->memory->read(r->memory->ctx, near, r->bytes, sizeof r->bytes);
    }
    *out = r->there ? lx_kind_get(r->kind, r->bytes + (va - near), word) : 0;
    return r->there;
}

static bool reach_word(void *ctx, uint64_t va, uint64_t *out)
{
    return word_at(ctx, va, out);
}

/* ---- types ----------------------------------------------------------------------------------- */

static struct lx_type type_of(const struct reach *r, uint32_t number)
{
    return *lx_types_tell(r->types, number);
}

static bool leads_on(struct reach *r, uint32_t number)
{
    const struct lx_type type = type_of(r, number);
    struct lx_part part;
    bool leads = type.kind == LX_TYPE_POINTER || type.kind == LX_TYPE_DESCRIPTOR;

    if (!type.number)
        return false;
    if (r->leads[type.number])
        return r->leads[type.number] == 2;
    r->leads[type.number] = 1; /* one that is said to hold itself */
    if (type.kind == LX_TYPE_ARRAY)
        leads = leads_on(r, type.of);
    for (size_t i = 0; !leads && type.kind == LX_TYPE_STRUCT && i < type.parts; i++) {
        lx_types_part(r->types, type.number, i, &part);
        leads = leads_on(r, part.type);
    }
    r->leads[type.number] = leads ? 2 : 1;
    return leads;
}

/* The struct that an object of virtual functions is, as its first word says.
 * @param va  of the object or of one of its bases; becomes that of the whole object */
static uint32_t by_table(struct reach *r, uint64_t *va)
{
    static const char says[] = "vtable for ";
    const struct lx_symbol *symbol;
    uint64_t table, top;
    uint32_t found = LX_NO_TYPE;
    char *name;

    if (!word_at(r, *va, &table) || !(symbol = lx_symbols_at(r->objects, table)) ||
        strncmp(symbol->name, "_ZTV", 4))
        return LX_NO_TYPE;
    name = lx_demangle(symbol->name);
    if (name && !strncmp(name, says, sizeof says - 1))
        found = lx_types_named(r->types, name + sizeof says - 1);
    free(name);
    if (found &&
        word_at(r, table - 2 * (uint64_t)r->kind->word, &top)) /* how far to the object's */
        *va += r->kind->word == 4 ? (uint64_t)(int32_t)top : top;
    return found;
}

static bool has_table(const struct reach *r, const struct lx_type *type)
{
    struct lx_part part = {.at = 1};

    if (type->parts)
        lx_types_part(r->types, type->number, 0, &part);
    return !part.at && !strncmp(part.name, "_vptr", 5);
}

/* Whether what a template was made for is the same: "int" of node<int>, in list<int, ...>. */
static bool reach_is_akin(const char *name, const char *other)
{
    const char *from = name ? strchr(name, '<') : NULL, *to = from ? strrchr(name, '>') : NULL;
    char made[256];

    while (to && to > from && to[-1] == ' ')
        to--;
    if (!to || !other || (size_t)(to - from) >= sizeof made)
        return false;
    snprintf(made, sizeof made, "%.*s", (int)(to - from - 1), from + 1);
    return *made && strstr(other, made);
}

/* Whether the one is made for what the variable is made for that leads there. */
static bool is_akin_to_way(const struct reach *r, const char *name, const char *holder)
{
    bool akin = reach_is_akin(name, holder);

    for (const struct view *v = r->in; v && !akin; v = v->above)
        akin = reach_is_akin(name, type_of(r, v->type).name);
    return akin;
}

/* Of structs that begin with `base`, the one that fills the block: a list's links are of its nodes'
 * base. */
static uint32_t by_size(const struct reach *r, uint32_t base, uint64_t size, const char *holder)
{
    uint32_t found = LX_NO_TYPE, akin = LX_NO_TYPE;
    unsigned count = 0, likes = 0;

    for (uint32_t d = lx_types_derived(r->types, base, LX_NO_TYPE); d && count < 1000;
         d = lx_types_derived(r->types, base, d)) {
        const struct lx_type type = type_of(r, d);
        if (type.size != size)
            continue;
        count += !found || strcmp(type.name ? type.name : "",
                                  type_of(r, found).name ? type_of(r, found).name : "");
        found = d;
        if (is_akin_to_way(r, type.name, holder)) {
            akin = akin ? akin : d;
            likes++;
        }
    }
    return akin ? akin : count == 1 ? found : LX_NO_TYPE;
}

/* Whether a type is a library's own, such as the links of std::list. */
static bool is_librarys(const char *name)
{
    const char *last = name;

    for (const char *c = name; c && *c && *c != '<'; c++)
        if (c[0] == ':' && c[1] == ':')
            last = c + 2;
    return last && lx_types_is_reserved(last);
}

/* What lies where a pointer to a struct leads: perhaps one that begins with it, or has it as a base
 * elsewhere. @param va  where that begins then */
static struct lx_type reach_refined(struct reach *r, struct lx_type type, uint64_t *va,
                                    const struct node *node, const char *holder)
{
    uint64_t top = *va, left = node->to - *va;
    uint32_t found = has_table(r, &type) ? by_table(r, &top) : LX_NO_TYPE;

    if (found && top >= node->from && top <= *va && type_of(r, found).size <= node->to - top) {
        *va = top;
        return type_of(r, found);
    }
    found = LX_NO_TYPE;
    if (type.kind == LX_TYPE_STRUCT &&
        (left % type.size || (left > type.size && is_librarys(type.name))))
        found = by_size(r, type.number, left, holder);
    return found && type_of(r, found).size <= left ? type_of(r, found) : type;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct node *node_at(struct reach *r, uint64_t va)
{
    struct node *node;
    uint64_t from, to;

    if (!va || !r->memory->block(r->memory->ctx, va, &from, &to))
        return NULL;
    HASH_FIND(hh, r->nodes, &from, sizeof from, node);
    if (!node) {
        node = sim_alloc(1, sizeof *node);
        node->from = from;
        node->to = to;
        HASH_ADD(hh, r->nodes, from, sizeof node->from, node);
    }
    return node;
}

/* Makes room for what says more. @return false: what is there says as much, or more; `view` is cut
 * where that begins */
static bool make_way(struct node *node, struct view *view)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < node->views; i++) {
        const struct view *v = node->view[i];
        if (v->from >= view->to || view->from >= v->to || v->says < view->says)
            continue;
        if (v->from <= view->from)
            return false;
        view->to = v->from;
        view->each = 0;
    }
    for (unsigned i = 0; i < node->views; i++) {
        struct view *v = node->view[i];
        v->gone = v->from < view->to && view->from < v->to;
        if (!v->gone)
            node->view[kept++] = v;
    }
    node->views = kept;
    return kept < VIEWS_MAX;
}

/* The first pointer back from which such a type has been reached. */
static const struct view *seen_above(const struct reach *r, uint32_t type)
{
    const struct view *v = r->in, *found = NULL;

    for (unsigned i = 0; v && i < ABOVE_MAX; i++, v = v->above)
        if (v->type == type)
            found = v;
    return found;
}

/* The arrow at the end of a text: a member follows, unless it has no name. NULL: there is none */
static char *ends_in_arrow(char *text)
{
    const size_t length = strlen(text);

    return length > 2 && !strcmp(text + length - 2, "->") ? text + length - 2 : NULL;
}

/* What a chain of equal things is called, however long it is. */
static char *path_to(struct reach *r, const struct lx_type *type)
{
    const struct view *above = type->kind == LX_TYPE_STRUCT ? seen_above(r, type->number) : NULL;
    char *const arrow = ends_in_arrow(r->text), *path;

    if (arrow)
        *arrow = '\0';
    if (!above || !strcmp(above->path, r->text))
        path = sim_strdup(r->text);
    else if (strstr(above->path, "->..."))
        path = sim_strdup(above->path);
    else
        path = sim_format("%s->...", above->path);
    if (arrow)
        strcpy(arrow, "->");
    return path;
}

static void add_view(struct reach *r, struct node *node, const struct view *made,
                     const struct lx_type *type)
{
    struct view *view = sim_alloc(1, sizeof *view);

    *view = *made;
    if (!make_way(node, view)) {
        free(view);
        return;
    }
    view->shape = made->shape ? sim_strdup(made->shape) : NULL;
    view->path = path_to(r, type);
    view->function = r->function;
    view->thread = r->thread;
    view->depth = r->depth;
    view->above = r->in;
    node->view[node->views++] = view;
    if (r->last)
        r->last->next = view;
    else
        r->first = view;
    r->last = view;
}

static bool is_scalar(const struct lx_type *type)
{
    return type->kind == LX_TYPE_PLAIN;
}

/* How a pointer divides what is behind it. */
static struct view reach_divided(const struct reach *r, const struct lx_type *type, uint64_t va,
                                 const struct node *node)
{
    const uint64_t left = node->to - va, size = type->size;
    const bool whole = va - node->from <= HEADER, fits = size <= left;
    const bool many = whole && fits && left / size > 1 &&
                      !lx_types_is_open(r->types, type->number) &&
                      (type->kind != LX_TYPE_STRUCT || left % size == 0);

    return (struct view){.from = va,
                         .to = many             ? va + left / size * size
                               : whole || !fits ? node->to
                                                : va + size,
                         .each = many ? size : 0,
                         .type = type->number,
                         .says = !whole || !fits    ? ELEMENT
                                 : !is_scalar(type) ? WHOLE
                                 : size > 1         ? SCALARS
                                                    : BYTES};
}

/* A pointer to such a thing has the value `va`. @param holder  the struct that it is in; NULL: none
 */
static void reach_follow(struct reach *r, uint32_t number, uint64_t va, const char *holder)
{
    struct lx_type type = type_of(r, number);
    struct node *node = node_at(r, va);
    struct view view;

    while (type.kind == LX_TYPE_ARRAY && !type.size)
        type = type_of(r, type.of);
    if (!node || strlen(r->text) >= PROG_PATH)
        return;
    if (!type.size)
        return; /* void: its name says less than where the block comes from */
    type = reach_refined(r, type, &va, node, holder);
    view = reach_divided(r, &type, va, node);
    if (view.says != ELEMENT || type.kind == LX_TYPE_STRUCT)
        add_view(r, node, &view, &type);
}

/* ---- arrays of Fortran ----------------------------------------------------------------------- */

/* Reads the bounds. @return how many elements there are; 0: none, or it makes no sense */
static uint64_t shape_of(struct reach *r, const struct lx_type *type, uint64_t va, char *shape,
                         size_t size)
{
    const unsigned bits = 8 * r->kind->word;
    uint64_t count = type->parts > 0;

    *shape = '\0';
    for (size_t i = 0; i < type->parts && count; i++) {
        uint64_t at[2], bound[2];
        lx_types_bound(r->types, type->number, i, &at[0], &at[1]);
        if (!word_at(r, va + at[0], &bound[0]) || !word_at(r, va + at[1], &bound[1]))
            return 0;
        const int64_t first = (int64_t)(bound[0] << (64 - bits)) >> (64 - bits),
                      last = (int64_t)(bound[1] << (64 - bits)) >> (64 - bits);
        const size_t used = strlen(shape);
        const uint64_t many = last >= first ? (uint64_t)last - (uint64_t)first + 1 : 0;
        snprintf(shape + used, size - used, "%s%" PRId64 ":%" PRId64, used ? "," : "", first, last);
        count = many && count <= UINT32_MAX / many ? count * many : 0;
    }
    return count;
}

/* Of an array whose bounds nobody knows any more, the address is. */
static void follow_address(struct reach *r, const struct lx_type *type, uint64_t va)
{
    const struct lx_type of = type_of(r, type->of);
    struct node *node = of.size ? node_at(r, va) : NULL;

    if (!node || va - node->from > HEADER || node->to - va < of.size)
        return;
    add_view(r, node,
             &(struct view){.from = va,
                            .to = va + (node->to - va) / of.size * of.size,
                            .each = of.size,
                            .type = of.number,
                            .says = WHOLE},
             &of);
}

/* An array's descriptor leads to the array. */
static void follow_descriptor(struct reach *r, const struct lx_type *type, uint64_t va)
{
    const struct lx_type of = type_of(r, type->of);
    char shape[PROG_SHAPE];
    const uint64_t count = shape_of(r, type, va, shape, sizeof shape);
    uint64_t value;
    struct node *node = count && of.size && word_at(r, va, &value) ? node_at(r, value) : NULL;

    if (!node || value - node->from > HEADER || (node->to - value) / of.size < count)
        return;
    add_view(r, node,
             &(struct view){.from = value,
                            .to = value + count * of.size,
                            .each = of.size,
                            .type = of.number,
                            .says = WHOLE,
                            .shape = shape},
             &of);
}

/* ---- what leads on --------------------------------------------------------------------------- */

static void look_through(struct reach *r, uint32_t number, uint64_t va, const char *holder,
                         unsigned depth);

/* Adds to the text. @return how long it was */
static size_t __attribute__((format(printf, 2, 3)))
reach_append(struct reach *r, const char *format, ...)
{
    const size_t length = strlen(r->text);
    va_list ap;

    va_start(ap, format);
    vsnprintf(r->text + length, sizeof r->text - length, format, ap);
    va_end(ap);
    return length;
}

static void look_through_array(struct reach *r, const struct lx_type *array, uint64_t va,
                               const char *holder, unsigned depth)
{
    const uint64_t each = type_of(r, array->of).size;
    char *const arrow = ends_in_arrow(r->text);

    if (arrow)
        *arrow = '\0';
    for (uint64_t i = 0; each && array->size && i < array->size / each && r->words < r->most; i++) {
        const size_t length = reach_append(r, "[%" PRIu64 "]", i);
        look_through(r, array->of, va + i * each, holder, depth + 1);
        r->text[length] = '\0';
    }
    if (arrow)
        strcpy(arrow, "->");
}

/* "cells(2)": a member of such a struct is cells(2)%n to its programmer. */
static bool ends_in_index(const char *text)
{
    return *text && text[strlen(text) - 1] == ')';
}

static void look_through_struct(struct reach *r, const struct lx_type *type, uint64_t va,
                                const char *holder, unsigned depth)
{
    const char *inner = type->name && strchr(type->name, '<') ? type->name : holder;

    for (size_t i = 0; i < type->parts; i++) {
        const size_t length = strlen(r->text);
        struct lx_part part;
        lx_types_part(r->types, type->number, i, &part);
        if (!leads_on(r, part.type))
            continue;
        if (!lx_types_is_reserved(part.name))
            reach_append(r,
                         ends_in_arrow(r->text)   ? "%s"
                         : ends_in_index(r->text) ? "%%%s"
                                                  : ".%s",
                         part.name);
        look_through(r, part.type, va + part.at, inner, depth + 1);
        r->text[length] = '\0';
    }
}

static void look_through(struct reach *r, uint32_t number, uint64_t va, const char *holder,
                         unsigned depth)
{
    const struct lx_type type = type_of(r, number);
    uint64_t value;

    if (depth == LX_TYPES_DEPTH_MAX || r->words >= r->most || !leads_on(r, number))
        return;
    switch (type.kind) {
    case LX_TYPE_POINTER:
        if (word_at(r, va, &value))
            reach_follow(r, type.of, value, holder);
        break;
    case LX_TYPE_DESCRIPTOR:
        follow_descriptor(r, &type, va);
        break;
    case LX_TYPE_ARRAY:
        look_through_array(r, &type, va, holder, depth);
        break;
    case LX_TYPE_STRUCT:
        look_through_struct(r, &type, va, holder, depth);
        break;
    default:
        break;
    }
}

static void begin_text(struct reach *r, const char *name, const char *function, uint32_t thread)
{
    snprintf(r->text, sizeof r->text, "%s", name);
    r->function = function;
    r->thread = thread;
    r->in = NULL;
}

/* The elements of a view lead on. */
static void look_through_view(struct reach *r, const struct view *view)
{
    const uint64_t count = view->each ? (view->to - view->from) / view->each : 1;
    const bool pointer = type_of(r, view->type).kind != LX_TYPE_STRUCT;
    char number[PROG_SHAPE];

    begin_text(r, view->path, view->function, view->thread);
    r->depth = view->depth;
    r->in = view;
    if (view->gone || !leads_on(r, view->type))
        return;
    for (uint64_t i = 0; i < count && r->words < r->most; i++) {
        const size_t length = view->shape
                                  ? reach_append(r, "%s", prog_shape_index(view->shape, i, number))
                              : view->each ? reach_append(r, "[%" PRIu64 "]", i)
                                           : reach_append(r, pointer ? "[0]" : "->");
        look_through(r, view->type, view->from + i * view->each, NULL, 0);
        r->text[length] = '\0';
    }
}

static void look_through_views(struct reach *r, const struct view *view)
{
    for (; view; view = view->next)
        look_through_view(r, view);
}

/* All that has come behind `last` leads on. @return the last one now */
static const struct view *lead_on(struct reach *r, const struct view *last)
{
    look_through_views(r, last ? last->next : r->first);
    return r->last;
}

/* ---- where it begins ------------------------------------------------------------------------- */

/* @param pointers  whether those are meant that are pointers, or all others */
static void begin_static(struct reach *r, bool pointers)
{
    size_t count;
    const struct lx_variable *v = lx_types_variables(r->types, &count);

    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < (v[i].local ? r->memory->threads : 1); t++) {
            if ((type_of(r, v[i].type).kind == LX_TYPE_POINTER) != pointers)
                continue;
            begin_text(r, v[i].name, NULL, v[i].local ? r->memory->thread[t] : 0);
            look_through(r, v[i].type, v[i].from + (v[i].local ? r->memory->tls[t] : 0), NULL, 0);
        }
}

/* A register holds what is at an offset in a variable: a pointer, perhaps. */
static void begin_piece(struct reach *r, uint32_t number, uint64_t offset, uint64_t value)
{
    const char *holder = NULL;

    for (unsigned depth = 0; depth < LX_TYPES_DEPTH_MAX; depth++) {
        const struct lx_type type = type_of(r, number);
        const uint64_t each = type.kind == LX_TYPE_ARRAY ? type_of(r, type.of).size : 0;
        struct lx_part part = {0};
        if (type.kind == LX_TYPE_POINTER && !offset)
            reach_follow(r, type.of, value, holder);
        if (type.kind == LX_TYPE_DESCRIPTOR && !offset)
            follow_address(r, &type, value);
        for (size_t i = 0; i < type.parts && type.kind == LX_TYPE_STRUCT; i++) {
            struct lx_part next;
            lx_types_part(r->types, type.number, i, &next);
            if (next.at <= offset)
                part = next;
        }
        if (each)
            reach_append(r, "[%" PRIu64 "]", offset / each);
        else if (!part.name)
            return;
        else if (!lx_types_is_reserved(part.name))
            reach_append(r, ".%s", part.name);
        holder = type.name && strchr(type.name, '<') ? type.name : holder;
        number = each ? type.of : part.type;
        offset = each ? offset % each : offset - part.at;
    }
}

static void begin_local(struct reach *r, const struct pc_profile_frame *frame,
                        const struct lx_local *local)
{
    uint64_t va;

    begin_text(r, local->name, local->function, frame->thread);
    r->depth = frame->depth * INLINED + local->inlined;
    if (lx_local_address(local, frame, reach_word, r, &va))
        look_through(r, local->type, va, NULL, 0);
    else if (local->mode == LX_PLACE_REGISTER && local->base < PC_REGISTERS &&
             frame->known >> local->base & 1)
        begin_piece(r, local->type, (uint64_t)local->offset, frame->reg[local->base]);
}

/* A function's own variables lead on, or those of one that is so deep in it.
 * @return whether there are deeper ones */
static bool begin_locals(struct reach *r, const struct pc_profile_frame *frame, unsigned inlined)
{
    const struct lx_locals *locals = lx_types_locals(r->types);
    bool more = false;

    for (const struct lx_local *l = lx_locals_at(locals, frame->pc, NULL); l;
         l = lx_locals_at(locals, frame->pc, l)) {
        if (l->inlined == inlined)
            begin_local(r, frame, l);
        more |= l->inlined > inlined;
    }
    return more;
}

/* What a function's own variables lead to is called by them, and not by what its callees call it,
 * inlined or not. */
static const struct view *lead_from_frames(struct reach *r, const struct view *last)
{
    for (size_t i = 0; i < r->memory->frames; i++) {
        bool more = true;
        for (unsigned inlined = 0; more; inlined++) {
            more = begin_locals(r, &r->memory->frame[i], inlined);
            last = lead_on(r, last);
        }
    }
    return last;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void tell_views(const struct reach *r, prog_found_fn *found, void *ctx)
{
    for (const struct view *v = r->first; v; v = v->next)
        if (!v->gone)
            found(ctx, &(struct prog_part){.from = v->from,
                                           .to = v->to,
                                           .each = v->each,
                                           .path = v->path,
                                           .type = v->type,
                                           .shape = v->shape,
                                           .function = v->function,
                                           .thread = v->thread,
                                           .depth = v->depth});
}

static void reach_end(struct reach *r)
{
    struct view *view, *after;
    struct node *node, *next;

    HASH_ITER(hh, r->nodes, node, next) {
        HASH_DEL(r->nodes, node);
        free(node);
    }
    for (view = r->first; view; view = after) {
        after = view->next;
        free(view->path);
        free(view->shape);
        free(view);
    }
    free(r->leads);
}

static struct reach reach_new(const struct lx_types *types, const struct lx_kind *kind,
                              const struct prog_memory *memory)
{
    return (struct reach){.types = types,
                          .kind = kind,
                          .memory = memory,
                          .most = memory->near ? WORDS_NEAR : WORDS_MAX,
                          .near = UINT64_MAX,
                          .leads = sim_alloc(lx_types_count(types) + 1, sizeof(uint8_t))};
}

size_t lx_reach(const struct lx_types *types, const struct lx_symbols *objects,
                const struct lx_kind *kind, const struct prog_memory *memory, prog_found_fn *found,
                void *ctx)
{
    struct reach r = reach_new(types, kind, memory);
    const struct view *last;

    r.objects = objects;
    for (unsigned turn = 0; turn < 2 && !memory->near; turn++)
        begin_static(&r, turn == 0);
    last = lead_on(&r, NULL);
    lead_from_frames(&r, last);
    tell_views(&r, found, ctx);
    reach_end(&r);
    return r.words;
}

bool lx_on_stack(const struct lx_types *types, const struct lx_kind *kind,
                 const struct prog_memory *memory, uint64_t va, struct prog_part *out)
{
    struct reach r = reach_new(types, kind, memory);
    const struct lx_locals *locals = lx_types_locals(types);
    bool found = false;

    for (size_t i = 0; i < memory->frames && !found; i++) {
        const struct pc_profile_frame *frame = &memory->frame[i];
        for (const struct lx_local *l = lx_locals_at(locals, frame->pc, NULL); l && !found;
             l = lx_locals_at(locals, frame->pc, l)) {
            const struct lx_type type = type_of(&r, l->type);
            uint64_t at;
            found = l->mode == LX_PLACE_MEMORY && lx_local_address(l, frame, reach_word, &r, &at) &&
                    va - at < type.size;
            if (found)
                *out = (struct prog_part){.from = at,
                                          .to = at + type.size,
                                          .path = l->name,
                                          .type = type.number,
                                          .function = l->function,
                                          .thread = frame->thread};
        }
    }
    reach_end(&r);
    return found;
}

/*
 * Variables of functions, as they come from the process that reads them (locals_send.c). Each
 * stretch of instructions is a row; rows are in the order of their first instructions, with the
 * farthest end of all rows up to each, which ends a search backwards.
 */
#include "programs/linux/names/locals.h"

#include "base/alloc.h"

#include <string.h>

enum { FUNCTION_NAME = 80, ROWS_MAX = 1 << 21, INLINED_MAX = 63 };

struct row {
    struct lx_local local;
    uint64_t reach; /**< the farthest end of it and of all rows in front of it */
    uint64_t id;    /**< of its type, until all types are there */
    size_t turn;
};

/** A function that has variables, in the order in which they came. */
struct owner {
    char *name;
    unsigned inlined;
    struct owner *next;
};

struct lx_locals {
    struct row *row; /**< [rows] by local.from; of equal ones, as they came */
    size_t rows;
    struct owner *owner; /**< the last one first */
};

/** "Pool::run" of "Pool::run<unsigned int, std::less<int> >": arguments of templates are left out,
 *  so that no blanks are in it. */
static char *short_name(const char *name)
{
    char *made = sim_strdup(name), *to = made;
    unsigned depth = 0;

    for (const char *c = name; *c; c++) {
        const bool operates = to - made >= 8 && !strncmp(to - 8, "operator", 8);
        if (*c == '<' && !operates)
            depth++;
        if (!depth)
            *to++ = (char)(*c == ' ' ? '_' : *c);
        if (*c == '>' && depth && c[-1] != '-')
            depth--;
    }
    if (to == made) /* a lambda's: all of it is in brackets */
        to = stpcpy(made, "lambda");
    *to = '\0';
    if (to - made > FUNCTION_NAME)
        strcpy(made + FUNCTION_NAME - 3, "...");
    return made;
}

static void add_owner(struct lx_locals *l, const char *name, uint64_t inlined)
{
    struct owner *owner = sim_alloc(1, sizeof *owner);

    *owner = (struct owner){.name = short_name(name ? name : "?"),
                            .inlined = inlined < INLINED_MAX ? (unsigned)inlined : INLINED_MAX,
                            .next = l->owner};
    l->owner = owner;
}

/** Whether a function is a library's: its variables are nobody's who wrote the program. */
static bool is_library(const char *function)
{
    return !strncmp(function, "std::", 5) || !strncmp(function, "__gnu_cxx::", 11) ||
           lx_types_is_reserved(function);
}

static void add_row(struct lx_locals *l, const struct lx_sent *sent, uint64_t bias,
                    struct lx_source source, const char *name)
{
    const uint64_t bits = LX_PLACE_OFFSET;

    if (!name || !l->owner || sent->id >= sent->size || l->rows == ROWS_MAX ||
        is_library(l->owner->name) || lx_types_is_reserved(name))
        return;
    if ((l->rows & (l->rows + 1)) == 0)
        l->row = sim_grow(l->row, 2 * l->rows + 1, sizeof *l->row);
    l->row[l->rows] =
        (struct row){.local = {.from = sent->id + bias,
                               .to = sent->size + bias,
                               .name = sim_strdup(name),
                               .function = l->owner->name,
                               .inlined = l->owner->inlined,
                               .source = source,
                               .mode = (unsigned)(sent->at >> 56),
                               .base = (unsigned)(sent->at >> bits & 0xff),
                               .offset = (int64_t)(sent->at << (64 - bits)) >> (64 - bits)},
                     .id = sent->type,
                     .turn = l->rows};
    l->rows++;
}

void lx_locals_take(struct lx_locals *l, const struct lx_sent *sent, uint64_t bias,
                    struct lx_source source, const char *name)
{
    if (sent->kind == LX_SENT_FUNCTION)
        add_owner(l, name, sent->at);
    else
        add_row(l, sent, bias, source, name);
}

static int locals_by_address(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;

    if (a->local.from != b->local.from)
        return a->local.from < b->local.from ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

void lx_locals_settle(struct lx_locals *l, const struct lx_types *types)
{
    uint64_t reach = 0;

    if (l->rows)
        qsort(l->row, l->rows, sizeof *l->row, locals_by_address);
    for (size_t i = 0; i < l->rows; i++) {
        struct row *row = &l->row[i];
        reach = row->local.to > reach ? row->local.to : reach;
        row->reach = reach;
        row->local.type = lx_types_number(types, row->id);
    }
}

/** How many rows begin at `pc` or in front of it. */
static size_t rows_to(const struct lx_locals *l, uint64_t pc)
{
    size_t low = 0, high = l->rows;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->row[middle].local.from <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct lx_local *lx_locals_at(const struct lx_locals *l, uint64_t pc,
                                    const struct lx_local *before)
{
    size_t i = before ? (size_t)((const struct row *)before - l->row) : rows_to(l, pc);

    while (i-- > 0 && l->row[i].reach > pc)
        if (l->row[i].local.to > pc)
            return &l->row[i].local;
    return NULL;
}

struct lx_source lx_locals_source(const struct lx_locals *l, const char *function, const char *path)
{
    struct lx_source best = {0};
    size_t longest = 0;

    for (size_t i = 0; i < l->rows; i++) {
        const struct lx_local *local = &l->row[i].local;
        const size_t length = lx_types_begins(path, local->name);
        if (!length || length < longest || !local->source.file || strcmp(local->function, function))
            continue;
        if (length > longest || lx_types_sources(&local->source, &best) < 0)
            best = local->source;
        longest = length;
    }
    return best;
}

bool lx_local_address(const struct lx_local *local, const struct pc_profile_frame *frame,
                      bool (*read_word)(void *ctx, uint64_t va, uint64_t *out), void *ctx,
                      uint64_t *out)
{
    const bool known = local->base < PC_REGISTERS && frame->known >> local->base & 1;

    if (local->mode == LX_PLACE_REGISTER || (local->base != LX_PLACE_CFA && !known))
        return false;
    *out = (known ? frame->reg[local->base] : frame->cfa) + (uint64_t)local->offset;
    return local->mode == LX_PLACE_MEMORY || read_word(ctx, *out, out);
}

struct lx_locals *lx_locals_new(void)
{
    return sim_alloc(1, sizeof(struct lx_locals));
}

void lx_locals_free(struct lx_locals *l)
{
    struct owner *next;

    if (!l)
        return;
    for (size_t i = 0; i < l->rows; i++)
        free((char *)l->row[i].local.name);
    for (struct owner *owner = l->owner; owner; owner = next) {
        next = owner->next;
        free(owner->name);
        free(owner);
    }
    free(l->row);
    free(l);
}

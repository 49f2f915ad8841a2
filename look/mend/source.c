/*
 * A change as a programmer would write it: the line that declares the object, or gets the block,
 * and what to write there.
 */
#include "look/mend/parts.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "look/source.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = 8, /* that are listed */
    NAMES = 6,  /* of parts in each */
};

/* A line that declares something; no file: it is not known. */
struct source_line {
    struct prog_line line;
    const char *text; /* NULL: not known */
};

struct source_text {
    const struct look_mend *m;
    look_mend_set set;
    struct look_sources *sources;
    struct prog_line said; /* what stands above */
    FILE *out;
};

/* ---- where it is declared -------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Without a text where the file is not there, or is not what it was when the program ran. */
static struct source_line declared_of(const struct source_text *t, const char *name)
{
    struct source_line at = {.text = NULL};
    struct look_named named;
    if (!look_sharing_find(t->m->sharing, name, &named) ||
        !look_object_declared(t->m->sharing->finder, &named.at, &at.line))
        return (struct source_line){.text = NULL};
    const struct look_source *source = look_source_get(t->sources, at.line.file);
    at.text = source->newer ? NULL : look_source_line(source, at.line.line);
    if (at.text)
        at.text += strspn(at.text, " \t");
    return at;
}

static bool is_same_line(const struct prog_line *a, const struct prog_line *b)
{
    return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

/* How many of all that is changed stand in one line. */
static unsigned declared_there(const struct source_text *t, const struct prog_line *at)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->m->candidates; i++)
        for (size_t n = 0; t->set >> i & 1 && t->m->candidate[i].names[n]; n++) {
            const struct source_line other = declared_of(t, t->m->candidate[i].names[n]);
            count += is_same_line(at, &other.line);
        }
    return count;
}

/* The line that declares the variable which leads to the object, once; and its name and what
 * memory it is, where the line does not say which one is meant. */
static void put_where(struct source_text *t, const char *name, const struct look_named *named)
{
    const struct look_shared_object *o = look_sharing_shared(t->m->sharing, name);
    const struct source_line at = declared_of(t, name);
    char memory[LOOK_OBJECT_NAME] = "";
    if (o && named->at.kind == LOOK_OBJECT_HEAP)
        look_sharing_memory(t->m->sharing, o, memory, sizeof memory);
    if (at.line.file && !is_same_line(&at.line, &t->said))
        fprintf(t->out, "%s:%u:%s%s\n", file_name(at.line.file), at.line.line, at.text ? " " : "",
                at.text ? at.text : "");
    if (at.line.file)
        t->said = at.line;
    if (!at.text || *memory || named->from != named->at.from || declared_there(t, &at.line) > 1)
        fprintf(t->out, "%s%s%s:\n", name, *memory ? ", " : "", memory);
}

/* ---- what lies together ---------------------------------------------------------------------- */

/* A part's name: a member's, or its bytes. @return the caller's */
static char *part_text(const struct source_text *t, const struct look_object *at,
                       const struct nm_apart_range *range)
{
    struct prog_member first, last;
    const uint64_t from = range->from - at->from, to = range->to - at->from;
    if (!at->variable.name)
        return sim_format("+0x%" PRIx64 "-0x%" PRIx64, from, to - 1);
    look_object_member(t->m->sharing->finder, at, from, UINT_MAX, &first);
    look_object_member(t->m->sharing->finder, at, to - 1, UINT_MAX, &last);
    if (last.padding && last.offset > from)
        look_object_member(t->m->sharing->finder, at, last.offset - 1, UINT_MAX, &last);
    look_object_cut_library(first.name);
    look_object_cut_library(last.name);
    return strcmp(first.name, last.name) ? sim_format("%s to %s", first.name, last.name)
                                         : sim_strdup(first.name);
}

/* The parts of an object that a group has: pieces of one are one. @return whether there are any */
static bool put_group(const struct source_text *t, const struct look_layout *l,
                      const struct look_object *at, uint32_t group)
{
    size_t shown = 0, more = 0;
    char *before = sim_strdup("");
    for (size_t i = 0; i < l->ranges; i++) {
        const struct nm_apart_range *range = &l->range[i];
        if (range->group != group || range->from < at->from || range->to > at->from + at->size)
            continue;
        char *part = part_text(t, at, range);
        if (strcmp(part, before) != 0) {
            fputs(shown ? "" : "+   aligned:", t->out);
            if (shown < NAMES)
                fprintf(t->out, " %s", part);
            more += shown++ >= NAMES;
        }
        free(before);
        before = part;
    }
    free(before);
    if (more)
        fprintf(t->out, " and %zu more", more);
    if (shown)
        putc('\n', t->out);
    return shown;
}

/* Behind what was said of the line; an end if there are none. */
static void put_groups(const struct source_text *t, const struct look_mend_candidate *c,
                       const struct look_object *at)
{
    char *text;
    size_t size, shown = 0;
    struct source_text inner = *t;
    inner.out = sim_text_open(&text, &size);
    for (uint32_t group = 1; group <= c->layout.ranges && shown < GROUPS; group++)
        shown += put_group(&inner, &c->layout, at, group);
    sim_text_close(inner.out, &text);
    fprintf(t->out, "%s\n%s%s", *text ? ":" : "", text, shown == GROUPS ? "+   ...\n" : "");
    free(text);
}

/* ---- what to write --------------------------------------------------------------------------- */

static uint64_t line_of(const struct source_text *t)
{
    return t->m->sharing->truth->line;
}

/* Types do not move a block, which malloc puts anywhere. */
static void put_block(const struct source_text *t)
{
    fprintf(t->out,
            "+ aligned_alloc(%" PRIu64 ", size), size rounded up to a multiple of %" PRIu64
            ", in place of malloc (of calloc: with memset; new takes std::align_val_t(%" PRIu64
            "), or a type with alignas)\n",
            line_of(t), line_of(t), line_of(t));
}

/* A byte may be any byte: of a buffer from which things are carved, these are meant. */
static void put_elements(const struct source_text *t, const struct look_named *named,
                         uint64_t offset, unsigned depth)
{
    struct prog_member part;
    look_object_member(t->m->sharing->finder, &named->at, offset, depth, &part);
    if (part.size == 1) {
        fprintf(t->out,
                "+ each piece that a thread uses of it begins at a multiple of %" PRIu64 " bytes\n",
                line_of(t));
        return;
    }
    char *how = look_sharing_aligned(t->m->sharing, &named->at, offset, depth);
    fprintf(t->out, "+ %s, so that each (%" PRIu64 " byte%s) begins a line\n", how, part.size,
            sim_plural(part.size));
    free(how);
}

static void put_members(const struct source_text *t, const struct look_named *named)
{
    struct prog_member part;
    look_object_member(t->m->sharing->finder, &named->at, 0, 1, &part);
    fprintf(t->out, "+ __attribute__((aligned(%" PRIu64 "))) in front of each of its members%s\n",
            line_of(t), *part.name == '[' ? ", in each element" : "");
}

/* Of a member that is an element of an array, all elements are meant. */
static void put_sides(const struct source_text *t, const struct look_named *named)
{
    const uint64_t offset = named->from - named->at.from;
    struct prog_member part;
    look_object_member(t->m->sharing->finder, &named->at, offset, named->depth, &part);
    if (*part.name && part.name[strlen(part.name) - 1] == ']')
        put_elements(t, named, offset, named->depth);
    else
        fprintf(t->out,
                "+ __attribute__((aligned(%" PRIu64
                "))) in front of it, and in front of the member behind it\n",
                line_of(t));
}

/* Of a variable; of a block that is said elsewhere. */
static void put_whole(const struct source_text *t, bool heap)
{
    if (!heap)
        fprintf(t->out,
                "+ __attribute__((aligned(%" PRIu64
                "))) on it, and its size rounded up to a multiple of that\n",
                line_of(t));
}

static void put_users(const struct source_text *t, const struct look_mend_candidate *c,
                      const struct look_object *at, bool heap)
{
    if (heap)
        fprintf(t->out,
                "+ what one thread uses of it in one piece that begins a line: "
                "aligned_alloc(%" PRIu64 ", ...) for each thread",
                line_of(t));
    else
        fprintf(t->out,
                "+ its parts in another order, __attribute__((aligned(%" PRIu64
                "))) in front of what other threads use",
                line_of(t));
    put_groups(t, c, at);
}

static void put_object(struct source_text *t, const struct look_mend_candidate *c, const char *name)
{
    struct look_named named;
    if (!look_sharing_find(t->m->sharing, name, &named))
        return;
    const bool heap = named.at.kind == LOOK_OBJECT_HEAP,
               users = c->unit == LOOK_UNIT_threads || c->unit == LOOK_UNIT_writers;
    put_where(t, name, &named);
    if (c->unit == LOOK_UNIT_elements)
        put_elements(t, &named, 0, 1);
    else if (c->unit == LOOK_UNIT_members)
        put_members(t, &named);
    else if (c->unit == LOOK_UNIT_sides)
        put_sides(t, &named);
    else if (c->unit == LOOK_UNIT_objects)
        put_whole(t, heap);
    else if (c->unit == LOOK_UNIT_words)
        fprintf(t->out, "+ each of its words at the beginning of a line, %" PRIu64 " bytes apart\n",
                line_of(t));
    else
        put_users(t, c, &named.at, heap);
    if (heap && !users)
        put_block(t);
}

static void put_ranges(const struct source_text *t, const struct look_mend_candidate *c)
{
    enum { RANGES = 8 };
    fputs("+ placement: {", t->out);
    for (size_t i = 0; i < c->ranges && i < RANGES; i++)
        fprintf(t->out, "%s0x%" PRIx64 "-0x%" PRIx64 ": %u", i ? ", " : "", c->range[i].from,
                c->range[i].to, c->range[i].station);
    fputs(c->ranges <= RANGES  ? "}\n"
          : t->m->pages->hurts ? ", ...}\n"
                               : ", ...} (numachine placement --format=yaml has all)\n",
          t->out);
}

static void put_pages(const struct source_text *t, const struct look_mend_candidate *c)
{
    if (c->rule == LOOK_MEND_RULE) {
        fputs("pages: the thread that uses one most is the first to write to it; or in the "
              "experiment:\n",
              t->out);
        put_ranges(t, c);
    } else {
        fprintf(t->out, "pages: in the machine's file, or with --set:\n+ memory.placement=%s\n",
                strrchr(c->what, ' ') + 1);
    }
}

char *look_mend_source(const struct look_mend *m, look_mend_set set)
{
    char *text = NULL;
    size_t size;
    struct look_sources sources = {.ran = m->sharing->code->ran};
    struct source_text t = {
        .m = m, .set = set, .sources = &sources, .out = sim_text_open(&text, &size)};
    for (size_t i = 0; i < m->candidates; i++) {
        const struct look_mend_candidate *c = &m->candidate[i];
        for (size_t n = 0; set >> i & 1 && c->names[n]; n++)
            put_object(&t, c, c->names[n]);
        if (set >> i & 1 && look_mend_moves(c))
            put_pages(&t, c);
    }
    sim_text_close(t.out, &text);
    look_sources_free(&sources);
    return text;
}

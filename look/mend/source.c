/*
 * A change as a programmer would write it: the line that declares the object, or gets the block,
 * and what to write there.
 *
 * The hard idea is where a variable is declared, which its name does not tell. It is looked for in
 * the files whose instructions asked for its lines: a line in which the name stands behind a type
 * and in front of what ends a declarator.
 */
#include "look/source.h"
#include "look/mend/mend.h"

#include "base/alloc.h"
#include "base/plural.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = 8, /* that are listed */
    NAMES = 6,  /* of parts in each */
};

struct source_text {
    const struct look_mend *m;
    struct look_sources *sources;
    FILE *out;
};

/* ---- where it is declared -------------------------------------------------------------------- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Words that a name may follow, and that are no types. */
static bool is_word(const char *text, const char *end)
{
    static const char *const words[] = {"return", "else",   "case", "goto",
                                        "sizeof", "delete", "throw"};
    const char *begin = end;
    while (begin > text && is_of_name(begin[-1]))
        begin--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == (size_t)(end - begin) &&
            !strncmp(begin, words[i], (size_t)(end - begin)))
            return true;
    return false;
}

/* Whether the name that begins at `at`, of `length` bytes, is declared there. */
static bool is_declared_at(const char *text, const char *at, size_t length)
{
    const char *before = at, *behind = at + length;
    while (before > text && isspace((unsigned char)before[-1]))
        before--;
    behind += strspn(behind, " \t");
    if (before == text || (before == at && is_of_name(before[-1])) || !strchr("[;={,", *behind) ||
        !*behind || (*behind == '=' && behind[1] == '='))
        return false;
    const char last = before[-1];
    if (last == '*' || last == '&' || last == '}' || (last == '>' && before[-2] != '-'))
        return true;
    return is_of_name(last) && before != at && !is_word(text, before);
}

static bool is_declaration(const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (strchr("*/#", *(text + strspn(text, " \t"))))
        return false; /* a comment, or nothing: *text is among these, too */
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (!is_of_name(at[length]) && is_declared_at(text, at, length))
            return true;
    return false;
}

/* The variable that a path begins with, without the scopes around it: "count" of "worker::count",
 * "pool" of "*pool" and "pool->stats[]". @return the caller's */
static char *plain_name(const char *path)
{
    const char *begin = path + strspn(path, "*(");
    char *name = sim_strndup(begin, strcspn(begin, ".-[( %"));
    const char *last = strrchr(name, ':');
    if (last)
        memmove(name, last + 1, strlen(last));
    return name;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool put_declaration_in(const struct source_text *t, const char *file, const char *name)
{
    const struct look_source *source = look_source_get(t->sources, file);
    const char *text;
    for (unsigned line = 1; (text = look_source_line(source, line)); line++)
        if (is_declaration(text, name)) {
            fprintf(t->out, "%s:%u: %s\n", file_name(file), line, text + strspn(text, " \t"));
            return true;
        }
    return false;
}

/* @return false: none of the files that asked for it has that line */
static bool put_declaration(const struct source_text *t, const char *name)
{
    const struct look_shared_object *o = look_sharing_shared(t->m->sharing, name);
    char *plain = plain_name(name);
    bool found = false;
    for (size_t i = 0; o && i < o->askers && !found; i++) {
        const struct prog_place *place =
            look_code_at(t->m->sharing->code, look_asker_shown(&o->asker[i]));
        found = place->file && put_declaration_in(t, place->file, plain);
    }
    free(plain);
    return found;
}

/* The line that declares the variable which leads to the object, and what memory it is; or its name
 * alone. */
static void put_where(const struct source_text *t, const char *name, const struct look_object *at)
{
    const struct look_shared_object *o = look_sharing_shared(t->m->sharing, name);
    char memory[LOOK_OBJECT_NAME] = "";
    if (o)
        look_sharing_memory(t->m->sharing, o, memory, sizeof memory);
    if (!at->variable.name || !put_declaration(t, name) || *memory)
        fprintf(t->out, "%s%s%s:\n", name, *memory ? ", " : "", memory);
}

/* ---- what lies together ---------------------------------------------------------------------- */

/* A part's name: a member's, or its bytes. */
static void put_part(const struct source_text *t, const struct look_object *at,
                     const struct nm_apart_range *range)
{
    struct prog_member first, last;
    const uint64_t from = range->from - at->from, to = range->to - at->from;
    if (!at->variable.name) {
        fprintf(t->out, " +0x%" PRIx64 "-0x%" PRIx64, from, to - 1);
        return;
    }
    look_object_member(t->m->sharing->finder, at, from, UINT_MAX, &first);
    look_object_member(t->m->sharing->finder, at, to - 1, UINT_MAX, &last);
    fprintf(t->out, " %s", first.name);
    if (strcmp(first.name, last.name) != 0)
        fprintf(t->out, " to %s", last.name);
}

/* The parts of an object that a group has. @return whether there are any */
static bool put_group(const struct source_text *t, const struct look_layout *l,
                      const struct look_object *at, uint32_t group)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < l->ranges; i++) {
        const struct nm_apart_range *range = &l->range[i];
        if (range->group != group || range->from < at->from || range->to > at->from + at->size)
            continue;
        if (!shown)
            fputs("+   alignas:", t->out);
        if (shown < NAMES)
            put_part(t, at, range);
        more += shown++ >= NAMES;
    }
    if (more)
        fprintf(t->out, " and %zu more", more);
    if (shown)
        putc('\n', t->out);
    return shown;
}

static void put_groups(const struct source_text *t, const struct look_mend_candidate *c,
                       const struct look_object *at)
{
    size_t shown = 0;
    for (uint32_t group = 1; group <= c->layout.ranges && shown < GROUPS; group++)
        shown += put_group(t, &c->layout, at, group);
    if (shown == GROUPS)
        fputs("+   ...\n", t->out);
}

/* ---- what to write --------------------------------------------------------------------------- */

static uint64_t line_of(const struct source_text *t)
{
    return t->m->sharing->truth->line;
}

static void put_static(const struct source_text *t, const struct look_mend_candidate *c,
                       const char *name, const struct look_object *at)
{
    const uint64_t line = line_of(t);
    struct prog_member part = {.size = 0};
    put_where(t, name, at);
    if (at->variable.name)
        look_object_member(t->m->sharing->finder, at, 0, 1, &part);
    if (c->unit == LOOK_UNIT_elements)
        fprintf(t->out,
                "+ alignas(%" PRIu64 ") on the type of its elements, so that each (%" PRIu64
                " byte%s) begins a line\n",
                line, part.size, sim_plural(part.size));
    else if (c->unit == LOOK_UNIT_members)
        fprintf(t->out, "+ alignas(%" PRIu64 ") in front of each of its members%s\n", line,
                *part.name == '[' ? ", in each element" : "");
    else if (c->unit == LOOK_UNIT_objects)
        fprintf(t->out,
                "+ alignas(%" PRIu64 ") on it, and its size rounded up to a multiple of that\n",
                line);
    else {
        fprintf(t->out,
                "+ its parts in another order, alignas(%" PRIu64
                ") in front of what other threads use:\n",
                line);
        put_groups(t, c, at);
    }
}

static void put_heap(const struct source_text *t, const struct look_mend_candidate *c,
                     const char *name, const struct look_object *at)
{
    const uint64_t line = line_of(t);
    if (look_unit_is_typed(c->unit)) {
        put_static(t, c, name, at);
        return;
    }
    put_where(t, name, at);
    if (c->unit == LOOK_UNIT_objects) {
        fprintf(t->out,
                "+ aligned_alloc(%" PRIu64 ", size), size rounded up to a multiple of %" PRIu64
                ", in place of malloc\n",
                line, line);
    } else if (c->unit == LOOK_UNIT_words) {
        fprintf(t->out, "+ each of its words at the beginning of a line, %" PRIu64 " bytes apart\n",
                line);
    } else {
        fprintf(
            t->out,
            "+ what one thread uses of it in one piece that begins a line: aligned_alloc(%" PRIu64
            ", ...) for each thread\n",
            line);
        put_groups(t, c, at);
    }
}

static void put_other(const struct source_text *t, const struct look_mend_candidate *c,
                      const char *name, const struct look_object *at)
{
    fprintf(t->out, "%s:\n+ alignas(%" PRIu64 ") in front of what other threads use of it:\n", name,
            line_of(t));
    put_groups(t, c, at);
}

static void put_object(const struct source_text *t, const struct look_mend_candidate *c,
                       const char *name)
{
    struct look_named named;
    if (!look_sharing_find(t->m->sharing, name, &named))
        return;
    (named.at.kind == LOOK_OBJECT_STATIC ? put_static
     : named.at.kind == LOOK_OBJECT_HEAP ? put_heap
                                         : put_other)(t, c, name, &named.at);
}

static void put_pages(const struct source_text *t, const struct look_mend_candidate *c)
{
    enum { RANGES = 8 };
    fputs(
        "pages: the thread that uses one most is the first to write to it; or in the experiment:\n"
        "+ placement: {",
        t->out);
    for (size_t i = 0; i < c->ranges && i < RANGES; i++)
        fprintf(t->out, "%s0x%" PRIx64 "-0x%" PRIx64 ": %u", i ? ", " : "", c->range[i].from,
                c->range[i].to, c->range[i].station);
    fputs(c->ranges > RANGES ? ", ...} (numachine placement --format=yaml has all)\n" : "}\n",
          t->out);
}

char *look_mend_source(const struct look_mend *m, const struct look_mend_candidate *c)
{
    char *text = NULL;
    size_t size;
    struct look_sources sources = {.ran = m->sharing->code->ran};
    const struct source_text t = {m, &sources, sim_text_open(&text, &size)};
    for (size_t i = 0; c->names[i]; i++)
        put_object(&t, c, c->names[i]);
    if (!c->names[0])
        put_pages(&t, c);
    sim_text_close(t.out, &text);
    look_sources_free(&sources);
    return text;
}

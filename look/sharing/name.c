/*
 * What somebody means by a name: whatever c2c prints as one, and parts of variables as C writes
 * them.
 */
#include "look/sharing/sharing.h"

#include "base/alloc.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- an object that was shared --------------------------------------------------------------- */

const struct look_shared_object *look_sharing_shared(const struct look_sharing *s, const char *name)
{
    for (size_t i = 0; i < s->objects; i++)
        if (!strcmp(s->object[i].name, name))
            return &s->object[i];
    return NULL;
}

const struct look_shared_object *look_sharing_at_place(const struct look_sharing *s,
                                                       const char *place)
{
    for (size_t i = 0; i < s->objects; i++)
        if (!strcmp(s->object[i].place, place))
            return &s->object[s->object[i].lead];
    return NULL;
}

bool look_sharing_has_headers(const struct look_sharing *s, const char *place)
{
    char headers[LOOK_OBJECT_NAME];
    return look_sharing_shared(s, look_object_headers(place, headers));
}

/* Nothing is known of an address: its word is meant. */
static void name_word(struct look_named *out)
{
    if (out->at.kind == LOOK_OBJECT_NONE) {
        out->at.size = LOOK_WORD - out->at.from % LOOK_WORD;
        out->to = out->from + out->at.size;
    }
}

static bool find_shared(const struct look_sharing *s, const char *name, struct look_named *out)
{
    const struct look_shared_object *shared = look_sharing_shared(s, name);
    if (!shared)
        return false;
    look_object_asked(s->finder, s->truth, &s->truth->row[shared->row], &out->at);
    out->site = out->at.kind == LOOK_OBJECT_HEAP || out->at.kind == LOOK_OBJECT_HEADER;
    return true;
}

/* ---- a variable, or a part of one ------------------------------------------------------------ */

static bool find_variable(const struct look_sharing *s, const char *name, struct look_named *out)
{
    struct prog_names *names = s->code->names;
    uint64_t from, to;
    if (!names || !names->find || !names->find(names, name, &from, &to))
        return false;
    look_object_at(s->finder, from, 0, SIM_NEVER, &out->at);
    return true;
}

/* Whether `part` is the member that is asked for, or lies in it. */
static bool is_within(const char *part, const char *asked)
{
    const size_t length = strlen(asked);
    return !strncmp(part, asked, length) && (!part[length] || strchr(".[", part[length]));
}

/* How many steps lead to what is called so; a member may be as large as what it is in.
 * @param at  [bytes] where it begins in the object */
static unsigned name_depth(const struct look_sharing *s, const struct look_object *object,
                           uint64_t at, const char *asked)
{
    enum { MOST = 32 };
    for (unsigned depth = 1; depth < MOST; depth++) {
        struct prog_member part;
        look_object_member(s->finder, object, at, depth, &part);
        if (is_within(part.name, asked))
            return depth;
    }
    return 0;
}

/* Where the members lie that are called so. @param asked  what follows the object's name */
static bool find_members(const struct look_sharing *s, const char *asked, struct look_named *out)
{
    bool found = false;
    for (uint64_t at = 0; at < out->at.size;) {
        struct prog_member part;
        look_object_member(s->finder, &out->at, at, UINT_MAX, &part);
        const uint64_t end = part.offset + part.size;
        const bool meant = !part.padding && is_within(part.name, asked);
        if (meant && !found) {
            out->from = out->at.from + at;
            out->depth = name_depth(s, &out->at, at, asked);
        }
        if (meant)
            out->to = out->at.from + (end < out->at.size ? end : out->at.size);
        else if (found && !part.padding)
            break;
        found |= meant;
        at = end > at ? end : out->at.size;
    }
    return found;
}

/* "tallies[3].n": the longest beginning that is a variable's name, and what follows. */
static bool find_part(const struct look_sharing *s, const char *name, struct look_named *out)
{
    char *whole = sim_strdup(name);
    bool found = false;
    for (size_t length = strlen(name); !found && length > 1; length--) {
        const bool cut = strchr(".[", name[length - 1]);
        whole[length - 1] = '\0';
        if (cut && find_variable(s, whole, out) && out->at.kind == LOOK_OBJECT_STATIC)
            found = find_members(s, name + length - 1, out);
    }
    free(whole);
    return found;
}

/* ---- what lies in a line that was shared ----------------------------------------------------- */

/* What follows a path in a name, without the function's or thread's name. @return the caller's;
 * NULL: it is another path, or another function's */
static char *name_behind(const struct look_sharing *s, const struct look_object *at,
                         const char *name)
{
    char owner[LOOK_OBJECT_NAME];
    const size_t length = strlen(at->variable.name), all = strlen(name);
    const size_t behind = strlen(look_object_owner(s->finder, at, owner, sizeof owner));
    const bool owned = behind && all > length + behind && !strcmp(name + all - behind, owner);
    if (strncmp(name, at->variable.name, length) != 0 || all == length)
        return NULL;
    return sim_format("%.*s", (int)(all - length - (owned ? behind : 0)), name + length);
}

/* A block or stack is called by its memory, or a place in it is: "heap 8 bytes by ... +0x4". */
static bool is_called_by_memory(const char *name, struct look_named *out)
{
    struct look_object whole = out->at;
    bool place, all;
    look_object_unnamed(&whole, out->at.from + out->at.offset);
    place = !strcmp(whole.name, name) || !strcmp(whole.key, name);
    look_object_group(&whole);
    all = whole.kind == LOOK_OBJECT_HEAP && !strcmp(whole.key, name);
    if (!place && !all)
        return false;
    look_object_unnamed(&out->at, out->at.from + out->at.offset);
    out->site = all;
    return true;
}

/* A place is called so, or the object that it is of. */
static bool name_is_called(const struct look_sharing *s, const char *name, struct look_named *out)
{
    char *behind;
    if (!strcmp(out->at.key, name))
        return true;
    if (out->at.part && is_called_by_memory(name, out))
        return true;
    if (strcmp(out->at.name, name) != 0)
        return false;
    behind = out->at.variable.name ? name_behind(s, &out->at, name) : NULL;
    if (behind)
        find_members(s, behind, out);
    free(behind);
    return true;
}

/* A part of what a pointer leads to: "pool->stats". */
static bool find_in_parts(const struct look_sharing *s, const char *name, struct look_named *out)
{
    size_t count;
    const struct doc_part *part = look_object_parts(s->finder, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found && s->code->names; i++) {
        char *behind;
        look_object_of_part(s->finder, &part[i], &out->at);
        behind = out->at.part ? name_behind(s, &out->at, name) : NULL;
        found = behind && *behind && find_members(s, behind, out);
        free(behind);
    }
    return found;
}

static bool name_find_word(const struct look_sharing *s, const struct look_shared_line *line,
                           const char *name, struct look_named *out)
{
    for (uint64_t byte = 0; byte < s->truth->line; byte += LOOK_WORD) {
        look_sharing_object(s, line, s->truth->copy[line->copy].va + byte, &out->at);
        if (name_is_called(s, name, out))
            return true;
    }
    return false;
}

/* Bytes may have had several objects, one after the other: each was asked for by requests. */
static bool name_find_asked(const struct look_sharing *s, const struct look_shared_line *line,
                            const char *name, struct look_named *out)
{
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        look_object_asked(s->finder, s->truth, &s->truth->row[i], &out->at);
        if (name_is_called(s, name, out))
            return true;
    }
    return false;
}

static bool find_touched(const struct look_sharing *s, const char *name, struct look_named *out)
{
    for (size_t i = 0; i < s->lines; i++)
        if (name_find_word(s, &s->line[i], name, out) || name_find_asked(s, &s->line[i], name, out))
            return true;
    return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Of several variables of one name, the one that was shared is meant. */
static bool find_named(const struct look_sharing *s, const char *name, struct look_named *out)
{
    *out = (struct look_named){0};
    if (!find_shared(s, name, out) && !find_touched(s, name, out)) {
        *out = (struct look_named){0};
        if (!find_variable(s, name, out) && !find_part(s, name, out) &&
            !find_in_parts(s, name, out))
            return false;
    }
    if (out->from == out->to) {
        out->from = out->at.from;
        out->to = out->at.from + out->at.size;
    }
    name_word(out);
    return true;
}

bool look_sharing_find(const struct look_sharing *s, const char *name, struct look_named *out)
{
    char *brief;
    bool found = find_named(s, name, out);
    if (!found && (brief = look_object_brief(s->finder, name))) {
        found = find_named(s, brief, out);
        free(brief);
    }
    return found;
}

const char *look_sharing_memory(const struct look_sharing *s,
                                const struct look_shared_object *object, char *buf, size_t size)
{
    struct look_object at;
    look_object_asked(s->finder, s->truth, &s->truth->row[object->row], &at);
    *buf = '\0';
    if (at.part) {
        look_object_unnamed(&at, at.from);
        look_object_group(&at);
        snprintf(buf, size, "%s", at.key);
    }
    return buf;
}

static const char *name_next_name(void *ctx, size_t i)
{
    const struct look_sharing *s = ctx;
    return i < s->objects ? s->object[i].name : NULL;
}

const char *look_sharing_costly(const struct look_sharing *s, char *buf, size_t size)
{
    enum { MOST = 3 };
    size_t used = 0;
    *buf = '\0';
    for (size_t i = 0; i < s->objects && i < MOST && used < size; i++)
        if (!i || look_verdict_of(s, &s->object[i].lost) != LOOK_VERDICT_none)
            used += (size_t)snprintf(buf + used, size - used, "%s'%.200s'", i ? ", " : "",
                                     s->object[i].name);
    return buf;
}

const char *look_sharing_suggest(const struct look_sharing *s, const char *name, char *buf,
                                 size_t size)
{
    char costly[800];
    const char *near = sim_nearest(name, name_next_name, (void *)s);
    if (near)
        snprintf(buf, size, "did you mean '%.200s'?", near);
    else if (s->objects)
        snprintf(buf, size, "these lost most: %s", look_sharing_costly(s, costly, sizeof costly));
    else
        snprintf(buf, size, "nothing was shared in that run");
    return buf;
}

/*
 * The object at an address.
 *
 * The hard idea is that an address has had several objects: blocks come and go, and stacks are used
 * again. So a question has a time, too. Blocks are sorted by where they begin, with the farthest
 * end of each half of them (a tree in an array), which finds those that hold an address without a
 * look at all that begin in front of it.
 *
 * Things lie in each other, too: a stack in an array, an array in a mapping. The smallest has the
 * byte.
 *
 * A time does not always tell: of sites that used the same bytes in turn, over and over, the file
 * has only when each began and ended to do so. Requests of the truth say whose memory it was.
 */
#include "look/object_at.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <uthash.h>

enum { HEADER = 16 /* [bytes] that malloc has in front of a block, at most */ };

/* What a header is called, and those of all blocks of one place. */
static const char header_of[] = "header of ", headers_of[] = "headers of ";

/* What a site is called. */
struct site_name {
    char *whole, *brief; /* with the function in full, and as people say it */
    const char *shown;   /* brief, if no other site is called so */
};

struct look_finder {
    const struct doc_objects *o;
    const struct doc_profile *profile;
    struct look_code *code;
    uint64_t *end; /* [2 * leaves]: the tree; end[1] is of all */
    size_t leaves;
    bool *several;          /* [parts] the pointer has led to blocks of several sites */
    struct site_name *site; /* [sites]; NULL: nobody has asked yet */
};

/* A part of a block, for bringing those of one pointer together. */
struct led {
    const struct doc_part *part;
    size_t number;
};

static int by_pointer(const void *a, const void *b)
{
    const struct doc_part *x = ((const struct led *)a)->part, *y = ((const struct led *)b)->part;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static bool same_pointer(const struct led *a, const struct led *b)
{
    return a->part->path == b->part->path && a->part->function == b->part->function;
}

/* Whether blocks of several sites were there one after the other: two have the same bytes. Those of
 * a container are there together. (The file has not the time of each block.) */
static bool in_turn(const struct led *led, size_t count)
{
    const struct doc_part *farthest = led->part;
    for (size_t i = 1; i < count; i++) {
        const struct doc_part *part = led[i].part;
        if (part->from < farthest->to && part->site != farthest->site)
            return true;
        if (part->to > farthest->to)
            farthest = part;
    }
    return false;
}

/* Blocks of several sites are not one object because one pointer led to them in turn: such a name
 * tells none of them from the others. @return [parts] the caller's */
static bool *led_to_several(const struct doc_objects *o)
{
    bool *several = sim_alloc(o->parts + 1, sizeof *several);
    struct led *led = sim_alloc(o->parts + 1, sizeof *led);
    for (size_t i = 0; i < o->parts; i++)
        led[i] = (struct led){&o->part[i], i};
    qsort(led, o->parts, sizeof *led, by_pointer);
    for (size_t from = 0, to; from < o->parts; from = to) {
        for (to = from + 1; to < o->parts && same_pointer(&led[from], &led[to]);)
            to++;
        const bool turns = in_turn(&led[from], to - from);
        for (size_t i = from; i < to; i++)
            several[led[i].number] = turns;
    }
    free(led);
    return several;
}

struct look_finder *look_finder_new(const struct doc_objects *o, const struct doc_profile *profile,
                                    struct look_code *code)
{
    struct look_finder *f = sim_alloc(1, sizeof *f);
    *f = (struct look_finder){.o = o, .profile = profile, .code = code, .leaves = 1};
    while (f->leaves < o->blocks)
        f->leaves *= 2;
    f->end = sim_alloc(2 * f->leaves, sizeof *f->end);
    for (size_t i = 0; i < o->blocks; i++)
        f->end[f->leaves + i] = o->block[i].to;
    for (size_t i = f->leaves - 1; i > 0; i--)
        f->end[i] = f->end[2 * i] > f->end[2 * i + 1] ? f->end[2 * i] : f->end[2 * i + 1];
    f->several = led_to_several(o);
    return f;
}

void look_finder_free(struct look_finder *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->site && i < f->o->sites; i++) {
        free(f->site[i].whole);
        free(f->site[i].brief);
    }
    free(f->site);
    free(f->several);
    free(f->end);
    free(f);
}

/* ---- which one ------------------------------------------------------------------------------- */

/* When something was asked for. */
struct when {
    sim_tick from, to;
};

/* [ticks] of it that lie in [born, died], counting both ends; 0: none. */
static sim_tick object_at_common(const struct when *when, sim_tick born, sim_tick died)
{
    const sim_tick from = sim_later(when->from, born);
    const sim_tick to = sim_earlier(sim_earlier(when->to, died), SIM_NEVER - 1);
    return to >= from ? to - from + 1 : 0;
}

static bool object_at_is_mapping(const struct look_finder *f, const struct doc_block *b)
{
    const char *kind = f->o->kind[f->o->site[b->site].kind];
    return !strcmp(kind, "mmap") || !strcmp(kind, "sbrk");
}

struct search {
    const struct look_finder *f;
    uint64_t va;
    struct when when;
    const struct doc_tenant *of; /* NULL: any will do */
    bool mapping;                /* whether mappings are meant, or what lies in them */
    const struct doc_block *best;
    sim_tick most;
};

/* Whether it may be a tenant's. */
static bool is_of(const struct doc_block *b, const struct doc_tenant *of)
{
    if (!of)
        return true;
    const bool there =
        of->kind == DOC_TENANT_call || (b->from == of->block.from && b->to == of->block.to);
    return there && b->site == of->block.site;
}

static void object_at_look_at(struct search *s, const struct doc_block *b)
{
    const sim_tick ticks = object_at_common(&s->when, b->born, b->died);
    if (object_at_is_mapping(s->f, b) != s->mapping || !is_of(b, s->of) || s->va < b->from ||
        s->va >= b->to || !ticks || ticks < s->most ||
        (s->best && ticks == s->most && b->born < s->best->born))
        return;
    s->best = b;
    s->most = ticks;
}

/* Of the blocks [first, first + count) that a node of the tree has. */
static void object_at_search(struct search *s, size_t node, size_t first, size_t count)
{
    if (first >= s->f->o->blocks || s->f->end[node] <= s->va || s->f->o->block[first].from > s->va)
        return;
    if (count == 1) {
        object_at_look_at(s, &s->f->o->block[first]);
        return;
    }
    object_at_search(s, 2 * node, first, count / 2);
    object_at_search(s, 2 * node + 1, first + count / 2, count / 2);
}

static const struct doc_block *block_at(const struct look_finder *f, uint64_t va,
                                        const struct when *when, const struct doc_tenant *of)
{
    struct search s = {.f = f, .va = va, .when = *when, .of = of};
    object_at_search(&s, 1, 0, f->leaves);
    s.mapping = !s.best;
    if (!s.best)
        object_at_search(&s, 1, 0, f->leaves);
    return s.best;
}

static const struct doc_thread *thread_at(const struct look_finder *f, uint64_t va,
                                          const struct when *when, bool tls)
{
    const struct doc_thread *best = NULL;
    sim_tick most = 0;
    for (size_t i = 0; i < f->o->threads; i++) {
        const struct doc_thread *t = &f->o->thread[i];
        const uint64_t from = tls ? doc_thread_local(t) : t->stack;
        const uint64_t to = tls ? t->tls_to : t->stack_to;
        const sim_tick ticks = object_at_common(when, t->born, t->died);
        if (va < from || va >= to || !ticks || ticks < most)
            continue;
        best = t;
        most = ticks;
    }
    return best;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The last call on the way to a site that has a source line. @param own  of the program's own files
 * @return PC_PROFILE_NOWHERE: none has */
static uint64_t site_call(struct look_finder *f, const struct doc_site *s, bool own)
{
    uint64_t call = s->call;
    for (uint32_t path = s->path;; path = f->profile->path[path].parent) {
        const char *file = call == PC_PROFILE_NOWHERE ? NULL : look_code_at(f->code, call)->file;
        if (file && !(own && look_files_system(f->code->files, file)))
            return call;
        if (f->profile->path[path].parent == path)
            return PC_PROFILE_NOWHERE;
        call = f->profile->path[path].call;
    }
}

/* @param brief  without arguments, also of templates @return the caller's */
static char *call_name(struct look_code *code, uint64_t call, bool brief)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    const struct prog_place *place = look_code_at(code, call);
    const char *function = look_chain_function(look_code_chain(code, call));
    if (function && brief)
        look_chain_name(function, out);
    else if (function)
        fputs(function, out);
    else
        fprintf(out, "0x%" PRIx64, call);
    if (function && place->file)
        fprintf(out, " at %s:%u", base_name(place->file), place->line);
    sim_text_close(out, &text);
    return text;
}

static void name_site(struct look_finder *f, const struct doc_site *s, struct site_name *name)
{
    uint64_t call = site_call(f, s, true);
    if (call == PC_PROFILE_NOWHERE)
        call = site_call(f, s, false);
    if (call == PC_PROFILE_NOWHERE)
        call = s->call != PC_PROFILE_NOWHERE ? s->call : f->profile->path[s->path].function;
    name->whole = call_name(f->code, call, false);
    name->brief = call_name(f->code, call, true);
}

/* Functions that people call the same. */
struct namesake {
    const char *brief, *whole; /* whole: of the first of them */
    bool several;
    UT_hash_handle hh;
};

static struct namesake *namesake_of(struct namesake **all, const struct site_name *name)
{
    struct namesake *known;
    HASH_FIND_STR(*all, name->brief, known);
    if (!known) {
        known = sim_alloc(1, sizeof *known);
        known->brief = name->brief;
        known->whole = name->whole;
        HASH_ADD_KEYPTR(hh, *all, known->brief, strlen(known->brief), known);
    }
    return known;
}

/* Instances of one template have the same line, too: they are told apart by their arguments. */
static void name_sites(struct look_finder *f)
{
    struct namesake *all = NULL, *known, *next;
    f->site = sim_alloc(f->o->sites + 1, sizeof *f->site);
    for (size_t i = 0; i < f->o->sites; i++) {
        name_site(f, &f->o->site[i], &f->site[i]);
        known = namesake_of(&all, &f->site[i]);
        known->several |= strcmp(known->whole, f->site[i].whole) != 0;
    }
    for (size_t i = 0; i < f->o->sites; i++) {
        known = namesake_of(&all, &f->site[i]);
        f->site[i].shown = known->several ? f->site[i].whole : f->site[i].brief;
    }
    HASH_ITER(hh, all, known, next) {
        HASH_DEL(all, known);
        free(known);
    }
}

const char *look_site_name(struct look_finder *f, uint32_t site)
{
    if (!f->site)
        name_sites(f);
    return f->site[site].shown;
}

char *look_object_brief(struct look_finder *f, const char *name)
{
    const char *by = strstr(name, " bytes by ");
    if (!by)
        return NULL;
    by += strlen(" bytes by ");
    for (uint32_t i = 0; i < f->o->sites; i++) {
        const char *shown = look_site_name(f, i), *whole = f->site[i].whole;
        const size_t length = strlen(whole);
        if (strcmp(shown, whole) != 0 && !strncmp(by, whole, length) &&
            (!by[length] || by[length] == ' '))
            return sim_format("%.*s%s%s", (int)(by - name), name, shown, by + length);
    }
    return NULL;
}

/* The name is the key and where in the object it is. */
static void name_offset(struct look_object *out)
{
    if (out->offset)
        snprintf(out->name, sizeof out->name, "%.700s +0x%" PRIx64, out->key, out->offset);
    else
        snprintf(out->name, sizeof out->name, "%s", out->key);
}

/* ---- what the program calls it ---- */

/* The function, and the thread if it is not the first. */
const char *look_object_owner(const struct look_finder *f, const struct look_object *o, char *buf,
                              size_t size)
{
    const struct doc_part *part = o->part;
    const bool first = f->o->threads && part && part->thread == f->o->thread[0].number;
    *buf = '\0';
    if (!part || (!part->function && !part->thread))
        return buf;
    if (part->function)
        snprintf(buf, size, " (local of %.200s", f->o->path[part->function]);
    else
        snprintf(buf, size, " (of thread %" PRIu32, part->thread);
    if (part->function && !first)
        snprintf(buf + strlen(buf), size - strlen(buf), ", thread %" PRIu32, part->thread);
    strcat(buf, ")");
    return buf;
}

/* What is behind the pointer that leads there is one thing. */
static bool is_behind(const struct look_object *o)
{
    return o->part && o->block && !o->part->each;
}

void look_object_member(const struct look_finder *f, const struct look_object *o, uint64_t offset,
                        unsigned depth, struct prog_member *out)
{
    struct prog_names *names = f->code->names;
    const uint64_t each = o->part ? o->part->each : 0, index = each ? offset / each : 0;
    char inner[PROG_MEMBER_NAME], number[PROG_SHAPE];
    if (each && depth == 1)
        *out = (struct prog_member){.size = each};
    else
        names->member(names, &o->variable, offset - index * each, each ? depth - 1 : depth, out);
    out->offset += index * each;
    snprintf(inner, sizeof inner, "%s", out->name);
    if (each && o->part->shape)
        snprintf(out->name, sizeof out->name, "%.100s%s%.140s",
                 prog_shape_index(f->o->path[o->part->shape], index, number),
                 *inner == '.' ? "%" : "", inner + (*inner == '.'));
    else if (each)
        snprintf(out->name, sizeof out->name, "[%" PRIu64 "]%.220s", index, inner);
    else if (is_behind(o) && *inner == '.')
        snprintf(out->name, sizeof out->name, "->%.220s", inner + 1);
    else if (is_behind(o) && *inner == '[')
        snprintf(out->name, sizeof out->name, "[0]%.220s", inner);
}

const struct doc_thread *look_object_thread(const struct look_finder *f, uint64_t va,
                                            sim_tick before)
{
    const struct doc_thread *last = NULL;
    for (size_t i = 0; i < f->o->threads; i++) {
        const struct doc_thread *t = &f->o->thread[i];
        const bool had =
            (va >= t->stack && va < t->stack_to) || (va >= doc_thread_local(t) && va < t->tls_to);
        if (had && t->born < before && (!last || t->born > last->born))
            last = t;
    }
    return last;
}

void look_object_type(const struct look_finder *f, const struct look_object *o,
                      struct prog_member *out)
{
    struct prog_names *names = f->code->names;
    *out = (struct prog_member){.size = 0};
    if (names)
        names->member(names, &o->variable, 0, 0, out);
}

/* @return false: what is declared there is not the program's own, or not known */
static bool is_own_line(const struct look_finder *f, bool known, struct prog_line *line)
{
    if (known)
        line->file = look_code_moved(f->code, line->file);
    return known && !look_files_system(f->code->files, line->file);
}

bool look_object_declared(const struct look_finder *f, const struct look_object *o,
                          struct prog_line *out)
{
    struct prog_names *names = f->code->names;
    if (!names || !names->declares || !o->variable.name)
        return false;
    const struct prog_declarations *d = (const struct prog_declarations *)names;
    const char *function = o->part && o->part->function ? f->o->path[o->part->function] : NULL;
    const bool led = o->kind == LOOK_OBJECT_HEAP;
    return (led && is_own_line(f, d->type(names, o->variable.type, out), out)) ||
           is_own_line(f, d->variable(names, &o->variable, function, out), out);
}

const char *look_object_member_name(const struct look_finder *f, const struct look_object *o,
                                    const struct prog_member *member, char *buf, size_t size)
{
    char owner[300];
    const char *stem = o->part ? f->o->path[o->part->path] : o->key;
    snprintf(buf, size, "%s%.400s%s%s%s", is_behind(o) && !*member->name ? "*" : "", stem,
             member->name, look_object_owner(f, o, owner, sizeof owner),
             member->padding ? " (padding)" : "");
    return buf;
}

void look_object_cut_library(char *name)
{
    static const char *const begin[] = {".__", "._M_"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        char *at = strstr(name, begin[i]);
        if (at)
            *at = '\0';
    }
}

/* The name is that of the member there. A number or a pointer is one thing, whichever of its bytes
 * is meant. */
static void name_member(const struct look_finder *f, struct look_object *out)
{
    enum { ONE_THING = 8 /* [bytes] */ };
    struct prog_member member;
    look_object_member(f, out, out->offset, UINT_MAX, &member);
    const uint64_t behind = out->offset - member.offset;
    look_object_member_name(f, out, &member, out->name, sizeof out->name);
    if (behind && !member.padding && member.size > ONE_THING)
        snprintf(out->name + strlen(out->name), sizeof out->name - strlen(out->name),
                 " +0x%" PRIx64, behind);
}

/* "(:,:)" of an array of two dimensions. */
static const char *all_of(const struct look_finder *f, const struct doc_part *part, char *buf)
{
    size_t used = 0;
    if (!part->each || !part->shape)
        return part->each ? "[]" : "";
    buf[used++] = '(';
    for (const char *c = f->o->path[part->shape]; *c && used < PROG_SHAPE - 2; c++)
        if (*c == ':' || *c == ',')
            buf[used++] = *c;
    buf[used++] = ')';
    buf[used] = '\0';
    return buf;
}

/* The object is a part of a block or stack, which has been described. */
static void name_part(const struct look_finder *f, uint64_t va, const struct doc_part *part,
                      struct look_object *out)
{
    char owner[300], all[PROG_SHAPE];
    if (f->several[part - f->o->part])
        return;
    snprintf(out->memory, sizeof out->memory, "%s", out->key);
    out->part = part;
    out->from = part->from;
    out->size = part->to - part->from;
    out->offset = va - part->from;
    out->variable = (struct prog_object){.name = f->o->path[part->path],
                                         .from = part->from,
                                         .to = part->each ? part->from + part->each : part->to,
                                         .type = part->type};
    snprintf(out->key, sizeof out->key, "%s%.400s%s%s", is_behind(out) ? "*" : "",
             out->variable.name, all_of(f, part, all),
             look_object_owner(f, out, owner, sizeof owner));
    if (f->code->names && f->code->names->member)
        name_member(f, out);
    else
        name_offset(out);
}

/* Of the parts of a site, or of those on stacks, the one that had `va` for longest. Parts lie
 * within [from, to). */
static const struct doc_part *part_at(const struct look_finder *f, uint64_t va, size_t site,
                                      uint64_t from, uint64_t to, const struct when *when)
{
    const struct doc_part *best = NULL;
    sim_tick most = 0;
    size_t low = 0, high = f->o->parts;
    while (low < high) { /* the first that begins behind `va` */
        const size_t middle = low + (high - low) / 2;
        if (f->o->part[middle].from <= va)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low-- > 0 && f->o->part[low].from >= from;) {
        const struct doc_part *part = &f->o->part[low];
        const sim_tick ticks = object_at_common(when, part->born, part->died);
        if (part->site != site || va >= part->to || part->to > to || ticks <= most)
            continue;
        best = part;
        most = ticks;
    }
    return best;
}

static void name_block(struct look_finder *f, struct look_object *out)
{
    const struct doc_block *b = out->block;
    const struct doc_site *site = &f->o->site[b->site];
    snprintf(out->key, sizeof out->key, "%s%s %" PRIu64 " bytes by %.600s",
             out->kind == LOOK_OBJECT_HEADER ? header_of : "",
             object_at_is_mapping(f, b) ? f->o->kind[site->kind] : "heap", b->to - b->from,
             look_site_name(f, b->site));
    if (site->blocks > 1 && b->times)
        snprintf(out->key + strlen(out->key), sizeof out->key - strlen(out->key), " [%" PRIu64 "]",
                 b->serial);
    name_offset(out);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static void describe_tls(const struct look_finder *f, uint64_t va, const struct doc_thread *t,
                         struct look_object *out)
{
    struct prog_names *names = f->code->names;
    struct prog_object *v = &out->variable;
    *out = (struct look_object){
        .kind = LOOK_OBJECT_TLS, .from = t->tls, .size = t->tls_to - t->tls, .thread = t};
    const bool variables = va >= t->tls;
    const bool known = variables && names && names->local && names->local(names, va - t->tls, v);
    if (!variables) {
        out->from = doc_thread_local(t);
        out->size = t->tls - out->from;
    } else if (known) {
        out->from = t->tls + v->from;
        out->size = v->to - v->from;
    }
    snprintf(out->key, sizeof out->key, "%s of thread %" PRIu32 "%s%.600s",
             variables ? "TLS" : "descriptor", t->number, known ? ": " : "", known ? v->name : "");
    out->offset = va - out->from;
    if (known)
        name_member(f, out);
    else
        name_offset(out);
}

static bool find_tls(struct look_finder *f, uint64_t va, const struct when *when,
                     struct look_object *out)
{
    const struct doc_thread *t = thread_at(f, va, when, true);
    if (t)
        describe_tls(f, va, t, out);
    return t;
}

static void describe_stack(const struct look_finder *f, uint64_t va, const struct doc_thread *t,
                           const struct when *when, struct look_object *out)
{
    const struct doc_part *part;
    *out = (struct look_object){.kind = LOOK_OBJECT_STACK,
                                .from = t->stack,
                                .size = t->stack_to - t->stack,
                                .offset = va - t->stack,
                                .thread = t};
    snprintf(out->key, sizeof out->key, "stack of thread %" PRIu32, t->number);
    name_offset(out);
    part = part_at(f, va, f->o->sites, t->stack, t->stack_to, when);
    if (part && part->thread == t->number)
        name_part(f, va, part, out);
}

static bool find_stack(struct look_finder *f, uint64_t va, const struct when *when,
                       struct look_object *out)
{
    const struct doc_thread *t = thread_at(f, va, when, false);
    if (t)
        describe_stack(f, va, t, when, out);
    return t;
}

static void describe_block(struct look_finder *f, uint64_t va, const struct doc_block *b,
                           const struct when *when, struct look_object *out)
{
    const struct doc_part *part = part_at(f, va, b->site, b->from, b->to, when);
    *out = (struct look_object){.kind = LOOK_OBJECT_HEAP,
                                .from = b->from,
                                .size = b->to - b->from,
                                .offset = va - b->from,
                                .block = b};
    name_block(f, out);
    if (part)
        name_part(f, va, part, out);
}

static bool find_block(struct look_finder *f, uint64_t va, const struct when *when,
                       struct look_object *out)
{
    const struct doc_block *b = block_at(f, va, when, NULL);
    if (b)
        describe_block(f, va, b, when, out);
    return b;
}

static bool find_header_at(struct look_finder *f, uint64_t va, const struct when *when,
                           struct look_object *out)
{
    const uint64_t from = (va | (HEADER / 2 - 1)) + 1; /* blocks begin at doublewords */
    for (uint64_t at = from; at <= va + HEADER; at += HEADER / 2) {
        const struct doc_block *b = block_at(f, at, when, NULL);
        if (!b || b->from != at || object_at_is_mapping(f, b))
            continue;
        *out = (struct look_object){.kind = LOOK_OBJECT_HEADER,
                                    .from = at - HEADER,
                                    .size = HEADER,
                                    .offset = va - (at - HEADER),
                                    .block = b};
        name_block(f, out);
        return true;
    }
    return false;
}

/* malloc reads and writes it while nobody has the block, too: before it gives it out, and when it
 * has been given back. */
static bool find_header(struct look_finder *f, uint64_t va, const struct when *when,
                        struct look_object *out)
{
    const struct when ever = {0, SIM_NEVER};
    return find_header_at(f, va, when, out) || find_header_at(f, va, &ever, out);
}

static bool find_static(struct look_finder *f, uint64_t va, const struct when *when,
                        struct look_object *out)
{
    struct prog_names *names = f->code->names;
    struct prog_object v;
    (void)when;
    if (!names || !names->object || !names->object(names, va, &v))
        return false;
    *out = (struct look_object){.kind = LOOK_OBJECT_STATIC,
                                .from = v.from,
                                .size = v.to - v.from,
                                .offset = va - v.from,
                                .variable = v};
    snprintf(out->key, sizeof out->key, "%.700s", v.name);
    name_member(f, out);
    return true;
}

static bool find_code(struct look_finder *f, uint64_t va, const struct when *when,
                      struct look_object *out)
{
    const struct prog_place *place = look_code_at(f->code, va);
    (void)when;
    if (!place->function)
        return false;
    *out = (struct look_object){.kind = LOOK_OBJECT_CODE,
                                .from = place->from,
                                .size = place->to - place->from,
                                .offset = va - place->from};
    snprintf(out->key, sizeof out->key, "%.700s", place->function);
    name_offset(out);
    return true;
}

static void name_address(uint64_t va, struct look_object *out)
{
    *out = (struct look_object){.from = va};
    snprintf(out->key, sizeof out->key, "0x%" PRIx64, va);
    name_offset(out);
}

typedef bool look_find_fn(struct look_finder *f, uint64_t va, const struct when *when,
                          struct look_object *out);

/* The smallest of the things that are there. @param find  how to find each kind; NULL: their end */
static bool find_smallest(struct look_finder *f, uint64_t va, const struct when *when,
                          look_find_fn *const find[], struct look_object *out)
{
    struct look_object other;
    bool found = false;
    for (; *find; find++) {
        if (!(*find)(f, va, when, found ? &other : out))
            continue;
        if (found && other.size < out->size)
            *out = other;
        found = true;
    }
    return found;
}

void look_object_at(struct look_finder *f, uint64_t va, sim_tick from, sim_tick to,
                    struct look_object *out)
{
    static look_find_fn *const all[] = {find_tls,    find_stack, find_block,
                                        find_static, find_code,  NULL};
    const struct when when = {from, to};
    if (!find_smallest(f, va, &when, all, out) && !find_header(f, va, &when, out))
        name_address(va, out);
}

/* ---- by tenants ------------------------------------------------------------------------------ */

static const struct doc_thread *object_at_thread_of(const struct look_finder *f, uint32_t number)
{
    size_t i = 0;
    while (i < f->o->threads && f->o->thread[i].number != number)
        i++;
    return i < f->o->threads ? &f->o->thread[i] : NULL;
}

static bool object_at_has(const struct doc_tenant *tenant, uint64_t va)
{
    return va >= tenant->block.from && va < tenant->block.to;
}

/* How deep a stack goes may be known later than a request for its bytes. */
static void find_narrower(struct look_finder *f, uint64_t va, const struct when *when,
                          struct look_object *out)
{
    struct look_object stack;
    if (find_stack(f, va, when, &stack) && stack.size < out->size)
        *out = stack;
}

/* A tenant's block that is not there at that time: free() itself uses it when it has been given
 * back already; or the file has forgotten it, and its size and site are known all the same. */
static const struct doc_block *find_past_block(struct look_finder *f,
                                               const struct doc_tenant *tenant, uint64_t va)
{
    const struct when ever = {0, SIM_NEVER};
    const struct doc_block *b = block_at(f, va, &ever, tenant);
    return b ? b : &tenant->block;
}

static bool find_own_block(struct look_finder *f, const struct doc_tenant *tenant, uint64_t va,
                           const struct when *when, struct look_object *out)
{
    const struct doc_block *b = block_at(f, va, when, tenant);
    if (!b && tenant->kind == DOC_TENANT_block && object_at_has(tenant, va))
        b = find_past_block(f, tenant, va);
    if (!b)
        return false;
    describe_block(f, va, b, when, out);
    find_narrower(f, va, when, out);
    return true;
}

static bool find_own_part(const struct look_finder *f, const struct doc_tenant *tenant, uint64_t va,
                          const struct when *when, struct look_object *out)
{
    const struct doc_thread *t =
        object_at_has(tenant, va) ? object_at_thread_of(f, tenant->block.thread) : NULL;
    const bool variables = tenant->kind == DOC_TENANT_variables;
    const bool there = t && (variables ? va >= doc_thread_local(t) && va < t->tls_to
                                       : va >= t->stack && va < t->stack_to);
    if (there && variables)
        describe_tls(f, va, t, out);
    else if (there)
        describe_stack(f, va, t, when, out);
    return there;
}

/* What has no tenant: it never moves, or is a part of the heap that nobody has, or of a stack that
 * was not known to be so deep. */
static bool find_unowned(struct look_finder *f, uint64_t va, const struct when *when,
                         struct look_object *out)
{
    static look_find_fn *const unowned[] = {find_stack, find_static, find_code, NULL};
    return find_smallest(f, va, when, unowned, out) || find_header(f, va, when, out);
}

bool look_object_same(struct look_finder *f, const struct doc_truth *truth,
                      const struct pc_missed_row *row, uint64_t va, struct look_object *out)
{
    const struct doc_tenant *tenant = &truth->tenant[row->tenant];
    const struct when when = {row->first, row->last};
    switch (tenant->kind) {
    case DOC_TENANT_call:
        return find_own_block(f, tenant, va, &when, out) || find_unowned(f, va, &when, out);
    case DOC_TENANT_block:
        return find_own_block(f, tenant, va, &when, out);
    case DOC_TENANT_stack:
    case DOC_TENANT_variables:
        return find_own_part(f, tenant, va, &when, out);
    case DOC_TENANT_nobody:
        return find_unowned(f, va, &when, out);
    default:
        look_object_at(f, va, row->first, row->last, out);
        return true;
    }
}

void look_object_asked(struct look_finder *f, const struct doc_truth *truth,
                       const struct pc_missed_row *row, struct look_object *out)
{
    if (!look_object_same(f, truth, row, row->va, out))
        name_address(row->va, out);
}

const struct doc_part *look_object_parts(const struct look_finder *f, size_t *count)
{
    *count = f->o->parts;
    return f->o->part;
}

void look_object_of_part(struct look_finder *f, const struct doc_part *part,
                         struct look_object *out)
{
    const struct when when = {part->born, part->died};
    if (part->site < f->o->sites ? find_block(f, part->from, &when, out)
                                 : find_stack(f, part->from, &when, out))
        return;
    name_address(part->from, out);
}

void look_object_unnamed(struct look_object *o, uint64_t va)
{
    if (!o->part)
        return;
    o->part = NULL;
    o->variable = (struct prog_object){0};
    o->from = o->block ? o->block->from : o->thread->stack;
    o->size = (o->block ? o->block->to : o->thread->stack_to) - o->from;
    o->offset = va - o->from;
    snprintf(o->key, sizeof o->key, "%s", o->memory);
    *o->memory = '\0';
    name_offset(o);
}

void look_object_cut_numbers(char *path)
{
    char *to = path;
    for (const char *c = path; *c; c++) {
        if (!strncmp(c, ", thread ", 9))
            c += 9 + strspn(c + 9, "0123456789");
        const size_t number = *c == '(' ? strspn(c + 1, "0123456789-,") : 0;
        *to++ = *c;
        if (*c == '[')
            c += strspn(c + 1, "0123456789");
        else if (c[number + 1] == ')')
            c += number;
    }
    *to = '\0';
}

/* The number of a block, off what its key is without a name of the program's. */
static void object_cut_serial(char *key)
{
    char *number = strrchr(key, '[');
    if (number && number > key && number[-1] == ' ')
        number[-1] = '\0';
}

void look_object_group(struct look_object *object)
{
    const bool header = object->kind == LOOK_OBJECT_HEADER;
    if (object->part)
        look_object_cut_numbers(object->key);
    else if (header || object->kind == LOOK_OBJECT_HEAP)
        object_cut_serial(object->key);
    if (header && !strncmp(object->key, header_of, strlen(header_of))) {
        char *block = sim_strdup(object->key + strlen(header_of));
        snprintf(object->key, sizeof object->key, "%s%.700s", headers_of, block);
        free(block);
    }
}

const char *look_object_place(const struct look_object *object, char buf[LOOK_OBJECT_NAME])
{
    const char *key = object->part ? object->memory : object->key;
    const bool header = object->kind == LOOK_OBJECT_HEADER;
    *buf = '\0';
    if (!header && object->kind != LOOK_OBJECT_HEAP)
        return buf;
    if (header)
        key += strlen(strncmp(key, header_of, strlen(header_of)) ? headers_of : header_of);
    snprintf(buf, LOOK_OBJECT_NAME, "%s", key);
    object_cut_serial(buf);
    return buf;
}

const char *look_object_headers(const char *place, char buf[LOOK_OBJECT_NAME])
{
    snprintf(buf, LOOK_OBJECT_NAME, "%s%.700s", headers_of, place);
    return buf;
}

bool look_object_is_new(const struct look_finder *f, const struct look_object *object)
{
    const struct doc_block *b = object->block;
    const uint64_t call = b ? f->o->site[b->site].call : PC_PROFILE_NOWHERE;
    const char *function =
        call == PC_PROFILE_NOWHERE ? NULL : look_code_at(f->code, call)->function;
    return function && !strncmp(function, "operator new", strlen("operator new"));
}

uint64_t look_object_header(struct look_finder *f, const struct doc_block *block)
{
    enum { WORD = 4 };
    const struct when when = {block->born, block->died};
    uint64_t from = block->from;
    for (struct look_object at; block->from - from < HEADER; from -= WORD) {
        look_object_at(f, from - WORD, when.from, when.to, &at);
        if (at.kind != LOOK_OBJECT_HEADER || at.block->from != block->from)
            break;
    }
    return from;
}

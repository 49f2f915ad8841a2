/*
 * Sums of a profile.
 *
 * The hard idea is the inclusive cost: what was spent at a place and in all that was called from
 * there, each PCycle once. Something may be under way twice on one path: a line that two functions
 * share by inlining, or functions that have one name in a program without good symbols. So paths
 * are walked as a tree, and every entry knows how many of the calls under way are its own: only the
 * outermost of them gets what the subtree cost.
 */
#include "look/profile/view.h"

#include "base/alloc.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <uthash.h>

/* ---- functions and stacks -------------------------------------------------------------------- */

static char *view_name_of(uint64_t va, const struct prog_place *place)
{
    if (va == PC_PROFILE_NOWHERE)
        return sim_strdup(LOOK_NO_THREAD);
    return place->function ? sim_strdup(place->function) : sim_format("0x%" PRIx64, va);
}

static void add_function(struct look_view *view, uint64_t va, const struct prog_place *place)
{
    const struct prog_place *first =
        place->function ? look_code_at(view->code, place->from) : place;
    view->function[view->functions++] = (struct look_function){
        .name = view_name_of(va, place),
        .from = place->function ? place->from : va,
        .to = place->function ? place->to : 0,
        .file = first->file,
        .line = first->line,
    };
}

/* Keys for look_sums_at that number what they are given; `open` of an entry is its number + 1. */
static bool view_number(struct look_sums *known, struct look_key key, size_t next, uint32_t *out)
{
    struct look_entry *entry = look_sums_at(known, key);
    const bool fresh = !entry->open;
    if (fresh)
        entry->open = (uint32_t)next + 1;
    *out = entry->open - 1;
    return fresh;
}

static void find_functions(struct look_view *view)
{
    static const struct prog_place nothing;
    const struct doc_profile *p = view->profile;
    struct look_sums known = {0};
    view->function = sim_alloc(p->paths, sizeof *view->function);
    view->called = sim_alloc(p->paths, sizeof *view->called);
    for (size_t i = 0; i < p->paths; i++) {
        const uint64_t va = p->path[i].function;
        const struct prog_place *place =
            va == PC_PROFILE_NOWHERE ? &nothing : look_code_at(view->code, va);
        const struct look_key key = {place->function ? place->from : va, 0};
        if (view_number(&known, key, view->functions, &view->called[i]))
            add_function(view, va, place);
    }
    look_sums_free(&known);
}

static void find_stacks(struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    struct look_sums known = {0};
    view->stack = sim_alloc(p->paths, sizeof *view->stack);
    view->stacked = sim_alloc(p->paths, sizeof *view->stacked);
    for (size_t i = 0; i < p->paths; i++) {
        const bool first = p->path[i].parent == i;
        const uint32_t parent = first ? 0 : view->stacked[p->path[i].parent];
        const struct look_key key = {view->called[i], first ? UINT64_MAX : parent};
        const uint32_t next = (uint32_t)view->stacks;
        if (view_number(&known, key, next, &view->stacked[i]))
            view->stack[view->stacks++] =
                (struct look_stack){first ? next : parent, view->called[i]};
    }
    look_sums_free(&known);
}

/* ---- what is looked at ----------------------------------------------------------------------- */

bool look_view_has(const struct look_view *view, const struct pc_profile_row *row)
{
    return view->open[row->phase] && (view->thread < 0 || row->thread == view->thread);
}

static void add_up(struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    struct look_sums threads = {0};
    for (size_t i = 0; i < p->rows; i++) {
        if (!look_view_has(view, &p->row[i]))
            continue;
        const struct look_cost cost = look_cost_of(&p->row[i]);
        look_cost_add(&view->whole, &cost);
        if (p->row[i].thread)
            look_sums_at(&threads, (struct look_key){p->row[i].thread, 0});
    }
    view->threads = threads.entries;
    look_sums_free(&threads);
}

/** A text that stands for a number. */
struct look_text {
    uint64_t number;
    const char *file; /* of a line of source text; NULL: it is none */
    unsigned line;
    UT_hash_handle hh;
    char text[];
};

void look_view_open(struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    view->sources.ran = view->code->ran;
    view->open = sim_alloc(p->phases, sizeof *view->open);
    for (size_t i = 0; i < p->phases; i++)
        view->open[i] = view->region == 0 || doc_phase_has(p, i, view->region);
    find_functions(view);
    find_stacks(view);
    add_up(view);
}

void look_view_close(struct look_view *view)
{
    struct look_text *text, *next;
    HASH_ITER(hh, view->texts, text, next) {
        HASH_DEL(view->texts, text);
        free(text);
    }
    for (size_t i = 0; i < view->functions; i++)
        free(view->function[i].name);
    free(view->function);
    free(view->called);
    free(view->stack);
    free(view->stacked);
    free(view->open);
    free((void *)view->text);
    look_sources_free(&view->sources);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/** What sums are being made of. */
struct summing {
    struct look_view *view;
    struct look_sums *sums;
    const struct by *by;
    uint32_t *first, *next; /**< [paths] its first child, and its parent's next one; 0: none, as
                                 path 0 is nobody's child */
    size_t *row;            /**< [rows] by path */
    size_t *begin;          /**< [paths + 1] of its rows in `row` */
    struct look_cost *all;  /**< [paths] inclusive */
};

/** Whose a row is, or a call under way. @param i  of a row that is of several: which of them.
 *  @return false: there is no such */
typedef bool key_fn(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                    struct look_key *key);
typedef void label_fn(struct look_view *view, struct look_key key, FILE *out);

static bool function_key(struct summing *s, uint32_t path, const struct pc_profile_row *row,
                         size_t i, struct look_key *key)
{
    (void)row;
    *key = (struct look_key){s->view->called[path], 0};
    return i == 0;
}

static void function_label(struct look_view *view, struct look_key key, FILE *out)
{
    fputs(view->function[key.a].name, out);
}

static bool instruction_key(struct summing *s, uint32_t path, const struct pc_profile_row *row,
                            size_t i, struct look_key *key)
{
    (void)s;
    (void)path;
    *key = (struct look_key){row->pc, 0};
    return i == 0;
}

static bool instruction_call(struct summing *s, uint32_t path, const struct pc_profile_row *row,
                             size_t i, struct look_key *key)
{
    (void)row;
    (void)i;
    *key = (struct look_key){s->view->profile->path[path].call, 0};
    return key->a != PC_PROFILE_NOWHERE;
}

static void instruction_label(struct look_view *view, struct look_key key, FILE *out)
{
    char text[96];
    if (key.a == PC_PROFILE_NOWHERE) {
        fputs("(no thread yet, or " LOOK_BORDER_WORDS ")", out);
        return;
    }
    const struct prog_place *place = look_code_at(view->code, key.a);
    fprintf(out, "0x%" PRIx64, key.a);
    if (place->function)
        fprintf(out, " %s+0x%" PRIx64, place->function, key.a - place->from);
    if (place->file && place->line)
        fprintf(out, " %s:%u", place->file, place->line);
    if (look_insn_text(view->code, key.a, text, sizeof text))
        fprintf(out, "  %s", text);
}

/* The number of a text, which is of a place. */
static uint64_t view_number_of(struct look_view *view, const char *text,
                               const struct prog_place *at)
{
    struct look_text *known;
    const size_t length = strlen(text);
    HASH_FIND(hh, view->texts, text, length, known);
    if (!known) {
        known = sim_alloc(1, sizeof *known + length + 1);
        memcpy(known->text, text, length + 1);
        known->number = view->text_count;
        known->file = at->line ? at->file : NULL;
        known->line = at->line;
        HASH_ADD_KEYPTR(hh, view->texts, known->text, length, known);
        view->text = sim_grow((void *)view->text, view->text_count + 1, sizeof *view->text);
        view->text[view->text_count++] = known->text;
    }
    return known->number;
}

static struct look_key view_line_of(struct look_view *view, uint32_t function, uint64_t pc)
{
    static const struct prog_place nothing;
    const struct prog_place *at =
        pc == PC_PROFILE_NOWHERE ? &nothing : look_code_at(view->code, pc);
    const char *name = view->function[function].name;
    char *text = at->file && at->line ? sim_format("%s:%u", at->file, at->line)
                 : pc == PC_PROFILE_NOWHERE && !strcmp(name, LOOK_NO_THREAD) ? sim_strdup(name)
                 : pc == PC_PROFILE_NOWHERE ? sim_format("%s %s", name, LOOK_BORDER)
                                            : sim_format("%s (no line)", name);
    const struct look_key key = {view_number_of(view, text, at), 0};
    free(text);
    return key;
}

static bool line_key(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                     struct look_key *key)
{
    if (i == 0)
        *key = view_line_of(s->view, s->view->called[path], row->pc);
    return i == 0;
}

static bool line_call(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                      struct look_key *key)
{
    const struct pc_profile_path *p = &s->view->profile->path[path];
    (void)row;
    (void)i;
    if (p->call != PC_PROFILE_NOWHERE)
        *key = view_line_of(s->view, s->view->called[p->parent], p->call);
    return p->call != PC_PROFILE_NOWHERE;
}

static void line_label(struct look_view *view, struct look_key key, FILE *out)
{
    fputs(view->text[key.a], out);
}

const char *look_view_source(struct look_view *view, struct look_key key)
{
    struct look_text *known;
    const char *text = view->text[key.a];
    HASH_FIND(hh, view->texts, text, strlen(text), known);
    assert(known); /* keys are of the view */
    return known->file ? look_source_line(look_source_get(&view->sources, known->file), known->line)
                       : NULL;
}

static bool thread_key(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                       struct look_key *key)
{
    (void)s;
    (void)path;
    *key = (struct look_key){row->thread, 0};
    return i == 0;
}

static void thread_label(struct look_view *view, struct look_key key, FILE *out)
{
    (void)view;
    if (key.a)
        fprintf(out, "%" PRIu64, key.a);
    else
        fputs(LOOK_NO_THREAD, out);
}

/* The whole run is a region of every row, whether its phase says so or not. What is in none that
 * the program marked has one more. */
enum { IN_NONE = UINT32_MAX };

static bool region_key(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                       struct look_key *key)
{
    const uint32_t *phase = s->view->profile->phase[row->phase];
    const uint32_t whole = phase[0] && phase[1] == 0, marked = phase[0] - whole;
    (void)path;
    if (i <= marked) {
        *key = (struct look_key){i ? phase[i + whole] : 0, 0};
        return true;
    }
    *key = (struct look_key){IN_NONE, 0};
    return i == 1 && s->view->profile->regions > 1;
}

static void region_label(struct look_view *view, struct look_key key, FILE *out)
{
    fputs(key.a == IN_NONE ? LOOK_NO_REGION : view->profile->region[key.a], out);
}

static bool path_key(struct summing *s, uint32_t path, const struct pc_profile_row *row, size_t i,
                     struct look_key *key)
{
    (void)row;
    *key = (struct look_key){s->view->stacked[path], 0};
    return i == 0;
}

void look_view_stack(const struct look_view *view, uint32_t stack, char between, FILE *out)
{
    size_t depth = 1;
    for (uint32_t s = stack; view->stack[s].parent != s; s = view->stack[s].parent)
        depth++;
    uint32_t *list = sim_alloc(depth, sizeof *list);
    for (size_t i = depth; i--; stack = view->stack[stack].parent)
        list[i] = stack;
    for (size_t i = 0; i < depth; i++) {
        if (i)
            putc(between, out);
        for (const char *c = view->function[view->stack[list[i]].function].name; *c; c++)
            putc(*c == between ? ':' : *c, out);
    }
    free(list);
}

static void path_label(struct look_view *view, struct look_key key, FILE *out)
{
    look_view_stack(view, (uint32_t)key.a, ';', out);
}

static const struct by {
    key_fn *key, *call;
    label_fn *label;
} bys[] = {
#define BY(name, key, call, label, sentence) {key, call, label},
#include "look/profile/by.def"
#undef BY
};

const struct look_by_row look_by_rows[LOOK_BY__COUNT] = {
#define BY(name, key, call, label, sentence) {#name, sentence},
#include "look/profile/by.def"
#undef BY
};

char *look_view_label(struct look_view *view, enum look_by by, struct look_key key)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    bys[by].label(view, key, out);
    sim_text_close(out, &text);
    return text;
}

/* ---- sums ------------------------------------------------------------------------------------ */

struct look_cost *look_view_inclusive(const struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    struct look_cost *all = sim_alloc(p->paths, sizeof *all);
    for (size_t i = 0; i < p->rows; i++)
        if (look_view_has(view, &p->row[i])) {
            const struct look_cost cost = look_cost_of(&p->row[i]);
            look_cost_add(&all[p->row[i].path], &cost);
        }
    for (size_t i = p->paths; i--;)
        if (p->path[i].parent != i)
            look_cost_add(&all[p->path[i].parent], &all[i]);
    return all;
}

/* Sorts the rows by path, and the children below their parents. */
static void view_prepare(struct summing *s)
{
    const struct doc_profile *p = s->view->profile;
    s->all = look_view_inclusive(s->view);
    s->first = sim_alloc(p->paths, sizeof *s->first);
    s->next = sim_alloc(p->paths, sizeof *s->next);
    s->begin = sim_alloc(p->paths + 2, sizeof *s->begin);
    s->row = sim_alloc(p->rows, sizeof *s->row);
    for (size_t i = p->paths; i--;)
        if (p->path[i].parent != i) {
            s->next[i] = s->first[p->path[i].parent];
            s->first[p->path[i].parent] = (uint32_t)i;
        }
    for (size_t i = 0; i < p->rows; i++)
        s->begin[p->row[i].path + 2]++;
    for (size_t i = 2; i < p->paths + 2; i++)
        s->begin[i] += s->begin[i - 1];
    for (size_t i = 0; i < p->rows; i++)
        s->row[s->begin[p->row[i].path + 1]++] = i;
}

static void view_add_row(struct summing *s, const struct pc_profile_row *row)
{
    const struct look_cost cost = look_cost_of(row);
    struct look_key key;
    for (size_t i = 0; s->by->key(s, row->path, row, i, &key); i++) {
        struct look_entry *entry = look_sums_at(s->sums, key);
        look_cost_add(&entry->self, &cost);
        if (!entry->open)
            look_cost_add(&entry->all, &cost);
    }
}

/* The entry of the call that begins a path; NULL: nobody asks for one. */
static struct look_entry *view_caller(struct summing *s, uint32_t path)
{
    struct look_key key;
    const bool one = s->by->call && s->by->call(s, path, NULL, 0, &key);
    return one ? look_sums_at(s->sums, key) : NULL;
}

static void view_enter(struct summing *s, uint32_t path)
{
    const struct doc_profile *p = s->view->profile;
    struct look_entry *entry = view_caller(s, path);
    if (entry && !entry->open++)
        look_cost_add(&entry->all, &s->all[path]);
    for (size_t i = s->begin[path]; i < s->begin[path + 1]; i++)
        if (look_view_has(s->view, &p->row[s->row[i]]))
            view_add_row(s, &p->row[s->row[i]]);
}

/* Without recursion: a made-up file's paths may be as long as it is. */
static void view_walk(struct summing *s, uint32_t root)
{
    const struct pc_profile_path *path = s->view->profile->path;
    uint32_t at = root;
    view_enter(s, at);
    for (;;) {
        if (s->first[at]) {
            const uint32_t child = s->first[at];
            s->first[at] = s->next[child];
            at = child;
            view_enter(s, at);
            continue;
        }
        struct look_entry *entry = view_caller(s, at);
        if (entry)
            entry->open--;
        if (at == root)
            break;
        at = path[at].parent;
    }
}

struct look_sums look_view_sum(struct look_view *view, enum look_by by)
{
    struct look_sums sums = {0};
    struct summing s = {.view = view, .sums = &sums, .by = &bys[by]};
    view_prepare(&s);
    for (size_t i = 0; i < view->profile->paths; i++)
        if (view->profile->path[i].parent == i)
            view_walk(&s, (uint32_t)i);
    free(s.all);
    free(s.first);
    free(s.next);
    free(s.begin);
    free(s.row);
    return sums;
}

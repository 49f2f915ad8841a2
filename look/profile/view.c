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

#include <inttypes.h>
#include <string.h>
#include <uthash.h>

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

/** What was inlined in a line from files of the system, and what was spent there. */
struct look_inner {
    char *text;
    int64_t cost;
};

/** A line, and where it was inlined. */
struct look_text {
    uint64_t number;
    const char *file; /* of a line of source text; NULL: it is none */
    unsigned line;
    bool within;  /* it was inlined in calls */
    char *label;  /* FILE:LINE, or what stands for it */
    char *here;   /* it with its function, and the calls in which it was inlined; NULL: no line */
    char *behind; /* NULL, or what look_view_inlined has said */
    struct look_inner *inner;
    size_t inners;
    UT_hash_handle hh;
    char key[];
};

void look_view_open(struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    view->sources.ran = view->code->ran;
    view->open = sim_alloc(p->phases, sizeof *view->open);
    for (size_t i = 0; i < p->phases; i++)
        view->open[i] = view->region == 0 || doc_phase_has(p, i, view->region);
    look_view_find(view);
    add_up(view);
}

static void view_text_free(struct look_text *text)
{
    for (size_t i = 0; i < text->inners; i++)
        free(text->inner[i].text);
    free(text->inner);
    free(text->label);
    free(text->here);
    free(text->behind);
    free(text);
}

void look_view_close(struct look_view *view)
{
    struct look_text *text, *next;
    HASH_ITER(hh, view->texts, text, next) {
        HASH_DEL(view->texts, text);
        view_text_free(text);
    }
    look_view_forget(view);
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
    uint32_t *first, *next; /**< [nodes] its first child, and its parent's next one; 0: none, as
                                 node 0 is nobody's child */
    size_t *row;            /**< [rows] by node */
    size_t *begin;          /**< [nodes + 1] of its rows in `row` */
    struct look_cost *all;  /**< [nodes] inclusive */
};

/** Whose a row is, or a call under way. @param i  of a row that is of several: which of them.
 *  @return false: there is no such */
typedef bool key_fn(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                    struct look_key *key);
typedef void label_fn(struct look_view *view, struct look_key key, FILE *out);

static bool function_key(struct summing *s, uint32_t node, const struct pc_profile_row *row,
                         size_t i, struct look_key *key)
{
    (void)row;
    *key = (struct look_key){s->view->node[node].own, 0};
    return i == 0;
}

/* What counts for its caller is no call of its own. */
static bool function_call(struct summing *s, uint32_t node, const struct pc_profile_row *row,
                          size_t i, struct look_key *key)
{
    const struct look_node *n = &s->view->node[node];
    return n->own == n->function && function_key(s, node, row, i, key);
}

static void function_label(struct look_view *view, struct look_key key, FILE *out)
{
    fputs(view->function[key.a].name, out);
}

static bool instruction_key(struct summing *s, uint32_t node, const struct pc_profile_row *row,
                            size_t i, struct look_key *key)
{
    (void)s;
    (void)node;
    *key = (struct look_key){row->pc, 0};
    return i == 0;
}

static bool instruction_call(struct summing *s, uint32_t node, const struct pc_profile_row *row,
                             size_t i, struct look_key *key)
{
    const struct look_node *n = &s->view->node[node];
    (void)row;
    (void)i;
    *key = (struct look_key){n->at, 0};
    return !n->inlined && key->a != PC_PROFILE_NOWHERE;
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
    look_chain_behind(view->code, look_code_chain(view->code, key.a), out);
    if (look_insn_text(view->code, key.a, text, sizeof text))
        fprintf(out, "  %s", text);
}

/* The part of a chain from `from` to `to`; the caller's. */
static char *view_part(const struct look_view *view, const struct look_chain *chain, unsigned from,
                       unsigned to)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    look_chain_put(view->code, chain, from, to, out);
    sim_text_close(out, &text);
    return text;
}

/* The line of a frame of a chain, with what it was inlined in. @param label  it, taken */
static struct look_text *view_text(struct look_view *view, char *label,
                                   const struct look_chain *chain, unsigned frame)
{
    const bool known_line = chain->frames && chain->frame[frame].file && chain->frame[frame].line;
    char *here = known_line ? view_part(view, chain, frame, chain->frames) : NULL;
    char *key = sim_format("%s\n%s", label, frame + 1 < chain->frames ? here : "");
    struct look_text *text;
    HASH_FIND_STR(view->texts, key, text);
    if (!text) {
        text = sim_alloc(1, sizeof *text + strlen(key) + 1);
        strcpy(text->key, key);
        text->number = view->text_count;
        text->file = known_line ? chain->frame[frame].file : NULL;
        text->line = known_line ? chain->frame[frame].line : 0;
        text->within = frame + 1 < chain->frames;
        text->label = label;
        text->here = here;
        HASH_ADD_STR(view->texts, key, text);
        view->text = sim_grow((void *)view->text, view->text_count + 1, sizeof *view->text);
        view->text[view->text_count++] = text;
    } else {
        free(label);
        free(here);
    }
    free(key);
    return text;
}

/* What was spent in a line by code of the system. @param inner  it, taken */
static void view_add_inner(const struct look_view *view, struct look_text *text, char *inner,
                           const struct pc_profile_row *row)
{
    const struct look_cost cost = look_cost_of(row);
    const int64_t value = look_measured(&view->measure, &cost);
    size_t i = 0;
    while (i < text->inners && strcmp(text->inner[i].text, inner))
        i++;
    if (i < text->inners) {
        free(inner);
    } else {
        text->inner = sim_grow(text->inner, ++text->inners, sizeof *text->inner);
        text->inner[i] = (struct look_inner){inner, 0};
    }
    text->inner[i].cost = doc_plus(text->inner[i].cost, value);
}

/* The innermost frame of the program's own, from a frame on; else the last. */
static unsigned view_shown(const struct look_view *view, const struct look_chain *chain,
                           unsigned frame)
{
    while (frame + 1 < chain->frames && look_code_others(view->code, &chain->frame[frame]))
        frame++;
    return frame;
}

static struct look_text *view_line_at(struct look_view *view, uint32_t function,
                                      const struct look_chain *chain, unsigned frame)
{
    const struct prog_frame *at = chain->frames ? &chain->frame[frame] : NULL;
    const char *name = view->function[function].name;
    return view_text(view,
                     at && at->file && at->line ? sim_format("%s:%u", at->file, at->line)
                                                : sim_format("%s (no line)", name),
                     chain, frame);
}

/* A row without an instruction. */
static struct look_text *view_line_nowhere(struct look_view *view, uint32_t function)
{
    static const struct look_chain nothing;
    const char *name = view->function[function].name;
    return view_text(view,
                     !strcmp(name, LOOK_NO_THREAD) ? sim_strdup(name)
                                                   : sim_format("%s %s", name, LOOK_BORDER),
                     &nothing, 0);
}

/** A place in the calls under way: a frame of the chain at an address. */
struct view_at {
    uint32_t node; /* the call that it is in */
    const struct look_chain *chain;
    unsigned from, frame; /* the innermost one that counts, and the one that is shown */
};

static struct view_at view_at(const struct look_view *view, uint32_t node,
                              const struct look_chain *chain, unsigned from)
{
    return (struct view_at){node, chain, from, view_shown(view, chain, from)};
}

static bool view_is_system(const struct look_view *view, const struct view_at *at)
{
    return at->chain->frames && look_code_others(view->code, &at->chain->frame[at->frame]);
}

/* The call that led to the function with the code there. @return false: none is known */
static bool view_out(const struct look_view *view, struct view_at *at)
{
    uint32_t node = at->node;
    while (view->node[node].inlined)
        node = view->node[node].parent;
    const struct look_node *n = &view->node[node];
    if (n->parent == node || n->at == PC_PROFILE_NOWHERE || !n->site || !n->site->frames)
        return false;
    *at = view_at(view, n->parent, n->site, n->frame);
    return true;
}

/* Where the program's own code is, for which code of the system counts that has lines: that of a
 * header of C++, say. */
static struct view_at view_own(const struct look_view *view, struct view_at at)
{
    struct view_at own = at;
    while (view_is_system(view, &own))
        if (!view_out(view, &own))
            return at;
    return own;
}

/* What is between the two: "atomic_base.h:618 < atomic_base.h:369"; the caller's. */
static char *view_between(const struct look_view *view, struct view_at at,
                          const struct view_at *own)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    while (at.chain != own->chain || at.node != own->node) {
        look_chain_put(view->code, at.chain, at.from, at.chain->frames, out);
        if (!view_out(view, &at))
            break;
        fputs(at.chain != own->chain || at.node != own->node || at.frame > at.from ? " < " : "",
              out);
    }
    look_chain_put(view->code, at.chain, at.from, own->frame, out);
    sim_text_close(out, &text);
    return text;
}

static bool line_key(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                     struct look_key *key)
{
    struct look_view *view = s->view;
    struct look_text *text;
    (void)node;
    if (i)
        return false;
    if (row->pc == PC_PROFILE_NOWHERE) {
        text = view_line_nowhere(view, view->called[row->path]);
    } else {
        const struct look_chain *chain = look_code_chain(view->code, row->pc);
        const struct view_at at = view_at(view, view->path_node[row->path], chain, 0);
        const struct view_at own = view_own(view, at);
        text = view_line_at(view, view->node[own.node].function, own.chain, own.frame);
        if (chain->frames > 1 || own.chain != chain)
            view_add_inner(view, text, view_between(view, at, &own), row);
    }
    *key = (struct look_key){text->number, 0};
    return true;
}

static bool line_call(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                      struct look_key *key)
{
    struct look_view *view = s->view;
    const struct look_node *n = &view->node[node];
    (void)row;
    (void)i;
    if (n->at == PC_PROFILE_NOWHERE || !n->site)
        return false;
    const struct view_at own = view_own(view, view_at(view, n->parent, n->site, n->frame));
    *key = (struct look_key){
        view_line_at(view, view->node[own.node].function, own.chain, own.frame)->number, 0};
    return true;
}

static void line_label(struct look_view *view, struct look_key key, FILE *out)
{
    fputs(view->text[key.a]->label, out);
}

const char *look_view_inlined(struct look_view *view, struct look_key key)
{
    struct look_text *text = view->text[key.a];
    const struct look_inner *most = NULL;
    size_t others = 0;
    for (size_t i = 0; i < text->inners; i++) {
        others += *text->inner[i].text != '\0';
        if (!most || text->inner[i].cost > most->cost)
            most = &text->inner[i];
    }
    const bool system = most && *most->text;
    free(text->behind);
    text->behind = !text->here || (!system && !text->within) ? NULL
                   : !system                                 ? sim_strdup(text->here)
                   : others > 1
                       ? sim_format("%s and %zu more < %s", most->text, others - 1, text->here)
                       : sim_format("%s < %s", most->text, text->here);
    return text->behind;
}

const char *look_view_source(struct look_view *view, struct look_key key)
{
    const struct look_text *known = view->text[key.a];
    return known->file ? look_source_line(look_source_get(&view->sources, known->file), known->line)
                       : NULL;
}

static bool thread_key(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                       struct look_key *key)
{
    (void)s;
    (void)node;
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

static bool region_key(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                       struct look_key *key)
{
    const uint32_t *phase = s->view->profile->phase[row->phase];
    const uint32_t whole = phase[0] && phase[1] == 0, marked = phase[0] - whole;
    (void)node;
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

static bool path_key(struct summing *s, uint32_t node, const struct pc_profile_row *row, size_t i,
                     struct look_key *key)
{
    (void)row;
    *key = (struct look_key){s->view->node[node].stack, 0};
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
    struct look_cost *all = sim_alloc(view->nodes, sizeof *all);
    for (size_t i = 0; i < p->rows; i++)
        if (look_view_has(view, &p->row[i])) {
            const struct look_cost cost = look_cost_of(&p->row[i]);
            look_cost_add(&all[view->row_node[i]], &cost);
        }
    for (size_t i = view->nodes; i--;)
        if (view->node[i].parent != i)
            look_cost_add(&all[view->node[i].parent], &all[i]);
    return all;
}

/* Sorts the rows by node, and the children below their parents. */
static void view_prepare(struct summing *s)
{
    const struct look_view *view = s->view;
    const size_t rows = view->profile->rows;
    s->all = look_view_inclusive(view);
    s->first = sim_alloc(view->nodes, sizeof *s->first);
    s->next = sim_alloc(view->nodes, sizeof *s->next);
    s->begin = sim_alloc(view->nodes + 2, sizeof *s->begin);
    s->row = sim_alloc(rows, sizeof *s->row);
    for (size_t i = view->nodes; i--;)
        if (view->node[i].parent != i) {
            s->next[i] = s->first[view->node[i].parent];
            s->first[view->node[i].parent] = (uint32_t)i;
        }
    for (size_t i = 0; i < rows; i++)
        s->begin[view->row_node[i] + 2]++;
    for (size_t i = 2; i < view->nodes + 2; i++)
        s->begin[i] += s->begin[i - 1];
    for (size_t i = 0; i < rows; i++)
        s->row[s->begin[view->row_node[i] + 1]++] = i;
}

static void view_add_row(struct summing *s, uint32_t node, const struct pc_profile_row *row)
{
    const struct look_cost cost = look_cost_of(row);
    struct look_key key;
    for (size_t i = 0; s->by->key(s, node, row, i, &key); i++) {
        struct look_entry *entry = look_sums_at(s->sums, key);
        look_cost_add(&entry->self, &cost);
        if (!entry->open)
            look_cost_add(&entry->all, &cost);
    }
}

/* The entry of a call; NULL: nobody asks for one. */
static struct look_entry *view_caller(struct summing *s, uint32_t node)
{
    struct look_key key;
    const bool one = s->by->call && s->by->call(s, node, NULL, 0, &key);
    return one ? look_sums_at(s->sums, key) : NULL;
}

static void view_enter(struct summing *s, uint32_t node)
{
    const struct doc_profile *p = s->view->profile;
    struct look_entry *entry = view_caller(s, node);
    if (entry && !entry->open++)
        look_cost_add(&entry->all, &s->all[node]);
    for (size_t i = s->begin[node]; i < s->begin[node + 1]; i++)
        if (look_view_has(s->view, &p->row[s->row[i]]))
            view_add_row(s, node, &p->row[s->row[i]]);
}

/* Without recursion: a made-up file's paths may be as long as it is. */
static void view_walk(struct summing *s, uint32_t root)
{
    const struct look_node *node = s->view->node;
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
        at = node[at].parent;
    }
}

struct look_sums look_view_sum(struct look_view *view, enum look_by by)
{
    struct look_sums sums = {0};
    struct summing s = {.view = view, .sums = &sums, .by = &bys[by]};
    view_prepare(&s);
    for (size_t i = 0; i < view->nodes; i++)
        if (view->node[i].parent == i)
            view_walk(&s, (uint32_t)i);
    free(s.all);
    free(s.first);
    free(s.next);
    free(s.begin);
    free(s.row);
    return sums;
}

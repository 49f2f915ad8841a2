/*
 * The calls of a profile as a tree, with those that were inlined.
 *
 * The hard idea: a profile's paths know functions that have code. What was inlined at the address
 * of a call, or of an instruction, are calls between the path and it. Their number in the program's
 * names says which is which: two calls of one function, inlined in one place each, are two.
 */
#include "look/profile/view.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <string.h>
#include <uthash.h>

/** A function by its name and the file that it is in. */
struct look_names {
    uint32_t function;
    UT_hash_handle hh;
    char text[];
};

/** While the tree is made. Entries' `open` is their number + 1. */
struct tree {
    struct look_view *view;
    struct look_sums functions; /* that have code: {first address} */
    struct look_sums nodes;     /* that were inlined: {number of the call, parent} */
    struct look_sums stacks;    /* {function, stack before it} */
};

/* Keys for look_sums_at that number what they are given. */
static bool tree_number(struct look_sums *known, struct look_key key, size_t next, uint32_t *out)
{
    struct look_entry *entry = look_sums_at(known, key);
    const bool fresh = !entry->open;
    if (fresh)
        entry->open = (uint32_t)next + 1;
    *out = entry->open - 1;
    return fresh;
}

/* ---- functions ------------------------------------------------------------------------------- */

static char *tree_name_of(uint64_t va, const struct prog_place *place)
{
    if (va == PC_PROFILE_NOWHERE)
        return sim_strdup(LOOK_NO_THREAD);
    return place->function ? sim_strdup(place->function) : sim_format("0x%" PRIx64, va);
}

static uint32_t tree_add_function(struct look_view *view, struct look_function function)
{
    SIM_ROOM(view->function, view->functions, view->function_room, 64);
    view->function[view->functions] = function;
    return (uint32_t)view->functions++;
}

/* The entry of a name in a file. @param make  there will be one */
static struct look_names *tree_named(struct look_view *view, const char *name, const char *file,
                                     bool make)
{
    struct look_names *known;
    char *text = sim_format("%s\n%s", name, file ? file : "");
    HASH_FIND_STR(view->names, text, known);
    if (!known && make) {
        known = sim_alloc(1, sizeof *known + strlen(text) + 1);
        strcpy(known->text, text);
        known->function = UINT32_MAX;
        HASH_ADD_STR(view->names, text, known);
    }
    free(text);
    return known;
}

/* A function that has code; if it was met before as one that was inlined, it is that one. */
static uint32_t tree_add_code(struct look_view *view, uint64_t va, const struct prog_place *place)
{
    const struct look_chain *chain =
        look_code_chain(view->code, place->function ? place->from : va);
    const struct prog_frame *last = chain->frames ? &chain->frame[chain->frames - 1] : NULL;
    struct look_function function = {
        .name = tree_name_of(va, place),
        .from = place->function ? place->from : va,
        .to = place->function ? place->to : 0,
        .file = last ? last->file : NULL,
        .line = last ? last->line : 0,
    };
    struct look_names *known = tree_named(view, function.name, function.file, true);
    if (known->function == UINT32_MAX) {
        known->function = tree_add_function(view, function);
        return known->function;
    }
    if (view->function[known->function].to || !function.to)
        return tree_add_function(view, function);
    free(function.name);
    function.name = view->function[known->function].name;
    view->function[known->function] = function;
    return known->function;
}

static uint32_t tree_code(struct tree *t, uint64_t va)
{
    static const struct prog_place nothing;
    const struct prog_place *place =
        va == PC_PROFILE_NOWHERE ? &nothing : look_code_at(t->view->code, va);
    struct look_entry *entry =
        look_sums_at(&t->functions, (struct look_key){place->function ? place->from : va, 0});
    if (!entry->open)
        entry->open = tree_add_code(t->view, va, place) + 1;
    return entry->open - 1;
}

static uint32_t tree_inlined(struct look_view *view, const struct prog_frame *frame)
{
    const char *name = frame->function ? frame->function : "(unnamed)";
    struct look_names *known = tree_named(view, name, frame->file, true);
    if (known->function == UINT32_MAX)
        known->function = tree_add_function(
            view, (struct look_function){.name = sim_strdup(name), .file = frame->file});
    return known->function;
}

bool look_view_function(const struct look_view *view, const struct prog_frame *frame,
                        uint32_t *function)
{
    struct look_names *known =
        tree_named((struct look_view *)view, frame->function ? frame->function : "(unnamed)",
                   frame->file, false);
    if (known)
        *function = known->function;
    return known;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A node below another one. @param parent  UINT32_MAX: below none */
static uint32_t tree_add_node(struct tree *t, uint32_t parent, struct look_node node)
{
    struct look_view *view = t->view;
    const bool first = parent == UINT32_MAX;
    const uint32_t number = (uint32_t)view->nodes, next = (uint32_t)view->stacks;
    const uint32_t below = first ? 0 : view->node[parent].stack;
    const struct look_key key = {node.function, first ? UINT64_MAX : below};
    node.parent = first ? number : parent;
    if (tree_number(&t->stacks, key, next, &node.stack)) {
        SIM_ROOM(view->stack, view->stacks, view->stack_room, 64);
        view->stack[view->stacks++] = (struct look_stack){first ? next : below, node.function};
    }
    SIM_ROOM(view->node, view->nodes, view->node_room, 64);
    view->node[view->nodes++] = node;
    return number;
}

/* The innermost call at an address of a node's function. */
static uint32_t tree_within(struct tree *t, uint32_t node, uint64_t va)
{
    static const struct look_chain nothing;
    struct look_view *view = t->view;
    const struct look_chain *chain =
        va == PC_PROFILE_NOWHERE ? &nothing : look_code_chain(view->code, va);
    for (unsigned i = chain->frames; i-- > 1;) {
        const struct prog_frame *frame = &chain->frame[i - 1];
        const struct look_key key = {frame->call, node};
        uint32_t inner;
        if (tree_number(&t->nodes, key, view->nodes, &inner)) {
            const uint32_t function = tree_inlined(view, frame);
            const bool others = look_code_others(view->code, frame);
            inner = tree_add_node(t, node,
                                  (struct look_node){
                                      .function = function,
                                      .own = others ? view->node[node].own : function,
                                      .at = frame->from,
                                      .site = chain,
                                      .frame = i,
                                      .inlined = true,
                                  });
        }
        node = inner;
    }
    return node;
}

static void tree_add_path(struct tree *t, size_t i)
{
    struct look_view *view = t->view;
    const struct pc_profile_path *p = &view->profile->path[i];
    struct look_node node = {.at = p->call};
    uint32_t parent = UINT32_MAX;
    node.function = node.own = view->called[i] = tree_code(t, p->function);
    if (p->parent != i)
        parent = tree_within(t, view->path_node[p->parent], p->call);
    if (p->call != PC_PROFILE_NOWHERE)
        node.site = look_code_chain(view->code, p->call);
    view->path_node[i] = tree_add_node(t, parent, node);
}

void look_view_find(struct look_view *view)
{
    const struct doc_profile *p = view->profile;
    struct tree t = {.view = view};
    view->called = sim_alloc(p->paths, sizeof *view->called);
    view->path_node = sim_alloc(p->paths, sizeof *view->path_node);
    view->row_node = sim_alloc(p->rows, sizeof *view->row_node);
    for (size_t i = 0; i < p->paths; i++)
        tree_add_path(&t, i);
    for (size_t i = 0; i < p->rows; i++)
        view->row_node[i] = tree_within(&t, view->path_node[p->row[i].path], p->row[i].pc);
    look_sums_free(&t.functions);
    look_sums_free(&t.nodes);
    look_sums_free(&t.stacks);
}

void look_view_forget(struct look_view *view)
{
    struct look_names *name, *next;
    HASH_ITER(hh, view->names, name, next) {
        HASH_DEL(view->names, name);
        free(name);
    }
    for (size_t i = 0; i < view->functions; i++)
        free(view->function[i].name);
    free(view->function);
    free(view->node);
    free(view->path_node);
    free(view->row_node);
    free(view->called);
    free(view->stack);
}

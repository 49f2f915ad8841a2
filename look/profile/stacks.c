/*
 * A profile for tools that are there already.
 *
 * Folded: "thread 7;main;f;g 123", a line for each stack of each thread, as flame graphs are made
 * of it.
 *
 * Callgrind: what each function spent itself, by instruction and line, and what each of its calls
 * cost inclusively, those that were inlined, too. How often a call was made is not in a profile: it
 * stands for that how often the calling instruction was completed. Neither format has numbers below
 * 0, so of those that would be, at the borders of a region, nothing is written.
 */
#include "look/profile/write.h"

#include "base/alloc.h"
#include "base/version.h"

#include <inttypes.h>
#include <string.h>

/* ---- folded ---------------------------------------------------------------------------------- */

static void sum_stacks(const struct look_view *view, struct look_sums *sums)
{
    const struct doc_profile *p = view->profile;
    for (size_t i = 0; i < p->rows; i++) {
        const struct pc_profile_row *row = &p->row[i];
        if (!look_view_has(view, row))
            continue;
        const struct look_cost cost = look_cost_of(row);
        const struct look_key key = {row->thread, view->node[view->row_node[i]].stack};
        look_cost_add(&look_sums_at(sums, key)->self, &cost);
    }
    look_sums_sort_keys(sums);
}

void look_profile_folded(struct look_view *view, const struct look_show *show, FILE *out)
{
    struct look_sums sums = {0};
    (void)show;
    sum_stacks(view, &sums);
    for (size_t i = 0; i < sums.entries; i++) {
        const struct look_key key = sums.entry[i]->key;
        const int64_t count = look_measured(&view->measure, &sums.entry[i]->self);
        if (count <= 0)
            continue;
        fprintf(out, "thread %" PRIu64 ";", key.a);
        look_view_stack(view, (uint32_t)key.b, ';', out);
        fprintf(out, " %" PRId64 "\n", count);
    }
    look_sums_free(&sums);
}

/* ---- Callgrind ------------------------------------------------------------------------------- */

/** A profile on its way into Callgrind's format. */
struct callgrind {
    struct look_view *view;
    FILE *out;
    struct look_sums spent; /**< {function, address} */
    struct look_sums calls; /**< {caller and callee, address}; `open` is a node of theirs, + 1 */
};

/* An address of a function that has costs; what has none is at its beginning. */
static uint64_t stacks_position(const struct callgrind *c, uint32_t function, uint64_t va)
{
    const uint64_t from = c->view->function[function].from;
    if (va != PC_PROFILE_NOWHERE)
        return va;
    return from == PC_PROFILE_NOWHERE ? 0 : from;
}

static void sum_spent(struct callgrind *c)
{
    const struct doc_profile *p = c->view->profile;
    for (size_t i = 0; i < p->rows; i++) {
        const struct pc_profile_row *row = &p->row[i];
        if (!look_view_has(c->view, row))
            continue;
        const uint32_t function = c->view->node[c->view->row_node[i]].function;
        const struct look_cost cost = look_cost_of(row);
        const struct look_key key = {function, stacks_position(c, function, row->pc)};
        look_cost_add(&look_sums_at(&c->spent, key)->self, &cost);
    }
    look_sums_sort_keys(&c->spent);
}

static void sum_calls(struct callgrind *c)
{
    const struct look_view *view = c->view;
    struct look_cost *all = look_view_inclusive(view);
    for (size_t i = 0; i < view->nodes; i++) {
        const struct look_node *node = &view->node[i];
        if (node->parent == i)
            continue;
        const uint32_t caller = view->node[node->parent].function;
        const struct look_key key = {(uint64_t)caller << 32 | node->function,
                                     stacks_position(c, caller, node->at)};
        struct look_entry *entry = look_sums_at(&c->calls, key);
        look_cost_add(&entry->all, &all[i]);
        entry->open = (uint32_t)i + 1;
    }
    free(all);
    look_sums_sort_keys(&c->calls);
}

static void put_events(const struct callgrind *c)
{
    char name[DOC_COLUMN_NAME];
    fputs("events: pcycles", c->out);
    for (unsigned i = 0; i < PC_PROFILE__COUNT; i++)
        fprintf(c->out, " %s", doc_column_name(i, name));
    putc('\n', c->out);
}

static int64_t stacks_natural(int64_t value)
{
    return value > 0 ? value : 0;
}

static void put_values(const struct callgrind *c, const struct look_cost *cost)
{
    const struct look_measure total = look_measure_total();
    fprintf(c->out, " %" PRId64, stacks_natural(look_measured(&total, cost)));
    for (unsigned i = 0; i < PC_PROFILE__COUNT; i++)
        fprintf(c->out, " %" PRId64, stacks_natural(cost->v[i]));
    putc('\n', c->out);
}

/* A line of costs at an address, which is of a line. */
static void put_cost(const struct callgrind *c, uint64_t va, unsigned line,
                     const struct look_cost *cost)
{
    fprintf(c->out, "0x%" PRIx64 " %u", va, line);
    put_values(c, cost);
}

/* Where an address, or a call, is in its function: the innermost one that was inlined there. */
static struct prog_frame stacks_frame(const struct look_chain *chain, unsigned frame)
{
    return chain && frame < chain->frames ? chain->frame[frame] : (struct prog_frame){0};
}

static const char *stacks_file_of(const struct callgrind *c, uint32_t function)
{
    const char *file = c->view->function[function].file;
    return file ? file : "???";
}

/* Two functions may have one name, so a name has a number. */
static void put_function(const struct callgrind *c, const char *what, uint32_t function)
{
    fprintf(c->out, "%s=(%" PRIu32 ") %s\n", what, function + 1, c->view->function[function].name);
}

static bool stacks_is_nothing(const struct look_cost *cost)
{
    static const struct look_cost nothing;
    return !memcmp(cost, &nothing, sizeof nothing);
}

/* Code of another file within a function. */
static void put_file(const struct callgrind *c, const struct prog_frame *frame, const char **file)
{
    const char *here = frame->file ? frame->file : "???";
    if (strcmp(here, *file))
        fprintf(c->out, "fi=%s\n", here);
    *file = here;
}

/* How often the instruction was completed that makes a call: at least once. Of a call that was
 * inlined it is the first one that was. */
static int64_t stacks_times(struct callgrind *c, const struct look_node *node, uint32_t caller,
                            uint64_t va)
{
    uint32_t function = caller;
    const struct prog_frame first =
        stacks_frame(node->inlined ? look_code_chain(c->view->code, va) : NULL, 0);
    if (first.function)
        look_view_function(c->view, &first, &function);
    const struct look_key key = {function, va};
    const int64_t n = look_sums_at(&c->spent, key)->self.v[PC_PROFILE_INSTRUCTIONS];
    return n > 0 ? n : 1;
}

static void put_call(struct callgrind *c, const struct look_entry *call, const char **file)
{
    const uint32_t caller = (uint32_t)(call->key.a >> 32), callee = (uint32_t)call->key.a;
    const struct look_node *node = &c->view->node[call->open - 1];
    const struct prog_frame at = stacks_frame(node->site, node->frame);
    const uint64_t to =
        node->inlined ? call->key.b : stacks_position(c, callee, PC_PROFILE_NOWHERE);
    put_file(c, &at, file);
    if (strcmp(stacks_file_of(c, callee), *file))
        fprintf(c->out, "cfi=%s\n", stacks_file_of(c, callee));
    put_function(c, "cfn", callee);
    fprintf(c->out, "calls=%" PRId64 " 0x%" PRIx64 " %u\n",
            stacks_times(c, node, caller, call->key.b), to, c->view->function[callee].line);
    put_cost(c, call->key.b, at.line, &call->all);
}

/* Everything of one function: both lists are sorted by it. @param spent  its first in `spent`; the
 * same of `call`; behind its last afterwards */
static void put_costs(struct callgrind *c, uint32_t function, size_t *spent, size_t *call,
                      size_t spents)
{
    const char *file = stacks_file_of(c, function);
    fprintf(c->out, "fl=%s\n", file);
    put_function(c, "fn", function);
    for (; *spent < spents && c->spent.entry[*spent]->key.a == function; ++*spent) {
        const struct look_entry *entry = c->spent.entry[*spent];
        if (stacks_is_nothing(&entry->self))
            continue;
        const struct prog_frame at = stacks_frame(look_code_chain(c->view->code, entry->key.b), 0);
        put_file(c, &at, &file);
        put_cost(c, entry->key.b, at.line, &entry->self);
    }
    for (; *call < c->calls.entries && c->calls.entry[*call]->key.a >> 32 == function; ++*call)
        if (!stacks_is_nothing(&c->calls.entry[*call]->all))
            put_call(c, c->calls.entry[*call], &file);
    putc('\n', c->out);
}

void look_profile_callgrind(struct look_view *view, const struct look_show *show, FILE *out)
{
    struct callgrind c = {.view = view, .out = out};
    size_t spent = 0, call = 0;
    (void)show;
    sum_spent(&c);
    sum_calls(&c);
    const size_t spents = c.spent.entries; /* asking how often a call was made adds behind them */
    fputs("# callgrind format\nversion: 1\ncreator: numachine " SIM_VERSION "\n", out);
    fprintf(out, "cmd: %s\n", view->code->command ? view->code->command : "?");
    fputs("positions: instr line\n", out);
    put_events(&c);
    fprintf(out, "\nob=%s\n", view->code->program ? view->code->program : "???");
    for (size_t i = 0; i < view->functions; i++)
        put_costs(&c, (uint32_t)i, &spent, &call, spents);
    fputs("totals:", out);
    put_values(&c, &view->whole);
    look_sums_free(&c.spent);
    look_sums_free(&c.calls);
}

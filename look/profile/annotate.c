/*
 * A function's source lines and instructions, with what is measured beside each, in the order of
 * addresses. Optimized code goes back and forth between lines: a line is there again for each
 * stretch of its instructions, and its numbers are those of the stretch. A function that was
 * inlined is shown in each function that has its code.
 */
#include "look/profile/write.h"

#include "base/alloc.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FUNCTION_MAX = 1 << 22, /**< [bytes] of a function; what is longer is cut */
    CALLED = 3,             /**< functions beside an instruction that calls several */
};

/** An instruction has called a function. */
struct call {
    uint64_t at;
    uint32_t function;
};

struct annotating {
    struct look_view *view;
    FILE *out;
    struct look_sums spent; /**< by address */
    struct call *call;      /**< [calls] ascending */
    size_t calls;
    int64_t all;       /**< measured of the function */
    uint32_t function; /**< that is shown, */
    bool inlined;      /**< where it was inlined */
};

/* ---- calls ----------------------------------------------------------------------------------- */

static int by_call(const void *x, const void *y)
{
    const struct call *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

/* What the instructions called when they ran: also those that jump to where a register says. */
static void find_calls(struct annotating *a)
{
    const struct doc_profile *p = a->view->profile;
    a->call = sim_alloc(p->paths + 1, sizeof *a->call);
    for (size_t i = 0; i < p->paths; i++)
        if (p->path[i].call != PC_PROFILE_NOWHERE)
            a->call[a->calls++] = (struct call){p->path[i].call, a->view->called[i]};
    if (a->calls)
        qsort(a->call, a->calls, sizeof *a->call, by_call);
}

/* The first call from va or behind it. */
static size_t first_call(const struct annotating *a, uint64_t va)
{
    size_t low = 0, high = a->calls;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (a->call[middle].at < va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The functions that were called from an instruction: the first few of them. */
static void put_calls(const struct annotating *a, uint64_t va)
{
    unsigned shown = 0;
    for (size_t i = first_call(a, va); i < a->calls && a->call[i].at == va; i++) {
        if (i && !by_call(&a->call[i - 1], &a->call[i]))
            continue;
        if (shown++ < CALLED)
            fprintf(a->out, "%s%s", shown > 1 ? ", " : "  # ",
                    a->view->function[a->call[i].function].name);
    }
    if (shown > CALLED)
        fputs(", ...", a->out);
}

/* ---- one function ---------------------------------------------------------------------------- */

static int64_t measured_at(struct annotating *a, uint64_t va)
{
    return look_measured(&a->view->measure,
                         &look_sums_at(&a->spent, (struct look_key){va, 0})->self);
}

static void annotate_put_cost(const struct annotating *a, int64_t value)
{
    if (value)
        fprintf(a->out, "%8.2f%% %12" PRId64, look_percent(value, a->all), value);
    else
        fprintf(a->out, "%8s  %12s", "", "");
}

static bool annotate_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether two addresses are of one line, inlined by the same calls. */
static bool same_line(const struct look_chain *a, const struct look_chain *b)
{
    if (a->frames != b->frames)
        return false;
    for (unsigned i = 0; i < a->frames; i++)
        if (a->frame[i].line != b->frame[i].line || a->frame[i].call != b->frame[i].call ||
            !annotate_same(a->frame[i].file, b->frame[i].file))
            return false;
    return true;
}

static void put_source(struct annotating *a, uint64_t va, int64_t value)
{
    const struct prog_place *at = look_code_at(a->view->code, va);
    if (!at->file || !at->line)
        return;
    struct look_source *source = look_source_get(&a->view->sources, at->file);
    const char *name = strrchr(at->file, '/'), *text = look_source_line(source, at->line);
    if (source->why && !source->told)
        fprintf(a->out, "# no source text of %s: %s\n", source->path, source->why);
    source->told = true;
    annotate_put_cost(a, value);
    fprintf(a->out, "  %s:%u", name ? name + 1 : at->file, at->line);
    look_chain_behind(a->view->code, look_code_chain(a->view->code, va), a->out);
    fprintf(a->out, "%s%s\n", text ? "  " : "", text ? text : "");
}

static void put_instruction(struct annotating *a, uint64_t va)
{
    char text[96] = "(not in the program)";
    const int64_t value = measured_at(a, va);
    if (!look_insn_text(a->view->code, va, text, sizeof text) && !value)
        return;
    annotate_put_cost(a, value);
    fprintf(a->out, "  %10" PRIx64 ":  %s", va, text);
    put_calls(a, va);
    putc('\n', a->out);
}

/* Whether an address is of the function that is shown: of one that was inlined only some are. */
static bool is_of_it(const struct annotating *a, const struct look_chain *chain)
{
    uint32_t function;
    for (unsigned i = 0; a->inlined && i + 1 < chain->frames; i++)
        if (look_view_function(a->view, &chain->frame[i], &function) && function == a->function)
            return true;
    return !a->inlined;
}

/* Instructions of one line, from va on. @return the address behind them */
static uint64_t put_stretch(struct annotating *a, uint64_t va, uint64_t to)
{
    struct look_code *code = a->view->code;
    const struct look_chain *chain = look_code_chain(code, va);
    int64_t value = 0;
    uint64_t end = va;
    for (; end < to && same_line(chain, look_code_chain(code, end));
         end += look_insn_length(code, end))
        value = doc_plus(value, measured_at(a, end));
    if (!is_of_it(a, chain))
        return end;
    put_source(a, va, value);
    for (; va < end; va += look_insn_length(code, va))
        put_instruction(a, va);
    return end;
}

/* ---- which function -------------------------------------------------------------------------- */

/* Sums of a function by address, and its first and last address if they are not known.
 * @return measured at no address: at borders of regions */
static int64_t sum_function(struct annotating *a, uint32_t function, uint64_t *from, uint64_t *to)
{
    const struct look_view *view = a->view;
    const struct doc_profile *p = view->profile;
    const bool known = *to > *from;
    int64_t rest = 0;
    for (size_t i = 0; i < p->rows; i++) {
        const struct pc_profile_row *row = &p->row[i];
        if (!look_view_has(view, row) || view->called[row->path] != function)
            continue;
        const struct look_cost cost = look_cost_of(row);
        const int64_t value = look_measured(&view->measure, &cost);
        const bool within =
            row->pc != PC_PROFILE_NOWHERE && (!known || (row->pc >= *from && row->pc < *to));
        a->all = doc_plus(a->all, value);
        if (!within) {
            rest = doc_plus(rest, value);
            continue;
        }
        look_cost_add(&look_sums_at(&a->spent, (struct look_key){row->pc, 0})->self, &cost);
        if (!known && row->pc >= *to)
            *to = row->pc + 4;
        if (!known && row->pc < *from)
            *from = row->pc;
    }
    return rest;
}

/* The function's instructions. @param rest  measured at no address */
static void put_stretches(struct annotating *a, uint64_t from, uint64_t to, int64_t rest)
{
    if (rest) {
        annotate_put_cost(a, rest);
        fprintf(a->out, "  %s\n", LOOK_BORDER);
    }
    if (to > from && to - from > FUNCTION_MAX)
        to = from + FUNCTION_MAX;
    for (uint64_t va = from; va < to;)
        va = put_stretch(a, va, to);
}

static void annotate_put_head(const struct annotating *a, const char *in)
{
    const struct look_view *view = a->view;
    const struct look_function *f = &view->function[a->function];
    fprintf(a->out,
            "#\n# %s%s%s%s%s: %s %" PRId64 " %s, %.2f %% of all; percentages below are of these\n",
            f->name, in ? ", inlined in " : "", in ? in : "", f->file ? ", " : "",
            f->file ? f->file : "", view->measure.name, a->all, view->measure.unit,
            look_percent(a->all, look_measured(&view->measure, &view->whole)));
}

/* Its own code. */
static void annotate_code(struct look_view *view, uint32_t function, FILE *out)
{
    struct annotating a = {.view = view, .out = out, .function = function};
    const struct look_function *f = &view->function[function];
    uint64_t from = f->from & ~UINT64_C(3), to = f->to;
    find_calls(&a);
    const int64_t rest = sum_function(&a, function, &from, &to);
    annotate_put_head(&a, NULL);
    put_stretches(&a, from, to, rest);
    free(a.call);
    look_sums_free(&a.spent);
}

/* Whether a row is of a function that was inlined, or of what was inlined in that. */
static bool is_inlined_row(const struct look_view *view, size_t row, uint32_t function)
{
    const struct look_node *node = &view->node[view->row_node[row]];
    while (node->inlined && node->function != function)
        node = &view->node[node->parent];
    return node->inlined;
}

/* Its instructions in a function that it was inlined in. */
static void annotate_inlined(struct look_view *view, uint32_t function, uint32_t in, FILE *out)
{
    struct annotating a = {.view = view, .out = out, .function = function, .inlined = true};
    const struct look_function *f = &view->function[in];
    const struct doc_profile *p = view->profile;
    bool any = false;
    for (size_t i = 0; i < p->rows; i++) {
        const struct pc_profile_row *row = &p->row[i];
        if (view->called[row->path] != in || !look_view_has(view, row) ||
            !is_inlined_row(view, i, function))
            continue;
        const struct look_cost cost = look_cost_of(row);
        a.all = doc_plus(a.all, look_measured(&view->measure, &cost));
        look_cost_add(&look_sums_at(&a.spent, (struct look_key){row->pc, 0})->self, &cost);
        any = true;
    }
    if (any) {
        find_calls(&a);
        annotate_put_head(&a, f->name);
        put_stretches(&a, f->from & ~UINT64_C(3), f->to, 0);
        free(a.call);
    }
    look_sums_free(&a.spent);
}

static void profile_annotate(struct look_view *view, uint32_t function, FILE *out)
{
    bool code = false;
    for (size_t i = 0; i < view->profile->paths && !code; i++)
        code = view->called[i] == function;
    if (code)
        annotate_code(view, function, out);
    for (uint32_t in = 0; in < view->functions; in++)
        annotate_inlined(view, function, in, out);
}

static const char *next_function(void *ctx, size_t i)
{
    const struct look_view *view = ctx;
    return i < view->functions ? view->function[i].name : NULL;
}

/* The function that spent most of what is asked for. */
static uint32_t annotate_hottest(struct look_view *view)
{
    struct look_sums sums = look_view_sum(view, LOOK_BY_function);
    look_sums_sort(&sums, &view->measure, false);
    const uint32_t function = sums.entries ? (uint32_t)sums.entry[0]->key.a : 0;
    look_sums_free(&sums);
    return function;
}

/* The arguments of a function of C++ can be left out: then it is all functions of that name. */
static bool annotate_is_called(const struct look_function *function, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(function->name, name, length) &&
           (!function->name[length] || function->name[length] == '(');
}

bool look_profile_annotate(struct look_view *view, const char *name, FILE *out, char *why,
                           size_t size)
{
    bool found = !name && view->functions;
    for (size_t i = 0; name && i < view->functions; i++)
        found |= annotate_is_called(&view->function[i], name);
    if (!found) {
        const char *near = name ? sim_nearest(name, next_function, view) : NULL;
        snprintf(why, size, "no function '%.200s' in the profile%s%s%s", name ? name : "",
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    look_profile_head(view, out);
    if (!name)
        profile_annotate(view, annotate_hottest(view), out);
    for (size_t i = 0; name && i < view->functions; i++)
        if (annotate_is_called(&view->function[i], name))
            profile_annotate(view, (uint32_t)i, out);
    return true;
}

/*
 * A function's source lines and instructions, with what is measured beside each, in the order of
 * addresses. Optimized code goes back and forth between lines: a line is there again for each
 * stretch of its instructions, and its numbers are those of the stretch.
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
    int64_t all; /**< measured of the function */
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

static void put_numbers(const struct annotating *a, int64_t value)
{
    if (value)
        fprintf(a->out, "%8.2f%% %12" PRId64, look_percent(value, a->all), value);
    else
        fprintf(a->out, "%8s  %12s", "", "");
}

static bool same_line(const struct prog_place *a, const struct prog_place *b)
{
    return a->line == b->line &&
           (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

static void put_source(struct annotating *a, const struct prog_place *at, int64_t value)
{
    if (!at->file || !at->line)
        return;
    struct look_source *source = look_source_get(&a->view->sources, at->file);
    const char *name = strrchr(at->file, '/'), *text = look_source_line(source, at->line);
    if (source->why && !source->told)
        fprintf(a->out, "# no source text of %s: %s\n", source->path, source->why);
    source->told = true;
    put_numbers(a, value);
    fprintf(a->out, "  %s:%u%s%s\n", name ? name + 1 : at->file, at->line, text ? "  " : "",
            text ? text : "");
}

static void put_instruction(struct annotating *a, uint64_t va)
{
    char text[96] = "(not in the program)";
    const int64_t value = measured_at(a, va);
    if (!look_insn_text(a->view->code, va, text, sizeof text) && !value)
        return;
    put_numbers(a, value);
    fprintf(a->out, "  %10" PRIx64 ":  %s", va, text);
    put_calls(a, va);
    putc('\n', a->out);
}

/* Instructions of one line, from va on. @return the address behind them */
static uint64_t put_stretch(struct annotating *a, uint64_t va, uint64_t to)
{
    const struct prog_place *at = look_code_at(a->view->code, va);
    int64_t value = 0;
    uint64_t end = va;
    for (; end < to && same_line(at, look_code_at(a->view->code, end));
         end += look_insn_length(a->view->code, end))
        value = doc_plus(value, measured_at(a, end));
    put_source(a, at, value);
    for (; va < end; va += look_insn_length(a->view->code, va))
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

static void profile_annotate(struct look_view *view, uint32_t function, FILE *out)
{
    struct annotating a = {.view = view, .out = out};
    const struct look_function *f = &view->function[function];
    uint64_t from = f->from & ~UINT64_C(3), to = f->to;
    find_calls(&a);
    const int64_t rest = sum_function(&a, function, &from, &to),
                  whole = look_measured(&view->measure, &view->whole);
    fprintf(out, "#\n# %s%s%s: %s %" PRId64 " %s, %.2f %% of all; percentages below are of these\n",
            f->name, f->file ? ", " : "", f->file ? f->file : "", view->measure.name, a.all,
            view->measure.unit, look_percent(a.all, whole));
    if (rest) {
        put_numbers(&a, rest);
        fprintf(out, "  %s\n", LOOK_BORDER);
    }
    if (to > from && to - from > FUNCTION_MAX)
        to = from + FUNCTION_MAX;
    for (uint64_t va = from; va < to;)
        va = put_stretch(&a, va, to);
    free(a.call);
    look_sums_free(&a.spent);
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
                 near ? "; did you mean '"
                      : "; of one that was inlined, lines are in the function "
                        "that called it (--by=line)",
                 near ? near : "", near ? "'?" : "");
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

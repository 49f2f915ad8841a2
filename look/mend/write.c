/*
 * What was tried, ranked: for people, as one JSON document, as a table.
 */
#include "documents/cells.h"
#include "documents/csv.h"
#include "look/mend/mend.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "documents/schemas.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

enum { TOGETHER = 10 /* sets of several in the table */ };

static bool is_alone(look_mend_set set)
{
    return !(set & (set - 1));
}

/* ---- in order -------------------------------------------------------------------------------- */

static int mend_by_gain(const void *x, const void *y)
{
    const struct look_mend_trial *const *a = x, *const *b = y;
    const uint64_t p = (*a)->result.compares ? (*a)->result.ticks : UINT64_MAX,
                   q = (*b)->result.compares ? (*b)->result.ticks : UINT64_MAX;
    return p != q ? (p > q) - (p < q) : (*a > *b) - (*a < *b);
}

/* @return [m->trials] the caller's: the fastest first, those that do not compare last */
static const struct look_mend_trial **mend_ranked(const struct look_mend *m)
{
    const struct look_mend_trial **all = sim_alloc(m->trials, sizeof *all);
    for (size_t i = 0; i < m->trials; i++)
        all[i] = &m->trial[i];
    if (m->trials)
        qsort((void *)all, m->trials, sizeof *all, mend_by_gain);
    return all;
}

/* "1 + 3" @return the caller's */
static char *mend_numbers(const struct look_mend *m, look_mend_set set)
{
    char *text = sim_strdup("");
    for (size_t i = 0; i < m->candidates; i++) {
        if (!(set >> i & 1))
            continue;
        char *longer = sim_format("%s%s%zu", text, *text ? " + " : "", i + 1);
        free(text);
        text = longer;
    }
    return text;
}

static const struct look_mend_candidate *the_one(const struct look_mend *m, look_mend_set set)
{
    return &m->candidate[__builtin_ctz(set)];
}

/* ---- for people ------------------------------------------------------------------------------ */

enum { NUMBERS = 8 /* room for the numbers of changes */ };

static void put_trial(const struct look_mend *m, const struct look_mend_trial *trial, FILE *out)
{
    char *numbers = mend_numbers(m, trial->set);
    const bool ends = !is_alone(trial->set) && trial->result.compares && trial->result.same_output;
    if (trial->result.compares)
        fprintf(out, "  %7.1f %% %14" PRIu64, look_mend_gain(m, trial), trial->result.ticks);
    else
        fprintf(out, "  %9s %14s", "-", "-");
    fprintf(out, "  %-*s", ends ? 0 : NUMBERS, numbers);
    free(numbers);
    if (is_alone(trial->set))
        fprintf(out, "  %s", the_one(m, trial->set)->what);
    if (!trial->result.compares)
        fputs(" (came to another end)", out);
    else if (!trial->result.same_output)
        fputs(" (its output is another one)", out);
    putc('\n', out);
}

static void put_trials(const struct look_mend *m, bool alone, size_t most, const char *heading,
                       FILE *out)
{
    const struct look_mend_trial **all = mend_ranked(m);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < m->trials; i++) {
        if (is_alone(all[i]->set) != alone)
            continue;
        if (shown == most) {
            more++;
            continue;
        }
        if (!shown++)
            fputs(heading, out);
        put_trial(m, all[i], out);
    }
    if (more)
        fprintf(out, "# %zu more\n", more);
    free((void *)all);
}

static bool is_untried(const struct look_mend *m, size_t candidate)
{
    return !look_mend_tried(m, (look_mend_set)1 << candidate);
}

/* Sets may have them all the same, by their numbers. */
static void put_untried(const struct look_mend *m, FILE *out)
{
    for (size_t i = 0; i < m->candidates; i++)
        if (is_untried(m, i))
            fprintf(out, "  %9s %14s  %-*zu  %s\n", "-", "-", NUMBERS, i + 1, m->candidate[i].what);
}

static void put_recommended(const struct look_mend *m, const char *heading,
                            const struct look_mend_trial *trial, FILE *out)
{
    char *numbers = mend_numbers(m, trial->set);
    fprintf(out, "\n%s: %s, %.1f %% fewer PCycles (measured)\n", heading, numbers,
            look_mend_gain(m, trial));
    char *text = look_mend_source(m, trial->set);
    fputs(text, out);
    free(text);
    free(numbers);
}

/* A set may gain more than the best one, or than the program as it is, and be left because of what
 * it takes to write. @return whether there is such a set */
static bool put_unworthy(const struct look_mend *m, FILE *out)
{
    const struct look_mend_trial **all = mend_ranked(m);
    const bool more = m->trials && all[0]->result.compares &&
                      all[0]->result.ticks < (m->best ? m->best->result.ticks : m->before);
    if (more) {
        char *numbers = mend_numbers(m, all[0]->set);
        fprintf(out, "# %s gained %s, but not enough to be worth the writing\n", numbers,
                m->best ? "more" : "something");
        free(numbers);
    }
    free((void *)all);
    return more;
}

static void put_none(const struct look_mend *m, FILE *out)
{
    putc('\n', out);
    fprintf(out, "%s: leave it as it is\n",
            put_unworthy(m, out) ? "nothing that was tried gained enough"
                                 : "nothing that was tried gained anything");
}

/* Whose end is set by a date does more work in the same time, or less. */
static void put_differing(const struct look_mend *m, FILE *out)
{
    size_t differing = 0;
    int64_t most = 0;
    for (size_t i = 0; i < m->trials; i++) {
        const int64_t more = (int64_t)m->trial[i].result.instructions - (int64_t)m->instructions;
        if (!look_mend_differs(m, &m->trial[i]))
            continue;
        differing++;
        most = llabs(more) > llabs(most) ? more : most;
    }
    if (differing)
        fprintf(
            out,
            "\n# note: %zu run%s executed other numbers of instructions than the program as it "
            "is, up to %.1f %% %s: if its end is set by an alarm or a date, or its threads share "
            "out work by time, PCycles do not measure the gain\n",
            differing, sim_plural(differing), 100.0 * (double)llabs(most) / (double)m->instructions,
            most > 0 ? "more" : "fewer");
}

static void put_best(const struct look_mend *m, FILE *out)
{
    if (!m->best) {
        put_none(m, out);
        return;
    }
    if (m->best_layout)
        put_recommended(m, m->best_layout == m->best ? "best" : "best without moving pages",
                        m->best_layout, out);
    if (m->best_layout != m->best)
        put_recommended(m, "best", m->best, out);
    put_unworthy(m, out);
}

static void mend_text(const struct look_mend *m, FILE *out)
{
    size_t untried = 0;
    for (size_t i = 0; i < m->candidates; i++)
        untried += is_untried(m, i);
    look_code_put(m->sharing->code, out);
    fprintf(out, "# as it is: %" PRIu64 " PCycles; %zu run%s of %u (--runs)", m->before, m->trials,
            sim_plural(m->trials), m->runs);
    if (untried)
        fprintf(out, "; %zu candidate%s not tried alone", untried,
                untried == 1 ? " was" : "s were");
    putc('\n', out);
    if (!m->candidates) {
        fputs("no object's sharing cost a hundredth of the time, and no page should move: there is "
              "nothing to try\n",
              out);
        return;
    }
    put_trials(m, true, LOOK_MEND_CANDIDATES,
               "\n#    gain        PCycles  number    on lines of its own, or moved\n", out);
    put_untried(m, out);
    put_trials(m, false, TOGETHER, "\n#    gain        PCycles  together\n", out);
    put_differing(m, out);
    put_best(m, out);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *json_numbers(const struct look_mend *m, look_mend_set set)
{
    json_t *numbers = json_array();
    for (size_t i = 0; i < m->candidates; i++)
        if (set >> i & 1)
            json_array_append_new(numbers, json_integer((json_int_t)i + 1));
    return numbers;
}

static json_t *json_trial(const struct look_mend *m, const struct look_mend_trial *trial)
{
    if (!trial)
        return json_null();
    json_t *o = json_pack("{s:o,s:b}", "candidates", json_numbers(m, trial->set), "compares",
                          trial->result.compares);
    if (trial->result.compares)
        json_object_update_new(
            o, json_pack("{s:I,s:f,s:b,s:I,s:b}", "after", (json_int_t)trial->result.ticks, "gain",
                         look_mend_gain(m, trial), "same_output", trial->result.same_output,
                         "instructions", (json_int_t)trial->result.instructions, "other_work",
                         look_mend_differs(m, trial)));
    return o;
}

static json_t *json_candidate(const struct look_mend *m, size_t i)
{
    const struct look_mend_candidate *c = &m->candidate[i];
    json_t *objects = json_array();
    char *source = look_mend_source(m, (look_mend_set)1 << i);
    for (size_t k = 0; c->names[k]; k++)
        json_array_append_new(objects, doc_json_text(c->names[k]));
    json_t *o = json_pack("{s:I,s:o,s:s?,s:I,s:o,s:o}", "number", (json_int_t)i + 1, "objects",
                          objects, "unit", look_mend_moves(c) ? NULL : look_unit_name[c->unit],
                          "parts", (json_int_t)c->layout.parts, "what", doc_json_text(c->what),
                          "source", doc_json_text(source));
    free(source);
    return o;
}

void look_mend_json(const struct look_mend *m, FILE *out)
{
    json_t *candidates = json_array(), *trials = json_array();
    const struct look_mend_trial **all = mend_ranked(m);
    for (size_t i = 0; i < m->candidates; i++)
        json_array_append_new(candidates, json_candidate(m, i));
    for (size_t i = 0; i < m->trials; i++)
        json_array_append_new(trials, json_trial(m, all[i]));
    free((void *)all);
    json_t *root =
        json_pack("{s:i,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o}", "schema", DOC_SCHEMA_mend, "runs",
                  (json_int_t)m->runs, "before", (json_int_t)m->before, "instructions",
                  (json_int_t)m->instructions, "line_bytes", (json_int_t)m->sharing->truth->line,
                  "candidates", candidates, "trials", trials, "best", json_trial(m, m->best),
                  "best_layout", json_trial(m, m->best_layout));
    doc_json_put(out, root, JSON_INDENT(1));
}

static char *mend_names(const struct look_mend *m, look_mend_set set)
{
    char *text = sim_strdup("");
    for (size_t i = 0; i < m->candidates; i++) {
        if (!(set >> i & 1))
            continue;
        char *longer = sim_format("%s%s%s", text, *text ? "; " : "", m->candidate[i].what);
        free(text);
        text = longer;
    }
    return text;
}

static void mend_csv(const struct look_mend *m, FILE *out)
{
    static const char *const heading[] = {"candidates",  "gain_percent", "pcycles",
                                          "same_output", "best",         "what"};
    const struct look_mend_trial **all = mend_ranked(m);
    doc_csv_row(out, heading, sizeof heading / sizeof *heading);
    for (size_t i = 0; i < m->trials; i++) {
        const struct look_mend_trial *t = all[i];
        const struct doc_cell none = {.kind = DOC_CELL_NONE};
        const bool good = t->result.compares;
        char *numbers = mend_numbers(m, t->set), *what = mend_names(m, t->set);
        const struct doc_cell cell[] = {
            doc_cell_text(numbers),
            good ? (struct doc_cell){.kind = DOC_CELL_REAL, .real = look_mend_gain(m, t)} : none,
            good ? doc_cell_integer((int64_t)t->result.ticks) : none,
            good ? doc_cell_integer(t->result.same_output) : none,
            doc_cell_integer(t == m->best),
            doc_cell_text(what)};
        doc_cells_csv(out, cell, sizeof cell / sizeof *cell);
        free(numbers);
        free(what);
    }
    free((void *)all);
}

const struct look_mend_format look_mend_formats[] = {
    {"text", mend_text}, {"json", look_mend_json}, {"csv", mend_csv}};

/*
 * Samples of program counters, held against an exact profile.
 *
 * The one hard idea: some samples are with another function than the events by chance alone, as in
 * any lot. How many, is the mean error of a binomial distribution (De Moivre's formula), which is
 * exact however few the samples are. What is beyond that is the method's: interrupts come late, and
 * a program whose loop has as many events as there are between two samples is always found in the
 * same place.
 */
#include "look/counters/sampled.h"

#include "base/alloc.h"
#include "documents/cells.h"
#include "documents/csv.h"
#include "look/cost.h"
#include "procard/mips/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
#define CELL(name, unit, sentence) LOOK_SAMPLED_##name,
#include "look/counters/sampled.def"
    CELLS
};

static const char *const cell_names[CELLS] = {
#define CELL(name, unit, sentence) #name,
#include "look/counters/sampled.def"
};

const struct look_sampled_by look_sampled_by[LOOK_SAMPLED_LEVELS] = {
#define LEVEL(name, many) {#name, many},
#include "look/counters/sampled.def"
};

/* What of a profile an event counts. */
struct counted {
    const char *event;
    struct look_measure measure;
    bool twice;
};

static const struct counted *counted_find(const char *event)
{
#define C(column) UINT64_C(1) << PC_PROFILE_##column
    static const struct counted rows[] = {
#define EVENT(id, more, minus, two) \
    {.event = #id, .measure = {.columns = more, .less = minus}, .twice = two},
#include "look/counters/sampled.def"
    };
#undef C
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].event, event))
            return &rows[i];
    return NULL;
}

bool look_sampled_has(const char *event)
{
    return counted_find(event);
}

/* ---- what there is --------------------------------------------------------------------------- */

static void sampled_put(struct look_sampled *s, struct look_sampled_pc at)
{
    SIM_ROOM(s->at, s->count, s->room, 1024);
    s->at[s->count++] = at;
    s->samples += at.samples;
    s->exact += at.exact;
}

void look_sampled_add(struct look_sampled *s, uint64_t pc)
{
    sampled_put(s, (struct look_sampled_pc){.pc = pc, .samples = 1});
}

/* Of the active list: multiplies and divides, which write HI and LO. */
static bool takes_two_places(enum mips_opcode op)
{
    switch (op) {
    case MIPS_OP_MULT:
    case MIPS_OP_MULTU:
    case MIPS_OP_DMULT:
    case MIPS_OP_DMULTU:
    case MIPS_OP_DIV:
    case MIPS_OP_DIVU:
    case MIPS_OP_DDIV:
    case MIPS_OP_DDIVU:
    case MIPS_OP_MADD:
    case MIPS_OP_MADDU:
    case MIPS_OP_MSUB:
    case MIPS_OP_MSUBU:
        return true;
    default:
        return false;
    }
}

/* Whether an instruction counts as two. */
static bool takes_two(const struct look_code *code, uint64_t pc)
{
    const uint8_t *b = look_code_bytes(code, pc, sizeof(uint32_t));
    return b && takes_two_places(mips_row_find((uint32_t)b[0] << 24 |
                                               (uint32_t)(b[1] << 16 | b[2] << 8 | b[3])));
}

void look_sampled_take(struct look_sampled *s, const struct doc_profile *profile)
{
    const struct counted *counted = counted_find(s->event);
    for (size_t i = 0; i < profile->rows; i++) {
        const struct pc_profile_row *row = &profile->row[i];
        const struct look_cost cost = look_cost_of(row);
        const bool two = takes_two(s->code, row->pc);
        const int64_t events = look_measured(&counted->measure, &cost);
        s->completed += row->v[PC_PROFILE_INSTRUCTIONS];
        s->twice += two ? row->v[PC_PROFILE_INSTRUCTIONS] : 0;
        if (events)
            sampled_put(
                s, (struct look_sampled_pc){.pc = row->pc,
                                            .exact = two && counted->twice ? 2 * events : events});
    }
}

void look_sampled_free(struct look_sampled *s)
{
    free(s->at);
    s->at = NULL;
}

/* ---- sums by function, line or instruction --------------------------------------------------- */

struct sum {
    char *key; /* functions, and lines of files, in the order of names */
    uint64_t pc, samples;
    int64_t exact;
};

struct sums {
    struct sum *sum;
    size_t count;
};

/* "main", "a.c:12", "main+0x1c"; the caller's. */
static char *sampled_label(const struct look_sampled *s, enum look_sampled_level level, uint64_t pc)
{
    if (pc == PC_PROFILE_NOWHERE)
        return sim_strdup("(nowhere)");
    const struct prog_place *at = look_code_at(s->code, pc);
    const char *name = at->file ? strrchr(at->file, '/') : NULL;
    if (level == LOOK_SAMPLED_BY_line && at->file && at->line)
        return sim_format("%s:%u", name ? name + 1 : at->file, at->line);
    if (!at->function)
        return sim_format("0x%llx", (unsigned long long)pc);
    return level == LOOK_SAMPLED_BY_instruction
               ? sim_format("%s+0x%llx", at->function, (unsigned long long)(pc - at->from))
               : sim_strdup(at->function);
}

static int sampled_by_pc(const void *a, const void *b)
{
    const struct look_sampled_pc *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static int sampled_by_key(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->pc > y->pc) - (x->pc < y->pc);
}

static int sampled_most_first(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->exact != y->exact)
        return x->exact < y->exact ? 1 : -1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return sampled_by_key(a, b);
}

static bool is_same(const struct sum *a, const struct sum *b)
{
    return a->pc == b->pc || (a->key && b->key && !strcmp(a->key, b->key));
}

/* Neighbours that are the same become one. */
static void sums_merge(struct sums *sums)
{
    size_t last = 0;
    for (size_t i = 1; i < sums->count; i++)
        if (is_same(&sums->sum[last], &sums->sum[i])) {
            sums->sum[last].samples += sums->sum[i].samples;
            sums->sum[last].exact += sums->sum[i].exact;
            free(sums->sum[i].key);
        } else
            sums->sum[++last] = sums->sum[i];
    sums->count = sums->count ? last + 1 : 0;
}

static struct sums sums_of(const struct look_sampled *s, enum look_sampled_level level)
{
    struct sums sums = {sim_alloc(s->count + 1, sizeof *sums.sum), s->count};
    if (s->count)
        qsort(s->at, s->count, sizeof *s->at, sampled_by_pc);
    for (size_t i = 0; i < s->count; i++)
        sums.sum[i] =
            (struct sum){.pc = s->at[i].pc, .samples = s->at[i].samples, .exact = s->at[i].exact};
    sums_merge(&sums);
    for (size_t i = 0; i < sums.count; i++)
        sums.sum[i].key = sampled_label(s, level, sums.sum[i].pc);
    if (level != LOOK_SAMPLED_BY_instruction) {
        qsort(sums.sum, sums.count, sizeof *sums.sum, sampled_by_key);
        sums_merge(&sums);
    }
    qsort(sums.sum, sums.count, sizeof *sums.sum, sampled_most_first);
    return sums;
}

static void sums_free(struct sums *sums)
{
    for (size_t i = 0; i < sums->count; i++)
        free(sums->sum[i].key);
    free(sums->sum);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static double sampled_share(double some, double all)
{
    return all > 0 ? some / all : 0;
}

/* [%] */
static double error_of(const struct look_sampled *s, const struct sum *sum)
{
    return 100 * (sampled_share((double)sum->samples, (double)s->samples) -
                  sampled_share((double)sum->exact, (double)s->exact));
}

/* [%] The mean of |k/n - p| where k of n are drawn with probability p: De Moivre. */
static double chance_of(const struct look_sampled *s, const struct sum *sum)
{
    const double n = (double)s->samples, p = sampled_share((double)sum->exact, (double)s->exact);
    if (n < 1 || p <= 0 || p >= 1)
        return 0;
    const double m = floor(n * p);
    return 100 * 2 / n *
           exp(log(m + 1) + lgamma(n + 1) - lgamma(m + 2) - lgamma(n - m) + (m + 1) * log(p) +
               (n - m) * log1p(-p));
}

static struct look_sampled_error sampled_judge(const struct look_sampled *s,
                                               const struct sums *sums)
{
    struct look_sampled_error e = {.keys = sums->count};
    for (size_t i = 0; i < sums->count; i++) {
        e.misplaced += fabs(error_of(s, &sums->sum[i])) / 2;
        e.chance += chance_of(s, &sums->sum[i]) / 2;
    }
    if (!s->samples)
        e.misplaced = e.chance = NAN;
    return e;
}

struct look_sampled_error look_sampled_judge(const struct look_sampled *s,
                                             enum look_sampled_level level)
{
    struct sums sums = sums_of(s, level);
    const struct look_sampled_error e = sampled_judge(s, &sums);
    sums_free(&sums);
    return e;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void text_row(const struct look_sampled *s, const struct sum *sum, FILE *out)
{
    fprintf(out, "%8llu %14llu %14lld ", (unsigned long long)sum->samples,
            (unsigned long long)sum->samples * s->every, (long long)sum->exact);
    if (s->samples)
        fprintf(out, "%+8.2f %8.2f", error_of(s, sum), chance_of(s, sum));
    else
        fprintf(out, "%8s %8s", "-", "-");
    fprintf(out, "  %s\n", sum->key);
}

static void text_levels(const struct look_sampled *s, FILE *out)
{
    fputs("\nOf 100 samples, with another one than the events are:\n", out);
    for (enum look_sampled_level l = 0; l < LOOK_SAMPLED_LEVELS; l++) {
        const struct look_sampled_error e = look_sampled_judge(s, l);
        fprintf(out, "%10.2f  by chance alone %6.2f  %6zu %s\n", e.misplaced, e.chance, e.keys,
                look_sampled_by[l].many);
    }
}

void look_sampled_text(const struct look_sampled *s, enum look_sampled_level level, size_t most,
                       FILE *out)
{
    struct sums sums = sums_of(s, level);
    const size_t shown = most && most < sums.count ? most : sums.count;
    fprintf(out, "%8s %14s %14s %8s %8s  %s\n", "samples", "sampled", "exact", "error", "chance",
            look_sampled_by[level].name);
    for (size_t i = 0; i < shown; i++)
        text_row(s, &sums.sum[i], out);
    if (shown < sums.count)
        fprintf(out, "%*s%zu more (-n 0 shows all)\n", 58, "", sums.count - shown);
    if (s->samples)
        text_levels(s, out);
    else
        fputs("\nNo thread had so many events: there is no sample.\n", out);
    sums_free(&sums);
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* Without samples there are no shares of them. */
static struct doc_cell cell_of_share(const struct look_sampled *s, double percent)
{
    return s->samples ? (struct doc_cell){.kind = DOC_CELL_REAL, .real = percent}
                      : doc_cell_text(NULL);
}

static void cells_of(const struct look_sampled *s, enum look_sampled_level level,
                     const struct sum *sum, struct doc_cell cell[CELLS])
{
    static const struct prog_place nothing;
    const struct prog_place *at =
        sum->pc == PC_PROFILE_NOWHERE ? &nothing : look_code_at(s->code, sum->pc);
    const bool line = level != LOOK_SAMPLED_BY_function && at->file && at->line;
    cell[LOOK_SAMPLED_function] = doc_cell_text(at->function ? at->function : sum->key);
    cell[LOOK_SAMPLED_file] = doc_cell_text(line ? at->file : NULL);
    cell[LOOK_SAMPLED_line] = line ? doc_cell_integer(at->line) : doc_cell_text(NULL);
    cell[LOOK_SAMPLED_pc] = doc_cell_address(
        level == LOOK_SAMPLED_BY_instruction ? sum->pc : PC_PROFILE_NOWHERE, PC_PROFILE_NOWHERE);
    cell[LOOK_SAMPLED_samples] = doc_cell_integer((int64_t)sum->samples);
    cell[LOOK_SAMPLED_sampled] = doc_cell_integer((int64_t)(sum->samples * s->every));
    cell[LOOK_SAMPLED_exact] = doc_cell_integer(sum->exact);
    cell[LOOK_SAMPLED_error] = cell_of_share(s, error_of(s, sum));
    cell[LOOK_SAMPLED_chance] = cell_of_share(s, chance_of(s, sum));
}

void look_sampled_csv(const struct look_sampled *s, enum look_sampled_level level, FILE *out)
{
    struct sums sums = sums_of(s, level);
    struct doc_cell cell[CELLS];
    doc_csv_row(out, cell_names, CELLS);
    for (size_t i = 0; i < sums.count; i++) {
        cells_of(s, level, &sums.sum[i], cell);
        doc_cells_csv(out, cell, CELLS);
    }
    sums_free(&sums);
}

json_t *look_sampled_rows(const struct look_sampled *s, enum look_sampled_level level)
{
    struct sums sums = sums_of(s, level);
    json_t *rows = json_array();
    struct doc_cell cell[CELLS];
    for (size_t i = 0; i < sums.count; i++) {
        json_t *row = json_object();
        cells_of(s, level, &sums.sum[i], cell);
        doc_cells_add(row, cell_names, cell, CELLS);
        json_array_append_new(rows, row);
    }
    sums_free(&sums);
    return rows;
}

static json_t *real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

json_t *look_sampled_levels(const struct look_sampled *s)
{
    json_t *levels = json_object();
    for (enum look_sampled_level l = 0; l < LOOK_SAMPLED_LEVELS; l++) {
        const struct look_sampled_error e = look_sampled_judge(s, l);
        json_object_set_new(levels, look_sampled_by[l].name,
                            json_pack("{s:I,s:o,s:o}", "keys", (json_int_t)e.keys, "misplaced",
                                      real_or_null(e.misplaced), "chance", real_or_null(e.chance)));
    }
    return levels;
}

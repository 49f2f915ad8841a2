/*
 * Histograms for the eye, on less than a screen.
 *
 * Service times are shown by powers of two, a column for each phase of the program: a distribution
 * says more than its mean. Whatever else a word counts has no order worth drawing, so the fullest
 * words are shown.
 */
#include "base/alloc.h"
#include "base/plural.h"
#include "documents/grid.h"
#include "documents/statistics/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OCTAVES = 13,        /**< [0], [1], [2, 3], ... of service times up to 4,094 cycles */
    SATURATED = OCTAVES, /**< row of those whose word has no upper bound */
    ROWS,
    PHASES = 16,  /**< PhaseIDs of transactions */
    COLUMNS = 6,  /**< phases shown, the fullest; all are in the files */
    FULLEST = 16, /**< words shown */
    FRONT = 40,   /**< [characters] left of the bars, about */
    BAR_MAX = 50, /**< [characters] the longest bar, if there is room ... */
    BAR_MIN = 10  /**< ... and if there is not */
};

static unsigned bar_room(unsigned width, unsigned front)
{
    const unsigned room = width > front + BAR_MIN ? width - front : BAR_MIN;
    return room < BAR_MAX ? room : BAR_MAX;
}

/* A bar that is as long as count is to most; anything at all is at least one character. */
static void cell_bar(struct doc_grid *grid, uint64_t count, uint64_t most, unsigned room)
{
    char bar[BAR_MAX + 1];
    const double share = most ? (double)count / (double)most : 0;
    const unsigned length = (unsigned)(share * room + 0.5);
    const unsigned n = length ? length : count > 0;
    memset(bar, '#', n);
    bar[n] = '\0';
    doc_grid_cell(grid, "%s", bar);
}

static void phase_title(const struct doc_run *run, unsigned phase, char title[64])
{
    doc_phase_name(run, phase, title);
    if (!*title)
        snprintf(title, 64, "phase %u", phase);
}

/* ---- service times --------------------------------------------------------------------------- */

struct times {
    uint64_t count[ROWS][PHASES], octave[ROWS], phase[PHASES];
    uint64_t end; /**< [cycles] all from here on are saturated */
    unsigned shown[COLUMNS], columns;
};

/* 0, 1, 2..3, 4..7: how many bits the time has. */
static unsigned octave_of(uint64_t cycles)
{
    const unsigned bits = cycles ? 64 - (unsigned)__builtin_clzll(cycles) : 0;
    return bits;
}

static void chart_gather(struct times *t, const struct doc_run *run, const struct doc_registers *r)
{
    const uint32_t *word = r->memory.word;
    for (uint32_t i = 0; word && i < run->unit->words; i++) {
        if (!word[i])
            continue;
        const struct mon_bin bin = doc_bin(run, r, i);
        const unsigned phase = bin.phase % PHASES;
        const unsigned octave = bin.time_high == UINT64_MAX ? SATURATED : octave_of(bin.time_low);
        t->count[octave][phase] += word[i];
        t->octave[octave] += word[i];
        t->phase[phase] += word[i];
    }
}

/* The fullest phases, in the order of their numbers. */
static void choose_phases(struct times *t)
{
    for (unsigned p = 0; p < PHASES; p++) {
        unsigned fuller = 0;
        for (unsigned q = 0; q < PHASES; q++)
            fuller += t->phase[q] > t->phase[p] || (t->phase[q] == t->phase[p] && q < p);
        if (t->phase[p] && fuller < COLUMNS)
            t->shown[t->columns++] = p;
    }
}

static void time_heading(struct doc_grid *grid, const struct doc_run *run, const struct times *t)
{
    char title[64];
    doc_grid_cell(grid, "cycles");
    for (unsigned i = 0; i < t->columns; i++) {
        phase_title(run, t->shown[i], title);
        doc_grid_cell(grid, "%s", title);
    }
    doc_grid_cell(grid, "all");
    doc_grid_cell(grid, "%s", "");
}

static void time_row(struct doc_grid *grid, const struct times *t, unsigned o, uint64_t most,
                     unsigned room)
{
    char buf[32];
    const uint64_t high = (UINT64_C(1) << o) - 1;
    if (o == SATURATED)
        doc_grid_cell(grid, "%" PRIu64 " or more (saturated)", t->end);
    else if (o < 2)
        doc_grid_cell(grid, "%u", o);
    else
        doc_grid_cell(grid, "%u .. %" PRIu64, 1u << (o - 1), high < t->end ? high : t->end - 1);
    for (unsigned i = 0; i < t->columns; i++)
        doc_grid_cell(grid, "%s", doc_grouped(t->count[o][t->shown[i]], buf));
    doc_grid_cell(grid, "%s", doc_grouped(t->octave[o], buf));
    cell_bar(grid, t->octave[o], most, room);
}

static void chart_times(const struct doc_run *run, const struct doc_registers *some, FILE *out,
                        unsigned width)
{
    struct times t = {.end = doc_meaning(run, some).time_end};
    struct doc_grid grid;
    char align[COLUMNS + 4] = "";
    unsigned first = ROWS, last = 0;
    uint64_t most = 0;
    for (unsigned c = 0; c < run->cards; c++)
        chart_gather(&t, run, &run->registers[c]);
    choose_phases(&t);
    for (unsigned o = 0; o < ROWS; o++) {
        if (!t.octave[o])
            continue;
        first = first < o ? first : o;
        last = o;
        most = t.octave[o] > most ? t.octave[o] : most;
    }
    memset(align, 'r', t.columns + 2);
    align[t.columns + 2] = 'l';
    doc_grid_init(&grid, align);
    time_heading(&grid, run, &t);
    for (unsigned o = first; o <= last; o++)
        if (t.octave[o] || UINT64_C(1) << o >> 1 < t.end)
            time_row(&grid, &t, o, most, bar_room(width, 14 + 14 * (t.columns + 1)));
    doc_grid_print(&grid, out, false, width);
    doc_grid_free(&grid);
}

/* ---- the fullest words ----------------------------------------------------------------------- */

struct word {
    uint32_t index;
    unsigned cards; /**< on which it is not 0 */
    uint64_t count;
};

/* The fullest first, then in their order. */
static int by_count(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The bytes a word covers, and where in a page they are: of a cache that holds whole pages the
 * program's addresses end alike. */
static void cell_bytes(struct doc_grid *grid, const struct doc_run *run,
                       const struct doc_registers *some, const struct mon_bin *bin, uint32_t index)
{
    const struct nm_params *p = run->experiment->machine.params;
    const struct doc_extent e = doc_bin_extent(run, some, bin, index);
    char page[32] = "";
    if (nm_value_l2_size(p) / (nm_value_l2_split(p) ? 2 : 1) % nm_value_page_size(p) == 0)
        snprintf(page, sizeof page, ", page + 0x%03" PRIx64, e.low % nm_value_page_size(p));
    doc_grid_cell(grid, "bin %" PRIu32 ": %s 0x%05" PRIx64 "-0x%05" PRIx64 "%s", index,
                  doc_bin_half(run, bin), e.low, e.high, page);
}

static void cell_meaning(struct doc_grid *grid, const struct doc_run *run,
                         const struct doc_registers *some, const struct mon_bin *bin,
                         uint32_t index)
{
    char title[64];
    if (bin->has_state) {
        phase_title(run, bin->phase, title);
        doc_grid_cell(grid, "%s: %s %s, %s%s%s", title, bin->remote ? "remote" : "local",
                      bin->exclusive ? "write" : "read", bin->global ? "global" : "local",
                      bin->valid ? " valid" : " invalid", bin->nc_hit ? ", network cache hit" : "");
    } else if (bin->has_block) {
        cell_bytes(grid, run, some, bin, index);
    } else {
        doc_grid_cell(grid, "bin %" PRIu32, index);
    }
}

static struct word *sum_words(const struct doc_run *run)
{
    const uint32_t count = run->unit->words;
    struct word *words = sim_alloc(count, sizeof *words);
    for (uint32_t i = 0; i < count; i++)
        words[i].index = i;
    for (unsigned c = 0; c < run->cards; c++) {
        const uint32_t *sram = run->registers[c].memory.word;
        for (uint32_t i = 0; sram && i < count; i++) {
            words[i].count += sram[i];
            words[i].cards += sram[i] > 0;
        }
    }
    return words;
}

static void chart_words(const struct doc_run *run, const struct doc_registers *some, FILE *out,
                        unsigned width)
{
    struct word *words = sum_words(run);
    struct doc_grid grid;
    char buf[32];
    qsort(words, run->unit->words, sizeof *words, by_count);
    doc_grid_init(&grid, "lrrl");
    doc_grid_cell(&grid, "the fullest words");
    doc_grid_cell(&grid, "count");
    doc_grid_cell(&grid, "cards");
    doc_grid_cell(&grid, "%s", "");
    for (unsigned i = 0; i < FULLEST && words[i].count; i++) {
        const struct mon_bin bin = doc_bin(run, some, words[i].index);
        cell_meaning(&grid, run, some, &bin, words[i].index);
        doc_grid_cell(&grid, "%s", doc_grouped(words[i].count, buf));
        doc_grid_cell(&grid, "%u", words[i].cards);
        cell_bar(&grid, words[i].count, words[0].count, bar_room(width, FRONT + 22));
    }
    doc_grid_print(&grid, out, false, width);
    doc_grid_free(&grid);
    free(words);
}

/* ---- the chart ------------------------------------------------------------------------------- */

/* The first card with a histogram: its source says what all of them mean. */
static const struct doc_registers *first_used(const struct doc_run *run)
{
    for (unsigned c = 0; run->registers && c < run->cards; c++)
        if (doc_histogram_used(run, &run->registers[c]))
            return &run->registers[c];
    return NULL;
}

void doc_chart(const struct doc_run *run, FILE *out, unsigned width)
{
    const struct doc_registers *some = first_used(run);
    const struct doc_histogram h = doc_histogram_total(run);
    char counted[32], lost[32], wrapped[64] = "";
    if (!some)
        return;
    if (h.wrapped)
        snprintf(wrapped, sizeof wrapped, ", words of %u card%s wrapped", h.wrapped,
                 sim_plural(h.wrapped));
    fprintf(out, "\nhistogram of %u card%s: %s\n%s counted, %s lost%s\n", h.cards,
            sim_plural(h.cards), doc_meaning(run, some).sentence, doc_grouped(h.counted, counted),
            doc_grouped(h.lost, lost), wrapped);
    if (!h.counted)
        return;
    if (doc_meaning(run, some).time_end)
        chart_times(run, some, out, width);
    else
        chart_words(run, some, out, width);
}

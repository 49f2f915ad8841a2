/*
 * From what the cards have counted to suspect lines.
 *
 * The hard idea is what the cards do not know. The SRAM's word is a block of the secondary cache,
 * so it may be any of the program's lines that would be put there; a mask counts a part of memory,
 * so the line has to be cornered, run after run; a sample knows one access of many. Each of these
 * becomes measures of lines, by its own way, and nothing of it is corrected by what a simulator
 * could know besides.
 */
#include "cli/suspects.h"

#include "base/alloc.h"
#include "input/yaml.h"
#include "monitor/pattern.h"
#include "run/models.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/** A detector at work. */
struct detector_work {
    struct cli_suspects *s;
    const struct cli_looked *what;
    unsigned line, page; /* [bytes] of the machine */
    unsigned pass;
    struct cli_heard *heard;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct cli_page *page_of(const struct detector_work *w, uint64_t pa)
{
    const uint64_t pages = w->heard->pages < CLI_PAGES_MAX ? w->heard->pages : CLI_PAGES_MAX;
    for (uint64_t i = pages; i > 0; i--) /* the last to get the page has it */
        if (w->heard->page[i - 1].pa == pa / w->page * w->page)
            return &w->heard->page[i - 1];
    return NULL;
}

/** The physical address of a virtual one. @return false: no page has it */
static bool suspects_place(const struct detector_work *w, uint64_t va, uint64_t *pa)
{
    const uint64_t pages = w->heard->pages < CLI_PAGES_MAX ? w->heard->pages : CLI_PAGES_MAX;
    for (uint64_t i = pages; i > 0; i--)
        if (w->heard->page[i - 1].va == va / w->page * w->page) {
            *pa = w->heard->page[i - 1].pa + va % w->page;
            return true;
        }
    return false;
}

/** The line at a physical address; made if need be. */
static struct cli_line *line_at(struct detector_work *w, uint64_t pa)
{
    struct cli_line *line;
    HASH_FIND(hh, w->s->lines, &pa, sizeof pa, line);
    if (line)
        return line;
    const struct cli_page *page = page_of(w, pa);
    line = sim_alloc(1, sizeof *line);
    line->pa = pa;
    line->placed = page != NULL;
    line->va = page ? page->va + pa % w->page : 0;
    line->like = 1;
    HASH_ADD(hh, w->s->lines, pa, sizeof line->pa, line);
    return line;
}

static double *suspects_measure(const struct detector_work *w, struct cli_line *line,
                                enum in_measure which)
{
    return &line->measure[in_measure_of(w->pass, which)];
}

/** Some of the counts of a line. @param card  [cards] */
static void add_cards(const struct detector_work *w, struct cli_line *line, const uint64_t *card)
{
    double *most = suspects_measure(w, line, IN_MEASURE_most);
    for (unsigned c = 0; c < w->heard->cards; c++) {
        *suspects_measure(w, line, IN_MEASURE_count) += (double)card[c];
        *suspects_measure(w, line, IN_MEASURE_cards) += card[c] != 0;
        *most = (double)card[c] > *most ? (double)card[c] : *most;
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static enum cli_exit suspects_run(struct detector_work *w, const char *more)
{
    char *sets[] = {(char *)more, NULL};
    const enum cli_exit status =
        cli_pass_run(w->what, &w->s->detector->pass[w->pass], sets, w->s->runs > 0, w->heard);
    w->s->runs++;
    w->s->events += w->heard->events;
    w->s->interrupts += w->heard->interrupts;
    if (w->heard->notes > CLI_NOTES_MAX)
        w->s->lost_notes += w->heard->notes - CLI_NOTES_MAX;
    if (w->heard->ticks > w->s->ticks) {
        w->s->ticks = w->heard->ticks;
        w->s->hash = w->heard->hash;
    }
    return status;
}

/* ---- the SRAM -------------------------------------------------------------------------------- */

/** Whether a page's lines lie over a word's: at the same place of the secondary cache. */
static bool suspects_covers(const struct detector_work *w, const struct cli_page *page,
                            const struct cli_word *word)
{
    const uint64_t in_half = page->pa % w->heard->half;
    return word->offset >= in_half && word->offset < in_half + w->page &&
           page_of(w, page->pa) == page;
}

static unsigned pages_over(const struct detector_work *w, const struct cli_word *word)
{
    const uint64_t pages = w->heard->pages < CLI_PAGES_MAX ? w->heard->pages : CLI_PAGES_MAX;
    unsigned n = 0;
    for (uint64_t i = 0; i < pages; i++)
        n += suspects_covers(w, &w->heard->page[i], word);
    return n;
}

/** A word that has counted is put down to every line that it may be. */
static void spread_word(struct detector_work *w, uint32_t number)
{
    const struct cli_word *word = &w->heard->word[number];
    const uint64_t pages = w->heard->pages < CLI_PAGES_MAX ? w->heard->pages : CLI_PAGES_MAX;
    const unsigned like = pages_over(w, word);
    for (uint64_t i = 0; i < pages; i++) {
        const struct cli_page *page = &w->heard->page[i];
        if (!suspects_covers(w, page, word))
            continue;
        const uint64_t pa = page->pa + word->offset % w->page;
        struct cli_line *line = line_at(w, pa / w->line * w->line);
        line->like = like;
        line->first_word = line->last_word ? line->first_word : number;
        line->last_word = number;
        *suspects_measure(w, line, IN_MEASURE_count) += word->sum;
        *suspects_measure(w, line, IN_MEASURE_cards) += word->cards;
        *suspects_measure(w, line, IN_MEASURE_most) += word->most;
    }
}

static void spread_words(struct detector_work *w)
{
    for (uint32_t i = 0; i < CLI_WORDS_MAX; i++)
        if (w->heard->word[i].sum && w->heard->word[i].block)
            spread_word(w, i);
}

/** In a slice the SRAM has gone from `before` to what was heard. */
static void count_slice(struct detector_work *w, const uint32_t *before, const struct cli_word *now)
{
    struct cli_line *line, *next;
    HASH_ITER(hh, w->s->lines, line, next) {
        bool counted = false;
        if (*suspects_measure(w, line, IN_MEASURE_count) > 0)
            for (uint32_t i = line->first_word; i <= line->last_word; i++)
                counted |= now[i].sum > before[i];
        *suspects_measure(w, line, IN_MEASURE_slices) += counted;
    }
}

/** The run again, to the end of each slice. What the whole run has counted is heard already. */
static enum cli_exit suspects_cut(struct detector_work *w, unsigned slices)
{
    const sim_tick whole = w->heard->ticks;
    uint32_t *before = sim_alloc(CLI_WORDS_MAX, sizeof *before);
    struct cli_word *last = sim_alloc(CLI_WORDS_MAX, sizeof *last);
    enum cli_exit status = CLI_EXIT_OK;
    memcpy(last, w->heard->word, CLI_WORDS_MAX * sizeof *last);
    for (unsigned i = 1; i < slices && status == CLI_EXIT_OK; i++) {
        char *limit = sim_format("run.limit=%" PRIu64 "cy", whole * i / slices);
        status = suspects_run(w, limit);
        free(limit);
        count_slice(w, before, w->heard->word);
        for (uint32_t k = 0; k < CLI_WORDS_MAX; k++)
            before[k] = w->heard->word[k].sum;
    }
    count_slice(w, before, last);
    free(before);
    free(last);
    return status;
}

/* ---- masks ----------------------------------------------------------------------------------- */

/** Where a sweep stands: 2^bits bytes from `at` on, in which the cards have counted so much. */
struct swept_part {
    uint64_t at;
    unsigned bits;
    uint64_t card[CLI_CARDS_MAX];
};

struct sweep {
    struct detector_work *w;
    const struct cli_page *page; /* of the first run */
    uint64_t pages;
    double least; /* a part that has counted no more is left alone */
};

static bool is_used(const struct sweep *sweep, uint64_t at, unsigned bits)
{
    const uint64_t end = at + (UINT64_C(1) << bits);
    for (uint64_t i = 0; i < sweep->pages; i++)
        if (sweep->page[i].pa < end && sweep->page[i].pa + sweep->w->page > at)
            return true;
    return false;
}

static uint64_t sum_of(const struct swept_part *part, unsigned cards)
{
    uint64_t sum = 0;
    for (unsigned c = 0; c < cards; c++)
        sum += part->card[c];
    return sum;
}

/** A run that counts in the lower half only; what is missing is in the upper. */
static enum cli_exit suspects_halve(struct sweep *sweep, const struct swept_part *whole,
                                    struct swept_part *low, struct swept_part *high)
{
    char pattern[64];
    const uint64_t all = (UINT64_C(1) << MON_ADDRESS_BITS) - 1;
    const struct mon_pattern mask = {all & ~((UINT64_C(1) << low->bits) - 1), low->at};
    mon_pattern_write(&mask, pattern, sizeof pattern);
    char *set = sim_format("monitor.mask.address=%s", pattern);
    const enum cli_exit status = suspects_run(sweep->w, set);
    free(set);
    for (unsigned c = 0; c < sweep->w->heard->cards; c++) {
        low->card[c] = sweep->w->heard->counted[c];
        high->card[c] = whole->card[c] - low->card[c];
    }
    return status;
}

static enum cli_exit suspects_corner(struct sweep *sweep, const struct swept_part *part);

/** Both halves of a part. */
// NOLINTNEXTLINE(misc-no-recursion)
static enum cli_exit suspects_split(struct sweep *sweep, const struct swept_part *part)
{
    const unsigned bits = part->bits - 1;
    struct swept_part *half = sim_alloc(2, sizeof *half); /* large for the stack */
    half[0] = (struct swept_part){.at = part->at, .bits = bits};
    half[1] = (struct swept_part){.at = part->at + (UINT64_C(1) << bits), .bits = bits};
    const bool low = is_used(sweep, half[0].at, bits), high = is_used(sweep, half[1].at, bits);
    enum cli_exit status = CLI_EXIT_OK;
    if (low && high)
        status = suspects_halve(sweep, part, &half[0], &half[1]);
    else
        memcpy(half[high].card, part->card, sizeof part->card);
    if (status == CLI_EXIT_OK)
        status = suspects_corner(sweep, &half[0]);
    if (status == CLI_EXIT_OK)
        status = suspects_corner(sweep, &half[1]);
    free(half);
    return status;
}

/** Goes on where enough was counted, until it is a line. */
// NOLINTNEXTLINE(misc-no-recursion)
static enum cli_exit suspects_corner(struct sweep *sweep, const struct swept_part *part)
{
    if ((double)sum_of(part, CLI_CARDS_MAX) <= sweep->least ||
        !is_used(sweep, part->at, part->bits))
        return CLI_EXIT_OK;
    if (UINT64_C(1) << part->bits > sweep->w->line)
        return suspects_split(sweep, part);
    add_cards(sweep->w, line_at(sweep->w, part->at), part->card);
    return CLI_EXIT_OK;
}

static enum cli_exit sweep_all(struct detector_work *w, unsigned percent)
{
    struct swept_part whole = {.at = 0, .bits = MON_ADDRESS_BITS};
    const uint64_t pages = w->heard->pages < CLI_PAGES_MAX ? w->heard->pages : CLI_PAGES_MAX;
    struct cli_page *page = sim_alloc(pages, sizeof *page);
    memcpy(page, w->heard->page, pages * sizeof *page);
    memcpy(whole.card, w->heard->counted, sizeof whole.card);
    struct sweep sweep = {.w = w,
                          .page = page,
                          .pages = pages,
                          .least = (double)sum_of(&whole, CLI_CARDS_MAX) * percent / 100};
    const enum cli_exit status = suspects_corner(&sweep, &whole);
    free(page);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

/** What one card was seen to do with a line. */
struct seen {
    uint64_t reads, writes, count;
};

/** By line, and by time. */
static int suspects_by_line(const void *a, const void *b)
{
    const struct cli_note *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/** Puts down what notes say of the use of bytes. @param later  also of what may come later
 *  @param[out] seen  [cards] */
static void note_uses(const struct detector_work *w, const struct cli_note *note, size_t count,
                      bool later, struct seen *seen)
{
    memset(seen, 0, w->heard->cards * sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        seen[note[i].card].reads |= note[i].reads | (later ? note[i].later_reads : 0);
        seen[note[i].card].writes |= note[i].writes | (later ? note[i].later_writes : 0);
    }
}

/** Of the other cards that write the line, or with `readers` use it: the part that is known to use
 *  none of the sample's bytes. @return below 0: there is no such card */
static double part_apart(const struct detector_work *w, const struct cli_note *note,
                         const struct seen *seen, bool readers)
{
    unsigned others = 0, apart = 0;
    for (unsigned c = 0; c < w->heard->cards; c++) {
        const uint64_t used = seen[c].writes | (readers ? seen[c].reads : 0);
        if (c != note->card && used) {
            others++;
            apart += !(used & note->bytes);
        }
    }
    return others ? (double)apart / others : -1;
}

/** Of the samples of accesses to one line: what was waited for bytes that others use or may come to
 *  use, or do not, at that time. */
static void sum_up_waits(struct detector_work *w, const struct cli_note *note, size_t count,
                         struct cli_line *line, struct seen *seen)
{
    enum { NEAR = 24 }; /* [samples] in which a program is taken to be at the same thing */
    for (size_t i = 0; i < count; i++) {
        if (note[i].request != line->pa || !note[i].waited)
            continue;
        const size_t first = i > NEAR ? i - NEAR : 0;
        const size_t end = count - i > NEAR ? i + NEAR + 1 : count;
        note_uses(w, &note[first], end - first, true, seen);
        double apart = part_apart(w, &note[i], seen, note[i].store);
        if (apart < 0) /* nobody was seen to write it, and somebody has */
            apart = part_apart(w, &note[i], seen, true);
        if (apart < 0)
            continue;
        *suspects_measure(w, line, IN_MEASURE_parted) += apart * note[i].waited;
        *suspects_measure(w, line, IN_MEASURE_joined) += (1 - apart) * note[i].waited;
    }
}

static int suspects_by_pc(const void *a, const void *b)
{
    const struct cli_note *x = *(const struct cli_note *const *)a;
    const struct cli_note *y = *(const struct cli_note *const *)b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/** The instruction at which most was waited for the line. @return 0: none was seen */
static uint64_t pc_of_most(const struct cli_note *note, size_t count, uint64_t pa)
{
    const struct cli_note **by_pc = sim_alloc(count, sizeof *by_pc);
    uint64_t pc = 0, most = 0;
    size_t waits = 0;
    for (size_t i = 0; i < count; i++)
        if (note[i].request == pa && note[i].waited)
            by_pc[waits++] = &note[i];
    qsort(by_pc, waits, sizeof *by_pc, suspects_by_pc);
    for (size_t i = 0, end; i < waits; i = end) {
        uint64_t sum = 0;
        for (end = i; end < waits && by_pc[end]->pc == by_pc[i]->pc; end++)
            sum += by_pc[end]->waited;
        if (sum > most) {
            most = sum;
            pc = by_pc[i]->pc;
        }
    }
    free(by_pc);
    return pc;
}

/** The samples of accesses to one line. Those that waited for it are counted; the others only say
 *  who uses what. */
static void sum_up(struct detector_work *w, const struct cli_note *note, size_t count, uint64_t pa)
{
    struct cli_line *line = line_at(w, pa);
    struct seen *seen = sim_alloc(w->heard->cards, sizeof *seen);
    uint64_t *card = sim_alloc(CLI_CARDS_MAX, sizeof *card), words = 0;
    note_uses(w, note, count, false, seen);
    for (size_t i = 0; i < count; i++)
        words |= note[i].bytes;
    for (size_t i = 0; i < count; i++) {
        if (note[i].request != pa)
            continue;
        card[note[i].card]++;
        *suspects_measure(w, line, IN_MEASURE_stores) += note[i].store;
        const double apart = part_apart(w, &note[i], seen, note[i].store);
        *suspects_measure(w, line, IN_MEASURE_apart) += apart < 0 ? 0 : apart;
        *suspects_measure(w, line, IN_MEASURE_common) += apart < 0 ? 0 : 1 - apart;
    }
    add_cards(w, line, card);
    *suspects_measure(w, line, IN_MEASURE_words) += __builtin_popcountll(words);
    sum_up_waits(w, note, count, line, seen);
    line->pc = pc_of_most(note, count, pa);
    free(seen);
    free(card);
}

/** Samples of the comparator's line. */
static void sum_up_lines(struct detector_work *w, const struct cli_note *note, size_t count)
{
    struct cli_line *line = line_at(w, note->line);
    uint64_t *card = sim_alloc(CLI_CARDS_MAX, sizeof *card);
    for (size_t i = 0; i < count; i++)
        card[note[i].card]++;
    add_cards(w, line, card);
    free(card);
}

/** What all samples stand for is put down to the lines that the cards had asked for. */
static void sum_up_requests(struct detector_work *w, const struct cli_note *note, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!note[i].waited)
            continue;
        struct cli_line *line = line_at(w, note[i].request);
        *suspects_measure(w, line, IN_MEASURE_waited) += note[i].waited;
        line->noise += (double)note[i].waited * note[i].waited;
    }
}

/** Lines at which the same instruction waits. */
struct alike {
    uint64_t pc;
    double lines, sum, squares, noise; /* of _waited */
    UT_hash_handle hh;
};

static struct alike *alike_of(struct alike **all, uint64_t pc)
{
    struct alike *alike;
    HASH_FIND(hh, *all, &pc, sizeof pc, alike);
    if (!alike) {
        alike = sim_alloc(1, sizeof *alike);
        alike->pc = pc;
        HASH_ADD(hh, *all, pc, sizeof alike->pc, alike);
    }
    return alike;
}

/** The part of what a line differs from the mean that is not by chance: of a few lines all. */
static double alike_own(const struct alike *alike)
{
    enum { FEW = 8 };
    if (alike->lines < FEW || alike->noise <= 0)
        return 1;
    const double mean = alike->sum / alike->lines, noise = alike->noise / alike->lines;
    const double spread = (alike->squares - alike->sum * mean) / (alike->lines - 1);
    return spread > noise ? (spread - noise) / spread : 0;
}

/** Many lines that the same code treats alike say more together than each of its few samples. */
static void pool_alike(struct detector_work *w)
{
    struct alike *all = NULL, *alike, *behind;
    struct cli_line *line, *next;
    HASH_ITER(hh, w->s->lines, line, next) {
        const double waited = *suspects_measure(w, line, IN_MEASURE_waited);
        if (!line->pc || waited <= 0)
            continue;
        alike = alike_of(&all, line->pc);
        alike->lines++;
        alike->sum += waited;
        alike->squares += waited * waited;
        alike->noise += line->noise;
    }
    HASH_ITER(hh, w->s->lines, line, next) {
        const double waited = *suspects_measure(w, line, IN_MEASURE_waited);
        double *pooled = suspects_measure(w, line, IN_MEASURE_alike);
        *pooled = waited;
        if (!line->pc || waited <= 0)
            continue;
        alike = alike_of(&all, line->pc);
        const double mean = alike->sum / alike->lines;
        *pooled = mean + alike_own(alike) * (waited - mean);
    }
    HASH_ITER(hh, all, alike, behind) {
        HASH_DEL(all, alike);
        free(alike);
    }
}

static void read_notes(struct detector_work *w, enum in_sample sample)
{
    struct cli_note *note = w->heard->note;
    const size_t notes = w->heard->notes < CLI_NOTES_MAX ? w->heard->notes : CLI_NOTES_MAX;
    uint64_t pa;
    struct cli_line *line, *next;
    HASH_ITER(hh, w->s->lines, line, next) {
        line->pc = 0;
        line->noise = 0;
    }
    qsort(note, notes, sizeof *note, suspects_by_line);
    for (size_t i = 0, end; i < notes; i = end) {
        for (end = i; end < notes && note[end].line == note[i].line;)
            end++;
        if (sample == IN_SAMPLE_LINE)
            sum_up_lines(w, &note[i], end - i);
        else if (suspects_place(w, note[i].line, &pa))
            sum_up(w, &note[i], end - i, pa);
    }
    if (sample == IN_SAMPLE_ACCESS) {
        sum_up_requests(w, note, notes);
        pool_alike(w);
    }
}

/* ---- the rule -------------------------------------------------------------------------------- */

struct values {
    const struct cli_suspects *s;
    const struct cli_line *line;
};

static double suspects_value_of(void *ctx, unsigned operand)
{
    const struct values *v = ctx;
    return operand == IN_DETECTOR_PCYCLES ? (double)v->s->ticks : v->line->measure[operand];
}

static void suspects_judge(struct cli_suspects *s, struct cli_line *line)
{
    struct values values = {s, line};
    double value;
    line->suspect = true;
    for (unsigned i = 0; i < s->detector->requires && line->suspect; i++)
        line->suspect =
            mon_formula_value(&s->detector->require[i], suspects_value_of, &values, &value) &&
            value > 0;
    s->suspects += line->suspect;
    line->score = 0;
    if (mon_formula_value(&s->detector->score, suspects_value_of, &values, &value))
        line->score = value;
}

static void set_totals(struct cli_suspects *s)
{
    struct cli_line *line, *next;
    for (unsigned p = 0; p < s->detector->passes; p++) {
        double total = 0;
        HASH_ITER(hh, s->lines, line, next)
            total += line->measure[in_measure_of(p, IN_MEASURE_count)] / line->like;
        HASH_ITER(hh, s->lines, line, next)
            line->measure[in_measure_of(p, IN_MEASURE_total)] = total;
    }
}

static int by_score(const struct cli_line *a, const struct cli_line *b)
{
    if (a->suspect != b->suspect)
        return a->suspect ? -1 : 1;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->pa < b->pa ? -1 : a->pa > b->pa;
}

void cli_suspects_sort(struct cli_suspects *s)
{
    HASH_SORT(s->lines, by_score);
}

static void judge_all(struct cli_suspects *s)
{
    struct cli_line *line, *next;
    set_totals(s);
    HASH_ITER(hh, s->lines, line, next)
        suspects_judge(s, line);
    cli_suspects_sort(s);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum cli_exit make_pass(struct detector_work *w)
{
    const struct in_pass *pass = &w->s->detector->pass[w->pass];
    enum cli_exit status = suspects_run(w, NULL);
    if (status != CLI_EXIT_OK)
        return status;
    spread_words(w);
    if (pass->sample != IN_SAMPLE_NONE)
        read_notes(w, pass->sample);
    if (pass->slices > 1)
        status = suspects_cut(w, pass->slices);
    if (pass->sweep)
        status = sweep_all(w, pass->sweep);
    return status;
}

/** What a sweep halves, and whose interrupts are samples. */
static bool suspects_counts(const struct in_pass *pass, const struct in_experiment *x)
{
    if (x->wish.counters || (!pass->sweep && pass->sample == IN_SAMPLE_NONE))
        return true;
    fprintf(stderr,
            "numachine: error: pass '%s' has %s and programs no counter; add counters=[...] to its "
            "'monitor'\n",
            pass->name, pass->sweep ? "'sweep'" : "'sample'");
    return false;
}

static bool is_timed(const struct in_experiment *x)
{
    if (nm_value_mode(x->machine.params) == NM_MODE_TIMED)
        return true;
    fputs("numachine: error: run.mode: functional has no caches, so there is nothing to detect; "
          "leave it out\n",
          stderr);
    return false;
}

/** Whether the experiments of all passes can be made, before the first runs. */
static bool suspects_check(struct detector_work *w)
{
    const struct in_detector *detector = w->s->detector;
    bool good = true;
    for (unsigned i = 0; i < detector->passes && good; i++) {
        struct in_experiment x;
        if (!cli_pass_experiment(w->what, &detector->pass[i], NULL, &x))
            return false;
        good = is_timed(&x) && suspects_counts(&detector->pass[i], &x);
        w->line = (unsigned)nm_value_l2_line(x.machine.params);
        w->page = (unsigned)nm_value_page_size(x.machine.params);
        in_experiment_free(&x);
    }
    return good;
}

enum cli_exit cli_suspects_find(struct cli_suspects *s, const struct cli_looked *what)
{
    struct detector_work w = {.s = s, .what = what};
    enum cli_exit status = CLI_EXIT_OK;
    if (!suspects_check(&w))
        return CLI_EXIT_USAGE;
    w.heard = cli_heard_new();
    for (; w.pass < s->detector->passes && status == CLI_EXIT_OK; w.pass++)
        status = make_pass(&w);
    cli_heard_free(w.heard);
    if (status == CLI_EXIT_OK)
        judge_all(s);
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void suspects_take_line(struct cli_suspects *s, const struct run_models_line *from)
{
    struct cli_line *line;
    HASH_FIND(hh, s->lines, &from->pa, sizeof from->pa, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->pa = from->pa;
        HASH_ADD(hh, s->lines, pa, sizeof line->pa, line);
    }
    line->va = from->va;
    line->placed = from->placed;
    line->when = from->when;
    line->like = 1;
    line->measure[IN_MEASURE_count] += (double)from->count;
    line->score = from->score > line->score ? from->score : line->score;
    s->suspects += !line->suspect && line->score >= DET_SUSPECT;
    line->suspect = line->score >= DET_SUSPECT;
}

static bool suspects_take(struct cli_suspects *s, const struct run_models_came *run, FILE *answers)
{
    struct run_models_said said;
    struct run_models_line line;
    if (fread(&said, sizeof said, 1, answers) != 1)
        return false;
    s->runs = 1;
    s->ticks = run->ticks;
    s->hash = run->hash;
    s->bits = said.bits;
    s->events = said.events;
    s->interrupts = said.interrupts;
    s->lost_notes = said.lost;
    s->pcycles = said.pcycles;
    for (uint64_t i = 0; i < said.lines; i++) {
        if (fread(&line, sizeof line, 1, answers) != 1)
            return false;
        suspects_take_line(s, &line);
    }
    cli_suspects_sort(s);
    return true;
}

static enum cli_exit suspects_read(struct cli_suspects *const *s, size_t models, FILE *answers)
{
    struct run_models_came run;
    rewind(answers);
    bool good = fread(&run, sizeof run, 1, answers) == 1;
    for (size_t i = 0; i < models && good; i++)
        good = suspects_take(s[i], &run, answers);
    if (good)
        return CLI_EXIT_OK;
    fputs("numachine: error: what the models have answered could not be read\n", stderr);
    return CLI_EXIT_IO;
}

enum cli_exit cli_models_look(struct cli_suspects *const *s, size_t models,
                              const struct cli_looked *what)
{
    const struct in_pass plain = {0};
    struct in_experiment x;
    enum cli_exit status = CLI_EXIT_USAGE;
    if (!cli_pass_experiment(what, &plain, NULL, &x))
        return status;
    struct det_choice *choice = sim_alloc(models, sizeof *choice);
    for (size_t i = 0; i < models; i++)
        choice[i] = s[i]->choice;
    struct run_models looking = {
        .choice = choice, .models = models, .charge = what->charge, .answers = tmpfile()};
    pc_eyes_machine(x.machine.params, &looking.machine);
    if (!looking.answers)
        fprintf(stderr, "numachine: error: cannot make a temporary file: %s\n", strerror(errno));
    else if (is_timed(&x))
        status = cli_listen(&x, &run_models, &looking, false);
    if (status == CLI_EXIT_OK)
        status = suspects_read(s, models, looking.answers);
    if (looking.answers)
        fclose(looking.answers);
    free(choice);
    in_experiment_free(&x);
    return status;
}

void cli_suspects_free(struct cli_suspects *s)
{
    struct cli_line *line, *next;
    HASH_ITER(hh, s->lines, line, next) {
        HASH_DEL(s->lines, line);
        free(line);
    }
}

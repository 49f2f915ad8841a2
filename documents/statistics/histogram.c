/*
 * Histograms: the raw words, and what they mean.
 *
 * The one hard idea: nobody here knows the layout of a word's number. the unit takes it
 * apart, and files, totals and chart work with the parts, whatever the source.
 */
#include "documents/statistics/histogram.h"

#include "documents/csv.h"
#include "documents/grid.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** The bytes of the secondary cache that share a word. */
enum { BLOCK = 32 };

/** [words] written or passed over at a time. */
enum { PIECE = 1024 };

struct mon_meaning doc_meaning(const struct doc_run *run, const struct doc_registers *r)
{
    struct mon_meaning meaning = {0};
    if (run->unit->words)
        run->unit->meaning(r->memory.setup, &meaning);
    return meaning;
}

struct mon_bin doc_bin(const struct doc_run *run, const struct doc_registers *r, uint32_t word)
{
    return run->unit->bin(r->memory.setup, word);
}

bool doc_histogram_used(const struct doc_run *run, const struct doc_registers *r)
{
    return r->memory.word || doc_meaning(run, r).counts;
}

static void add_card(struct doc_histogram *h, const struct doc_run *run,
                     const struct doc_registers *r)
{
    const struct mon_memory *m = &r->memory;
    h->lost += m->lost;
    h->cards += doc_histogram_used(run, r);
    if (!m->word)
        return;
    h->longest = m->longest > h->longest ? m->longest : h->longest;
    h->wrapped += m->wrapped;
    for (uint32_t i = 0; i < run->unit->words; i++) {
        if (!m->word[i])
            continue;
        const struct mon_bin bin = doc_bin(run, r, i);
        h->words++;
        h->counted += m->word[i];
        if (bin.has_time && bin.time_high == UINT64_MAX)
            h->saturated += m->word[i];
    }
}

struct doc_histogram doc_histogram_total(const struct doc_run *run)
{
    struct doc_histogram h = {0};
    for (unsigned c = 0; run->registers && c < run->cards; c++)
        add_card(&h, run, &run->registers[c]);
    return h;
}

/* The first that reaches as far as the greatest time, or, failing that, the last. */
static void name_source(const struct doc_run *run, uint64_t longest, char *out, size_t size)
{
    struct mon_reach reach;
    char buf[32];
    for (unsigned i = 0; run->unit->reach(i, &reach); i++) {
        const uint64_t end = reach.end - 1;
        if (longest <= end) {
            snprintf(out, size, "histogram %s reaches to %s", reach.name, doc_grouped(end, buf));
            return;
        }
        snprintf(out, size, "no histogram reaches so far, %s to %s", reach.name,
                 doc_grouped(end, buf));
    }
}

struct mon_writer doc_writer(const struct doc_run *run, unsigned writer)
{
    struct mon_writer sum = {0};
    for (unsigned c = 0; run->registers && c < run->cards; c++) {
        const struct mon_memory *m = &run->registers[c].memory;
        if (writer >= m->writers)
            continue;
        sum.written += m->writer[writer].written;
        sum.lost += m->writer[writer].lost;
    }
    return sum;
}

/* The losers, the worst first, a few of them. */
static void remark_lost(struct doc_run *run)
{
    enum { SHOWN = 4 };
    struct mon_writer all = {0}, worst[SHOWN] = {0};
    unsigned card[SHOWN] = {0}, losers = 0, n = 0;
    char text[256], lost[32], written[32];
    for (unsigned c = 0; c < run->cards; c++) {
        const struct mon_writer w = doc_writer(run, c);
        all.written += w.written;
        all.lost += w.lost;
        losers += w.lost > 0;
        for (unsigned i = SHOWN; i-- > 0 && w.lost > worst[i].lost;) {
            if (i + 1 < SHOWN) {
                worst[i + 1] = worst[i];
                card[i + 1] = card[i];
            }
            worst[i] = w;
            card[i] = c;
        }
    }
    if (!all.lost)
        return;
    *text = '\0';
    for (unsigned i = 0; i < SHOWN && worst[i].lost; i++)
        n += (unsigned)snprintf(text + n, sizeof text - n, "%scard %u lost %s of %s", i ? ", " : "",
                                card[i], doc_grouped(worst[i].lost, lost),
                                doc_grouped(worst[i].written, written));
    doc_remark(run,
               "%s of %s increments of SRAMs were lost, each coming within %u cycles of another: "
               "%s%s; with counters.arbitration: turns they wait",
               doc_grouped(all.lost, lost), doc_grouped(all.written, written),
               run->unit->memory_busy, text, losers > SHOWN ? ", ..." : "");
}

static void remark_saturated(struct doc_run *run)
{
    const struct doc_histogram h = doc_histogram_total(run);
    char saturated[32], counted[32], longest[32], from[32], better[128];
    for (unsigned c = 0; h.saturated && c < run->cards; c++) {
        const struct doc_registers *r = &run->registers[c];
        const uint64_t end = doc_meaning(run, r).time_end;
        if (!r->memory.word || !end)
            continue;
        name_source(run, h.longest, better, sizeof better);
        doc_remark(run,
                   "the histogram is saturated: %s of %s service times, the greatest %s cycles, "
                   "stand together as %s or more; %s",
                   doc_grouped(h.saturated, saturated), doc_grouped(h.counted, counted),
                   doc_grouped(h.longest, longest), doc_grouped(end, from), better);
        return;
    }
}

void doc_histogram_remark(struct doc_run *run)
{
    remark_saturated(run);
    remark_lost(run);
}

void doc_histogram_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx)
{
    const struct doc_histogram h = doc_histogram_total(run);
    const struct {
        const char *name, *unit, *desc;
        uint64_t count;
    } rows[] = {
        {"histogram.counted", "events", "sum of all words of the cards' SRAMs", h.counted},
        {"histogram.words", "words", "words of the SRAMs that are not 0", h.words},
        {"histogram.lost", "events", "events lost because the SRAM was still counting", h.lost},
        {"histogram.saturated", "events",
         "of those counted: service times in a word without upper bound", h.saturated},
        {"histogram.longest", "cycles", "greatest service time counted", h.longest},
        {"histogram.wrapped", "cards", "cards on which a word went from 2^32-1 to 0", h.wrapped},
    };
    for (size_t i = 0; h.cards && i < sizeof rows / sizeof *rows; i++)
        fn(ctx, &(struct doc_stat){.component = "machine",
                                   .name = rows[i].name,
                                   .unit = rows[i].unit,
                                   .desc = rows[i].desc,
                                   .count = rows[i].count});
}

/* ---- monitor/histogram.csv ------------------------------------------------------------------- */

const char *doc_phase_name(const struct doc_run *run, unsigned phase, char buf[64])
{
    buf[0] = '\0';
    for (char *const *p = run->experiment->phases; p && *p; p++) {
        const char *equals = strrchr(*p, '=');
        if (strtoul(equals + 1, NULL, 10) == phase)
            snprintf(buf, 64, "%.*s", (int)(equals - *p), *p);
    }
    return buf;
}

/* [bytes] of the cache that a count is about. */
static uint64_t block_bytes(const struct doc_run *run, const struct doc_registers *r)
{
    const uint64_t line = nm_value_l2_line(run->experiment->machine.params);
    return doc_meaning(run, r).lines && line > BLOCK ? line : BLOCK;
}

struct doc_extent doc_bin_extent(const struct doc_run *run, const struct doc_registers *r,
                                 const struct mon_bin *bin, uint32_t word)
{
    const uint64_t first = (uint64_t)bin->block * BLOCK;
    if (bin->has_time)
        return (struct doc_extent){bin->time_low, bin->time_high, "cycles"};
    if (bin->has_block)
        return (struct doc_extent){first, first + block_bytes(run, r) - 1, "bytes"};
    if (bin->has_phase)
        return (struct doc_extent){bin->phase, bin->phase, "ExtendedPhaseID"};
    return (struct doc_extent){word, word, "word"};
}

const char *doc_bin_half(const struct doc_run *run, const struct mon_bin *bin)
{
    const struct nm_params *p = run->experiment->machine.params;
    if (!bin->has_block)
        return "";
    if (!nm_value_l2_split(p))
        return "joint";
    return bin->high_half == (nm_value_l2_data_half(p) == 1) ? "data" : "instruction";
}

/* bin, lo, hi and their unit. */
static void put_extent(FILE *out, const struct doc_extent *e, uint32_t word, uint32_t count)
{
    fprintf(out, "%u,%" PRIu64 ",", word, e->low);
    if (e->high != UINT64_MAX)
        fprintf(out, "%" PRIu64, e->high);
    fprintf(out, ",%u,%s", count, e->unit);
}

static void put_fields(const struct doc_run *run, FILE *out, const struct mon_bin *bin)
{
    char name[64];
    if (bin->has_state)
        fprintf(out, ",%d,%d,%d,%d,%d", bin->global, bin->valid, bin->nc_hit, bin->exclusive,
                bin->remote);
    else
        fputs(",,,,,", out);
    if (bin->has_phase) {
        fprintf(out, ",%u,", bin->phase);
        doc_csv_field(out, doc_phase_name(run, bin->phase, name));
    } else {
        fputs(",,", out);
    }
    fprintf(out, ",%s\r\n", doc_bin_half(run, bin));
}

void doc_write_bins(const struct doc_run *run, FILE *out)
{
    fputs(
        "card,bin,lo,hi,count,unit,global,valid,nc_hit,exclusive,remote,phase,phase_name,half\r\n",
        out);
    for (unsigned c = 0; run->registers && c < run->cards; c++) {
        const struct doc_registers *r = &run->registers[c];
        const uint32_t *word = r->memory.word;
        for (uint32_t i = 0; word && i < run->unit->words; i++) {
            if (!word[i])
                continue;
            const struct mon_bin bin = doc_bin(run, r, i);
            const struct doc_extent extent = doc_bin_extent(run, r, &bin, i);
            fprintf(out, "%u,", c);
            put_extent(out, &extent, i, word[i]);
            put_fields(run, out, &bin);
        }
    }
}

/* ---- monitor/histogram.npy ------------------------------------------------------------------- */

/* Format 1.0 of numpy's files: magic, length of the header, the header padded so that the data
 * begin at a multiple of 64. */
static void put_header(FILE *out, unsigned cards, uint32_t words)
{
    enum { PREAMBLE = 10, ALIGN = 64 };
    char text[128];
    const int n =
        snprintf(text, sizeof text, "{'descr': '<u4', 'fortran_order': False, 'shape': (%u, %u), }",
                 cards, words);
    const unsigned length = (PREAMBLE + (unsigned)n + 1 + ALIGN - 1) / ALIGN * ALIGN - PREAMBLE;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc((int)(length & 0xff), out);
    putc((int)(length >> 8), out);
    fprintf(out, "%-*s\n", (int)length - 1, text);
}

/* Words of a card from `from` on, as they are written; all 0 without an SRAM. */
static bool take_piece(const struct doc_registers *r, uint32_t from, uint32_t piece[PIECE])
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < PIECE; i++) {
        piece[i] = r && r->memory.word ? htole32(r->memory.word[from + i]) : 0;
        any |= piece[i];
    }
    return any;
}

/* Most words are 0: they are passed over, and take no room on the disk. Only the file's end is
 * always written, so that it is there. */
void doc_write_npy(const struct doc_run *run, FILE *out)
{
    uint32_t piece[PIECE];
    off_t hole = 0;
    const uint32_t words = run->unit->words;
    put_header(out, run->cards, words);
    for (unsigned c = 0; c < run->cards; c++)
        for (uint32_t from = 0; from < words; from += PIECE) {
            const bool last = c + 1 == run->cards && from + PIECE == words;
            if (!take_piece(run->registers ? &run->registers[c] : NULL, from, piece) && !last) {
                hole += sizeof piece;
                continue;
            }
            if (hole)
                fseeko(out, hole, SEEK_CUR);
            hole = 0;
            fwrite(piece, sizeof piece, 1, out);
        }
}

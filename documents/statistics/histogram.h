/*
 * The contents of the cards' memories of counters (SRAMs) as results: files for programs, a chart
 * for people.
 *
 * What a word counts is decided by how the unit is set up at the end of the run; the unit says what
 * that means (mon_unit_ops.bin). Nothing of this is there if the unit has no memory.
 */
#ifndef DOC_STATISTICS_HISTOGRAM_H
#define DOC_STATISTICS_HISTOGRAM_H

#include "documents/statistics/registers.h"

/** What all words of all cards come to. */
struct doc_histogram {
    unsigned cards;     /**< whose SRAM was used, or has a source to count */
    uint64_t counted;   /**< sum of all words */
    uint64_t words;     /**< that are not 0 */
    uint64_t lost;      /**< events that came while the one before was being counted */
    uint64_t saturated; /**< counted in a word whose service time has no upper bound */
    uint64_t longest;   /**< [cycles] greatest service time counted */
    unsigned wrapped;   /**< cards on which a word has gone from 2^32-1 to 0 */
};
struct doc_histogram doc_histogram_total(const struct doc_run *run);

/** Whether a card has a histogram: one that has counted nothing is one, too. */
bool doc_histogram_used(const struct doc_run *run, const struct doc_registers *registers);

/** What a card's memory counts. */
struct mon_meaning doc_meaning(const struct doc_run *run, const struct doc_registers *registers);

/** Increments that card `writer`'s processor wrote to whichever SRAM. */
struct mon_writer doc_writer(const struct doc_run *run, unsigned writer);

/** Says in remarks that service times have saturated, and which source would tell them apart; and
 *  whose increments were lost. */
void doc_histogram_remark(struct doc_run *run);

/** What a word of a card's SRAM stands for. */
struct mon_bin doc_bin(const struct doc_run *run, const struct doc_registers *registers,
                       uint32_t word);

/** What a word covers. */
struct doc_extent {
    uint64_t low, high; /**< inclusive; high UINT64_MAX: it has no upper bound */
    const char *unit;   /**< static */
};

/** The extent of word `word`, which is `bin`. Of the secondary cache these are bytes in its half:
 * an access is to one block, an invalidate to the whole line whose first block names it. */
struct doc_extent doc_bin_extent(const struct doc_run *run, const struct doc_registers *registers,
                                 const struct mon_bin *bin, uint32_t word);

/** The half of the secondary cache in which a word's block is: "data", "instruction"; "joint": the
 *  cache is not split; "" if the word is none of it. */
const char *doc_bin_half(const struct doc_run *run, const struct mon_bin *bin);

/** The name monitor.phases gives a phase, in buf; "" if it gives none. */
const char *doc_phase_name(const struct doc_run *run, unsigned phase, char buf[64]);

/** Calls `fn` for "machine", "histogram.counted" and the like; nothing if no card has a histogram.
 */
void doc_histogram_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx);

/** What the files are called in the run directory. */
#define DOC_BINS "monitor/histogram.csv"
#define DOC_NPY  "monitor/histogram.npy"

/** Writes every word that is not 0, with what it stands for taken apart. */
void doc_write_bins(const struct doc_run *run, FILE *out);

/** Writes all words of all cards for numpy.load: shape (cards, 65536), uint32, little-endian.
 *  @param out  a file, fresh: where there is nothing but zeros it gets holes */
void doc_write_npy(const struct doc_run *run, FILE *out);

/** A chart of at most a screen. @param width  [characters] of a line */
void doc_chart(const struct doc_run *run, FILE *out, unsigned width);

#endif

/*
 * Lines that a detector suspects: what its passes have said of each line, and what its rule makes
 * of it.
 */
#ifndef CLI_SUSPECTS_H
#define CLI_SUSPECTS_H

#include "base/alloc.h"
#include "cli/passes.h"
#include "detect/desk.h"

#include <uthash.h>

/** A line of which something was counted. */
struct cli_line {
    uint64_t pa, va; /**< physical and virtual address */
    bool placed;     /**< a page of the program has it; else va is 0 */
    unsigned like;   /**< lines that the cards cannot tell from it, itself included */
    uint32_t first_word, last_word; /**< of the SRAM, in which it counts */
    uint64_t pc;  /**< of the last pass: at which most was waited for it; 0: at none */
    double noise; /**< of the last pass: the square of the deviation of _waited by chance */
    double measure[IN_PASSES_MAX * IN_MEASURE__COUNT];
    bool suspect;
    double score;  /**< 0: the formula has no value */
    sim_tick when; /**< a model could have named it then; 0: at the run's end */
    UT_hash_handle hh;
};

/** What a detector has found, and cost. */
struct cli_suspects {
    const struct in_detector *detector; /**< a file's, or NULL and ... */
    struct det_choice choice;           /**< ... a model */
    struct cli_line *lines; /**< hash by pa; by cli_suspects_judge sorted: suspects first, greatest
                                 score first */
    unsigned suspects;
    unsigned runs;                           /**< that it took */
    uint64_t events, interrupts, lost_notes; /**< of all runs */
    sim_tick ticks;                          /**< [PCycles] of one run */
    uint64_t hash;                           /**< of its result */
    uint64_t bits;    /**< of a model: of storage that it has beyond the machine's */
    uint64_t pcycles; /**< of a model: that its handlers and instrumented code took, of all cards */
};

/** Sorts the lines: suspects first, greatest score first. */
void cli_suspects_sort(struct cli_suspects *s);

/** Runs all passes of a file's detector, and judges. *s is zeroed but for the detector. @return
 * CLI_EXIT_OK, or how a run ended that did not end well. To be released by cli_suspects_free, in
 * any case */
enum cli_exit cli_suspects_find(struct cli_suspects *s, const struct cli_looked *what);

/** Lets models look, all of them at one run. @param s  [models] each zeroed but for the choice
 *  @return as cli_suspects_find */
enum cli_exit cli_models_look(struct cli_suspects *const *s, size_t models,
                              const struct cli_looked *what);

void cli_suspects_free(struct cli_suspects *s);

#endif

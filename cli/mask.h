/*
 * The mask's address given as a part of the program: a symbol or a range of virtual addresses. The
 * card compares physical addresses, so the pattern follows the pages as they get memory.
 */
#ifndef CLI_MASK_H
#define CLI_MASK_H

#include "documents/run.h"
#include "input/experiment.h"
#include "monitor/unit.h"

/** Zero is a mask without a range. Plain data; the wish is the experiment's. */
struct cli_mask {
    const struct mon_wish *wish;
    uint64_t from, to;          /**< virtual; from == to: there is none */
    struct mon_pattern pattern; /**< physical, of what has memory */
    uint64_t lines;             /**< of the range, that have memory */
};

/** Finds the range that the experiment names in the executable at `path`; none if it names none.
 *  @return false after a complaint */
bool cli_mask_find(struct cli_mask *mask, const struct in_experiment *x, const char *path);

/** A page of the program has got memory: the cards' masks hold what it has of the range, before
 *  anybody can have asked for it. */
void cli_mask_page(struct cli_mask *mask, struct nm_machine *m, const struct nm_params *p,
                   uint64_t va, uint64_t pa);

/** Says in a remark what the mask has become. */
void cli_mask_remark(const struct cli_mask *mask, struct doc_run *run);

#endif

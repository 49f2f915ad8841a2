/*
 * The R10000 and the R12000: cores that execute out of order (procard/core.h). docs/r10000.md says
 * what is modelled and where each number is from.
 */
#ifndef R10000_R10000_H
#define R10000_R10000_H

#include "procard/mips/mips.h"
#include "procard/procard.h"

/** Cards with such a core, for nm_machine_new; which of the two, the parameters say. */
extern const struct nm_card_kind pc_r10000;

/* Its code (struct pc_program_ops): what words mean, a struct r10k_code. */
void *r10k_code_new(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card);
void r10k_code_free(void *its);
bool r10k_code_await(void *its, uint64_t va, uint64_t times_more);
void r10k_code_points(void *its, const struct pc_points *points);

#endif

/*
 * The ARM1136 and the ARM1176: cores that issue in order, with a load/store pipe of its own
 * (procard/core.h). docs/arm11.md says what is modelled and where each number is from.
 */
#ifndef ARM11_ARM11_H
#define ARM11_ARM11_H

#include "procard/arm/arm.h"
#include "procard/procard.h"

/** Cards with such a core, for nm_machine_new; which of the two, the parameters say
 *  (NM_CORE_ARM1136, NM_CORE_ARM1176).
 *
 * Traps: SVC is PC_EXC_SYS, with r[ARM_PC] behind it and its immediate in trap_code; BKPT
 * PC_EXC_BP, its immediate likewise; an undefined instruction PC_EXC_RI, with its word in
 * trap_code; for these and for faults of memory (PC_EXC_ADEL, PC_EXC_ADES, PC_EXC_IBE, PC_EXC_DBE)
 * r[ARM_PC] is the instruction, which has had no effect. */
extern const struct nm_card_kind pc_arm11;

/* Its code (struct pc_program_ops): decoded instructions, a struct arm11_code. Bit 0 of an awaited
 * address is ignored. */
void *arm11_code_new(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card);
void arm11_code_free(void *code);
void arm11_code_flush(void *its, uint64_t va, uint64_t len);
bool arm11_code_await(void *its, uint64_t va, uint64_t more);
void arm11_code_points(void *its, const struct pc_points *points);

#endif

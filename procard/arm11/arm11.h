/*
 * The ARM1136 and the ARM1176: cores that issue in order, with a load/store pipe of its own
 * (procard/core.h), and the calls for the rooms above: an operating system puts registers on a card
 * and takes them off, and gives the processors their code. docs/arm11.md says what is modelled and
 * where each number is from.
 */
#ifndef ARM11_ARM11_H
#define ARM11_ARM11_H

#include "monitor/arm11/signals.h"
#include "procard/arm/arm.h"
#include "procard/procard.h"

struct arm11_code;

/** Cards with such a core, for nm_machine_new; which of the two, the parameters say
 *  (NM_CORE_ARM1136, NM_CORE_ARM1176). The calls below are for machines of them, between two calls
 *  of nm_machine_run. */
extern const struct nm_card_kind pc_arm11;

/** Registers of a card's thread, as of its last completed instruction. May be changed between a
 *  trap and nm_card_resume. */
struct arm_regs *arm11_registers(struct nm_machine *m, unsigned card);

/** Puts a thread's registers on a card, which goes on from tick `at` on (nm_card_resume). */
void arm11_resume(struct nm_machine *m, unsigned card, const struct arm_regs *regs, sim_tick at);

/**
 * Takes the thread off a card that has trapped (nm_card_take).
 *
 * Traps: SVC is PC_EXC_SYS, with r[ARM_PC] behind it and its immediate in trap_code; BKPT
 * PC_EXC_BP, its immediate likewise; an undefined instruction PC_EXC_RI, with its word in
 * trap_code; for these and for faults of memory (PC_EXC_ADEL, PC_EXC_ADES, PC_EXC_IBE, PC_EXC_DBE)
 * r[ARM_PC] is the instruction, which has had no effect.
 * @param m  the machine
 * @param card  which
 * @param[out] regs      its registers
 * @param[out] call_pc   of the last SVC: the instruction
 * @param[out] call_npc  of the last SVC: what follows it
 */
void arm11_take(struct nm_machine *m, unsigned card, struct arm_regs *regs, uint64_t *call_pc,
                uint64_t *call_npc);

/**
 * The code of one address space, shared by its processors.
 * @param fetch  returns the host address of the 4 instruction bytes at `va`, a multiple of 4, or
 *               NULL; the bytes are in the guest's order, little-endian
 * @param ctx   for fetch
 * @param card  parameters of the cards that will execute it
 */
struct arm11_code *arm11_code_new(const uint8_t *(*fetch)(void *ctx, uint64_t va), void *ctx,
                                  const struct nm_params *card);
/** A card's processor executes `code`, which outlives the machine's run. Before
 *  nm_machine_set_space. */
void arm11_give_code(struct nm_machine *m, unsigned card, struct arm11_code *code);
void arm11_code_free(struct arm11_code *code);

/** Forgets decoded instructions in [va, va+len): the guest changed or unmapped them. Must not be
 *  called while a processor runs. */
void arm11_code_flush(struct arm11_code *code, uint64_t va, uint64_t len);

/** As r4400_code_await. @param va  bit 0 is ignored */
bool arm11_code_await(struct arm11_code *code, uint64_t va, uint64_t times);

/** Event numbers that a card's processor does not have, written to its PMNC: "unpredictable". They
 *  count 0. */
struct arm11_unknown {
    uint64_t writes; /**< so far; of the first: */
    uint8_t event;
    uint32_t pc; /**< of the MCR */
};
const struct arm11_unknown *arm11_unknown_event(struct nm_machine *m, unsigned card);

/** What its event counters can hear, up to the card's clock (monitor/arm11/signals.def). */
void arm11_signals(struct nm_machine *m, unsigned card, struct arm11_signals *out);

#endif

/*
 * The R10000 and the R12000: cores that execute out of order (procard/core.h), and the calls for
 * the rooms above: an operating system puts registers on a card and takes them off, and gives the
 * processors their code. docs/r10000.md says what is modelled and where each number is from.
 */
#ifndef R10000_R10000_H
#define R10000_R10000_H

#include "procard/mips/mips.h"
#include "procard/procard.h"

struct r10k_code;

/** Cards with such a core, for nm_machine_new; which of the two, the parameters say. The calls
 * below are for such cards. */
extern const struct nm_card_kind pc_r10000;

/** Registers of a card's thread, as of its last graduated instruction. May be changed between a
 * trap and nm_card_resume. */
struct mips_regs *r10k_registers(struct nm_machine *m, unsigned card);

/** Puts a thread's registers on a card, which goes on from tick `at` on (nm_card_resume). */
void r10k_resume(struct nm_machine *m, unsigned card, const struct mips_regs *regs, sim_tick at);

/**
 * Takes the thread off a card that has trapped (nm_card_take).
 * @param[out] regs      its registers
 * @param[out] call_pc   of the last SYSCALL: the instruction
 * @param[out] call_npc  of the last SYSCALL: what follows it
 */
void r10k_take(struct nm_machine *m, unsigned card, struct mips_regs *regs, uint64_t *call_pc,
               uint64_t *call_npc);

/**
 * The code of one address space, shared by its processors.
 * @param fetch  returns the host address of the 4 instruction bytes at `va` (big-endian) or NULL
 * @param isa    instructions that came after it are reserved
 */
struct r10k_code *r10k_code_new(const uint8_t *(*fetch)(void *ctx, uint64_t va), void *ctx,
                                enum nm_isa isa);
/** A card's processor executes `code`, which outlives the machine's run. */
void r10k_give_code(struct nm_machine *m, unsigned card, struct r10k_code *code);
void r10k_code_free(struct r10k_code *code);

/** As r4400_code_await. */
bool r10k_code_await(struct r10k_code *code, uint64_t va, uint64_t times);

#endif

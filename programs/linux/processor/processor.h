/*
 * The code of a program's space for the processors of a machine. A core that executes programs of
 * one of the instruction sets (isa.h) has the operations for it (struct pc_program_ops); registers
 * are put on a card and taken off it by pc_thread_resume and pc_thread_take (procard/procard.h).
 *
 * Cards of one machine may have different cores. A thread moves between those of one instruction
 * set; each kind of core has code of its own.
 */
#ifndef LX_PROCESSOR_H
#define LX_PROCESSOR_H

#include "procard/arm/arm.h"
#include "procard/mips/mips.h"
#include "procard/procard.h"

/** Registers of a thread: those of its instruction set. */
union lx_regs {
    struct mips_regs mips;
    struct arm_regs arm;
};

/** The processors of a machine, of any kinds, and the code of one space. */
struct lx_processors;

struct lx_processors *lx_processors_new(struct nm_machine *m, pc_fetch_fn *fetch, void *ctx);
void lx_processors_free(struct lx_processors *ps);

/** What lies in [va, va + len) has changed, or is gone. */
void lx_processors_flush(const struct lx_processors *ps, uint64_t va, uint64_t len);

/** As pc_program_ops.code_await, whichever processors execute the instruction. */
bool lx_processors_await(struct lx_processors *ps, uint64_t va, uint64_t times);

/** As pc_program_ops.code_points, of all processors. */
void lx_processors_points(const struct lx_processors *ps, const struct pc_points *points);

/** A card's processor has stopped there. @return whether that was the time awaited */
bool lx_processors_came(struct lx_processors *ps, unsigned card);

#endif

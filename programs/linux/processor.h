/*
 * What the personality does with the processors of a machine: registers on and off a card, and
 * code. Another core that executes programs of one of the instruction sets (isa.h) brings a struct
 * of these. Whatever else a card does is the machine's (machine/machine.h) and every
 * processor card's (procard/procard.h).
 */
#ifndef LX_PROCESSOR_H
#define LX_PROCESSOR_H

#include "procard/arm/arm.h"
#include "procard/mips/mips.h"
#include "procard/procard.h"

struct lx_isa; /* isa.h */

/** Registers of a thread: those of its instruction set. */
union lx_regs {
    struct mips_regs mips;
    struct arm_regs arm;
};

/** The last system call's instruction of a processor, and what follows it. */
struct lx_call_site {
    uint64_t pc, npc;
};

/** All are called while the machine stands. */
struct lx_processor {
    const struct lx_isa *isa; /**< what it executes */

    /** Takes a thread off a card that has trapped, which idles then. */
    void (*take)(struct nm_machine *m, unsigned card, union lx_regs *regs,
                 struct lx_call_site *call);

    /** Puts a thread on a card, which goes on from tick `at` on. */
    void (*resume)(struct nm_machine *m, unsigned card, const union lx_regs *regs, sim_tick at);

    /** Registers of the thread that runs on a card, to be read at once, member by member. */
    const union lx_regs *(*registers)(struct nm_machine *m, unsigned card);

    /** Has all processors execute what lies at addresses of one space. Before
     *  nm_machine_set_space. @param fetch  the host's address of the 4 bytes at `va`, or NULL
     *  @return for the calls below; it outlives the machine's run */
    void *(*code_new)(struct nm_machine *m, const uint8_t *(*fetch)(void *ctx, uint64_t va),
                      void *ctx);

    /** What lies in [va, va + len) has changed, or is gone. */
    void (*code_flush)(void *code, uint64_t va, uint64_t len);

    /** A processor stops (PC_EXC_POINT) before the instruction at `va` is executed the so-manieth
     *  time from now on, or from its last time on; 0: nowhere any more.
     *  @return false; true: it has been, meanwhile */
    bool (*code_await)(void *code, uint64_t va, uint64_t times);

    void (*code_free)(void *code);
};

extern const struct lx_processor lx_r4400;

/** That of a machine's cards (processor.core). */
const struct lx_processor *lx_processor_of(const struct nm_params *p);

#endif

/*
 * What the personality does with the processors of a machine: registers on and off a card, and
 * code. Another core that executes programs of one of the instruction sets (isa.h) brings a struct
 * of these and its place by processor.core (processor.c). Whatever else a card does is the
 * machine's (machine/machine.h) and every processor card's (procard/procard.h).
 *
 * Cards of one machine may have different cores. A thread moves between those of one instruction
 * set; each kind of core has code of its own.
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

/** @return the host's address of the 4 bytes at `va`, or NULL */
typedef const uint8_t *lx_fetch_fn(void *ctx, uint64_t va);

/** A kind of core. All are called while the machine stands. */
struct lx_processor {
    const struct lx_isa *isa; /**< what it executes */

    /** Takes a thread off a card that has trapped, which idles then. */
    void (*take)(struct nm_machine *m, unsigned card, union lx_regs *regs,
                 struct lx_call_site *call);

    /** Puts a thread on a card, which goes on from tick `at` on. */
    void (*resume)(struct nm_machine *m, unsigned card, const union lx_regs *regs, sim_tick at);

    /** Registers of the thread that runs on a card, to be read at once, member by member. */
    const union lx_regs *(*registers)(struct nm_machine *m, unsigned card);

    /** What lies at addresses of one space, as such a card's instructions. @return for the calls
     *  below; it outlives the machine's run */
    void *(*code_new)(lx_fetch_fn *fetch, void *ctx, const struct nm_params *card);

    /** A card's processor executes it. Before nm_machine_set_space. */
    void (*code_give)(struct nm_machine *m, unsigned card, void *code);

    /** What lies in [va, va + len) has changed, or is gone. */
    void (*code_flush)(void *code, uint64_t va, uint64_t len);

    /** A processor stops (PC_EXC_POINT) before the instruction at `va` is executed the so-manieth
     *  time from now on, or from its last time on; 0: nowhere any more.
     *  @return false; true: it has been, meanwhile */
    bool (*code_await)(void *code, uint64_t va, uint64_t times);

    void (*code_free)(void *code);
};

/** The kind of core of a card with these parameters. */
const struct lx_processor *lx_processor_of(const struct nm_params *card);

/** The processors of a machine, whatever their kinds, and the code of one space. */
struct lx_processors;

struct lx_processors *lx_processors_new(struct nm_machine *m, lx_fetch_fn *fetch, void *ctx);
void lx_processors_free(struct lx_processors *ps);

/** As in struct lx_processor, of any card. */
void lx_processor_take(const struct lx_processors *ps, unsigned card, union lx_regs *regs,
                       struct lx_call_site *call);
void lx_processor_resume(const struct lx_processors *ps, unsigned card, const union lx_regs *regs,
                         sim_tick at);
const union lx_regs *lx_processor_registers(const struct lx_processors *ps, unsigned card);
void lx_processors_flush(const struct lx_processors *ps, uint64_t va, uint64_t len);

/** As code_await, whichever processors execute the instruction. */
bool lx_processors_await(struct lx_processors *ps, uint64_t va, uint64_t times);

/** A card's processor has stopped there. @return whether that was the time awaited */
bool lx_processors_came(struct lx_processors *ps, unsigned card);

#endif

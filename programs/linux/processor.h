/*
 * What the personality does with the processors of a machine: registers on and off a card, and
 * code. Another core that executes MIPS programs brings a struct of these and its place by
 * processor.core (processor.c). Whatever else a card does is the machine's (machine/machine.h) and
 * every processor card's (procard/procard.h).
 *
 * Cards of one machine may have different cores. A thread moves between them, for its registers are
 * MIPS's; each kind of core has code of its own.
 */
#ifndef LX_PROCESSOR_H
#define LX_PROCESSOR_H

#include "procard/mips/mips.h"
#include "procard/procard.h"

/** The last SYSCALL instruction of a processor, and what follows it. */
struct lx_call_site {
    uint64_t pc, npc;
};

/** @return the host's address of the 4 bytes at `va`, or NULL */
typedef const uint8_t *lx_fetch_fn(void *ctx, uint64_t va);

/** A kind of core. All are called while the machine stands. */
struct lx_processor {
    /** Takes a thread off a card that has trapped, which idles then. */
    void (*take)(struct nm_machine *m, unsigned card, struct mips_regs *regs,
                 struct lx_call_site *call);

    /** Puts a thread on a card, which goes on from tick `at` on. */
    void (*resume)(struct nm_machine *m, unsigned card, const struct mips_regs *regs, sim_tick at);

    /** Registers of the thread that runs on a card, to be read at once. */
    const struct mips_regs *(*registers)(struct nm_machine *m, unsigned card);

    /** What lies at addresses of one space, as instructions of `isa`. @return for the calls below;
     *  it outlives the machine's run */
    void *(*code_new)(lx_fetch_fn *fetch, void *ctx, enum nm_isa isa);

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

/** The processors of a machine, whatever their kinds, and the code of one space. */
struct lx_processors;

struct lx_processors *lx_processors_new(struct nm_machine *m, lx_fetch_fn *fetch, void *ctx);
void lx_processors_free(struct lx_processors *ps);

/** As in struct lx_processor, of any card. */
void lx_processor_take(const struct lx_processors *ps, unsigned card, struct mips_regs *regs,
                       struct lx_call_site *call);
void lx_processor_resume(const struct lx_processors *ps, unsigned card,
                         const struct mips_regs *regs, sim_tick at);
const struct mips_regs *lx_processor_registers(const struct lx_processors *ps, unsigned card);
void lx_processors_flush(const struct lx_processors *ps, uint64_t va, uint64_t len);

/** As code_await, whichever processors execute the instruction. */
bool lx_processors_await(struct lx_processors *ps, uint64_t va, uint64_t times);

/** A card's processor has stopped there. @return whether that was the time awaited */
bool lx_processors_came(struct lx_processors *ps, unsigned card);

#endif

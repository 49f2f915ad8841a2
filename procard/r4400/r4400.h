/*
 * The R4400: the first core (procard/core.h). Architectural state, what the pipeline holds between
 * two runs, and the calls for the rooms above: an operating system puts registers on a card and
 * takes them off, and gives the processors their code.
 */
#ifndef R4400_R4400_H
#define R4400_R4400_H

#include "procard/mips/mips.h"
#include "procard/procard.h"

struct r4400_code; /* decode.c: decoded instructions of one program */
struct r4400_block;
struct r4400_context;

/** PCycles by state (enum pc_status), added eight at a time. */
typedef uint16_t r4400_counts __attribute__((vector_size(16)));
union r4400_spent {
    uint16_t state[16];
    r4400_counts half[2];
    uint64_t quarter[4];
};

/**
 * What the pipeline holds between two runs: private to the interpreter.
 * A run begins with the first members and, at its horizon, leaves only them behind (stopped.c).
 */
struct r4400_pipe {
    const struct mips_op *op;   /**< goes on at this operation; NULL: at what is at r.pc */
    struct r4400_block *block;  /**< it is in, or about to begin */
    uint64_t target;            /**< of the block's register jump, or of that whose slot it is */
    bool taken;                 /**< the last branch of the block */
    sim_tick full;              /**< `spent` may overflow after this tick */
    union r4400_spent spent;    /**< whole blocks, not yet in base.states; modulo 65536 */
    uint64_t outside;           /**< bits of an address that name a line of the data cache */
    uint64_t places;            /**< offsets of lines in base.d, */
    uint64_t turn;              /**< found there when an address is rotated right by this */
    const struct mips_op *line; /**< it is behind this one, when op is r4400_behind_line */
    /* valid while op is NULL: */
    uint64_t pc; /**< where the last run stopped */
    const struct r4400_context
        *context;              /**< latencies outstanding there; lost if another pc goes on */
    bool slot;                 /**< pc is the delay slot of a taken branch */
    struct r4400_code *code;   /**< the rest belongs to this code */
    struct r4400 *prev, *next; /**< in its list */
};

/** The R4400 of a card. */
struct r4400 {
    struct pc_cpu base; /**< its `now`: start of the block being executed; an operation's own time
                             is now + op->cycle */
    struct mips_regs r;
    struct r4400_pipe pipe;

    uint64_t fetched_pc; /**< this instruction is already in the pipeline: no fetch check; odd:
                            none */

    /* of PC_EXC_SYS: the SYSCALL instruction and the address after it, which in a delay slot is the
     * branch's target: what restarts the call */
    uint64_t call_pc, call_npc;

    struct r4400_code *code;
    struct r4400_block *hot[256]; /**< private as `pipe`: targets of register jumps, by address */
};

/** The R4400 behind what it shares with its card. Precondition: it is one. */
static inline struct r4400 *r4400_of(struct pc_cpu *base)
{
    return (struct r4400 *)base;
}

static inline const struct r4400 *r4400_const_of(const struct pc_cpu *base)
{
    return (const struct r4400 *)base;
}

/* ---- the core's operations (struct pc_core_ops), with what they are here --------------------- */

/** On a miss or a trap r.pc is the instruction, else see r4400_settle. On a trap: for SYS pc is
 *  past the instruction; for others pc is the faulting one (npc tells whether it sits in a delay
 *  slot) and nothing of it took effect. */
sim_tick r4400_run(struct pc_cpu *base, sim_tick horizon);

/** r.pc and r.npc, too, are brought up to now. */
void r4400_settle(struct pc_cpu *base);
void r4400_totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT], struct pc_tail *tail);

/** As r4400_leave (code.h), and the instruction at r.pc is looked up again. */
void r4400_refetch(struct pc_cpu *base);

/** It no longer runs any code. */
void r4400_detach(struct pc_cpu *base);

/* ---- for the rooms above, between two calls of nm_machine_run -------------------------------- */

/** Cards whose core is an R4400, for nm_machine_new. The calls below are for such cards. */
extern const struct nm_card_kind pc_r4400;

/** A card's processor, settled. Its registers may be read and changed while it is trapped or idle,
 *  between a trap and nm_card_resume. */
struct r4400 *r4400_at(struct nm_machine *m, unsigned card);

/** Puts a thread's registers on a card, which goes on from tick `at` on (nm_card_resume). */
void r4400_resume(struct nm_machine *m, unsigned card, const struct mips_regs *regs, sim_tick at);

/** Takes the thread off a card that has trapped (nm_card_take). @param[out] regs  its registers */
void r4400_take(struct nm_machine *m, unsigned card, struct mips_regs *regs);

/** A card's processor executes `code`, which outlives the machine's run. Call it before
 *  nm_machine_set_space. */
void r4400_give_code(struct nm_machine *m, unsigned card, struct r4400_code *code);
/** All processors do. */
void r4400_set_code(struct nm_machine *m, struct r4400_code *code);

/**
 * Decoded code of one address space, shared by all its processors.
 * @param fetch  returns the host address of the 4 instruction bytes at `va` (big-endian) or NULL
 * @param isa  instructions that came after it are reserved
 */
struct r4400_code *r4400_code_new(const uint8_t *(*fetch)(void *ctx, uint64_t va), void *ctx,
                                  enum nm_isa isa);
void r4400_code_free(struct r4400_code *code);

/** Forgets decoded instructions in [va, va+len): the guest changed or unmapped them. Must not be
 *  called while a processor runs. */
void r4400_code_flush(struct r4400_code *code, uint64_t va, uint64_t len);

/**
 * The processor that is about to execute the instruction at `va` for the so-manieth time stops
 * there with PC_EXC_POINT. Counted is what all of them do from now on, in the order in which they
 * are simulated; where `va` is awaited already, from the last such time on. An instruction that
 * must begin again before it completes is one time. Nothing is charged, and memory holds what it
 * held; as with any trap, an LL before it has lost its link. Must not be called while a processor
 * runs.
 * @param va  a multiple of 4; 0: none any more
 * @param times  from 1
 * @return false; true: others have done it so often meanwhile, and nobody stops
 */
bool r4400_code_await(struct r4400_code *code, uint64_t va, uint64_t times);

#endif

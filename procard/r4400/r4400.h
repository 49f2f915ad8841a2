/*
 * The R4400: the first core (procard/core.h). Architectural state, what the pipeline holds between
 * two runs, and its code.
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

/** The R4400 behind the part that it shares with its card. Precondition: it is one. */
static inline struct r4400 *r4400_of(struct pc_cpu *base)
{
    return (struct r4400 *)base;
}

static inline const struct r4400 *r4400_const_of(const struct pc_cpu *base)
{
    return (const struct r4400 *)base;
}

/* ---- the core's operations (struct pc_core_ops), as they are here ---------------------------- */

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

/* ---- for the rooms above --------------------------------------------------------------------- */

/** Cards whose core is an R4400, for nm_machine_new. */
extern const struct nm_card_kind pc_r4400;

/* Its code (struct pc_program_ops): decoded instructions, a struct r4400_code. */
void *r4400_code_new(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card);
void r4400_code_free(void *its);
void r4400_code_flush(void *its, uint64_t va, uint64_t len);
bool r4400_code_await(void *its, uint64_t va, uint64_t times);
void r4400_code_points(void *its, const struct pc_points *points);

#endif

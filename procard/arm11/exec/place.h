/*
 * Private to the interpreter: where it stands in decoded code, and where it goes on.
 */
#ifndef ARM11_EXEC_PLACE_H
#define ARM11_EXEC_PLACE_H

#include "procard/arm11/pipeline.h"

/** The place for the block at `pc` among those that are found without a look-up. */
static inline struct arm11_block **arm11_hot(struct arm11 *c, uint32_t pc)
{
    return &c->hot[(pc >> 1 ^ pc >> 9) & 255];
}

/** As arm11_block_get; the block is remembered there. */
struct arm11_block *arm11_block_look_up(struct arm11 *c, uint32_t pc);

/** The block at `pc`; NULL: there is no instruction. */
static inline struct arm11_block *arm11_block_at(struct arm11 *c, uint32_t pc)
{
    struct arm11_block *b = *arm11_hot(c, pc);
    return b && b->key.pc == pc && b->key.thumb == c->r.t ? b : arm11_block_look_up(c, pc);
}

/** If all blocks have been forgotten, so are the place and what has been remembered; but not the
 *  place if they come again as they were. */
void arm11_forgets(struct arm11 *c);

/** It begins again with `op` of `b`; what has been passed in front of the instruction stays so. */
void arm11_stand(struct arm11 *c, struct arm11_block *b, struct arm11_op *op);

/** Where an instruction goes that has written r15; bit 0 is the state. */
static inline uint32_t arm11_lands_at(const struct arm11 *c, const struct arm11_op *by)
{
    const uint32_t to = c->r.r[ARM_PC];
    return by->a.flags & ARM_INTERWORKS || by->a.flags & ARM_ENDS ? to
           : c->r.t                                               ? to | 1
                                                                  : to & ~UINT32_C(1);
}

/** It goes there: r15 and the state are those of the next instruction. @return its address */
static inline uint32_t arm11_lands(struct arm11 *c, const struct arm11_op *by)
{
    const uint32_t to = arm11_lands_at(c, by);
    c->r.t = to & 1;
    c->r.r[ARM_PC] = to & (c->r.t ? ~UINT32_C(1) : ~UINT32_C(3));
    arm11_signal(c, ARM11_SIGNAL_PC_CHANGE, 1);
    return c->r.r[ARM_PC];
}

/** What is under way is done now, in no time: the thread leaves, or the mode changes. It stands at
 *  an instruction then. */
void arm11_settle(struct arm11 *c);
/** Of that, a jump that waits: it goes where r15 says. */
void arm11_settle_jump(struct arm11 *c);

/** No instruction can be had from `pc`: base.exc says why. */
void arm11_no_instruction(struct arm11 *c, uint32_t pc);

/** The end of a run that traps. @param c  the core @param costs  the exception takes its time
 *  @return as pc_core_ops.run */
sim_tick arm11_traps(struct arm11 *c, bool costs);

#endif

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

/** If all blocks have been forgotten, so are the place and what has been remembered. */
void arm11_forgets(struct arm11 *c);

/** It begins again with `op` of `b`; what has been passed in front of the instruction stays so. */
void arm11_stand(struct arm11 *c, struct arm11_block *b, struct arm11_op *op);

/** No instruction can be had from `pc`: base.exc says why. */
void arm11_no_instruction(struct arm11 *c, uint32_t pc);

/** The end of a run that traps. @param c  the core @param costs  the exception takes its time
 *  @return as pc_core_ops.run */
sim_tick arm11_traps(struct arm11 *c, bool costs);

#endif

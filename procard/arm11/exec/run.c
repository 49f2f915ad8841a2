/*
 * The interpreter: decoded blocks, with the pipeline's time. untimed.c is the same source without
 * time; of both there is one more that is observed (profile.c): it puts its books down behind each
 * instruction.
 *
 * The hard idea: an instruction issues at the first tick at which all it reads is ready, which is
 * the greatest of a few numbers; so the pipeline costs the host no more than a handful of
 * instructions, and blocks need not know in what state they are entered. Everything that is no hit
 * in a line which the caches show (struct pc_line) is a call.
 *
 * A jump leads from each operation to the next, so all of them are in one function; what they do
 * is in the files that it includes.
 */
#include "machine/values.h"
#include "procard/arm11/exec/variant.h"
#if TIMED
#include "procard/arm11/exec/timed.h"
#else
#include "procard/arm11/exec/untimed.h"
#endif
#include "procard/arm11/exec/place.h"
#include "procard/arm11/exec/steps.h"
#include "procard/arm11/exec/transfers.h"
#include "procard/arm11/exec/words.h"

sim_tick RUN(struct pc_cpu *base, sim_tick horizon)
{
    struct arm11 *const c = arm11_of(base);
    static const void *const label[ARM11_OP__COUNT] = {
#include "procard/arm11/exec/labels.def"
    };
    sim_tick now = base->now, wants = now;
    struct arm11_tally did = {.began = now};
    struct arm11_block *b;
    struct arm11_op *op;
    uint32_t to;
    unsigned which, lines;
#if !TIMED
    struct pc_line *view;
    uint32_t view_mask;
    const uint32_t untimed_line = ~((UINT32_C(1) << base->dshift) - 1);
#endif

    if (now >= horizon)
        return now;
    base->horizon = c->ends = horizon;
    c->asked = false;
    if (TIMED) {
        arm11_ask_again(c);
        horizon = base->horizon;
    }
    SHOW();
    arm11_forgets(c);
    if (c->jump.waits) {
        c->jump.waits = false;
        goto jumps;
    }
    if (c->op) {
        b = c->block;
        op = c->op;
        if (op > b->op)
            c->r.passed = 0;
        DISPATCH();
    }
    to = REG(ARM_PC);

#include "procard/arm11/exec/blocks.def"
#include "procard/arm11/exec/data.def"
#include "procard/arm11/exec/ends.def"
#include "procard/arm11/exec/jumps.def"
#include "procard/arm11/exec/memory.def"
#include "procard/arm11/exec/system.def"
}

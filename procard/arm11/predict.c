/*
 * Prediction: the branch target cache with its two-bit counters, the direction of branches that it
 * does not know, and the return stack ([M] 5-2 to 5-7).
 */
#include "procard/arm11/profile.h"

#include "machine/values.h"

enum cost {
#define BRANCH_TIME(name, cycles, source, sentence) COST_##name = (cycles),
#include "procard/arm11/branches.def"
#undef BRANCH_TIME
};

/* Of the PCycles that the instruction takes, these are the last. */
static void predict_kills(struct arm11 *c, unsigned cycles)
{
    c->kills = cycles;
    arm11_books(c, PC_ST_KILL_BRANCH, cycles);
}

/* [PCycles] A flush: of the instructions behind it nothing is left. */
static unsigned predict_flush(struct arm11 *c, const struct arm11_op *op, unsigned cycles,
                              bool of_branch)
{
    predict_kills(c, cycles - op->cycles);
    arm11_signal(c, ARM11_SIGNAL_NO_INSN, 1); /* [S] one, whatever is lost */
    if (of_branch)
        arm11_signal(c, ARM11_SIGNAL_MISPREDICTED, 1);
    return cycles;
}

/* What lies behind an instruction has been fetched, though it goes elsewhere ([S] the branch
 * shadow). A prediction that comes a cycle late cancels what has been asked for, but not the
 * look-up. */
static void predict_shadow(struct arm11 *c, const struct arm11_op *op, uint32_t pc, bool fills)
{
    const uint32_t last = pc + op->a.size * (uint32_t)c->p->arm11_shadow;
    if ((pc ^ last) & ~(uint32_t)(ARM11_LINE - 1))
        arm11_fetch_ahead(c, last, fills);
}

/* By direction: backwards is taken, calls if they have no condition ([M] 5-5, 5-7). */
static bool by_direction(const struct arm11 *c, const struct arm11_op *op, uint32_t pc)
{
    if (!c->p->arm11_static)
        return false;
    if (op->a.cond == ARM_ALWAYS)
        return true;
    return op->real == ARM_OP_B && op->a.imm <= pc;
}

static void predict_train(struct arm11_target *known, bool taken)
{
    if (taken)
        known->counter += known->counter < 3;
    else
        known->counter -= known->counter > 0;
}

unsigned arm11_branch(struct arm11 *c, const struct arm11_op *op, uint32_t pc, bool taken)
{
    const struct nm_params *p = c->p;
    struct arm11_target *place = &c->btac[pc >> 1 & (p->arm11_btac - 1)];
    const bool known = place->tag == pc + 1;
    if (!p->arm11_prediction) {
        if (!taken)
            return COST_UNTAKEN;
        predict_shadow(c, op, pc, true);
        return predict_flush(c, op, op->wrong, true);
    }
    const bool predicted = known ? place->counter >> 1 : by_direction(c, op, pc);
    if (known)
        predict_train(place, taken);
    else if (p->arm11_dynamic) /* seen on a board: it begins weakly */
        *place = (struct arm11_target){.tag = pc + 1, .counter = taken ? 2 : 1};
    if (predicted != taken) {
        if (taken)
            predict_shadow(c, op, pc, true);
        else
            arm11_fetch_ahead(c, op->a.imm, true);
        return predict_flush(c, op, op->wrong, true);
    }
    if (known)
        return op->folds && p->arm11_folding ? COST_FOLDED : COST_KNOWN;
    if (!taken)
        return COST_UNTAKEN;
    predict_kills(c, COST_STATIC_TAKEN - 1);
    return COST_STATIC_TAKEN;
}

/* ---- returns --------------------------------------------------------------------------------- */

static bool returns_on(const struct arm11 *c)
{
    return c->p->arm11_prediction && c->p->arm11_returns;
}

void arm11_calls(struct arm11 *c, uint32_t back)
{
    if (!returns_on(c))
        return;
    c->stack[c->top] = back;
    c->top = (c->top + 1) % ARM11_CALLS;
    c->calls += c->calls < ARM11_CALLS;
    arm11_signal(c, ARM11_SIGNAL_CALLS, 1);
}

static bool is_load(const struct arm11_op *op)
{
    return op->real == ARM_OP_LDM || op->a.row == ARM_ROW_LDR_I || op->a.row == ARM_ROW_LDR_R;
}

/* Nothing is predicted. */
static unsigned predict_unpredicted(const struct arm11_op *op)
{
    const bool always = op->a.cond == ARM_ALWAYS;
    if (op->real == ARM_OP_LDM)
        return op->pops ? COST_LOAD_WRONG : COST_LOAD_OTHER;
    if (is_load(op))
        return op->cycles > 1 ? COST_LOAD_HARD : COST_LOAD_OTHER;
    if (op->pops)
        return always ? COST_RETURN_EMPTY : op->wrong;
    if (op->a.row >= ARM_ROW_MUL)
        return always ? COST_REGISTER : op->wrong;
    return op->cycles > 1                                                   ? COST_ALU_REGISTER
           : op->a.aux && !(op->a.row < ARM_ROW_MUL && op->a.m == ARM_SINK) ? COST_ALU_SHIFT
                                                                            : COST_ALU;
}

static bool is_branch(const struct arm11_op *op)
{
    return op->a.row == ARM_ROW_BX || op->a.row == ARM_ROW_BLX || op->a.row == ARM_ROW_BXJ;
}

/* A return for which the stack has an address. */
static unsigned predict_pop(struct arm11 *c, const struct arm11_op *op, uint32_t pc,
                            uint32_t target)
{
    const unsigned last = (c->top + ARM11_CALLS - 1) % ARM11_CALLS;
    const bool right = c->stack[last] == target, always = op->a.cond == ARM_ALWAYS;
    c->top = last;
    c->calls--;
    arm11_signal(c, ARM11_SIGNAL_RETURNS, 1);
    predict_shadow(c, op, pc, !always);
    if (!always) /* it pops, and nobody looks ([M] 5-7) */
        return predict_flush(c, op, predict_unpredicted(op), true);
    arm11_signal(c, ARM11_SIGNAL_PREDICTED, 1);
    if (right) {
        predict_kills(c, COST_RETURN_RIGHT - op->cycles);
        return is_load(op) ? COST_LOAD_RIGHT : COST_RETURN_RIGHT;
    }
    c->top = (last + 1) % ARM11_CALLS; /* [S] it is restored */
    c->calls++;
    arm11_signal(c, ARM11_SIGNAL_RETURNED_WRONG, 1);
    arm11_fetch_ahead(c, c->stack[last] & ~UINT32_C(1), true);
    return predict_flush(c, op, is_load(op) ? COST_LOAD_WRONG : COST_RETURN_WRONG, true);
}

unsigned arm11_jump_predict(struct arm11 *c, const struct arm11_op *op, uint32_t pc,
                            uint32_t target)
{
    if (op->pops && returns_on(c) && c->calls)
        return predict_pop(c, op, pc, target);
    predict_shadow(c, op, pc, true);
    return predict_flush(c, op, predict_unpredicted(op), is_branch(op) || op->pops);
}

/*
 * Where the interpreter stands. Blocks are found by their address in a small table, then in the
 * table of all; when decoded code is forgotten (arm11_code_flush), both are.
 */
#include "procard/arm11/exec/place.h"
#include "procard/arm11/exec/books.h"

#include <string.h>

static void forget_hot(struct arm11 *c)
{
    memset(c->hot, 0, sizeof c->hot);
    c->generation = c->code->generation;
}

struct arm11_block *arm11_block_look_up(struct arm11 *c, uint32_t pc)
{
    struct arm11_block *b = arm11_block_get(c->code, pc, c->r.t);
    if (c->generation != c->code->generation)
        forget_hot(c);
    return *arm11_hot(c, pc) = b;
}

/* The operation at which it stands, in its block that has been decoded again: in the middle of one,
 * as it was, because there a branch may be folded. What is told in front of it is, unless it was.
 */
static struct arm11_op *place_again(struct arm11 *c)
{
    const unsigned at = (c->r.r[ARM_PC] - c->begins) / 2;
    struct arm11_block *b = c->block = arm11_block_at(c, c->begins);
    struct arm11_op *op = b ? b->op : NULL;
    while (op && op->at < at)
        op++;
    return op && op->a.code == ARM11_OP_POINT && c->r.passed == c->r.r[ARM_PC] + 1 ? op + 1 : op;
}

void arm11_forgets(struct arm11 *c)
{
    const bool alike = c->generation >= c->code->alike;
    if (c->generation == c->code->generation)
        return;
    forget_hot(c);
    c->op = c->op && alike ? place_again(c) : NULL;
}

void arm11_stand(struct arm11 *c, struct arm11_block *b, struct arm11_op *op)
{
    const struct arm11_op *before = op;
    c->block = b;
    c->begins = b->key.pc;
    while (before > b->op &&
           (before[-1].a.code == ARM11_OP_PC || before[-1].a.code == ARM11_OP_LINE))
        before--;
    c->op = op > b->op && op[-1].a.code == ARM11_OP_PC ? op - 1 : op;
    c->r.r[ARM_PC] = b->key.pc + 2u * op->at;
    c->r.passed = before > b->op && before[-1].a.code == ARM11_OP_POINT ? c->r.r[ARM_PC] + 1 : 0;
}

void arm11_no_instruction(struct arm11 *c, uint32_t pc)
{
    struct pc_look look = {.page = NM_XLATE_OK};
    pc_find(&c->base, pc, NM_FETCH, &look);
    c->r.r[ARM_PC] = pc;
    arm11_fault(c, pc, NM_FETCH, (enum nm_xlate)look.page);
}

void arm11_settle_jump(struct arm11 *c)
{
    struct arm11_jump *jump = &c->jump;
    if (!jump->waits)
        return;
    jump->waits = false;
    c->ready[ARM_PC] = 0;
    arm11_jumped(c, &jump->by, jump->pc, arm11_lands(c, &jump->by));
}

void arm11_settle(struct arm11 *c)
{
    arm11_settle_memory(c);
    arm11_settle_jump(c);
}

sim_tick arm11_traps(struct arm11 *c, bool costs)
{
    struct pc_cpu *cpu = &c->base;
    if (cpu->exc != PC_EXC_POINT) {
        c->r.passed = 0;
        if (costs)
            arm11_spends(c, PC_ST_KILL_EXC, PC_KILLED_BY_EXCEPTION);
    }
    arm11_tail(c);
    if (cpu->exc == PC_EXC_SYS)
        c->r.r[ARM_PC] = c->call_npc;
    c->op = NULL;
    return pc_stopped(cpu, PC_STOP_TRAP);
}

/*
 * The R4400 between two runs of the interpreter: what it has spent, and where it stands.
 *
 * A machine of many processors stops each of them every few instructions. The hard idea: a run that
 * has come to its horizon only notes the operation it stopped at. Registers pc and npc, the PCycles
 * spent since the block's start, the latencies outstanding and what the last PCycles were are
 * constants of that place (struct r4400_point), and are worked out when somebody asks.
 */
#include "procard/cursor.h"
#include "procard/r4400/code.h"

#include <string.h>
#include <utlist.h>

enum { FULL = 50000 }; /* [PCycles] counts fit 16 bits up to here and a block */

/** The operation inside its block that the processor stands at; NULL: it stands before the block,
 *  or nowhere. */
static const struct mips_op *stopped_standing(const struct r4400_pipe *pipe)
{
    if (!pipe->op || pipe->op->code == R4400_OP_ENTER || pipe->op->code == R4400_OP_LOOK)
        return NULL;
    return pipe->op->code == R4400_OP_BEHIND ? pipe->line : pipe->op;
}

static const struct r4400_point *point_of(const struct r4400_pipe *pipe)
{
    const struct mips_op *op = stopped_standing(pipe);

    return op ? &pipe->block->points[op - pipe->block->ops] : NULL;
}

/** Whether it stands in the delay slot of a transfer that is made. */
static bool in_slot(const struct r4400_pipe *pipe)
{
    const struct r4400_point *point = point_of(pipe);

    if (!point)
        return pipe->block->key.flags & R4400_BLOCK_SLOT;
    return point->slot != R4400_SLOT_NONE && (point->slot != R4400_SLOT_BRANCH || pipe->taken);
}

/** Where the transfer goes in whose slot it stands. */
static uint64_t stopped_target(const struct r4400_pipe *pipe)
{
    const struct r4400_point *point = point_of(pipe);

    return point && point->slot != R4400_SLOT_REG ? point->target : pipe->target;
}

void r4400_show(struct r4400 *cpu)
{
    const struct r4400_pipe *pipe = &cpu->pipe;
    const struct mips_op *op = stopped_standing(pipe);

    if (!pipe->op)
        return;
    cpu->r.pc = pipe->block->key.pc + (op ? 4 * (uint64_t)op->at : 0);
    cpu->r.npc = in_slot(pipe) ? stopped_target(pipe) : cpu->r.pc + 4;
}

/** Whether the instruction before it is a conditional branch that is taken. */
static bool behind_taken(const struct r4400_pipe *pipe)
{
    const struct r4400_point *point = point_of(pipe);

    return point && point->slot == R4400_SLOT_BRANCH && pipe->taken;
}

/** PCycles of the block it stands in, up to there. */
static union r4400_spent stopped_begun(const struct r4400_pipe *pipe)
{
    const struct r4400_point *point = point_of(pipe);
    union r4400_spent part = {{0}};

    if (!point)
        return part;
    part = point->spent;
    if (behind_taken(pipe)) {
        part.state[PC_ST_BR_UNTAKEN] -= 1;
        part.state[PC_ST_BR_TAKEN] += 1;
    }
    return part;
}

static struct pc_tail tail_of(const struct r4400 *cpu)
{
    const struct r4400_point *point = point_of(&cpu->pipe);
    struct pc_tail tail = point ? point->tail : cpu->base.tail;

    if (behind_taken(&cpu->pipe))
        tail.done = PC_ST_BR_TAKEN;
    return tail;
}

void r4400_totals(const struct pc_cpu *base, uint64_t states[PC_ST__COUNT], struct pc_tail *tail)
{
    const struct r4400 *cpu = r4400_const_of(base);
    const union r4400_spent part = stopped_begun(&cpu->pipe);

    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        states[i] = base->states[i] + (uint16_t)(cpu->pipe.spent.state[i] + part.state[i]);
    *tail = tail_of(cpu);
}

/** Whether the books are up to date: it stands at no operation and has left no block since. The
 *  operating system asks several times at every trap. */
static bool stopped_settled(const struct r4400_pipe *pipe)
{
    const uint64_t *spent = pipe->spent.quarter;

    return !pipe->op && !(spent[0] | spent[1] | spent[2] | spent[3]);
}

static void stopped_settle(struct r4400 *cpu)
{
    struct pc_cpu *base = &cpu->base;
    struct r4400_pipe *pipe = &cpu->pipe;
    const union r4400_spent part = stopped_begun(pipe);

    for (unsigned i = 0; i < PC_ST__COUNT; i++) {
        const uint16_t n = (uint16_t)(pipe->spent.state[i] + part.state[i]);

        base->states[i] += n;
        base->instructions += pc_status_completes((enum pc_status)i) ? n : 0;
        pipe->spent.state[i] = (uint16_t)-part.state[i]; /* leaving the block adds all of it */
    }
    r4400_show(cpu);
}

void r4400_settle(struct pc_cpu *base)
{
    struct r4400 *cpu = r4400_of(base);

    if (!stopped_settled(&cpu->pipe))
        stopped_settle(cpu);
    cpu->pipe.full = base->now + FULL;
}

/** Whether it stands behind the POINT of the instruction it stands at: it may go on elsewhere, and
 *  must not count that once more. Before a block, it does if it was to go on there. */
static bool has_passed(const struct r4400 *cpu)
{
    const struct mips_op *op = stopped_standing(&cpu->pipe);

    if (!op)
        return cpu->r.passed == cpu->r.pc;
    return op > cpu->pipe.block->ops && op[-1].code == R4400_OP_POINT;
}

/** Notes of the place it stands at what goes on elsewhere may need. */
static void stopped_note(struct r4400 *cpu)
{
    struct r4400_pipe *pipe = &cpu->pipe;
    const struct r4400_point *point = point_of(pipe);
    const unsigned code = pipe->op->code;

    cpu->base.tail = tail_of(cpu);
    cpu->r.passed = has_passed(cpu) ? cpu->r.pc : 0;
    pipe->pc = cpu->r.pc;
    pipe->slot = in_slot(pipe);
    pipe->context = point ? point->context : pipe->block->context;
    cpu->fetched_pc =
        code == R4400_OP_LOOK || code == R4400_OP_LINE ? R4400_NOT_FETCHED : cpu->r.pc;
}

void r4400_leave(struct pc_cpu *base)
{
    struct r4400 *cpu = r4400_of(base);

    r4400_settle(base);
    if (cpu->pipe.op) {
        stopped_note(cpu);
        if (base->cursor)
            r4400_profile_leaves(cpu, 1);
    }
    cpu->pipe.op = NULL;
    memset(&cpu->pipe.spent, 0, sizeof cpu->pipe.spent);
}

void r4400_refetch(struct pc_cpu *base)
{
    r4400_leave(base);
    r4400_of(base)->fetched_pc = R4400_NOWHERE;
}

/* ---- which code it runs -----------------------------------------------------------------------
 */

void r4400_detach(struct pc_cpu *base)
{
    struct r4400 *cpu = r4400_of(base);
    struct r4400_pipe *pipe = &cpu->pipe;

    if (!pipe->code)
        return;
    r4400_leave(base);
    DL_DELETE2(pipe->code->cpus, cpu, pipe.prev, pipe.next);
    if (base->cursor && !pipe->code->cpus) /* nobody will ask for the code's blocks again */
        r4400_profile_harvest(pipe->code);
    pipe->code = NULL;
    pipe->context = NULL;
}

void r4400_attach(struct r4400 *cpu)
{
    struct r4400_pipe *pipe = &cpu->pipe;
    struct r4400_code *code = cpu->code;

    r4400_detach(&cpu->base);
    if (code->line_shift != cpu->base.ishift || code->line_mask != cpu->base.imask) {
        r4400_code_drop(code);
        code->untimed = cpu->base.untimed;
        code->line_shift = cpu->base.ishift;
        code->line_mask = cpu->base.imask;
    }
    DL_APPEND2(code->cpus, cpu, pipe.prev, pipe.next);
    memset(cpu->hot, 0, sizeof cpu->hot);
    pipe->outside = ~UINT64_C(0) << cpu->base.dshift;
    pipe->places = (uint64_t)cpu->base.dmask << PC_LINE_SHIFT;
    pipe->turn = (cpu->base.dshift - PC_LINE_SHIFT) % 64;
    pipe->code = code;
    if (cpu->base.cursor)
        code->profile = cpu->base.cursor->profile;
}

/*
 * The R4400 between two runs of the interpreter: what it has spent, and where it stands.
 *
 * A machine of many processors stops each of them every few instructions. The hard idea: a run that
 * has come to its horizon only notes the operation it stopped at. Registers pc and npc, the PCycles
 * spent since the block's start, the latencies outstanding and what the last PCycles were are
 * constants of that place (struct pc_point), and are worked out when somebody asks.
 */
#include "procard/code.h"

#include <string.h>
#include <utlist.h>

enum { FULL = 50000 }; /* [PCycles] counts fit 16 bits up to here and a block */

/** The operation inside its block that the processor stands at; NULL: it stands before the block,
 *  or nowhere. */
static const struct pc_op *standing(const struct pc_pipe *pipe)
{
    if (!pipe->op || pipe->op->code == PC_OP_ENTER || pipe->op->code == PC_OP_LOOK)
        return NULL;
    return pipe->op->code == PC_OP_BEHIND ? pipe->line : pipe->op;
}

static const struct pc_point *point_of(const struct pc_pipe *pipe)
{
    const struct pc_op *op = standing(pipe);

    return op ? &pipe->block->points[op - pipe->block->ops] : NULL;
}

/** Whether it stands in the delay slot of a transfer that is made. */
static bool in_slot(const struct pc_pipe *pipe)
{
    const struct pc_point *point = point_of(pipe);

    if (!point)
        return pipe->block->key.flags & PC_BLOCK_SLOT;
    return point->slot != PC_SLOT_NONE && (point->slot != PC_SLOT_BRANCH || pipe->taken);
}

/** Where the transfer goes in whose slot it stands. */
static uint64_t target(const struct pc_pipe *pipe)
{
    const struct pc_point *point = point_of(pipe);

    return point && point->slot != PC_SLOT_REG ? point->target : pipe->target;
}

void pc_show(struct pc_cpu *cpu)
{
    const struct pc_pipe *pipe = &cpu->pipe;
    const struct pc_op *op = standing(pipe);

    if (!pipe->op)
        return;
    cpu->r.pc = pipe->block->key.pc + (op ? 4 * (uint64_t)op->at : 0);
    cpu->r.npc = in_slot(pipe) ? target(pipe) : cpu->r.pc + 4;
}

/** Whether the instruction before it is a conditional branch that is taken. */
static bool behind_taken(const struct pc_pipe *pipe)
{
    const struct pc_point *point = point_of(pipe);

    return point && point->slot == PC_SLOT_BRANCH && pipe->taken;
}

/** PCycles of the block it stands in, up to there. */
static union pc_spent begun(const struct pc_pipe *pipe)
{
    const struct pc_point *point = point_of(pipe);
    union pc_spent part = {{0}};

    if (!point)
        return part;
    part = point->spent;
    if (behind_taken(pipe)) {
        part.state[PC_ST_BR_UNTAKEN] -= 1;
        part.state[PC_ST_BR_TAKEN] += 1;
    }
    return part;
}

void pc_states(const struct pc_cpu *cpu, uint64_t out[PC_ST__COUNT])
{
    const union pc_spent part = begun(&cpu->pipe);

    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        out[i] = cpu->states[i] + (uint16_t)(cpu->pipe.spent.state[i] + part.state[i]);
}

struct pc_tail pc_tail(const struct pc_cpu *cpu)
{
    const struct pc_point *point = point_of(&cpu->pipe);
    struct pc_tail tail = point ? point->tail : cpu->pipe.tail;

    if (behind_taken(&cpu->pipe))
        tail.done = PC_ST_BR_TAKEN;
    return tail;
}

/** Whether a PCycle in this state completes an instruction. */
static bool completes(unsigned state)
{
    return state == PC_ST_LOAD || state == PC_ST_STORE || state == PC_ST_BR_UNTAKEN ||
           state == PC_ST_BR_TAKEN || state == PC_ST_INT || state == PC_ST_FP;
}

void pc_settle(struct pc_cpu *cpu)
{
    struct pc_pipe *pipe = &cpu->pipe;
    const union pc_spent part = begun(pipe);

    for (unsigned i = 0; i < PC_ST__COUNT; i++) {
        const uint16_t n = (uint16_t)(pipe->spent.state[i] + part.state[i]);

        cpu->states[i] += n;
        cpu->instructions += completes(i) ? n : 0;
        pipe->spent.state[i] = (uint16_t)-part.state[i]; /* leaving the block adds all of it */
    }
    pipe->full = cpu->now + FULL;
    pc_show(cpu);
}

/** Notes of the place it stands at what goes on elsewhere may need. */
static void note(struct pc_cpu *cpu)
{
    struct pc_pipe *pipe = &cpu->pipe;
    const struct pc_point *point = point_of(pipe);
    const unsigned code = pipe->op->code;

    pipe->tail = pc_tail(cpu);
    pipe->pc = cpu->r.pc;
    pipe->slot = in_slot(pipe);
    pipe->context = point ? point->context : pipe->block->context;
    cpu->fetched_pc = code == PC_OP_LOOK || code == PC_OP_LINE ? PC_NOT_FETCHED : cpu->r.pc;
}

void pc_leave(struct pc_cpu *cpu)
{
    pc_settle(cpu);
    if (cpu->pipe.op)
        note(cpu);
    cpu->pipe.op = NULL;
    memset(&cpu->pipe.spent, 0, sizeof cpu->pipe.spent);
}

void pc_refetch(struct pc_cpu *cpu)
{
    pc_leave(cpu);
    cpu->fetched_pc = PC_NOWHERE;
}

/* ---- which code it runs -----------------------------------------------------------------------
 */

void pc_cpu_detach(struct pc_cpu *cpu)
{
    struct pc_pipe *pipe = &cpu->pipe;

    if (!pipe->code)
        return;
    pc_leave(cpu);
    DL_DELETE2(pipe->code->cpus, cpu, pipe.prev, pipe.next);
    pipe->code = NULL;
    pipe->context = NULL;
}

void pc_cpu_attach(struct pc_cpu *cpu)
{
    struct pc_pipe *pipe = &cpu->pipe;
    struct pc_code *code = cpu->code;

    pc_cpu_detach(cpu);
    if (code->line_shift != cpu->ishift || code->line_mask != cpu->imask) {
        pc_code_drop(code);
        code->untimed = cpu->untimed;
        code->line_shift = cpu->ishift;
        code->line_mask = cpu->imask;
    }
    DL_APPEND2(code->cpus, cpu, pipe.prev, pipe.next);
    memset(cpu->hot, 0, sizeof cpu->hot);
    pipe->outside = ~UINT64_C(0) << cpu->dshift;
    pipe->places = (uint64_t)cpu->dmask << PC_LINE_SHIFT;
    pipe->turn = (cpu->dshift - PC_LINE_SHIFT) % 64;
    pipe->code = code;
}

void pc_cpu_reset(struct pc_cpu *cpu)
{
    pc_cpu_detach(cpu);
    memset(&cpu->r, 0, sizeof cpu->r);
    memset(cpu->states, 0, sizeof cpu->states);
    memset(&cpu->pipe, 0, sizeof cpu->pipe);
    cpu->now = 0;
    cpu->horizon = 0;
    cpu->instructions = 0;
    cpu->fetched_pc = PC_NOWHERE;
    cpu->link = false;
    cpu->link_pa = 0;
    cpu->tries = (struct pc_tries){0};
    cpu->exc = PC_EXC_NONE;
    cpu->badvaddr = 0;
    cpu->trap_code = 0;
    cpu->absent = false;
    cpu->unmapped = false;
    cpu->protected = false;
    cpu->call_pc = cpu->call_npc = 0;
}

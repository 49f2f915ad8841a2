/*
 * The R4400 in a profile: which instructions a block's PCycles belong to, and who calls whom.
 *
 * The hard idea is that what an instruction of a block costs is a constant of the block, but for
 * stalls (code.h). So a node only counts how often each block was left through each of its ways
 * out. Before blocks are forgotten, and when somebody wants to see rows, these counts times the
 * constants are put down to the instructions.
 */
#include "procard/cursor.h"
#include "procard/r4400/code.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTER_SP = 29, REGISTER_RA = 31 };

static bool is_instruction(const struct mips_op *op)
{
    return op->code != R4400_OP_LINE && op->code != R4400_OP_POINT;
}

static bool r4400_profile_is_end(const struct mips_op *op)
{
    return op->code >= R4400_OP_END_FALL;
}

static unsigned class_of(const struct mips_op *op)
{
    return op->code < MIPS_OP_ROWS_END ? mips_rows[op->code].klass : MIPS_CLASS_INT;
}

static uint64_t r4400_profile_address(const struct r4400_block *b, const struct mips_op *op)
{
    return b->key.pc + 4 * (uint64_t)op->at;
}

/** The state in which an instruction of the block has completed: known to what follows it. */
static unsigned done_in(const struct r4400_block *b, const struct mips_op *op, unsigned at_end)
{
    return r4400_profile_is_end(op + 1) ? at_end : b->points[op + 1 - b->ops].tail.done;
}

static void profile_complete(struct pc_node *node, const struct r4400_block *b,
                             const struct mips_op *op, unsigned done, int64_t times)
{
    const struct pc_tail *tail = &b->points[op - b->ops].tail;
    struct pc_tally *tally = pc_node_tally(node, r4400_profile_address(b, op));

    tally->v[tail->holds] += times * tail->held;
    tally->v[done] += times;
    tally->v[PC_PROFILE_INSTRUCTIONS] += times;
}

/* ---- blocks that were left through an edge ----------------------------------------------------
 */

/** The block's transfer, if that is in it: its last instruction, or the last but one, with the
 *  slot. */
static const struct mips_op *transfer_of(const struct r4400_block *b)
{
    for (const struct mips_op *op = b->ops; !r4400_profile_is_end(op); op++) {
        const unsigned klass = class_of(op);

        if (klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY || klass == MIPS_CLASS_JUMP ||
            klass == MIPS_CLASS_JUMPR)
            return op;
    }
    return NULL;
}

/** A block was left so many times through one edge. */
static void profile_left(struct pc_node *node, const struct r4400_block *b, unsigned which,
                         int64_t times)
{
    const struct r4400_edge *edge = &b->edge[which];
    const struct mips_op *transfer = transfer_of(b);
    const uint64_t killer =
        transfer ? r4400_profile_address(b, transfer) : b->key.pc - 4; /* alone in its slot */
    const bool nullified =
        transfer && class_of(transfer) == MIPS_CLASS_LIKELY && which == R4400_EDGE_FALL;

    for (const struct mips_op *op = b->ops; !r4400_profile_is_end(op); op++) {
        unsigned done = edge->done;

        if (!is_instruction(op))
            continue;
        if (!nullified || op != transfer)
            done = done_in(b, op, edge->done);
        if (op == transfer && which == R4400_EDGE_TAKEN && done == PC_ST_BR_UNTAKEN)
            done = PC_ST_BR_TAKEN;
        profile_complete(node, b, op, done, times);
        if (nullified && op == transfer)
            break;
    }
    if (edge->spent.state[PC_ST_KILL_BRANCH])
        pc_node_tally(node, killer)->v[PC_ST_KILL_BRANCH] +=
            times * edge->spent.state[PC_ST_KILL_BRANCH];
}

/** All blocks by number; the caller's. */
static const struct r4400_block **by_number(const struct r4400_code *code)
{
    const struct r4400_block **list = sim_alloc(code->count, sizeof *list), *block, *next;

    HASH_ITER(hh, code->blocks, block, next) {
        list[block->id] = block;
    }
    return list;
}

static void harvest_page(struct pc_node *node, uint32_t page, const struct r4400_block **block)
{
    const uint64_t *counter = node->page[page];

    for (uint32_t i = 0; i < PC_COUNTERS; i++) {
        const uint32_t number = (node->first + page) * PC_COUNTERS + i;

        if (counter[i])
            profile_left(node, block[number / 2], number % 2, (int64_t)counter[i]);
    }
    free(node->page[page]);
    node->page[page] = NULL;
}

void r4400_profile_harvest(struct r4400_code *code)
{
    const struct r4400_block **block = by_number(code);

    for (struct pc_node *node = code->profile->nodes; node; node = node->hh.next)
        for (uint32_t page = 0; page < node->pages; page++)
            if (node->page[page])
                harvest_page(node, page, block);
    free(block);
}

/* ---- blocks that are left elsewhere ------------------------------------------------------------
 */

/** The operation that it stands at; the block's first: it has completed nothing there. */
static const struct mips_op *standing_at(const struct r4400_pipe *pipe)
{
    switch (pipe->op->code) {
    case R4400_OP_ENTER:
    case R4400_OP_LOOK:
        return pipe->block->ops;
    case R4400_OP_BEHIND:
        return pipe->line;
    default:
        return pipe->op;
    }
}

void r4400_profile_leaves(struct r4400 *cpu, int sign)
{
    const struct r4400_pipe *pipe = &cpu->pipe;
    const struct r4400_block *b = pipe->block;
    const struct mips_op *stands = standing_at(pipe), *transfer = transfer_of(b);
    const bool begun = pipe->op->code != R4400_OP_ENTER && pipe->op->code != R4400_OP_LOOK;
    const struct pc_tail *held = &b->points[stands - b->ops].tail;

    for (const struct mips_op *op = b->ops; op < stands; op++) {
        unsigned done;

        if (!is_instruction(op))
            continue;
        done = done_in(b, op, PC_ST_INT);
        if (op == transfer && pipe->taken && done == PC_ST_BR_UNTAKEN)
            done = PC_ST_BR_TAKEN;
        profile_complete(cpu->base.cursor->node, b, op, done, sign);
    }
    if (begun && held->held)
        pc_node_tally(cpu->base.cursor->node, r4400_profile_address(b, stands))->v[held->holds] +=
            sign * (int64_t)held->held;
}

/* ---- calls -------------------------------------------------------------------------------------
 */

static bool r4400_profile_links(const struct mips_op *op)
{
    switch (op->code) {
    case MIPS_OP_JAL:
    case MIPS_OP_JALR:
    case MIPS_OP_BLTZAL:
    case MIPS_OP_BGEZAL:
    case MIPS_OP_BLTZALL:
    case MIPS_OP_BGEZALL:
        return true;
    default:
        return false;
    }
}

static unsigned profile_moves(const struct r4400_code *code, const struct r4400_block *b,
                              unsigned which)
{
    const struct mips_op *transfer = transfer_of(b);
    const struct r4400_edge *edge = &b->edge[which];

    if (b->key.flags & R4400_BLOCK_SLOT)
        return R4400_SPLIT;
    if (edge->flags & R4400_BLOCK_SLOT)
        return R4400_STAYS;
    if (transfer && which == R4400_EDGE_TAKEN && r4400_profile_links(transfer))
        return R4400_CALLS;
    if (transfer && class_of(transfer) == MIPS_CLASS_JUMPR)
        return R4400_JUMPS;
    if (pc_profile_leaves(code->profile, b->key.pc, edge->pc))
        return R4400_JUMPS;
    return which == R4400_EDGE_TAKEN && b->loop.count ? R4400_ROUND
           : b->loop.count                            ? R4400_OUT
                                                      : R4400_STAYS;
}

/* ---- loops -------------------------------------------------------------------------------------
 */

enum { LOOP_LONGEST = 32 /**< [instructions] */, REGISTER_GP = 28, REGISTER_FP = 30 };

/** A loop while its instructions are looked at, one after the other. */
struct scan {
    struct r4400_loop loop;
    unsigned at;                  /**< instructions before this one */
    unsigned written[32];         /**< the last instruction that writes a register, from 1 on */
    unsigned looks[LOOP_LONGEST]; /**< loads of the loop: their numbers, from 1 on, */
    uint8_t base[LOOP_LONGEST];   /**< where from, */
    int16_t offset[LOOP_LONGEST];
    bool linked[LOOP_LONGEST]; /**< and whether by LL */
    unsigned loads;
    bool seen[MIPS_RES__COUNT]; /**< what comes of a load or a store-conditional, */
    bool decides;               /**< and a branch asks for it */
};

static bool profile_keep(struct r4400_loop *loop, unsigned reg)
{
    for (unsigned i = 0; i < loop->count; i++)
        if (loop->reg[i] == reg)
            return true;
    if (loop->count < PC_LOOP_VALUES)
        loop->reg[loop->count++] = (uint8_t)reg;
    return loop->reg[loop->count - 1] == reg;
}

static bool look_at_load(struct scan *s, uint32_t word, enum mips_opcode row,
                         const struct mips_use *use)
{
    const uint8_t base = word >> 21 & 31;
    s->looks[s->loads] = s->at + 1;
    s->base[s->loads] = base;
    s->offset[s->loads] = (int16_t)word;
    s->linked[s->loads++] = row == MIPS_OP_LL || row == MIPS_OP_LLD;
    bool good = profile_keep(&s->loop, base);
    for (unsigned i = 0; good && i < use->nwrites; i++)
        if (use->writes[i] < MIPS_RES_FPR)
            good = profile_keep(&s->loop, use->writes[i]);
    return good;
}

/* Follows what has been loaded through the loop, to its branches. */
static void follow_values(struct scan *s, unsigned klass, const struct mips_use *use)
{
    bool seen = klass == MIPS_CLASS_LOAD || klass == MIPS_CLASS_STORE;
    for (unsigned i = 0; i < use->nreads; i++)
        seen |= s->seen[use->reads[i]];
    for (unsigned i = 0; i < use->nwrites; i++)
        s->seen[use->writes[i]] = seen;
    s->decides |= seen && (klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY);
}

/* @return false: such a loop is none that only looks */
static bool profile_look_at(struct scan *s, uint32_t word, const struct r4400_code *code,
                            unsigned flags)
{
    const enum mips_opcode row = mips_row_find(word);
    struct mips_op op;
    struct mips_use use;
    if (row == MIPS_OP_RI)
        return false;
    mips_translate(word, flags, code->level, &op, &use);
    follow_values(s, mips_rows[row].klass, &use);
    for (unsigned i = 0; i < use.nwrites; i++)
        if (use.writes[i] < MIPS_RES_FPR)
            s->written[use.writes[i]] = s->at + 1;
    switch (mips_rows[row].klass) {
    case MIPS_CLASS_LOAD:
        return look_at_load(s, word, row, &use);
    case MIPS_CLASS_STORE:
        s->loop.scs++;
        return row == MIPS_OP_SC || row == MIPS_OP_SCD;
    case MIPS_CLASS_JUMPR:
        return false;
    default:
        return row != MIPS_OP_SYSCALL && row != MIPS_OP_BREAK && row != MIPS_OP_JAL &&
               row != MIPS_OP_BLTZAL && row != MIPS_OP_BGEZAL && row != MIPS_OP_BLTZALL &&
               row != MIPS_OP_BGEZALL;
    }
}

/* The word that it looks at: an LL's, or the first whose address is still to be seen at its end. */
static void profile_find_word(struct scan *s)
{
    for (unsigned linked = 2; linked-- && !s->loop.base;)
        for (unsigned i = 0; i < s->loads && !s->loop.base; i++) {
            const uint8_t base = s->base[i];
            if (s->linked[i] == (bool)linked && s->written[base] < s->looks[i] &&
                base != REGISTER_GP && base != REGISTER_SP && base != REGISTER_FP) {
                s->loop.base = base;
                s->loop.offset = s->offset[i];
            }
        }
}

static bool look_around(struct scan *s, const struct r4400_code *code, const struct r4400_block *b,
                        uint64_t head)
{
    for (uint64_t pc = head; pc <= r4400_profile_address(b, transfer_of(b)) + 4; pc += 4, s->at++) {
        uint32_t word;
        const uint8_t *bytes = code->fetch(code->ctx, pc);
        if (!bytes)
            return false;
        memcpy(&word, bytes, sizeof word);
        if (!profile_look_at(s, be32toh(word), code, b->key.flags))
            return false;
    }
    return true;
}

/* The loop that a block's transfer back closes, if it is one that only looks. */
static void find_loop(const struct r4400_code *code, struct r4400_block *b)
{
    const struct mips_op *transfer = transfer_of(b);
    const uint64_t head = b->edge[R4400_EDGE_TAKEN].pc;
    struct scan s = {.at = 0};
    b->loop = (struct r4400_loop){.count = 0};
    if (!transfer || (b->key.flags & R4400_BLOCK_SLOT) || r4400_profile_links(transfer) ||
        class_of(transfer) == MIPS_CLASS_JUMPR || head > r4400_profile_address(b, transfer) ||
        r4400_profile_address(b, transfer) - head >= 4 * (LOOP_LONGEST - 2))
        return;
    if (!look_around(&s, code, b, head) || !s.loads)
        return;
    profile_find_word(&s);
    struct scan again = {.at = 0};
    memcpy(again.seen, s.seen, sizeof again.seen); /* what one time round leaves for the next */
    look_around(&again, code, b, head);
    if (again.decides)
        b->loop = s.loop;
}

/** A block has been left through the transfer that closes its loop. */
static void went_round(struct r4400 *cpu, const struct r4400_block *b, uint64_t head)
{
    const struct r4400_loop *loop = &b->loop;
    struct pc_round round = {
        .head = head,
        .pc = r4400_profile_address(b, transfer_of(b)),
        .va = loop->base ? cpu->r.gpr[loop->base] + (uint64_t)loop->offset : PC_PROFILE_NOWHERE,
        .stores = cpu->base.states[PC_ST_STORE] + cpu->pipe.spent.state[PC_ST_STORE],
        .scs = loop->scs,
        .values = loop->count};
    for (unsigned i = 0; i < loop->count; i++)
        round.value[i] = cpu->r.gpr[loop->reg[i]];
    pc_cursor_round(cpu->base.cursor, &round);
}

void r4400_profile_mark(const struct r4400_code *code, struct r4400_block *b)
{
    find_loop(code, b);
    for (unsigned which = R4400_EDGE_FALL; which <= R4400_EDGE_TAKEN; which++)
        b->edge[which].moves = (uint8_t)profile_moves(code, b, which);
}

void r4400_profile_moves(struct r4400 *cpu, const struct r4400_block *b,
                         const struct r4400_edge *edge, uint64_t target)
{
    struct pc_cursor *cursor = cpu->base.cursor;
    const uint64_t after = b->key.pc + 4 * (uint64_t)b->count, sp = cpu->r.gpr[REGISTER_SP];

    if (edge->moves == R4400_ROUND) {
        went_round(cpu, b, target);
        return;
    }
    if (edge->moves == R4400_OUT) {
        pc_cursor_fell(cursor, r4400_profile_address(b, transfer_of(b)), b->loop.scs);
        return;
    }
    pc_cursor_out(cursor, cpu->base.now);
    if (edge->moves == R4400_CALLS ||
        (edge->moves == R4400_SPLIT && cpu->r.gpr[REGISTER_RA] == after))
        pc_cursor_call(cursor, after - 8, after, target, sp);
    else
        pc_cursor_jump(cursor, target, sp);
}

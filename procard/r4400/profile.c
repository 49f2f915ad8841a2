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

enum {
    LOOP_LONGEST = 32 /**< [instructions] */,
    WHOLE_LONGEST = 2 * LOOP_LONGEST,
    REGISTER_GP = 28,
    REGISTER_FP = 30
};

/** From a loop's first instruction to its last transfer. */
struct span {
    uint64_t head, last;
};

/** A loop while its instructions are looked at, one after the other. */
struct scan {
    struct r4400_loop loop;
    uint64_t head, last;      /**< addresses of its first instruction, and of its last transfer */
    uint64_t part, part_last; /**< likewise of a loop that is a part of it, or its own */
    uint64_t pc;              /**< of this one */
    unsigned at;              /**< instructions before this one */
    unsigned written[32];     /**< the last instruction that writes a register, from 1 on */
    unsigned looks[WHOLE_LONGEST]; /**< loads of the loop: their numbers, from 1 on, */
    uint8_t base[WHOLE_LONGEST];   /**< where from, */
    int16_t offset[WHOLE_LONGEST];
    bool linked[WHOLE_LONGEST]; /**< and whether by LL */
    unsigned loads;
    uint32_t from[32];          /**< registers that a register's value comes from, as they are when
                                     the loop begins again, one bit each; a load's comes from none */
    bool seen[MIPS_RES__COUNT]; /**< what comes of a load, */
    bool decides;               /**< and whether the loop goes round once more */
    uint64_t until;             /**< before there, it is for what has been seen that it is here */
    uint64_t slot;              /**< of the last branch: it is always executed */
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

static bool profile_keep_all(struct r4400_loop *loop, uint32_t regs)
{
    bool good = true;
    for (unsigned reg = 1; reg < 32 && good; reg++)
        if (regs >> reg & 1)
            good = profile_keep(loop, reg);
    return good;
}

static bool look_at_load(struct scan *s, uint32_t word, enum mips_opcode row,
                         const struct mips_use *use)
{
    const uint8_t base = word >> 21 & 31;
    s->looks[s->loads] = s->at + 1;
    s->base[s->loads] = base;
    s->offset[s->loads] = (int16_t)word;
    s->linked[s->loads++] = row == MIPS_OP_LL || row == MIPS_OP_LLD;
    bool good = profile_keep_all(&s->loop, s->from[base]);
    for (unsigned i = 0; good && i < use->nwrites; i++)
        if (use->writes[i] < MIPS_RES_FPR)
            good = profile_keep(&s->loop, use->writes[i]);
    return good;
}

static uint64_t target_of(uint64_t pc, unsigned klass, uint32_t word)
{
    enum { DISTANCE = (1 << 26) - 1 };
    return klass == MIPS_CLASS_JUMP
               ? ((pc + 4) & ~(uint64_t)(4 * DISTANCE + 3)) | (uint64_t)(word & DISTANCE) * 4
               : pc + 4 + (uint64_t)((int64_t)(int16_t)word * 4);
}

/* Whether a branch or jump is made whatever registers hold. */
static bool is_always(unsigned klass, uint32_t word)
{
    return klass == MIPS_CLASS_JUMP ||
           (mips_row_find(word) == MIPS_OP_BEQ && (word >> 21 & 31) == (word >> 16 & 31));
}

/* A branch or jump of the loop: forwards, out of it, or back. What one skips is there for what has
 * been seen. */
static void follow_transfer(struct scan *s, unsigned klass, uint32_t word, bool seen)
{
    const uint64_t target = target_of(s->pc, klass, word);
    const bool closes = s->pc == s->last, within = target >= s->head && target <= s->last;
    const bool leaves = closes ? !is_always(klass, word) : !within;
    const bool elsewhere = s->pc < s->part || s->pc > s->part_last;
    s->decides |= leaves && (seen || elsewhere || s->pc < s->until);
    if (klass != MIPS_CLASS_LIKELY && s->pc >= s->until)
        s->slot = s->pc + 4;
    if (within && seen && target > s->pc && target > s->until)
        s->until = target;
}

/* Follows what has been loaded through the loop, to its branches. What a store-conditional says is
 * whether somebody else came first, not what the word is. */
static void follow_values(struct scan *s, unsigned klass, uint32_t word, const struct mips_use *use)
{
    const bool perhaps = s->pc < s->until && s->pc != s->slot; /* it may be left out */
    bool seen = klass == MIPS_CLASS_LOAD || perhaps;
    uint32_t from = 0;
    if (klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY || klass == MIPS_CLASS_JUMP)
        seen = false;
    for (unsigned i = 0; i < use->nreads && klass != MIPS_CLASS_STORE; i++) {
        seen |= s->seen[use->reads[i]];
        if (use->reads[i] < MIPS_RES_FPR && klass != MIPS_CLASS_LOAD)
            from |= s->from[use->reads[i]];
    }
    for (unsigned i = 0; i < use->nwrites; i++) {
        const unsigned reg = use->writes[i];
        s->seen[reg] = seen || (perhaps && s->seen[reg]);
        if (reg < MIPS_RES_FPR)
            s->from[reg] = from | (perhaps ? s->from[reg] : 0);
    }
    if (klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY || klass == MIPS_CLASS_JUMP)
        follow_transfer(s, klass, word, seen);
}

/* @return false: such a loop is none that only looks */
static bool profile_look_at(struct scan *s, uint32_t word, const struct r4400_code *code,
                            unsigned flags)
{
    const enum mips_opcode row = mips_row_find(word);
    struct mips_op op;
    struct mips_use use;
    bool good;
    if (row == MIPS_OP_RI)
        return false;
    mips_translate(word, flags, code->level, &op, &use);
    switch (mips_rows[row].klass) {
    case MIPS_CLASS_LOAD:
        good = look_at_load(s, word, row, &use);
        break;
    case MIPS_CLASS_STORE:
        s->loop.scs++;
        good = row == MIPS_OP_SC || row == MIPS_OP_SCD;
        break;
    case MIPS_CLASS_JUMPR:
        good = false;
        break;
    default:
        good = row != MIPS_OP_SYSCALL && row != MIPS_OP_BREAK && row != MIPS_OP_JAL &&
               row != MIPS_OP_BLTZAL && row != MIPS_OP_BGEZAL && row != MIPS_OP_BLTZALL &&
               row != MIPS_OP_BGEZALL;
        break;
    }
    follow_values(s, mips_rows[row].klass, word, &use);
    for (unsigned i = 0; i < use.nwrites; i++)
        if (use.writes[i] < MIPS_RES_FPR)
            s->written[use.writes[i]] = s->at + 1;
    return good;
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

static bool profile_word(const struct r4400_code *code, uint64_t pc, uint32_t *word)
{
    const uint8_t *bytes = code->fetch(code->ctx, pc);
    if (bytes)
        memcpy(word, bytes, sizeof *word);
    *word = bytes ? be32toh(*word) : 0;
    return bytes;
}

static bool look_around(struct scan *s, const struct r4400_code *code, unsigned flags,
                        uint64_t head, uint64_t last)
{
    s->head = head;
    s->last = last;
    for (unsigned reg = 1; reg < 32; reg++)
        s->from[reg] = UINT32_C(1) << reg;
    for (s->pc = head; s->pc <= last + 4; s->pc += 4, s->at++) {
        uint32_t word;
        if (!profile_word(code, s->pc, &word) || !profile_look_at(s, word, code, flags))
            return false;
    }
    return s->loads;
}

/* @param part  a loop that is a part of it, or the same: a way out that does not lie in there is
 * one from which that loop may keep it
 * @return whether it only looks */
static bool look_twice(struct scan *s, const struct r4400_code *code, unsigned flags,
                       const struct span *loop, const struct span *part)
{
    struct scan again = {.part = part->head, .part_last = part->last};
    *s = again;
    if (loop->last - loop->head >= (WHOLE_LONGEST - 2) * UINT64_C(4) ||
        !look_around(s, code, flags, loop->head, loop->last))
        return false;
    memcpy(again.seen, s->seen, sizeof again.seen); /* what one time round leaves for the next */
    look_around(&again, code, flags, loop->head, loop->last);
    s->loop.waits = again.decides;
    return true;
}

/* Where a branch or jump at `pc` goes to. @return false: it is none, or one to a register */
static bool find_target(const struct r4400_code *code, uint64_t pc, uint64_t *target, bool *always)
{
    uint32_t word;
    if (!profile_word(code, pc, &word))
        return false;
    const unsigned klass = mips_class_of(mips_row_find(word));
    *always = klass == MIPS_CLASS_JUMPR || is_always(klass, word);
    *target = target_of(pc, klass, word);
    return klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY || klass == MIPS_CLASS_JUMP;
}

/* What a loop's branches go back to before its head, and what is behind it and goes back into it,
 * is a part of the loop, too. @return whether there is more of it */
static bool profile_widen(const struct r4400_code *code, struct span *loop)
{
    const struct span was = *loop;
    const uint64_t most = 4 * WHOLE_LONGEST;
    uint64_t target;
    bool always = false;
    for (uint64_t pc = was.head; pc <= was.last; pc += 4)
        if (find_target(code, pc, &target, &always) && target < loop->head &&
            loop->head - target < most)
            loop->head = target;
    always = false;
    for (uint64_t pc = was.last + 8; pc < loop->head + most && !always; pc += 4)
        if (find_target(code, pc, &target, &always) && target >= loop->head && target <= was.last)
            loop->last = pc;
    return loop->head != was.head || loop->last != was.last;
}

/* The loop that a block's transfer back closes, if it is one that only looks. It may be a part of a
 * longer one: if all ways out of that lie in this part, and none asks for what has been loaded,
 * then what has been loaded does not keep it from them. */
static void find_loop(const struct r4400_code *code, struct r4400_block *b)
{
    const struct mips_op *transfer = transfer_of(b);
    const struct span loop = {b->edge[R4400_EDGE_TAKEN].pc,
                              transfer ? r4400_profile_address(b, transfer) : 0};
    struct span whole = loop;
    struct scan s, all;
    b->loop = (struct r4400_loop){.count = 0};
    if (!transfer || (b->key.flags & R4400_BLOCK_SLOT) || r4400_profile_links(transfer) ||
        class_of(transfer) == MIPS_CLASS_JUMPR || loop.head > loop.last ||
        loop.last - loop.head >= (LOOP_LONGEST - 2) * UINT64_C(4) ||
        !look_twice(&s, code, b->key.flags, &loop, &loop) || !(s.loop.waits || s.loop.scs))
        return;
    for (unsigned i = 0; i < WHOLE_LONGEST && profile_widen(code, &whole); i++)
        ;
    if (look_twice(&all, code, b->key.flags, &whole, &loop))
        s.loop.waits &= all.loop.waits;
    profile_find_word(&s);
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
        .changed = cpu->base.cursor->changed,
        .failed = cpu->base.cursor->failed,
        .scs = loop->scs,
        .waits = loop->waits,
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

/*
 * Decoded code of one address space: from words in memory to blocks ready to run.
 *
 * A block is a straight run of instructions up to and including a control transfer and its delay
 * slot, or to the end of a page. Where it enters another primary-cache line stands an operation
 * that looks the line up. (A delay slot in another page is a block of its own.) The hard idea is in
 * code.h: a block is decoded for one context, so that everything about its timing is a constant:
 * each instruction's start and, for each way out, the PCycles spent by state. Edges between blocks
 * are filled in as they are first taken.
 */
#include "procard/r4400/code.h"

#include "machine/values.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    BLOCK_MAX = 64,    /**< instructions */
    PAGE_BYTES = 4096, /**< the smallest page; no block reaches beyond one */
    KILLED_BY_BRANCH =
        2, /**< fetched behind a taken branch's delay slot and killed (manual p. 47) */
    KILLED_BY_LIKELY = 1,  /**< the nullified delay slot of a branch likely */
    CHUNK_BYTES = 1 << 20, /**< unit of the arena */
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct r4400_chunk {
    struct r4400_chunk *next;
    size_t used;
};

enum { ARENA_ALIGN = 32 };

static void *arena_alloc(struct r4400_code *code, size_t size)
{
    struct r4400_chunk *chunk = code->arena;
    void *p;

    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!chunk || chunk->used + size > CHUNK_BYTES) {
        chunk = aligned_alloc(ARENA_ALIGN, CHUNK_BYTES);
        if (!chunk)
            sim_no_memory();
        *chunk = (struct r4400_chunk){.next = code->arena, .used = ARENA_ALIGN};
        code->arena = chunk;
        code->arena_bytes += CHUNK_BYTES;
    }
    p = (char *)chunk + chunk->used;
    chunk->used += size;
    return memset(p, 0, size);
}

static void arena_free(struct r4400_code *code)
{
    while (code->arena) {
        struct r4400_chunk *chunk = code->arena;

        code->arena = chunk->next;
        free(chunk);
    }
    code->arena_bytes = 0;
}

/** The one context with these latencies: mostly that of the instruction before. */
static const struct r4400_context *context_of(struct r4400_code *code,
                                              const struct r4400_pending *pending)
{
    struct r4400_context *context = code->recent;

    if (context && memcmp(&context->pending, pending, sizeof *pending) == 0)
        return context;
    HASH_FIND(hh, code->contexts, pending, sizeof *pending, context);
    if (!context) {
        context = sim_alloc(1, sizeof *context);
        context->pending = *pending;
        context->id = HASH_COUNT(code->contexts);
        HASH_ADD(hh, code->contexts, pending, sizeof *pending, context);
    }
    code->recent = context;
    return context;
}

void *r4400_code_new(pc_fetch_fn *decode_fetch, void *ctx, const struct nm_params *card)
{
    static const struct r4400_pending nothing;
    struct r4400_code *code = sim_alloc(1, sizeof *code);
    *code = (struct r4400_code){
        .fetch = decode_fetch, .ctx = ctx, .level = mips_level((enum nm_isa)card->isa)};
    code->low = UINT64_MAX;
    code->idle = context_of(code, &nothing);
    return code;
}

void r4400_code_drop(struct r4400_code *code)
{
    struct r4400 *cpu;

    DL_FOREACH2(code->cpus, cpu, pipe.next) {
        r4400_leave(&cpu->base);
        memset(cpu->hot, 0, sizeof cpu->hot);
    }
    if (code->cpus && code->cpus->base.cursor)
        r4400_profile_harvest(code);
    HASH_CLEAR(hh, code->blocks);
    arena_free(code);
    code->count = 0;
    code->low = UINT64_MAX;
    code->high = 0;
}

void r4400_code_free(void *its)
{
    struct r4400_code *code = its;
    struct r4400_context *context, *next;

    if (!code)
        return;
    while (code->cpus)
        r4400_detach(&code->cpus->base);
    r4400_code_drop(code);
    HASH_ITER(hh, code->contexts, context, next) {
        HASH_DEL(code->contexts, context);
        free(context);
    }
    free(code);
}

void r4400_code_flush(void *its, uint64_t va, uint64_t len)
{
    struct r4400_code *code = its;
    const struct r4400_block *block, *next;

    if (len == 0 || va >= code->high || va + (len - 1) < code->low)
        return;
    HASH_ITER(hh, code->blocks, block, next) {
        if (block->key.pc - va < len || va - block->key.pc < 4 * (uint64_t)block->count) {
            r4400_code_drop(code);
            return;
        }
    }
}

bool r4400_code_await(void *its, uint64_t va, uint64_t times)
{
    struct r4400_code *code = its;

    if (code->awaited != va) {
        r4400_code_drop(code);
        code->came = code->due = 0;
    }
    code->awaited = va;
    code->due = times > UINT64_MAX - code->due ? UINT64_MAX : code->due + times;
    return va && code->came >= code->due;
}

void r4400_code_points(void *its, const struct pc_points *points)
{
    struct r4400_code *code = its;

    r4400_code_drop(code);
    code->points = points;
}

/* ---- building a block ------------------------------------------------------------------------ */

const struct r4400_block r4400_unlinked = {.span = UINT32_MAX, .key = {.pc = ~UINT64_C(0)}};

const struct mips_op r4400_enter = {.code = R4400_OP_ENTER}, r4400_look = {.code = R4400_OP_LOOK},
                     r4400_behind_line = {.code = R4400_OP_BEHIND};

/** A block under construction. */
struct build {
    struct r4400_code *code;
    uint64_t pc;
    unsigned flags;
    struct r4400_pending pending;
    union r4400_spent total; /**< so far */
    unsigned cycle;          /**< its sum */
    struct pc_tail tail;     /**< the last instruction */
    unsigned count;          /**< instructions */
    unsigned n;              /**< operations */
    struct mips_op ops[3 * BLOCK_MAX + 2];
    struct r4400_point points[3 * BLOCK_MAX + 1];
    struct r4400_edge edge[2];
};

static bool is_conditional(unsigned klass)
{
    return klass == MIPS_CLASS_BRANCH || klass == MIPS_CLASS_LIKELY;
}

static bool r4400_decode_is_transfer(unsigned klass)
{
    return is_conditional(klass) || klass == MIPS_CLASS_JUMP || klass == MIPS_CLASS_JUMPR;
}

static void decode_spend(struct build *b, enum pc_status state, unsigned n)
{
    b->total.state[state] = (uint16_t)(b->total.state[state] + n);
    b->cycle += n;
}

/** The state an instruction completes in; for a conditional branch: not taken. */
static enum pc_status decode_state_of(unsigned klass)
{
    switch (klass) {
    case MIPS_CLASS_LOAD:
        return PC_ST_LOAD;
    case MIPS_CLASS_STORE:
        return PC_ST_STORE;
    case MIPS_CLASS_BRANCH:
    case MIPS_CLASS_LIKELY:
        return PC_ST_BR_UNTAKEN;
    case MIPS_CLASS_FP:
        return PC_ST_FP;
    default:
        return PC_ST_INT;
    }
}

/** Puts a POINT in front of the instruction that has just been appended, to start with it. */
static void insert_point(struct build *b)
{
    const unsigned n = b->n++;

    b->ops[n] = b->ops[n - 1];
    b->points[n] = b->points[n - 1];
    b->ops[n - 1] =
        (struct mips_op){.code = R4400_OP_POINT, .cycle = b->ops[n].cycle, .at = b->ops[n].at};
}

/** Appends the instruction `word`; `slot`: it sits in a delay slot, where no transfer may. */
static unsigned decode_append(struct build *b, uint32_t word, bool slot)
{
    struct mips_op *op = &b->ops[b->n];
    struct r4400_point *point = &b->points[b->n++];
    const uint64_t va = b->pc + 4 * (uint64_t)b->count;
    struct r4400_use use;
    enum pc_status held;
    unsigned klass, slip;

    mips_translate(word, b->flags, b->code->level, op, &use.regs);
    use.time = r4400_time(op->code);
    klass = mips_class_of(op->code);
    if (slot && r4400_decode_is_transfer(klass)) {
        op->code = MIPS_OP_RI;
        klass = MIPS_CLASS_INT;
    }
    if (klass == MIPS_CLASS_JUMP) /* from the region's start to a distance from the jump */
        op->imm -= (int32_t)(va & 0x0fffffff) - (((va + 4) ^ va) >> 28 ? 0x10000000 : 0);
    slip = b->code->untimed ? 0 : r4400_slip(&b->pending, &use);
    held = klass == MIPS_CLASS_FP ? PC_ST_SLIP_FP : PC_ST_SLIP_INT;
    decode_spend(b, held, slip);
    r4400_elapse(&b->pending, slip);
    op->at = (uint16_t)b->count++;
    op->cycle = (uint16_t)b->cycle;
    *point = (struct r4400_point){.spent = b->total,
                                  .context = context_of(b->code, &b->pending),
                                  .tail = b->tail,
                                  .slot = b->flags & R4400_BLOCK_SLOT ? R4400_SLOT_REG
                                                                      : R4400_SLOT_NONE};
    point->tail.held = (uint16_t)slip;
    point->tail.holds = (uint8_t)held;
    if (!b->code->untimed) {
        r4400_start(&b->pending, &use);
        r4400_elapse(&b->pending, 1);
    }
    b->tail = (struct pc_tail){.did = 1, .done = (uint8_t)decode_state_of(klass)};
    decode_spend(b, decode_state_of(klass), 1);
    if (va == b->code->awaited || pc_points_have(b->code->points, va))
        insert_point(b);
    return klass;
}

/** Appends the look at the line that `va`, the next instruction, begins. */
static void append_line(struct build *b, uint64_t va)
{
    const uint64_t place = va >> b->code->line_shift & b->code->line_mask;

    b->ops[b->n] = (struct mips_op){.code = R4400_OP_LINE,
                                    .cycle = (uint16_t)b->cycle,
                                    .at = (uint16_t)b->count,
                                    .imm = (int32_t)(place * sizeof(struct pc_line))};
    b->points[b->n++] = (struct r4400_point){
        .spent = b->total, .context = context_of(b->code, &b->pending), .tail = b->tail};
}

static bool same_line(const struct build *b, uint64_t x, uint64_t y)
{
    return x >> b->code->line_shift == y >> b->code->line_shift;
}

/** Describes a way out as things stand, `killed` instructions later. */
static void decode_leave(struct build *b, unsigned which, uint64_t to, unsigned killed, bool check)
{
    struct r4400_pending pending = b->pending;
    struct r4400_edge *e = &b->edge[which];

    if (b->code->untimed) { /* its line is a page */
        killed = 0;
        check = check && !same_line(b, b->pc, to);
    }
    r4400_elapse(&pending, killed);
    *e = (struct r4400_edge){.spent = b->total,
                             .to = (struct r4400_block *)&r4400_unlinked,
                             .pc = to,
                             .check = check,
                             .done = b->tail.done};
    e->spent.state[PC_ST_KILL_BRANCH] = (uint16_t)(e->spent.state[PC_ST_KILL_BRANCH] + killed);
    e->cycles = b->cycle + killed;
    e->context = context_of(b->code, &pending);
    e->flags = (uint8_t)(b->flags & ~R4400_BLOCK_SLOT);
}

/** As a conditional branch was counted untaken, the taken edge sets that right. */
static void mark_taken(struct build *b)
{
    struct r4400_edge *e = &b->edge[R4400_EDGE_TAKEN];

    e->spent.state[PC_ST_BR_UNTAKEN] -= 1;
    e->spent.state[PC_ST_BR_TAKEN] += 1;
    if (e->done == PC_ST_BR_UNTAKEN) /* its slot is in no block with it */
        e->done = PC_ST_BR_TAKEN;
}

static const uint8_t *decode_fetch(const struct build *b, uint64_t va)
{
    return b->code->fetch(b->code->ctx, va);
}

static uint32_t decode_word_at(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/** The instruction at `va` if it may stand in one block with the one before it. */
static const uint8_t *fetch_next(const struct build *b, uint64_t va)
{
    return va % PAGE_BYTES ? decode_fetch(b, va) : NULL;
}

/** Appends the delay slot of a transfer of the given class and target. */
static void append_slot(struct build *b, uint64_t va, uint32_t word, unsigned klass,
                        uint64_t target)
{
    const unsigned first = b->n;

    if (!same_line(b, va, va - 4))
        append_line(b, va);
    decode_append(b, word, true);
    for (unsigned i = first; i < b->n; i++) {
        b->points[i].target = target;
        b->points[i].slot = is_conditional(klass)      ? R4400_SLOT_BRANCH
                            : klass == MIPS_CLASS_JUMP ? R4400_SLOT_JUMP
                                                       : R4400_SLOT_REG;
    }
}

/** Ends the block with the transfer just appended, at `va`; returns the END code. */
static unsigned end_transfer(struct build *b, unsigned klass, uint64_t va)
{
    const bool likely = klass == MIPS_CLASS_LIKELY;
    const uint64_t target = va + (uint64_t)(int64_t)b->ops[b->n - 1].imm;
    const uint64_t after = va + 8;
    const uint8_t *slot = fetch_next(b, va + 4);

    if (likely)
        decode_leave(b, R4400_EDGE_FALL, after, KILLED_BY_LIKELY, !same_line(b, va, after));
    if (!slot) {
        if (!likely)
            decode_leave(b, R4400_EDGE_FALL, va + 4, 0, true);
        decode_leave(b, R4400_EDGE_TAKEN, va + 4, 0, true);
        b->edge[R4400_EDGE_TAKEN].flags |= R4400_BLOCK_SLOT;
    } else {
        append_slot(b, va + 4, decode_word_at(slot), klass, target);
        if (!likely)
            decode_leave(b, R4400_EDGE_FALL, after, 0, !same_line(b, va + 4, after));
        decode_leave(b, R4400_EDGE_TAKEN, target, KILLED_BY_BRANCH, true);
    }
    if (is_conditional(klass))
        mark_taken(b);
    if (!slot)
        return R4400_OP_END_SPLIT;
    return is_conditional(klass)      ? R4400_OP_END_COND
           : klass == MIPS_CLASS_JUMP ? R4400_OP_END_JUMP
                                      : R4400_OP_END_REG;
}

/** True for instructions after which the block cannot simply run on. */
static bool decode_ends_block(unsigned code)
{
    return code == MIPS_OP_RI || code == MIPS_OP_SYSCALL || code == MIPS_OP_BREAK ||
           code == MIPS_OP_SYNCI;
}

/** Appends instructions until the block ends; returns the END code. The first is in memory. */
static unsigned decode_fill(struct build *b)
{
    const uint8_t *p = decode_fetch(b, b->pc);
    uint64_t va = b->pc;
    unsigned code;

    for (;;) {
        const unsigned klass = decode_append(b, decode_word_at(p), b->flags & R4400_BLOCK_SLOT);

        if (b->flags & R4400_BLOCK_SLOT) {
            decode_leave(b, R4400_EDGE_TAKEN, 0, KILLED_BY_BRANCH, true);
            return R4400_OP_END_REG;
        }
        if (r4400_decode_is_transfer(klass))
            return end_transfer(b, klass, va);
        code = b->ops[b->n - 1].code;
        va += 4;
        p = fetch_next(b, va);
        if (!p || decode_ends_block(code) || b->count == BLOCK_MAX - 2)
            break;
        if (!same_line(b, va, va - 4))
            append_line(b, va);
    }
    decode_leave(b, R4400_EDGE_FALL, va, 0, !same_line(b, va, va - 4));
    return code == MIPS_OP_SYNCI ? R4400_OP_END_SYNCI : R4400_OP_END_FALL;
}

/** By PCycle of the block, the first operation that starts then or later: its place there. */
static const uint16_t *decode_stops(const struct build *b)
{
    uint16_t *stop = arena_alloc(b->code, b->cycle * sizeof *stop);
    unsigned n = 0;

    for (unsigned cycle = 0; cycle < b->cycle; cycle++) {
        while (b->ops[n].cycle < cycle)
            n++;
        stop[cycle] = (uint16_t)(offsetof(struct r4400_block, ops) + n * sizeof b->ops[0]);
    }
    return stop;
}

static struct r4400_block *r4400_decode_finish(struct build *b, unsigned end,
                                               const struct r4400_context *context)
{
    struct r4400_code *code = b->code;
    const size_t ops_size = (b->n + 1) * sizeof b->ops[0];
    const size_t points_size = b->n * sizeof b->points[0];
    struct r4400_block *block = arena_alloc(code, sizeof *block + ops_size);
    const uint64_t high = b->pc + 4 * (uint64_t)b->count;

    b->ops[b->n] = (struct mips_op){.code = (uint16_t)end, .at = (uint16_t)b->count};
    memcpy(block->edge, b->edge, sizeof block->edge);
    memcpy(block->ops, b->ops, ops_size);
    block->points = arena_alloc(code, points_size);
    memcpy(block->points, b->points, points_size);
    block->stop = decode_stops(b);
    block->key = (struct r4400_key){.pc = b->pc, .context = context->id, .flags = b->flags};
    block->line = b->pc >> code->line_shift << code->line_shift;
    block->place =
        (uint32_t)((b->pc >> code->line_shift & code->line_mask) * sizeof(struct pc_line));
    block->span = b->cycle;
    block->count = b->count;
    block->id = code->count++;
    block->context = context;
    code->low = b->pc < code->low ? b->pc : code->low;
    code->high = high > code->high ? high : code->high;
    if (code->profile)
        r4400_profile_mark(code, block);
    HASH_ADD(hh, code->blocks, key, sizeof block->key, block);
    return block;
}

struct r4400_block *r4400_block_get(struct r4400_code *code, uint64_t pc,
                                    const struct r4400_context *context, unsigned flags)
{
    const struct r4400_key key = {.pc = pc, .context = context->id, .flags = flags};
    struct r4400_block *block;
    struct build b;
    unsigned end;

    HASH_FIND(hh, code->blocks, &key, sizeof key, block);
    if (block)
        return block;
    if (pc & 3 || !code->fetch(code->ctx, pc))
        return NULL;
    b.code = code;
    b.pc = pc;
    b.flags = flags;
    b.pending = context->pending;
    memset(&b.total, 0, sizeof b.total);
    memset(b.edge, 0, sizeof b.edge);
    b.cycle = 0;
    b.tail = (struct pc_tail){0};
    b.count = 0;
    b.n = 0;
    end = decode_fill(&b);
    return r4400_decode_finish(&b, end, context);
}

/*
 * The ARM11 in a profile, in the truth of misses and in a trace of references.
 *
 * The observed interpreter puts its books down behind each instruction, so what they grow by is the
 * instruction's. A slip, or a wait for a line, belongs to the instruction that could not issue; a
 * request to the one that made it, though others may have issued since.
 *
 * The hard idea of a trace is when a reference has been made: a load under which the core goes on
 * has read when its line comes, so that is when it is told. Where threads synchronise this is the
 * order in which they saw each other.
 */
#include "procard/arm11/profile.h"
#include "procard/cursor.h"

/** [PCycles] No result takes longer (timing.def) but what comes from behind the primary cache: more
 * is a wait for memory. */
enum { LONGEST_RESULT = 6 };

static bool profile_is_end(const struct arm11_op *op)
{
    return op->a.code == ARM11_OP_END || op->a.code == ARM11_OP_END_PC;
}

static uint32_t profile_address(const struct arm11_block *b, const struct arm11_op *op)
{
    return b->key.pc + 2u * op->at;
}

/* ---- books ----------------------------------------------------------------------------------- */

static bool waits_for_memory(enum pc_status state)
{
    return state == PC_ST_STALL_L1I || state == PC_ST_STALL_L1D || state == PC_ST_STALL_L2 ||
           state == PC_ST_STALL_MP || state == PC_ST_STALL_OTHER;
}

void arm11_booked(struct arm11 *c, enum pc_status state, uint64_t n)
{
    if (c->base.cursor && n)
        pc_cursor_add(c->base.cursor, (enum pc_profile_column)state, (int64_t)n);
    if (c->base.record && waits_for_memory(state))
        c->base.record->waited += n;
}

void arm11_counted(struct arm11 *c, uint32_t pc, enum pc_profile_column column)
{
    const uint64_t stood = arm11_profile_at(c, pc);
    pc_cursor_add(c->base.cursor, column, 1);
    arm11_profile_at(c, stood);
}

/* A reference takes a PCycle of its own in a trace, though an instruction may make several, and
 * nothing when its line comes. What is told too soon is taken off the PCycles to come. */
static void profile_pay(struct arm11 *c, sim_tick own)
{
    const sim_tick told = c->told_early < own ? c->told_early : own;
    c->base.record->waited += told;
    c->told_early -= told;
}

/* At once: what the instruction then refers to is later than that. */
void arm11_slips(struct arm11 *c, sim_tick n)
{
    const sim_tick own = n < LONGEST_RESULT ? n : LONGEST_RESULT;
    if (c->base.steps)
        pc_step_told(&c->base,
                     &(struct pc_step){.kind = PC_STEP_WAITS, .card = c->base.number, .done = n});
    if (!c->base.record)
        return;
    c->base.record->waited += n - own;
    profile_pay(c, own);
}

void arm11_completes(struct arm11 *c, uint64_t insns, sim_tick own)
{
    if (c->base.cursor && insns)
        pc_cursor_add(c->base.cursor, PC_PROFILE_INSTRUCTIONS, (int64_t)insns);
    if (c->base.record)
        profile_pay(c, own);
}

/* ---- where it stands ------------------------------------------------------------------------- */

/* @param looks  it is an access of the program's, which may take longer */
static void go_to(struct pc_cursor *cursor, uint64_t pc, bool looks)
{
    if (looks)
        pc_cursor_at(cursor, pc);
    else if (cursor->pc != pc || cursor->at != cursor->node)
        pc_cursor_move(cursor, pc);
}

uint64_t arm11_profile_at(struct arm11 *c, uint64_t pc)
{
    struct pc_cursor *cursor = c->base.cursor;
    if (!cursor)
        return PC_PROFILE_NOWHERE;
    const uint64_t stood = cursor->pc;
    go_to(cursor, pc, false);
    return stood;
}

static void profile_fetches(struct arm11 *c, uint32_t pc)
{
    const uint64_t line = pc & ~(uint32_t)(ARM11_LINE - 1);
    c->base.record->again = false; /* a line is told of once */
    c->told_pc = pc;
    if (line == c->told_line)
        return;
    c->told_line = line;
    pc_record_reference(&c->base, PC_RECORDED_FETCH, pc, pc, 0, c->base.now);
}

void arm11_stands(struct arm11 *c, const struct arm11_block *b, const struct arm11_op *op)
{
    if (profile_is_end(op))
        return; /* what it takes is the last instruction's */
    if (c->base.steps)
        pc_step_told(&c->base, &(struct pc_step){.kind = PC_STEP_STANDS,
                                                 .card = c->base.number,
                                                 .at = c->base.now,
                                                 .pc = profile_address(b, op)});
    if (c->base.cursor)
        go_to(c->base.cursor, profile_address(b, op), op->source[0] == ARM11_LSU);
    if (c->base.record)
        profile_fetches(c, profile_address(b, op));
}

void arm11_comes_to(struct arm11 *c, uint32_t pc, sim_tick now)
{
    c->came.order = c->came.behind == now + 1 ? c->came.order + 1 : 0;
    c->came.behind = now + 1;
    pc_record_point(&c->base, pc, now, c->came.order, NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool profile_links(const struct arm11_op *op)
{
    return op->real == ARM_OP_BL || op->real == ARM_OP_BLX || op->real == ARM_OP_BLX_I ||
           op->real == ARM_OP_BL_SUFFIX || op->real == ARM_OP_BLX_SUFFIX;
}

static bool profile_leaves(const struct pc_profile *profile, struct arm11_edge *edge, uint32_t pc)
{
    if (edge->leaves == ARM11_LEAVES_UNKNOWN)
        edge->leaves = pc_profile_leaves(profile, pc, edge->pc) ? ARM11_LEAVES : ARM11_LEAVES_NOT;
    return edge->leaves == ARM11_LEAVES;
}

/* A write of the pc behind "mov lr, pc" is a call, too: it returns right behind it. */
static bool is_call(const struct arm11 *c, const struct arm11_op *did, uint32_t behind)
{
    return profile_links(did) || (c->r.r[ARM_LR] & ~UINT32_C(1)) == behind;
}

static void profile_calls(struct arm11 *c, uint32_t pc, uint32_t behind, uint32_t to)
{
    pc_cursor_out(c->base.cursor, c->base.now);
    pc_cursor_call(c->base.cursor, pc, behind, to, c->r.r[ARM_SP]);
}

static void profile_jumps(struct arm11 *c, uint32_t to)
{
    pc_cursor_out(c->base.cursor, c->base.now);
    pc_cursor_jump(c->base.cursor, to, c->r.r[ARM_SP]);
}

void arm11_jumped(struct arm11 *c, const struct arm11_op *did, uint32_t pc, uint32_t to)
{
    const uint32_t behind = pc + did->a.size;
    if (!c->base.cursor)
        return;
    if (is_call(c, did, behind))
        profile_calls(c, pc, behind, to);
    else
        profile_jumps(c, to);
}

/* It stays in its function. */
static void profile_goes_on(struct arm11 *c, struct arm11_block *b, const struct arm11_op *did,
                            unsigned how, uint32_t to)
{
    const uint32_t pc = profile_address(b, did);
    const struct arm11_loop *loop = did->real == ARM_OP_B ? arm11_loop_of(c->code, b, pc) : NULL;
    if (loop && how == ARM11_TAKEN)
        arm11_went_round(c, loop, pc, to);
    else if (loop)
        pc_cursor_fell(c->base.cursor, pc, loop->scs);
}

void arm11_moves(struct arm11 *c, struct arm11_block *b, const struct arm11_op *op, unsigned how,
                 uint32_t to)
{
    const struct pc_cursor *cursor = c->base.cursor;
    const struct arm11_op *did = profile_is_end(op) ? op - 1 : op;
    const uint32_t pc = profile_address(b, did);
    if (!cursor)
        return;
    if (how == ARM11_TAKEN && profile_links(did))
        profile_calls(c, pc, pc + did->a.size, to);
    else if (profile_leaves(cursor->profile, &b->edge[how], pc))
        profile_jumps(c, to);
    else
        profile_goes_on(c, b, did, how, to);
}

/* ---- references ------------------------------------------------------------------------------ */

/* The greatest piece that is aligned to itself. */
static unsigned profile_piece(uint32_t va, unsigned n)
{
    enum { MOST = 8 };
    unsigned size = MOST;
    while (size > n || va & (size - 1))
        size /= 2;
    return size;
}

void arm11_tells(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va, unsigned n)
{
    unsigned size;
    for (; n; n -= size, va += size) {
        size = profile_piece(va, n);
        pc_record_reference(&c->base, kind, c->told_pc, va, size, c->base.now);
        c->base.record->waited--;
        c->told_early++;
    }
}

void arm11_touch(struct arm11 *c, uint64_t pa, unsigned n, bool load, bool store)
{
    enum { DOUBLEWORD = 8 };
    while (n) {
        const unsigned first = pa % DOUBLEWORD;
        const unsigned now = n < DOUBLEWORD - first ? n : DOUBLEWORD - first;
        pc_touched(&c->base, pa, (uint8_t)(((1u << now) - 1) << first), load, store);
        pa += now;
        n -= now;
    }
}

void arm11_refers_to(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va, unsigned n)
{
    const bool store = kind == PC_RECORDED_STORE;
    struct pc_look look = {0};
    if (c->base.record)
        arm11_tells(c, kind, va, n);
    if (!c->base.cursor || !c->base.cursor->card->copies)
        return;
    pc_find(&c->base, va, store ? NM_STORE : NM_LOAD, &look);
    if (look.page == NM_XLATE_OK || look.page == NM_XLATE_NONCOHERENT)
        arm11_touch(c, look.pa, n, !store, store);
}

/* ---- for the profile ------------------------------------------------------------------------- */

void arm11_placed(struct pc_cpu *base)
{
    const struct arm11 *c = arm11_const_of(base);
    pc_cursor_placed(base->cursor, base->tries.thread, c->r.r[ARM_PC], c->r.r[ARM_SP]);
}

/* What a load that waits will bring. */
static uint32_t to_come(struct arm11 *c, unsigned reg)
{
    for (unsigned i = 0; i < ARM11_MISSES; i++) {
        const struct arm11_miss *m = &c->miss[i];
        for (unsigned k = 0; k < m->parts; k++) {
            const enum arm11_kind kind = (enum arm11_kind)m->part[k].kind;
            struct pc_look at = m->look;
            if (m->part[k].reg != reg || m->phase == ARM11_MISS_ARRIVES ||
                m->phase == ARM11_MISS_NONE)
                continue;
            at.pa = (at.pa & ~(uint64_t)(ARM11_LINE - 1)) + m->part[k].offset;
            return arm11_value(pc_settle_access(&c->base, &at, arm11_size(kind), NULL), kind,
                               m->big);
        }
    }
    return c->r.r[reg];
}

uint32_t arm11_value_of(struct arm11 *c, unsigned reg)
{
    return c->ready[reg] == ARM11_PENDING ? to_come(c, reg) : c->r.r[reg];
}

uint64_t arm11_argument(const struct pc_cpu *base, unsigned i)
{
    return arm11_value_of((struct arm11 *)(uintptr_t)base, i); /* reads only */
}

/* r4 to r11; the last ones once more */
const uint8_t arm11_kept[PC_KEPT] = {4, 5, 6, 7, 8, 9, 10, 11, 11, 11};

void arm11_general(const struct pc_cpu *base, const uint8_t *number, unsigned count, uint64_t *out)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = number[i] < ARM_PC ? arm11_argument(base, number[i]) : 0;
}

uint64_t arm11_result(const struct pc_cpu *base)
{
    return arm11_argument(base, 0);
}

uint64_t arm11_sp(const struct pc_cpu *base)
{
    return arm11_const_of(base)->r.r[ARM_SP];
}

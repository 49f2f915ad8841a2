/*
 * The R10000 in a profile. Where four instructions graduate in a cycle, the cycle is the oldest
 * one's, and where none does, that of the oldest that waits. A request belongs to the instruction
 * that made it, a line's arrival to the oldest. Calls are followed where they graduate.
 *
 * The R10000 in a trace: references are told where they graduate, in program order.
 */
#include "procard/cursor.h"
#include "procard/r10000/pipeline.h"
#include "procard/record.h"

enum { REGISTER_SP = 29 };

void r10k_profile_at(struct r10k *c, uint64_t pc)
{
    if (c->base.cursor)
        pc_cursor_at(c->base.cursor, pc);
}

void r10k_profile_spends(struct r10k *c, uint64_t pc, enum pc_status state, sim_tick n)
{
    if (!c->base.cursor)
        return;
    pc_cursor_at(c->base.cursor, pc);
    pc_cursor_add(c->base.cursor, (enum pc_profile_column)state, (int64_t)n);
}

/* The transfer before the slot that has just graduated was made. */
static void profile_moves(struct r10k *c)
{
    struct pc_cursor *cursor = c->base.cursor;
    const struct r10k_move *m = &c->move;
    const uint64_t sp = c->r.gpr[REGISTER_SP];
    if (m->calls) {
        pc_cursor_out(cursor, c->base.now);
        pc_cursor_call(cursor, m->pc, m->pc + 8, m->target, sp);
    } else if (m->jumps || pc_profile_leaves(cursor->profile, m->pc, m->target)) {
        pc_cursor_out(cursor, c->base.now);
        pc_cursor_jump(cursor, m->target, sp);
    }
}

/* A store-conditional has touched what it has stored. */
static void profile_touches(struct r10k *c, const struct r10k_entry *e)
{
    const uint32_t traits = e->w->traits;
    const bool store =
        traits & R10K_STORE && (!(traits & R10K_CONDITIONAL) ||
                                *(const uint64_t *)((const char *)&c->r + e->w->op.d) != 0);
    if (traits & (R10K_LOAD | R10K_STORE))
        pc_touched(&c->base, e->look.pa, e->bytes, traits & R10K_LOAD, store);
}

/* ---- references ------------------------------------------------------------------------------ */

static enum pc_recorded_kind profile_kind_of(const struct r10k *c, const struct r10k_word *w)
{
    if (w->traits & R10K_CONDITIONAL)
        return *(const uint64_t *)((const char *)&c->r + w->op.d) ? PC_RECORDED_SC
                                                                  : PC_RECORDED_SC_FAILED;
    return w->traits & R10K_LINKED ? PC_RECORDED_LL
           : w->traits & R10K_LOAD ? PC_RECORDED_LOAD
                                   : PC_RECORDED_STORE;
}

/* It graduates, or traps as it would: which of this cycle it is, and what it finds. */
void r10k_record_comes(struct r10k *c, uint64_t pc)
{
    struct r10k_told *told = &c->told;
    const bool follows = told->at == c->base.now && !c->base.untimed;
    told->order = follows ? told->order + 1 : 0;
    told->at = c->base.now;
    pc_record_point(&c->base, pc, c->base.now, told->order, follows ? &told->after : NULL);
}

/* In a trace a reference takes a PCycle of its own, though several may graduate in one. What is
 * told too soon is taken off the cycles to come. */
void r10k_record_graduates(struct r10k *c, const struct r10k_word *w, uint64_t pc, uint64_t va)
{
    const uint64_t line = pc & ~(nm_value_l1i_line(c->p) - 1);
    struct pc_record *record = c->base.record;
    if (record->listener->point) {
        r10k_record_comes(c, pc);
        c->told.after = c->r;
    }
    record->again = false; /* what graduates is looked up once */
    if (line != c->told_line)
        pc_record_reference(&c->base, PC_RECORDED_FETCH, pc, pc, 0, c->base.now);
    c->told_line = line;
    if (!(w->traits & (R10K_LOAD | R10K_STORE)))
        return;
    pc_record_reference(&c->base, profile_kind_of(c, w), pc, va, w->size, c->base.now);
    record->waited--;
    c->told_early++;
}

static bool waits_for_memory(enum pc_status state)
{
    return state == PC_ST_STALL_L1I || state == PC_ST_STALL_L1D || state == PC_ST_STALL_L2 ||
           state == PC_ST_STALL_MP || state == PC_ST_STALL_OTHER;
}

void r10k_record_passes(struct r10k *c, enum pc_status state, sim_tick n)
{
    const sim_tick told = c->told_early < n ? c->told_early : n;
    if (waits_for_memory(state)) {
        c->base.record->waited += n;
        return;
    }
    c->base.record->waited += told;
    c->told_early -= told;
}

void r10k_profile_graduates(struct r10k *c, const struct r10k_entry *e)
{
    struct pc_cursor *cursor = c->base.cursor;
    if (!cursor)
        return;
    pc_cursor_at(cursor, e->pc);
    pc_cursor_add(cursor, PC_PROFILE_INSTRUCTIONS, 1);
    profile_touches(c, e);
    if (e->slot && c->move.pc == e->pc - 4)
        profile_moves(c);
    c->move.pc = 0;
    if (e->w->traits & R10K_TRANSFER && e->taken)
        c->move = (struct r10k_move){.pc = e->pc,
                                     .target = e->next,
                                     .calls = e->w->traits & R10K_LINKS,
                                     .jumps = e->w->traits & R10K_REGISTER};
}

void r10k_profile_counts(struct r10k *c, uint64_t pc, enum pc_profile_column column)
{
    if (!c->base.cursor)
        return;
    pc_cursor_at(c->base.cursor, pc);
    pc_cursor_add(c->base.cursor, column, 1);
}

/* ---- for who draws it ------------------------------------------------------------------------ */

void r10k_tell(const struct r10k *c, const struct r10k_entry *e, enum pc_step_kind kind,
               sim_tick at)
{
    const unsigned code = e->w->op.code;
    pc_step_told(&c->base, &(struct pc_step){
                               .kind = kind,
                               .card = c->base.number,
                               .place = (unsigned)(e - c->entry),
                               .at = at,
                               .done = e->done,
                               .pc = e->pc,
                               .name = code < MIPS_OP_ROWS_END ? mips_rows[code].mnemonic : NULL});
}

/* Private to the core: what an observed one tells a profile, the truth of misses and a trace
 * (profile.c). One that is not observed has neither a cursor nor a record, and pays a test where
 * the pipeline has stopped anyway. */
#ifndef ARM11_PROFILE_H
#define ARM11_PROFILE_H

#include "procard/arm11/pipeline.h"
#include "procard/profile.h"
#include "procard/record.h"
#include "procard/steps.h"

/** See arm11_books, arm11_counts and arm11_told, which ask whether anybody listens. */
void arm11_booked(struct arm11 *c, enum pc_status state, uint64_t n);
void arm11_counted(struct arm11 *c, uint32_t pc, enum pc_profile_column column);
void arm11_tells(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va, unsigned n);
void arm11_touch(struct arm11 *c, uint64_t pa, unsigned n, bool load, bool store);

/** `n` PCycles of the clock are put down to a state. */
static inline void arm11_books(struct arm11 *c, enum pc_status state, uint64_t n)
{
    c->base.states[state] += n;
    if (__builtin_expect(c->base.cursor || c->base.record, 0))
        arm11_booked(c, state, n);
}

/** `n` PCycles up to `to` are put down to it. */
static inline void arm11_spent(struct arm11 *c, enum pc_status state, uint64_t n, sim_tick to)
{
    struct arm11_spent *last = &c->spent[0];
    if (last->state == state && last->to == to - n) {
        last->n += n;
        last->to = to;
    } else if (n) {
        c->spent[1] = *last;
        *last = (struct arm11_spent){.to = to, .n = n, .state = state};
    }
}

/** They pass, too. */
static inline void arm11_spends(struct arm11 *c, enum pc_status state, uint64_t n)
{
    c->base.now += n;
    arm11_spent(c, state, n, c->base.now);
    arm11_books(c, state, n);
}

/** One more of a column that is no total of the card, at the instruction at `pc`. */
static inline void arm11_counts(struct arm11 *c, uint32_t pc, enum pc_profile_column column)
{
    if (c->base.cursor)
        arm11_counted(c, pc, column);
}

/** A reference to `n` bytes has been made, at base.now: for a trace. */
static inline void arm11_told(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va, unsigned n)
{
    if (c->base.record)
        arm11_tells(c, kind, va, n);
}

/** `n` bytes of a line that is here have been read or written: for the truth of misses. */
static inline void arm11_touches(struct arm11 *c, uint64_t pa, unsigned n, bool load, bool store)
{
    if (c->base.cursor)
        arm11_touch(c, pa, n, load, store);
}

/** What happens from here on is put down to the instruction at `pc`.
 *  @return to which it was until now */
uint64_t arm11_profile_at(struct arm11 *c, uint64_t pc);

/* ---- the observed interpreter ---------------------------------------------------------------- */

/** The operation is next. */
void arm11_stands(struct arm11 *c, const struct arm11_block *b, const struct arm11_op *op);
/** The instruction at `pc` comes next, at tick `now`: told to who waits for it. One behind a folded
 *  branch comes at the branch's own tick. */
void arm11_comes_to(struct arm11 *c, uint32_t pc, sim_tick now);
/** Instructions have completed. @param own  [PCycles] that they took but for stalls and slips */
void arm11_completes(struct arm11 *c, uint64_t insns, sim_tick own);
/** One has waited for a register or a place. */
void arm11_slips(struct arm11 *c, sim_tick n);
/** The block is left by `op`, through its edge `how`. @param to  the address of the next
 *  instruction */
void arm11_moves(struct arm11 *c, struct arm11_block *b, const struct arm11_op *op, unsigned how,
                 uint32_t to);
/** The instruction at `pc` has jumped to where a register said. */
void arm11_jumped(struct arm11 *c, const struct arm11_op *did, uint32_t pc, uint32_t to);
/** A load or store hits a line that is shown. */
void arm11_refers_to(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va, unsigned n);

/* ---- loops (loops.c) ------------------------------------------------------------------------- */

/** The loop that only looks which the branch at `last`, the end of a block, closes; NULL: none. */
const struct arm11_loop *arm11_loop_of(const struct arm11_code *code, struct arm11_block *b,
                                       uint32_t last);
/** It has come round a loop. @param c  the core @param loop  it @param last  its last branch
 *  @param head  its first instruction */
void arm11_went_round(struct arm11 *c, const struct arm11_loop *loop, uint32_t last, uint32_t head);
/** A register, also if a load still waits for it. */
uint32_t arm11_value_of(struct arm11 *c, unsigned reg);

/* ---- pc_core_ops ----------------------------------------------------------------------------- */

void arm11_placed(struct pc_cpu *base);
uint64_t arm11_argument(const struct pc_cpu *base, unsigned i);
uint64_t arm11_result(const struct pc_cpu *base);
uint64_t arm11_sp(const struct pc_cpu *base);
void arm11_general(const struct pc_cpu *base, const uint8_t *number, unsigned count, uint64_t *out);
extern const uint8_t arm11_kept[PC_KEPT];

#endif

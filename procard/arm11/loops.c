/*
 * Loops in which an ARM11 does nothing but look (procard/loop.h): which those are is seen in their
 * code, once, when a profiled core goes round them for the first time.
 *
 * A loop is the code from where a branch goes back to, up to the branch. It only looks if it stores
 * by STREX alone, calls nobody, and a branch asks for what has been loaded. That goes by flags:
 * what a comparison of loaded values leaves is what the branch asks for.
 */
#include "procard/arm11/profile.h"
#include "procard/cursor.h"

#include <string.h>

enum {
    LONGEST = 32,       /* [instructions] */
    FLAGS = ARM_PLACES, /* a place for them, behind the registers */
    PLACES,
    FRAME = 11,
    THUMB_FRAME = 7, /* -fno-omit-frame-pointer's */
};

/* A loop while its instructions are looked at, one after the other. */
struct scan {
    struct arm11_loop loop;
    unsigned at;              /* instructions before this one */
    unsigned written[PLACES]; /* the last instruction that writes a place, from 1 on */
    struct {
        unsigned at; /* from 1 on */
        bool linked;
        struct arm_op op;
    } look[LONGEST];
    unsigned loads;
    bool seen[PLACES]; /* what comes of a load or a store-conditional, */
    bool decides;      /* and a branch asks for it */
};

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_linked(unsigned row)
{
    return row == ARM_ROW_LDREX || row == ARM_ROW_LDREXB || row == ARM_ROW_LDREXH ||
           row == ARM_ROW_LDREXD;
}

static bool is_conditional(unsigned row)
{
    return row == ARM_ROW_STREX || row == ARM_ROW_STREXB || row == ARM_ROW_STREXH ||
           row == ARM_ROW_STREXD;
}

/* A load of a constant from beside the code is none: it is always the same. */
static bool is_look(const struct arm_op *a)
{
    return is_linked(a->row) || (a->row >= ARM_ROW_STR_I && a->row < ARM_ROW_STM &&
                                 a->n != ARM_PC && arm_rows[a->row].operands[0] == 'd');
}

/* A way out, as a branch out of the loop is: a return with a condition. */
static bool is_way_out(const struct arm_op *a)
{
    return a->cond != ARM_ALWAYS && (a->row == ARM_ROW_BX || a->flags & ARM_WRITES_PC);
}

static bool is_harmless(const struct arm_op *a)
{
    return a->row < ARM_ROW_STR_I || a->row == ARM_ROW_PLD_I || a->row == ARM_ROW_PLD_R ||
           a->row == ARM_ROW_CLREX || a->row == ARM_ROW_B || a->row == ARM_ROW_MCR ||
           a->row == ARM_ROW_MRC || a->code == ARM_OP_NOP || is_look(a) || is_conditional(a->row) ||
           (a->row < ARM_ROW_STM && arm_rows[a->row].operands[0] == 'd');
}

/* ---- what a loop looks at -------------------------------------------------------------------- */

static bool loops_keep(struct arm11_loop *loop, unsigned reg)
{
    if (reg == ARM_SINK)
        return true;
    for (unsigned i = 0; i < loop->count; i++)
        if (loop->reg[i] == reg)
            return true;
    if (loop->count == PC_LOOP_VALUES)
        return false;
    loop->reg[loop->count++] = (uint8_t)reg;
    return true;
}

static bool keep_look(struct scan *s, const struct arm_op *a)
{
    s->look[s->loads].at = s->at + 1;
    s->look[s->loads].linked = is_linked(a->row);
    s->look[s->loads++].op = *a;
    return loops_keep(&s->loop, a->n) && loops_keep(&s->loop, a->m) && loops_keep(&s->loop, a->d) &&
           loops_keep(&s->loop, a->e);
}

static void loops_writes(struct scan *s, unsigned place, bool seen)
{
    if (place == ARM_SINK)
        return;
    s->written[place] = s->at + 1;
    s->seen[place] = seen;
}

/* Follows what has been loaded through the loop, to its branches. What a condition leaves alone may
 * still be what it was. */
static void loops_follow(struct scan *s, const struct arm_op *a)
{
    const uint8_t reads[] = {a->n, a->m, a->s, a->a};
    const bool always = a->cond == ARM_ALWAYS;
    bool seen = is_look(a) || is_conditional(a->row) || (!always && s->seen[FLAGS]);
    for (unsigned i = 0; i < sizeof reads; i++)
        seen |= s->seen[reads[i]];
    loops_writes(s, a->d, seen || (!always && s->seen[a->d]));
    loops_writes(s, a->e, seen || (!always && s->seen[a->e]));
    if (a->row >= ARM_ROW_STR_I && a->row < ARM_ROW_PLD_I && a->aux & ARM_WRITES_BACK)
        loops_writes(s, a->n, s->seen[a->n]);
    if (a->flags & ARM_SETS)
        loops_writes(s, FLAGS, seen || (!always && s->seen[FLAGS]));
}

static bool loops_look_at(struct scan *s, const struct arm_op *a)
{
    s->decides |= (a->row == ARM_ROW_B || is_way_out(a)) && a->cond != ARM_ALWAYS && s->seen[FLAGS];
    if (is_way_out(a))
        return true;
    if (a->row >= ARM_ROWS || !is_harmless(a) || a->flags & ARM_WRITES_PC)
        return false;
    loops_follow(s, a);
    s->loop.scs += is_conditional(a->row);
    return !is_look(a) || keep_look(s, a);
}

/* @param last  the branch that closes it */
static bool look_around(struct scan *s, const struct arm11_code *code, const struct arm11_block *b,
                        uint32_t head, uint32_t last)
{
    struct arm_op a;
    for (uint32_t pc = head; pc <= last; pc += a.size, s->at++)
        if (s->at == LONGEST || !arm11_decode(code, pc, b->key.thumb, &a) || !loops_look_at(s, &a))
            return false;
    return s->loads;
}

/* Whether an address is still to be seen at the loop's end. */
static bool loops_stays(const struct scan *s, unsigned reg, unsigned at)
{
    return reg == ARM_SINK || s->written[reg] < at;
}

/* The word that it looks at: an LDREX's, or the first whose address is known at its end. */
static void loops_find_word(struct scan *s, unsigned frame)
{
    for (unsigned linked = 2; linked-- && !s->loop.known_word;)
        for (unsigned i = 0; i < s->loads && !s->loop.known_word; i++) {
            const struct arm_op *a = &s->look[i].op;
            const bool shifts = a->aux & ARM_REGISTER && (a->imm >> 5) != ARM_LSL;
            if (s->look[i].linked != (bool)linked || a->n == ARM_SP || a->n == frame || shifts ||
                a->aux & ARM_WRITES_BACK || !loops_stays(s, a->n, s->look[i].at) ||
                !loops_stays(s, a->m, s->look[i].at))
                continue;
            s->loop.known_word = true;
            s->loop.word = *a;
        }
}

static uint64_t word_of(const struct arm11 *c, const struct arm11_loop *loop)
{
    const struct arm_op *a = &loop->word;
    uint32_t offset = is_linked(a->row) ? 0 : a->imm;
    if (!loop->known_word)
        return PC_PROFILE_NOWHERE;
    if (a->aux & ARM_REGISTER)
        offset = c->r.r[a->m] << (a->imm & 31);
    if (a->aux & ARM_REGISTER && !(a->aux & ARM_UP))
        offset = 0 - offset;
    return c->r.r[a->n] + offset;
}

/* ---- for the profile ------------------------------------------------------------------------- */

const struct arm11_loop *arm11_loop_of(const struct arm11_code *code, struct arm11_block *b,
                                       uint32_t last)
{
    const uint32_t head = b->edge[ARM11_TAKEN].pc;
    struct scan s = {.at = 0};
    if (b->loop.looked_for)
        return b->loop.count ? &b->loop : NULL;
    b->loop = (struct arm11_loop){.looked_for = true};
    if (!head || head > last || !look_around(&s, code, b, head, last))
        return NULL;
    loops_find_word(&s, b->key.thumb ? THUMB_FRAME : FRAME);
    struct scan again = {.at = 0};
    memcpy(again.seen, s.seen, sizeof again.seen); /* what one time round leaves for the next */
    look_around(&again, code, b, head, last);
    if (!again.decides)
        return NULL;
    s.loop.looked_for = true;
    b->loop = s.loop;
    return &b->loop;
}

void arm11_went_round(struct arm11 *c, const struct arm11_loop *loop, uint32_t last, uint32_t head)
{
    struct pc_round round = {.head = head,
                             .pc = last,
                             .va = word_of(c, loop),
                             .stores = c->stores,
                             .scs = loop->scs,
                             .values = loop->count};
    for (unsigned i = 0; i < loop->count; i++)
        round.value[i] = arm11_value_of(c, loop->reg[i]);
    pc_cursor_round(c->base.cursor, &round);
}

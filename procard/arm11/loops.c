/*
 * Loops in which an ARM11 does nothing but look (procard/loop.h): which those are is seen in their
 * code, once, when a profiled core goes round them for the first time.
 *
 * A loop is the code from where a branch goes back to, up to the branch. It only looks if it stores
 * by STREX alone and calls nobody. It waits if a branch that leaves it or goes round once more asks
 * for what has been loaded. That goes by flags: what a comparison of loaded values leaves is what
 * the branch asks for.
 */
#include "procard/arm11/profile.h"
#include "procard/cursor.h"

#include <string.h>

enum {
    LONGEST = 32, /* [instructions] */
    WHOLE_LONGEST = 2 * LONGEST,
    FLAGS = ARM_PLACES, /* a place for them, behind the registers */
    PLACES,
    FRAME = 11,
    THUMB_FRAME = 7, /* -fno-omit-frame-pointer's */
};

/* From a loop's first instruction to its last transfer. */
struct span {
    uint32_t head, last;
};

/* A loop while its instructions are looked at, one after the other. */
struct scan {
    struct arm11_loop loop;
    uint32_t head, last;      /* its first instruction, and its last transfer */
    struct span part;         /* of a loop that is a part of it, or its own */
    uint32_t pc;              /* of this instruction */
    unsigned at;              /* instructions before this one */
    unsigned written[PLACES]; /* the last instruction that writes a place, from 1 on */
    struct {
        unsigned at; /* from 1 on */
        bool linked;
        struct arm_op op;
    } look[WHOLE_LONGEST];
    unsigned loads;
    uint32_t from[PLACES]; /* registers that a place's value comes from, as they are when the loop
                              begins again, one bit each; a load's comes from none */
    bool seen[PLACES];     /* what comes of a load, */
    bool decides;          /* and whether the loop goes round once more */
    uint32_t until;        /* before there, it is for what has been seen that it is here */
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

static bool loops_keep_all(struct arm11_loop *loop, uint32_t regs)
{
    bool good = true;
    for (unsigned reg = 0; reg < ARM_PC && good; reg++)
        if (regs >> reg & 1)
            good = loops_keep(loop, reg);
    return good;
}

static bool keep_look(struct scan *s, const struct arm_op *a)
{
    s->look[s->loads].at = s->at + 1;
    s->look[s->loads].linked = is_linked(a->row);
    s->look[s->loads++].op = *a;
    return loops_keep_all(&s->loop, s->from[a->n] | s->from[a->m]) && loops_keep(&s->loop, a->d) &&
           loops_keep(&s->loop, a->e);
}

/* @param perhaps  or it stays what it is */
static void loops_writes(struct scan *s, unsigned place, bool seen, uint32_t from, bool perhaps)
{
    if (place == ARM_SINK)
        return;
    s->written[place] = s->at + 1;
    s->seen[place] = seen || (perhaps && s->seen[place]);
    s->from[place] = from | (perhaps ? s->from[place] : 0);
}

/* Follows what has been loaded through the loop, to its branches. What a store-conditional says is
 * whether somebody else came first, not what the word is. */
static void loops_follow(struct scan *s, const struct arm_op *a)
{
    const uint8_t reads[] = {a->n, a->m, a->s, a->a};
    const bool left_out = s->pc < s->until, perhaps = left_out || a->cond != ARM_ALWAYS;
    const bool looks = is_look(a), tries = is_conditional(a->row);
    bool seen = looks || left_out || (a->cond != ARM_ALWAYS && s->seen[FLAGS]);
    uint32_t from = 0;
    for (unsigned i = 0; i < sizeof reads && !tries; i++) {
        seen |= s->seen[reads[i]];
        from |= looks ? 0 : s->from[reads[i]];
    }
    if (a->row >= ARM_ROW_STR_I && a->row < ARM_ROW_PLD_I && a->aux & ARM_WRITES_BACK)
        loops_writes(s, a->n, s->seen[a->n], s->from[a->n] | s->from[a->m], perhaps);
    loops_writes(s, a->d, seen, from, perhaps);
    loops_writes(s, a->e, seen, from, perhaps);
    if (a->flags & ARM_SETS)
        loops_writes(s, FLAGS, seen, 0, perhaps);
}

/* A branch forwards in the loop, or out of it, or back. What one skips is there for what has been
 * seen. */
static void loops_branch(struct scan *s, const struct arm_op *a)
{
    const uint32_t target = a->row == ARM_ROW_B ? a->imm : 0;
    const bool within = target >= s->head && target <= s->last;
    const bool seen = a->cond != ARM_ALWAYS && s->seen[FLAGS];
    const bool leaves = s->pc == s->last ? a->cond != ARM_ALWAYS : !within;
    const bool elsewhere = s->pc < s->part.head || s->pc > s->part.last;
    s->decides |= leaves && (seen || elsewhere || s->pc < s->until);
    if (within && seen && target > s->pc && target > s->until)
        s->until = target;
}

static bool loops_look_at(struct scan *s, const struct arm_op *a)
{
    if (a->row == ARM_ROW_B || is_way_out(a))
        loops_branch(s, a);
    if (is_way_out(a))
        return true;
    if (a->row >= ARM_ROWS || !is_harmless(a) || a->flags & ARM_WRITES_PC)
        return false;
    const bool good = !is_look(a) || keep_look(s, a);
    loops_follow(s, a);
    s->loop.scs += is_conditional(a->row);
    return good;
}

static bool look_around(struct scan *s, const struct arm11_code *code, bool thumb,
                        const struct span *loop)
{
    struct arm_op a;
    s->head = loop->head;
    s->last = loop->last;
    for (unsigned reg = 0; reg < ARM_PC; reg++)
        s->from[reg] = UINT32_C(1) << reg;
    for (s->pc = loop->head; s->pc <= loop->last; s->pc += a.size, s->at++)
        if (s->at == WHOLE_LONGEST || !arm11_decode(code, s->pc, thumb, &a) ||
            !loops_look_at(s, &a))
            return false;
    return s->loads;
}

/* @param part  a loop that is a part of it, or the same: a way out that does not lie in there is
 * one from which that loop may keep it
 * @return whether it only looks */
static bool look_twice(struct scan *s, const struct arm11_code *code, bool thumb,
                       const struct span *loop, const struct span *part)
{
    struct scan again = {.part = *part};
    *s = again;
    if (!look_around(s, code, thumb, loop))
        return false;
    memcpy(again.seen, s->seen, sizeof again.seen); /* what one time round leaves for the next */
    look_around(&again, code, thumb, loop);
    s->loop.waits = again.decides;
    return true;
}

/* What a loop's branches go back to before its head, and what is behind it and goes back into it,
 * is a part of the loop, too. @return whether there is more of it */
static bool loops_widen(const struct arm11_code *code, bool thumb, struct span *loop)
{
    const struct span was = *loop;
    struct arm_op a = {.size = 0};
    unsigned n = 0;
    for (uint32_t pc = was.head; pc <= was.last && arm11_decode(code, pc, thumb, &a); pc += a.size)
        if (a.row == ARM_ROW_B && a.imm < loop->head && loop->head - a.imm < 4 * WHOLE_LONGEST)
            loop->head = a.imm;
    for (uint32_t pc = was.last; n < WHOLE_LONGEST && arm11_decode(code, pc, thumb, &a);
         pc += a.size, n++) {
        const bool branch = a.row == ARM_ROW_B && pc > was.last;
        if (branch && a.imm >= loop->head && a.imm <= was.last)
            loop->last = pc;
        if (pc > was.last && (branch || a.flags & ARM_WRITES_PC) && a.cond == ARM_ALWAYS)
            break;
    }
    return loop->head != was.head || loop->last != was.last;
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

/* A loop may be a part of a longer one: if all ways out of that lie in this part, and none asks for
 * what has been loaded, then what has been loaded does not keep it from them. */
static bool find_loop(struct scan *s, const struct arm11_code *code, bool thumb,
                      const struct span *loop)
{
    struct span whole = *loop;
    struct scan all;
    if (!loop->head || loop->head > loop->last || !look_twice(s, code, thumb, loop, loop) ||
        s->at > LONGEST || !(s->loop.waits || s->loop.scs))
        return false;
    for (unsigned i = 0; i < WHOLE_LONGEST && loops_widen(code, thumb, &whole); i++)
        ;
    if (look_twice(&all, code, thumb, &whole, loop))
        s->loop.waits &= all.loop.waits;
    loops_find_word(s, thumb ? THUMB_FRAME : FRAME);
    return true;
}

const struct arm11_loop *arm11_loop_of(const struct arm11_code *code, struct arm11_block *b,
                                       uint32_t last)
{
    const struct span loop = {b->edge[ARM11_TAKEN].pc, last};
    struct scan s;
    if (b->loop.looked_for)
        return b->loop.count ? &b->loop : NULL;
    b->loop = (struct arm11_loop){.looked_for = true};
    if (!find_loop(&s, code, b->key.thumb, &loop))
        return NULL;
    s.loop.looked_for = true;
    b->loop = s.loop;
    return b->loop.count ? &b->loop : NULL;
}

void arm11_went_round(struct arm11 *c, const struct arm11_loop *loop, uint32_t last, uint32_t head)
{
    struct pc_round round = {.head = head,
                             .pc = last,
                             .va = word_of(c, loop),
                             .stores = c->stores,
                             .changed = c->base.cursor->changed,
                             .failed = c->base.cursor->failed,
                             .scs = loop->scs,
                             .waits = loop->waits,
                             .values = loop->count};
    for (unsigned i = 0; i < loop->count; i++)
        round.value[i] = arm11_value_of(c, loop->reg[i]);
    pc_cursor_round(c->base.cursor, &round);
}

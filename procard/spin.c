/*
 * Which loops do nothing but look.
 *
 * The hard idea is that nobody watches loads. Where a loop closes, the registers that the addresses
 * of its loads come from, and those that they go to, are compared with those of the last time
 * round, and so is the number of stores that the processor has completed. If all are the same, the
 * loop has seen and done nothing new: it has been gone round in vain. Of store-conditionals that is
 * not to be seen in registers, which are used again: one that changes its word is progress, and one
 * that would have and failed is a race, not a wait.
 *
 * A lock by hand is often a loop in a loop: a store-conditional is tried again until it succeeds,
 * and all that until the word was free; or one looks until the word is free, and all that until one
 * was the first to take it. So a wait is of the outermost loop that closed, and what was in vain in
 * a loop within it was in vain.
 */
#include "procard/cursor.h"

#include <string.h>

static uint32_t spin_thread_of(const struct pc_cursor *c)
{
    return c->card->cpu.tries.thread;
}

/* @param stores  that it may have completed since then */
static bool spin_same(const struct pc_round *last, const struct pc_round *round, uint64_t stores)
{
    return last->pc == round->pc && last->values == round->values &&
           round->stores - last->stores <= stores && round->changed == last->changed &&
           !memcmp(last->value, round->value, round->values * sizeof *round->value);
}

/* The transfer at `pc` closes a loop within that one. */
static bool is_within(const struct pc_round *loop, uint64_t pc)
{
    return pc >= loop->head && pc < loop->pc;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* When the loop's last time round began: at the first of its accesses that may have taken longer.
   The last ones are gone through backwards, as far as they are of one time round. */
static sim_tick first_look(const struct pc_cursor *c, const struct pc_round *round)
{
    const struct pc_looks *looks = &c->looks;
    uint64_t behind = round->pc + 8; /* the delay slot is a part of it */
    sim_tick at = c->card->cpu.now;
    for (unsigned n = 1; n <= PC_LOOKS && n <= looks->count; n++) {
        const unsigned look = (looks->count - n) % PC_LOOKS;
        if (looks->look[look].pc < round->head || looks->look[look].pc >= behind)
            break;
        behind = looks->look[look].pc;
        at = looks->look[look].at;
    }
    return at;
}

/* Whether the card stands in its loop, and has not gone on otherwise than by the transfer. */
static bool spin_open(const struct pc_cursor *c)
{
    const struct pc_round *round = &c->loop.round;
    const uint64_t pc = pc_core_pc(c->card);
    return !c->loop.left && pc >= round->head && pc < round->pc + 8; /* with the delay slot */
}

/* The wait is over, and told if it was one. */
static void spin_end(struct pc_cursor *c, sim_tick now)
{
    struct pc_loop *loop = &c->loop;
    const struct pc_profile *p = c->profile;
    if (loop->rounds && p->spins)
        p->spins(p->spins_ctx, &(struct pc_spin){.card = c->card->cpu.number,
                                                 .thread = loop->thread,
                                                 .pc = loop->pc,
                                                 .va = loop->va,
                                                 .rounds = loop->rounds,
                                                 .from = sim_earlier(loop->from, now),
                                                 .to = sim_earlier(loop->to, now),
                                                 .at = now,
                                                 .open = spin_open(c),
                                                 .lost = loop->lost,
                                                 .lost_to = loop->lost_to});
    loop->round.pc = 0;
    loop->rounds = 0;
}

/* Time that has been told of belongs to no other wait. */
static void spin_begin(struct pc_cursor *c, const struct pc_round *round)
{
    const sim_tick told = c->loop.rounds && c->loop.thread == spin_thread_of(c) ? c->loop.to : 0;
    spin_end(c, c->card->cpu.now);
    c->loop = (struct pc_loop){.round = *round,
                               .thread = spin_thread_of(c),
                               .from = sim_later(first_look(c, round), told),
                               .to = c->card->cpu.now};
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void in_vain(struct pc_cursor *c, const struct pc_round *round)
{
    struct pc_loop *loop = &c->loop;
    loop->rounds++;
    loop->to = c->card->cpu.now;
    loop->pc = round->pc;
    loop->va = round->va;
}

static bool is_wait(const struct pc_round *last, const struct pc_round *round)
{
    return round->waits && round->failed == last->failed;
}

/* Of a loop within. One that only looks is where the wait begins, unless it has begun before. */
static void inner_round(struct pc_cursor *c, const struct pc_round *round)
{
    struct pc_loop *loop = &c->loop;
    if (spin_same(&loop->inner, round, round->scs) && is_wait(&loop->inner, round))
        in_vain(c, round);
    else if (!loop->rounds && !round->scs && loop->inner.pc != round->pc)
        loop->from = sim_later(loop->from, first_look(c, round));
    loop->inner = *round;
    loop->tries += round->scs;
}

static void outer_round(struct pc_cursor *c, const struct pc_round *round)
{
    struct pc_loop *loop = &c->loop;
    if (!spin_same(&loop->round, round, round->scs + loop->tries)) {
        spin_begin(c, round);
        return;
    }
    if (is_wait(&loop->round, round))
        in_vain(c, round);
    loop->round.failed = round->failed;
    loop->round.stores = round->stores;
    loop->tries = 0;
}

void pc_cursor_tried(struct pc_cursor *c, bool changes, bool stored)
{
    c->changed += changes && stored;
    c->failed += !stored;
}

void pc_cursor_round(struct pc_cursor *c, const struct pc_round *round)
{
    struct pc_loop *loop = &c->loop;
    const bool here = loop->round.pc && loop->thread == spin_thread_of(c);
    if (here && is_within(round, loop->round.pc)) { /* what it was in is a loop within this one */
        loop->inner = loop->round;
        loop->round = *round;
        loop->tries = 0;
        loop->left = false;
    } else if (!here || loop->left) {
        spin_begin(c, round);
    } else if (is_within(&loop->round, round->pc)) {
        inner_round(c, round);
    } else if (loop->round.pc == round->pc) {
        outer_round(c, round);
    } else {
        spin_begin(c, round);
    }
}

/* ---- ways out -------------------------------------------------------------------------------- */

void pc_cursor_out(struct pc_cursor *c, sim_tick now)
{
    spin_end(c, now);
    c->looks.count = 0;
}

/* Whether there is a loop around, where the wait goes on, is not known yet. Where there is a
   store-conditional, what the next time round looks at is a look again; else it may be none. */
void pc_cursor_fell(struct pc_cursor *c, uint64_t pc, bool tries)
{
    struct pc_loop *loop = &c->loop;
    const bool left = loop->left || !loop->round.pc;
    if (!left && is_within(&loop->round, pc))
        return;
    if (!tries)
        c->looks.count = 0;
    if (left || loop->round.pc != pc) {
        spin_end(c, c->card->cpu.now);
        return;
    }
    loop->left = true;
    if (loop->rounds)
        loop->to = c->card->cpu.now;
}

/* The line's place in its page tells the word's line from nearly all others. */
void pc_cursor_lost(struct pc_cursor *c, uint64_t line, uint32_t thread, sim_tick at)
{
    enum { PAGE = 4096 };
    const uint64_t bytes = (uint64_t)1 << c->card->l2_shift;
    const bool known = c->loop.round.va != PC_PROFILE_NOWHERE;
    if (!c->loop.round.pc || c->loop.left ||
        (known && ((c->loop.round.va ^ line) & (PAGE - bytes))))
        return;
    c->loop.lost = at;
    c->loop.lost_to = thread;
}

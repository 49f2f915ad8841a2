/*
 * Which loops do nothing but look.
 *
 * The hard idea is that nobody watches loads. Where a loop closes, the registers that its loads go
 * from and to are compared with those of the last time round, and so is the number of stores that
 * the processor has completed. If all are the same, the loop has seen and done nothing new.
 */
#include "procard/cursor.h"

#include <string.h>

static bool same(const struct pc_loop *loop, const struct pc_round *round)
{
    const struct pc_round *last = &loop->round;
    return last->values == round->values &&
           round->stores - last->stores <= round->scs + loop->tries &&
           !memcmp(last->value, round->value, round->values * sizeof *round->value);
}

static void begin(struct pc_cursor *c, const struct pc_round *round)
{
    const sim_tick now = c->card->cpu.now;
    c->loop = (struct pc_loop){
        .round = *round, .thread = c->card->cpu.tries.thread, .from = now, .to = now};
}

/* A store-conditional within the loop has failed, and is tried again. */
static bool is_within(const struct pc_loop *loop, const struct pc_round *round)
{
    return loop->round.pc && round->pc < loop->round.pc && round->pc >= loop->round.head;
}

void pc_cursor_round(struct pc_cursor *c, const struct pc_round *round)
{
    struct pc_loop *loop = &c->loop;
    const bool here = loop->thread == c->card->cpu.tries.thread;
    if (here && loop->round.pc == round->pc && same(loop, round)) {
        loop->rounds++;
        loop->to = c->card->cpu.now;
        loop->round.stores = round->stores;
        loop->tries = 0;
    } else if (here && is_within(loop, round)) {
        loop->tries += round->scs;
    } else {
        pc_cursor_out(c, here && loop->round.pc == round->pc);
        begin(c, round);
    }
}

void pc_cursor_out(struct pc_cursor *c, bool by_transfer)
{
    const struct pc_loop *loop = &c->loop;
    const struct pc_profile *p = c->profile;
    const sim_tick now = c->card->cpu.now;
    if (loop->rounds && p->spins)
        p->spins(p->spins_ctx, &(struct pc_spin){.card = c->card->cpu.number,
                                                 .thread = loop->thread,
                                                 .pc = loop->round.pc,
                                                 .va = loop->round.va,
                                                 .rounds = loop->rounds,
                                                 .from = loop->from,
                                                 .to = by_transfer ? now : loop->to,
                                                 .at = now,
                                                 .lost = loop->lost,
                                                 .lost_to = loop->lost_to});
    c->loop.round.pc = 0;
    c->loop.rounds = 0;
}

/* The line's place in its page tells the word's line from nearly all others. */
void pc_cursor_lost(struct pc_cursor *c, uint64_t line, uint32_t thread, sim_tick at)
{
    enum { PAGE = 4096 };
    const uint64_t bytes = (uint64_t)1 << c->card->l2_shift;
    const bool known = c->loop.round.va != PC_PROFILE_NOWHERE;
    if (!c->loop.round.pc || (known && ((c->loop.round.va ^ line) & (PAGE - bytes))))
        return;
    c->loop.lost = at;
    c->loop.lost_to = thread;
}

/*
 * Processors without a machine around them: programs do the same, only faster, and nothing but
 * instructions is counted.
 *
 * There are no caches; the arrays of struct pc_line, which otherwise show the primary caches to the
 * interpreter, show pages. An instruction takes one PCycle. The hard idea is how little is needed
 * to keep this deterministic and the operating system unchanged: processors run in turns that end
 * at the same tick for all, and their traps are handed out in order of time before the next one
 * begins. A link (LL) does not outlive the turn, so a store-conditional that succeeds has seen
 * nobody else run.
 *
 * Two rules keep programs going that end on the machine. Turns differ in length, by chance: if a
 * loop of one processor fitted into them a whole number of times, it would be at the same
 * instruction whenever the others look, and a lock would be taken each time. And a turn does not
 * end between LL and SC, or the traps of many processors, each of which ends one, would let no SC
 * succeed.
 */
#include "procard/functional.h"

enum {
    LINKED =
        32, /* [PCycles] at most from the turn's end to an SC; two attempts of 16 instructions */
    SLOT = (PC_QUANTUM - LINKED) / 2, /* [PCycles] one turn ends in each */
};

/* When a turn ends in slot `n`. */
static nm_tick end_in(nm_tick n)
{
    uint64_t x = (n + 1) * 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return n * SLOT + (x ^ x >> 31) % SLOT;
}

/* When the turn ends that `now` is in. */
static nm_tick quantum_end(nm_tick now)
{
    const nm_tick end = end_in(now / SLOT);
    return end > now ? end : end_in(now / SLOT + 1);
}

/* Where each processor must stop: at the end of the turn of the one furthest behind, at the
 * earliest trap, or at `until`. One alone needs no turns. */
static nm_tick turn_end(struct pc_card *const *card, unsigned cards, nm_tick until)
{
    nm_tick first = NM_NEVER, end = until;
    unsigned running = 0;
    for (unsigned i = 0; i < cards; i++) {
        running += card[i]->activity == PC_RUNNING;
        if (card[i]->activity == PC_RUNNING && card[i]->cpu.now < first)
            first = card[i]->cpu.now;
        if (card[i]->activity == PC_TRAPPED && card[i]->cpu.now < end)
            end = card[i]->cpu.now;
    }
    if (running > 1 && first < end && quantum_end(first) < end)
        end = quantum_end(first);
    return end;
}

/* One processor's turn. */
static void take_turn(struct pc_card *c, nm_tick end, nm_tick until)
{
    pc_card_run(c, end);
    for (unsigned n = 0; n < LINKED && c->cpu.link; n++) {
        if (c->activity != PC_RUNNING || c->cpu.now >= until)
            break;
        pc_card_run(c, c->cpu.now + 1);
    }
    c->cpu.link = false;
}

/* Runs every processor that is behind `end`. The earliest that traps stops those after it there. */
static bool take_turns(struct pc_card *const *card, unsigned cards, nm_tick end, nm_tick until)
{
    bool ran = false;
    for (unsigned i = 0; i < cards; i++) {
        struct pc_card *c = card[i];
        if (c->activity != PC_RUNNING || c->cpu.now >= end)
            continue;
        ran = true;
        take_turn(c, end, until);
        if (c->activity == PC_TRAPPED && c->cpu.now < end)
            end = c->cpu.now;
    }
    return ran;
}

struct pc_card *pc_functional_run(struct pc_card *const *card, unsigned cards, nm_tick until)
{
    struct pc_card *first = NULL;
    while (take_turns(card, cards, turn_end(card, cards, until), until))
        ;
    for (unsigned i = 0; i < cards; i++)
        if (card[i]->activity == PC_TRAPPED && (!first || card[i]->cpu.now < first->cpu.now))
            first = card[i];
    if (!first || first->cpu.now >= until)
        return NULL;
    first->activity = PC_IDLE;
    return first;
}

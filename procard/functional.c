/*
 * Processors without a machine around them: programs do the same, only faster, and nothing but
 * instructions is counted.
 *
 * There are no caches; the arrays of struct pc_line, which otherwise show the primary caches to the
 * interpreter, show pages. An instruction takes one PCycle. The hard idea is how little is needed
 * to keep this deterministic and the operating system unchanged: processors run in turns up to the
 * end of a quantum that is the same for all, and their traps are handed out in order of time before
 * the next one begins. A link (LL) does not outlive the turn, so a store-conditional that succeeds
 * has seen nobody else run.
 */
#include "procard/functional.h"

/* Where each processor must stop: at the end of the quantum of the one furthest behind, at the
 * earliest trap, or at `until`. */
static nm_tick turn_end(struct pc_card *const *card, unsigned cards, nm_tick until)
{
    nm_tick first = NM_NEVER, end = until;
    for (unsigned i = 0; i < cards; i++) {
        if (card[i]->activity == PC_RUNNING && card[i]->cpu.now < first)
            first = card[i]->cpu.now;
        if (card[i]->activity == PC_TRAPPED && card[i]->cpu.now < end)
            end = card[i]->cpu.now;
    }
    if (first < end && end - first > PC_QUANTUM - first % PC_QUANTUM)
        end = first + PC_QUANTUM - first % PC_QUANTUM;
    return end;
}

/* Runs every processor that is behind `end`. The earliest that traps stops those after it there. */
static bool take_turns(struct pc_card *const *card, unsigned cards, nm_tick end)
{
    bool ran = false;
    for (unsigned i = 0; i < cards; i++) {
        struct pc_card *c = card[i];
        if (c->activity != PC_RUNNING || c->cpu.now >= end)
            continue;
        ran = true;
        pc_card_run(c, end);
        c->cpu.link = false;
        if (c->activity == PC_TRAPPED && c->cpu.now < end)
            end = c->cpu.now;
    }
    return ran;
}

struct pc_card *pc_functional_run(struct pc_card *const *card, unsigned cards, nm_tick until)
{
    struct pc_card *first = NULL;
    while (take_turns(card, cards, turn_end(card, cards, until)))
        ;
    for (unsigned i = 0; i < cards; i++)
        if (card[i]->activity == PC_TRAPPED && (!first || card[i]->cpu.now < first->cpu.now))
            first = card[i];
    if (!first || first->cpu.now >= until)
        return NULL;
    first->activity = PC_IDLE;
    return first;
}

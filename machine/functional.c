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
#include "machine/functional.h"

sim_tick nm_functional_quantum(const struct nm_machine *m)
{
    static const sim_tick quantum[] = {
        [NM_MODE_TIMED] = 0, [NM_MODE_FUNCTIONAL] = NM_QUANTUM, [NM_MODE_WARM] = NM_QUANTUM_WARM};
    return quantum[m->mode];
}

/* [PCycles] One turn ends in each slot. */
static sim_tick slot_of(const struct nm_machine *m)
{
    return m->mode == NM_MODE_WARM ? NM_QUANTUM_WARM / 2 : (NM_QUANTUM - NM_QUANTUM_LINKED) / 2;
}

/* When a turn ends in slot `n`. */
static sim_tick end_in(sim_tick n, sim_tick slot)
{
    uint64_t x = (n + 1) * 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return n * slot + (x ^ x >> 31) % slot;
}

/* When the turn ends that `now` is in. */
static sim_tick quantum_end(sim_tick now, sim_tick slot)
{
    const sim_tick end = end_in(now / slot, slot);
    return end > now ? end : end_in(now / slot + 1, slot);
}

/* Where each processor must stop: at the end of the turn of the one furthest behind, at the
 * earliest trap, or at `until`. One alone needs no turns. */
static sim_tick turn_end(const struct nm_machine *m, sim_tick until)
{
    sim_tick first = SIM_NEVER, end = nm_first_call(m, until);
    unsigned running = 0;
    for (unsigned i = 0; i < m->cards; i++) {
        const sim_tick at = m->card[i]->ops->goes_on(m->card[i]);
        running += at != SIM_NEVER;
        first = sim_earlier(first, at);
    }
    if (running > 1 && first < end)
        end = sim_earlier(end, quantum_end(first, slot_of(m)));
    return end;
}

/* Who goes first in the turn that ends at `end`: of processors with caches each in its time, or one
 * would always be the first at a lock. */
static unsigned first_in(const struct nm_machine *m, sim_tick end)
{
    return m->mode == NM_MODE_WARM ? (unsigned)(end / slot_of(m) % m->cards) : 0;
}

/* Runs every processor that is behind `end`. The earliest that traps stops those after it there. */
static bool take_turns(struct nm_machine *m, sim_tick end, sim_tick until)
{
    const unsigned first = first_in(m, end);
    bool ran = false;
    for (unsigned n = 0; n < m->cards && !*m->broken; n++) {
        const unsigned i = first + n < m->cards ? first + n : first + n - m->cards;
        struct nm_card *c = m->card[i];
        const sim_tick at = c->ops->goes_on(c);
        if (at >= end)
            continue;
        ran = true;
        c->ops->turn(c, end, until);
        if (c->ops->goes_on(c) == at)
            nm_card_early(i, at, end);
        end = nm_first_call(m, end);
    }
    return ran;
}

void nm_functional_run(struct nm_machine *m, sim_tick until)
{
    while (take_turns(m, turn_end(m, until), until))
        ;
}

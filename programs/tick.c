/*
 * The operating system's clock interrupt: when it comes on which card, and what it takes.
 *
 * The hard idea is what it is for. Threads of a simulated machine can fall into step: who polls a
 * lock takes it again, round after round, a moment before the one who has been woken for it
 * arrives. On a real machine that ends, because its processors are interrupted, each at another
 * time, for a time that is never quite the same. So here too: phases differ from card to card, and
 * what a tick takes is drawn from the run's seed.
 */
#include "programs/linux.h"

enum {
    STREAM_TICK = 4,
    PHASES = CARDS_MAX, /**< no two cards have the same */
};

/** [ticks] The card's place in the period: its number with the bits reversed, so that neighbours
 * are far apart and the cards of any machine are spread evenly. */
static nm_tick phase(const struct prog *p, unsigned card)
{
    nm_tick place = 0;

    if (p->par->os_tick_phase == NM_TICK_TOGETHER)
        return 0;
    for (unsigned bit = 1; bit < PHASES; bit *= 2, card /= 2)
        place = 2 * place + (card & 1);
    return place * p->par->os_tick / PHASES;
}

nm_tick tick_after(const struct prog *p, unsigned card, nm_tick at)
{
    const nm_tick period = p->par->os_tick;
    nm_tick first;

    if (!period)
        return NM_NEVER;
    first = period + phase(p, card);
    return at < first ? first : first + ((at - first) / period + 1) * period;
}

nm_tick tick_cost(const struct prog *p, unsigned card, nm_tick at)
{
    const nm_tick usual = p->par->os_tick_cost;
    uint64_t chance;

    prog_random(p, STREAM_TICK, (at / p->par->os_tick * CARDS_MAX + card) * sizeof chance, &chance,
                sizeof chance);
    return usual / 2 + chance % (usual + 1);
}

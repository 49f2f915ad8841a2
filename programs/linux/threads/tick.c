/*
 * The operating system's clock interrupt: when it comes on which card, and what it takes.
 *
 * The hard idea is what it is for. Threads of a simulated machine can fall into step: a thread that
 * polls a lock takes it again, round after round, a moment before a thread that has been woken for
 * it arrives. On a real machine that ends, because its processors are interrupted, each at another
 * time, for a time that is never quite the same. So it is here: phases differ from card to card,
 * and what a tick takes is drawn from the run's seed.
 */
#include "programs/linux/process/process.h"
#include "programs/linux/threads/threads.h"

#include "machine/values.h"

enum {
    STREAM_TICK = 4,
    PHASES = CARDS_MAX, /**< no two cards have the same */
};

/** [ticks] The card's place in the period: its number with the bits reversed, so that neighbours
 * are far apart and the cards of any machine are spread evenly. */
static sim_tick phase(const struct lx_prog *p, unsigned card)
{
    sim_tick place = 0;

    if (p->par->os_tick_phase == NM_TICK_TOGETHER)
        return 0;
    for (unsigned bit = 1; bit < PHASES; bit *= 2, card /= 2)
        place = 2 * place + (card & 1);
    return place * p->par->os_tick / PHASES;
}

sim_tick lx_tick_after(const struct lx_prog *p, unsigned card, sim_tick at)
{
    const sim_tick period = p->par->os_tick;
    sim_tick first;

    if (!period)
        return SIM_NEVER;
    first = period + phase(p, card);
    return at < first ? first : first + ((at - first) / period + 1) * period;
}

sim_tick lx_tick_cost(const struct lx_prog *p, unsigned card, sim_tick at)
{
    const sim_tick usual = p->par->os_tick_cost;
    uint64_t chance;

    lx_random(p, STREAM_TICK, (at / p->par->os_tick * CARDS_MAX + card) * sizeof chance, &chance,
              sizeof chance);
    return usual / 2 + chance % (usual + 1);
}

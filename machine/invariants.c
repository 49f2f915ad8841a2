/*
 * What holds of the loop that lets time pass between windows: nothing that has yet to happen has
 * been forgotten, on a station or among those that the operating system will be told of.
 */
#include "base/invariant.h"
#include "machine/assembly.h"

#include <inttypes.h>

/* Ties that say nothing of the machine's time. */
static bool is_harmless(const struct nm_station *s, const struct sim_event *a,
                        const struct sim_event *b)
{
    const unsigned rank = a->order >> 24, component = a->order & 0xffffff,
                   module = nm_component_module(component);
    const bool same = a->fire == b->fire && a->self == b->self;
    /* of a card's two looks one is the timer's (base/timer.h); the argument is about idleness */
    if (same && (a->arg == b->arg || rank == SIM_RANK_LOOK))
        return true;
    return rank == SIM_RANK_MODULE && module < s->cards &&
           s->card[module]->ops->commutes(component % NM_ORDERS, a, b);
}

/* A processor posts as soon as the host lets it run ahead, so the order of postings is none of the
 * machine's. */
void nm_station_tie(void *station, const struct sim_event *a, const struct sim_event *b)
{
    const struct nm_station *s = station;
    const unsigned component = a->order & 0xffffff;
    SIM_MUST(is_harmless(s, a, b),
             "station %u: two events of one tick, rank %u, module %u, order %u", s->number,
             a->order >> 24, nm_component_module(component), component % NM_ORDERS);
}

static void station_holds(const struct nm_machine *m, const struct nm_station *s)
{
    const bool awake = m->awake[s->number / 64] >> (s->number % 64) & 1;
    const sim_tick event = sim_kernel_next(s->k);
    unsigned running = 0, found = 0;
    for (unsigned i = 0; i < s->cards; i++) {
        const struct nm_card *card = s->card[i];
        const sim_tick at = card->ops->goes_on(card);
        const nm_turn turn = at == SIM_NEVER ? SIM_NEVER : at << NM_TURN_SHIFT | i;
        SIM_MUST(s->running[i] == turn, "station %u, card %u: turn %#" PRIx64 ", goes on %#" PRIx64,
                 s->number, i, s->running[i], at);
        running += turn != SIM_NEVER;
    }
    for (unsigned i = 0; i < NM_CARDS_MAX; i++) {
        const nm_turn turn = s->order[i];
        SIM_MUST(turn <= s->order[i + 1], "station %u", s->number);
        found += turn != SIM_NEVER && s->running[turn % NM_CARDS_MAX] == turn;
    }
    SIM_MUST(found == running, "station %u: %u of %u processors have a turn", s->number, found,
             running);
    SIM_MUST(event >= m->now, "station %u: an event at %" PRIu64 ", now %" PRIu64, s->number, event,
             m->now);
    SIM_MUST(event >= s->next && (!running || s->order[0] >> NM_TURN_SHIFT >= s->next),
             "station %u: next %" PRIu64 ", an event at %" PRIu64, s->number, s->next, event);
    SIM_MUST(awake || s->next == SIM_NEVER, "station %u sleeps", s->number);
    SIM_MUST(m->next <= s->next && m->speaks <= s->speaks, "station %u", s->number);
}

void nm_machine_invariants(const struct nm_machine *m)
{
    for (unsigned i = 0; i < m->stations; i++)
        station_holds(m, &m->station[i]);
    for (unsigned i = 0; i < m->stations; i++)
        sim_kernel_ties(m->station[i].k, nm_station_tie, &m->station[i]);
    for (unsigned i = 0; i < m->cards; i++)
        m->card[i]->ops->invariants(m->card[i], m->now);
    const struct nm_call *call = m->calls.at;
    for (unsigned i = 1; i < m->calls.count; i++)
        SIM_MUST(call[i - 1].at < call[i].at ||
                     (call[i - 1].at == call[i].at && call[i - 1].card <= call[i].card),
                 "call %u", i);
    SIM_MUST(m->stop_at == (m->calls.count ? call[0].at + m->os_delay : SIM_NEVER), "%u calls",
             m->calls.count);
}

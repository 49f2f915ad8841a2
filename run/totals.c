/* The totals of cards, stations and rings at one tick: of all of them, whoever asks. */
#include "run/totals.h"

#include "base/alloc.h"
#include "documents/totals.h"

#include <stdlib.h>

/* Whether a card's processor has counters of its own, whose events can be chosen. */
static bool count_themselves(const struct run_live *live)
{
    bool any = false;
    for (unsigned c = 0; c < live->cards; c++)
        any |= pc_own_counts(live->machine, c);
    return any && in_unit(live->experiment)->own;
}

void run_totals_new(struct run_live *live)
{
    const unsigned rings = nm_ring_count(live->experiment->machine.params);
    const size_t stations = nm_machine_stations(live->machine);
    live->now = (struct doc_sample){
        .card = sim_alloc(live->cards, sizeof *live->now.card),
        .station = sim_alloc(stations, sizeof *live->now.station),
        .ring = sim_alloc(rings + 1, sizeof *live->now.ring),
        .traffic = rings ? sim_alloc(stations, sizeof(struct nm_traffic *)) : NULL,
        .own = count_themselves(live) ? sim_alloc(live->cards, sizeof *live->now.own) : NULL,
    };
}

void run_totals_free(struct run_live *live)
{
    free(live->now.card);
    free(live->now.station);
    free(live->now.ring);
    free(live->now.traffic);
    free(live->now.own);
}

const struct doc_sample *run_totals(struct run_live *live)
{
    struct doc_sample *now = &live->now;
    for (unsigned c = 0; c < live->cards; c++) {
        nm_card_taps(live->machine, c, &now->card[c].taps);
        nm_card_truth(live->machine, c, &now->card[c].truth);
        if (now->own)
            pc_own_signals(live->machine, c, &now->own[c]);
    }
    for (unsigned i = 0; i < nm_machine_stations(live->machine); i++)
        nm_machine_station(live->machine, i, &now->station[i]);
    for (unsigned i = 0; i < nm_ring_count(live->experiment->machine.params); i++)
        nm_machine_ring(live->machine, i, &now->ring[i]);
    for (unsigned i = 0; now->traffic && i < nm_machine_stations(live->machine); i++)
        now->traffic[i] = nm_machine_traffic(live->machine, i);
    return now;
}

/*
 * Status(7:0) of some cards as a table.
 *
 * The pins change with MasterClock, of which two PCycles are one: a row begins at one of its edges.
 */
#include "trace/recorder.h"

#include <inttypes.h>
#include <string.h>

/** What a card's pins show, from an edge on. */
struct shown {
    sim_tick since;
    uint64_t status, older, newer;
};

/** [ticks] The first edge of MasterClock at or after `t`. */
static sim_tick edge(sim_tick t)
{
    return t + t % 2;
}

static void status_put_row(const struct trc_signal *s, const struct shown *shown, sim_tick to,
                           unsigned cards, FILE *out)
{
    unsigned station, card;
    if (shown->status == TRC_UNKNOWN || edge(shown->since) >= edge(to) ||
        sscanf(s->part, "machine.station[%u].card[%u]", &station, &card) != 2)
        return;
    fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",0x%02" PRIx64 ",%s,%s\r\n", station * cards + card,
            edge(shown->since), (edge(to) - edge(shown->since)) / 2, shown->status,
            in_state_name((unsigned)shown->older), in_state_name((unsigned)shown->newer));
}

/* The pins are three signals: `first`, and the two behind it. */
static void status_put_card(const struct trc_recorder *r, uint32_t first, FILE *out)
{
    const struct trc_book *book = &r->wires;
    const struct trc_signal *s = &book->signal[first];
    const unsigned cards = (unsigned)nm_value_processors(r->experiment->machine.params);
    struct shown shown = {book->from, s[0].first, s[1].first, s[2].first};
    for (size_t i = 0; i < book->changes; i++) {
        const struct trc_change *c = &book->change[i];
        if (c->signal < first || c->signal > first + 2)
            continue;
        if (c->at > shown.since) {
            status_put_row(s, &shown, c->at, cards, out);
            shown.since = c->at;
        }
        *(c->signal == first       ? &shown.status
          : c->signal == first + 1 ? &shown.older
                                   : &shown.newer) = c->value;
    }
    status_put_row(s, &shown, book->to, cards, out);
}

void trc_write_status(const struct trc_recorder *r, FILE *out)
{
    fputs("card,tick,clocks,status,older,newer\r\n", out);
    for (uint32_t i = 0; i < r->wires.signals; i++)
        if (r->wires.signal[i].of == TRC_OF_WIRE && !strcmp(r->wires.signal[i].name, "status"))
            status_put_card(r, i, out);
}

/*
 * The Status pins of some cards.
 *
 * A card whose pins are followed runs one instruction at a time, which costs host time, so that
 * following begins shortly before the time asked for and ends behind it. What a card waits for at
 * the end is charged only when it is over; up to there the totals say it.
 */
#include "cli/pins.h"

#include "base/alloc.h"
#include "procard/procard.h"

#include <stdlib.h>

/* [ticks] a card's own time may be ahead of the machine's, with room to spare: system calls and the
 * like are charged at once. */
enum { LEAD = 100000 };

_Static_assert((int)IN_STATUS_STATES == (int)PC_ST__COUNT,
               "a machine file has a code for each state");

void cli_pins_init(struct cli_pins *p, const struct in_experiment *x)
{
    const sim_tick from = in_status_begin(x);
    *p = (struct cli_pins){.next = SIM_NEVER};
    rep_status_init(&p->status, x);
    p->pins = sim_alloc(p->status.traces, sizeof *p->pins);
    if (p->status.traces)
        p->next = from > LEAD ? from - LEAD : 0;
}

void cli_pins_free(struct cli_pins *p)
{
    rep_status_free(&p->status);
    free(p->pins);
}

static void begin(struct cli_pins *p, struct nm_machine *m)
{
    for (unsigned i = 0; i < p->status.traces; i++)
        pc_follow_pins(m, p->status.trace[i].card, &p->pins[i], rep_trace_edge,
                       &p->status.trace[i]);
    p->open = true;
    p->next = p->status.trace[0].to;
}

void cli_pins_end(struct cli_pins *p, struct nm_machine *m)
{
    for (unsigned i = 0; p->open && i < p->status.traces; i++) {
        struct mon_taps taps;
        nm_card_taps(m, p->status.trace[i].card, &taps);
        pc_pins_follow(&p->pins[i], taps.v);
        pc_follow_pins(m, p->status.trace[i].card, NULL, NULL, NULL);
    }
    p->open = false;
    p->next = SIM_NEVER;
}

void cli_pins_moment(struct cli_pins *p, struct nm_machine *m, sim_tick at)
{
    if (at < p->next)
        return;
    if (p->open)
        cli_pins_end(p, m);
    else
        begin(p, m);
}

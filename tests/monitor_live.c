/* The monitoring card on a busy machine. */
#include "monitor_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* What all exactness rests on: between two edges a level grows by at most what the clocks allow,
 * and nothing ever shrinks. */
Test(monitor_live, levels_grow_by_at_most_one)
{
    enum { TICKS = 30000 };
    const struct nm_params p = rig_params(2, 2, 1);
    const nm_tick cycle = p.cpu_clock / p.bus_clock;
    struct rig rig;
    rig_new(&rig, &p, 1000);
    struct mon_taps before[4], now;
    for (unsigned c = 0; c < 4; c++)
        nm_card_taps(rig.m, c, &before[c]);
    for (nm_tick t = 1; t < TICKS; t++) {
        struct nm_trap trap;
        cr_assert(!rig_run(&rig, t, &trap));
        for (unsigned c = 0; c < 4; c++) {
            nm_card_taps(rig.m, c, &now);
            for (int tap = 0; tap < MON_TAP__COUNT; tap++) {
                const uint64_t grown = now.v[tap] - before[c].v[tap];
                if (MON_PACKET_TAPS >> tap & 1)
                    continue;
                cr_assert_leq(grown, 1, "tick %lu, card %u: %s %lu -> %lu", (unsigned long)t, c,
                              mon_tap_rows()[tap].name, (unsigned long)before[c].v[tap],
                              (unsigned long)now.v[tap]);
            }
            before[c] = now;
        }
    }
    (void)cycle;
    rig_free(&rig);
}

/*
 * The controller of an ARM11's secondary cache alone, on a card of which it is all there is: what
 * its reads and writes take and count, its line buffers, and its registers.
 */
#include "base/alloc.h"
#include "machine/values.h"
#include "procard/card.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct world {
    struct nm_params p;
    struct pc_card *card;
};

static void world_new(struct world *w, unsigned controller)
{
    nm_params_default(&w->p);
    w->p.l2c = controller;
    w->p.l2_size = 128 << 10;
    w->p.l2_ways = 8;
    w->p.l2_line = PC_L2C_LINE;
    w->p.l2c_handover = 2;
    w->p.l2c_aux = 0x00000024; /* an i.MX31's latencies */
    w->card = sim_alloc(1, sizeof *w->card);
    w->card->p = &w->p;
    w->card->cpu.card = w->card;
    pc_l2c_init(w->card);
}

static sim_tick reads(struct world *w, enum pc_side side, uint64_t pa, bool hit)
{
    const struct pc_look look = {.pa = pa, .state = hit ? NM_LINE_S : NM_LINE_I};
    return pc_l2c_reads(&w->card->cpu, side, &look, 99);
}

static sim_tick writes(struct world *w, uint64_t pa, bool hit)
{
    const struct pc_look look = {.pa = pa, .state = hit ? NM_LINE_D : NM_LINE_I};
    return pc_l2c_writes(&w->card->cpu, &look, 99);
}

static uint64_t counted(const struct world *w, enum l2c_signal s)
{
    return pc_l2c_signals(w->card, 0).total[s];
}

Test(l2c_controller, without_one)
{
    struct world w;
    world_new(&w, NM_L2C_NONE);
    cr_expect_eq(reads(&w, PC_SIDE_D, 0x100, true), 99);
    cr_expect_eq(writes(&w, 0x100, true), 99);
    for (unsigned s = 0; s < L2C_SIGNALS; s++)
        cr_expect_eq(counted(&w, (enum l2c_signal)s), 0);
    cr_expect(!pc_l2c_has(w.card, PC_L2C_CONTROLLER));
    free(w.card);
}

/* AT-33: a second read of the line in the port's buffer is no request; another line is, and so is
 * the same one after a write to it, or when the cache has lost it. Ports have a buffer each. */
Test(l2c_controller, line_buffers)
{
    struct world w;
    world_new(&w, NM_L2C_210);
    cr_expect_eq(reads(&w, PC_SIDE_I, 0x104, true), 2 + 1 + 5 + 2, "tag 1, data 5, and both ways");
    cr_expect_eq(reads(&w, PC_SIDE_I, 0x11c, true), 2 + 1 + 2);
    cr_expect_eq(counted(&w, L2C_SIGNAL_IRREQ), 1);
    cr_expect_eq(counted(&w, L2C_SIGNAL_IRHIT), 1);
    reads(&w, PC_SIDE_D, 0x100, true);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DRREQ), 1, "the other port's own");
    reads(&w, PC_SIDE_I, 0x120, false);
    reads(&w, PC_SIDE_I, 0x100, true);
    cr_expect_eq(counted(&w, L2C_SIGNAL_IRREQ), 3);
    cr_expect_eq(counted(&w, L2C_SIGNAL_IRHIT), 2);
    writes(&w, 0x110, true);
    reads(&w, PC_SIDE_D, 0x100, true);
    reads(&w, PC_SIDE_I, 0x100, true);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DRREQ), 2);
    cr_expect_eq(counted(&w, L2C_SIGNAL_IRREQ), 4);
    pc_l2c_loses(w.card, 0x120);
    reads(&w, PC_SIDE_D, 0x100, true);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DRREQ), 2, "it was another line");
    pc_l2c_loses(w.card, 0x100);
    reads(&w, PC_SIDE_D, 0x100, false);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DRREQ), 3);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DRHIT), 2, "it comes from elsewhere");
    free(w.card);
}

Test(l2c_controller, writes_and_evictions)
{
    struct world w;
    world_new(&w, NM_L2C_220);
    cr_expect_eq(writes(&w, 0x200, true), 2 + 1 + 5);
    writes(&w, 0x240, false);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DWREQ), 2);
    cr_expect_eq(counted(&w, L2C_SIGNAL_DWHIT), 1);
    cr_expect_eq(counted(&w, L2C_SIGNAL_WA), 1);
    pc_l2c_evicts(w.card);
    cr_expect_eq(counted(&w, L2C_SIGNAL_CO), 1);
    cr_expect_eq(counted(&w, L2C_SIGNAL_CO_HALVES), 2);
    free(w.card);
}

/* Latencies are what the register says, plus one; the machine's fields stay. */
Test(l2c_controller, auxiliary_control)
{
    enum { AUX = PC_L2C_CONTROLLER + 0x104 };
    static const unsigned controllers[] = {NM_L2C_210, NM_L2C_220};
    for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++) {
        struct world w;
        world_new(&w, controllers[i]);
        const uint32_t fixed = 8u << 13 | 1u << 17 | (i ? 1u << 24 : 1u << 23);
        cr_expect_eq(pc_l2c_read(w.card, AUX, 0), fixed | 0x24);
        for (unsigned cycles = 1; cycles <= 8; cycles++) {
            cr_expect_eq(pc_l2c_write(w.card, AUX, (cycles - 1) * 0111u, 0), 0);
            cr_expect_eq(reads(&w, PC_SIDE_D, cycles * 64, true), 4 + 2 * cycles);
            cr_expect_eq(writes(&w, 0x4000, true), 2 + 2 * cycles);
        }
        cr_expect_eq(pc_l2c_write(w.card, AUX, UINT32_MAX, 0), 0);
        cr_expect_eq(pc_l2c_read(w.card, AUX, 0), fixed | 0x00700fff);
        cr_expect(w.card->l2c.monitor.bus);
        free(w.card);
    }
}

/* Every word of both regions: what cannot be written is refused and changes nothing; the event
 * monitor is where it should be. */
Test(l2c_controller, registers)
{
    static const unsigned controllers[] = {NM_L2C_210, NM_L2C_220};
    for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++) {
        struct world w;
        world_new(&w, controllers[i]);
        const uint32_t events = i ? PC_L2C_CONTROLLER : PC_L2C_EVENTS;
        for (uint32_t at = PC_L2C_CONTROLLER; at < PC_L2C_END; at += 4) {
            const uint32_t before = pc_l2c_read(w.card, at, 0);
            const unsigned refused = pc_l2c_write(w.card, at, 0, 0);
            cr_expect(pc_l2c_has(w.card, at));
            if (refused)
                cr_expect_eq(pc_l2c_read(w.card, at, 0), before, "0x%x", at);
        }
        cr_expect_eq(pc_l2c_read(w.card, PC_L2C_CONTROLLER, 0) >> 6 & 15, i + 1);
        cr_expect_eq(pc_l2c_read(w.card, PC_L2C_CONTROLLER + 0x100, 0), 1);
        cr_expect_eq(pc_l2c_write(w.card, PC_L2C_CONTROLLER + 0x100, 0, 0), MON_REFUSED_READ_ONLY);
        cr_expect_eq(pc_l2c_write(w.card, events + (i ? 0x204 : 0x100), i ? 0x3 << 2 : 3, 0), 0);
        cr_expect_eq(pc_l2c_write(w.card, events + (i ? 0x200 : 0x000), 1, 0), 0);
        pc_l2c_write(w.card, PC_L2C_CONTROLLER + 0x104, 1u << 20, 0);
        reads(&w, PC_SIDE_D, 0x5000, true);
        cr_expect_eq(pc_l2c_read(w.card, events + (i ? 0x20c : 0x200), 0), 1, "a data read");
        free(w.card);
    }
}

/*
 * Machines drawn by lot, saturated: every processor stores to the same few lines, or to a few lines
 * that share one place in every cache. Whoever is refused must still get through, and within
 * nm_params_wait, which the rule for run.watchdog allows (machine/rules.def): the watchdog is as
 * short as that.
 */
#include "actors.h"
#include "lot.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LOTS
#define LOTS 60
#endif

enum { CARDS_MAX = 64, LINES = 5, REFERENCES = 12 };

struct load {
    const struct nm_params *p;
    unsigned lines;
    uint64_t line[LINES];
    uint64_t think; /* PCycles between two references */
    unsigned loads; /* of 100 references */
};

struct actor {
    const struct load *load;
    uint64_t dice;
    unsigned made;
    sim_tick longest;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card, (void)now;
    if (a->made == REFERENCES)
        return;
    const uint64_t address = a->load->line[actors_draw(&a->dice, a->load->lines)];
    const bool store = actors_draw(&a->dice, 100) >= a->load->loads;
    *out = actors_reference(store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD, address);
    out->ticks = a->load->think;
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    const sim_tick wait = result->done - result->began;
    (void)card, (void)reference;
    a->longest = wait > a->longest ? wait : a->longest;
    a->made++;
}

static const struct pc_driver_source source = {.next = next, .done = done};

/* Lines of any stations; in every other machine they all share their places in all caches. */
static void draw_load(uint64_t *dice, const struct nm_params *p, struct load *load)
{
    const uint64_t larger = p->l2_size > p->netcache_size ? p->l2_size : p->netcache_size;
    const bool one_place = actors_draw(dice, 2);
    *load = (struct load){.p = p,
                          .lines = 1 + (unsigned)actors_draw(dice, LINES),
                          .think = 1 + actors_draw(dice, 200),
                          .loads = (unsigned)actors_draw(dice, 80)};
    for (unsigned i = 0; i < load->lines; i++) {
        const uint64_t home = actors_draw(dice, nm_params_stations(p));
        const uint64_t offset = one_place ? i * larger : i * p->l2_line;
        load->line[i] = home * p->memory_size + offset % p->memory_size;
    }
}

static void end(struct nm_machine *m, uint64_t seed, const struct load *load)
{
    for (unsigned done = 0; done < nm_machine_cards(m); done++) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        if (why != NM_RUN_TRAP) {
            nm_machine_dump(m, stderr);
            cr_assert_fail("machine %lu, %u lines: stopped with %d: %s", (unsigned long)seed,
                           load->lines, (int)why, nm_machine_error(m));
        }
        nm_card_take(m, trap.card);
    }
}

/* @param dice  of the load
 *  @return the longest wait, as a part of what the watchdog allows */
static double saturate(struct nm_params p, uint64_t dice)
{
    const uint64_t seed = dice;
    struct actor actor[CARDS_MAX] = {0};
    struct load load;
    sim_tick longest = 0;
    p.tlb_refill = 0;                /* no wait of an access: software */
    p.watchdog = nm_params_wait(&p); /* nobody claims a line */
    draw_load(&dice, &p, &load);
    struct nm_machine *m = actors_machine(&p);
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        actor[i] = (struct actor){.load = &load, .dice = dice + i};
        pc_drive(m, i, &source, &actor[i], i);
    }
    end(m, seed, &load);
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        longest = actor[i].longest > longest ? actor[i].longest : longest;
    nm_machine_free(m);
    cr_assert_leq(longest, p.watchdog, "machine %lu: a wait of %lu ticks, %lu are allowed",
                  (unsigned long)seed, (unsigned long)longest, (unsigned long)p.watchdog);
    return (double)longest / (double)p.watchdog;
}

static double saturate_drawn(uint64_t seed)
{
    struct nm_params p;
    lot_draw(seed, CARDS_MAX, 0, &p);
    return saturate(p, seed);
}

/* Machines on which cards once waited for ever: what is not the default, and the dice of the load.
 */
static const struct known {
    struct {
        const char *key;
        uint64_t value;
    } set[35];
    uint64_t dice;
} known[] = {
    /* A memory's intervention lost its place on the bus with every refusal that overtook it. */
    {{{"rings.clock", 1000000},
      {"rings.generator", 1},
      {"rings.handler", 2},
      {"rings.up", 64},
      {"rings.down", 6},
      {"rings.output_fifo", 1024},
      {"rings.sinkable_queue", 1},
      {"rings.nonsinkable_limit", 5},
      {"netcache.banks", 1},
      {"netcache.directory_time", 256},
      {"netcache.dram_time", 1},
      {"netcache.bank_recovery", 512},
      {"bus.clock", 1000000},
      {"bus.width", 64},
      {"bus.arbitration", 64},
      {"bus.fifo", 1},
      {"memory.page_size", 65536},
      {"memory.directory_time", 1},
      {"memory.dram_time", 32},
      {"processor.clock", 1000000},
      {"l1d.size", 32768},
      {"l1d.line", 16},
      {"l1d.writeback", 2},
      {"l2.data_half", 0},
      {"l2.lookup", 2},
      {"directory.patience", 1},
      {"agent.request", 58},
      {"agent.response", 8},
      {"agent.create", 64},
      {"agent.register", 2},
      {"agent.external", 1},
      {"agent.retry", 1},
      {"agent.retry_spread", 0},
      {"agent.link_failures", 128}},
     407},
};

static void saturate_known(const struct known *k)
{
    struct nm_params p;
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    actors_plain_params(&p);
    p.check = true;
    p.watchdog = 60000000;
    for (unsigned i = 0; k->set[i].key; i++)
        for (size_t r = 0; r < rows; r++)
            if (!strcmp(row[r].key, k->set[i].key))
                nm_param_set(&p, &row[r], k->set[i].value);
    saturate(p, k->dice);
}

Test(saturation_lot, every_wait_is_bounded)
{
    double most = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        saturate_known(&known[i]);
    for (uint64_t seed = 1; seed <= LOTS; seed++) {
        const double part = saturate_drawn(seed);
        most = part > most ? part : most;
    }
    fprintf(stderr, "# %d machines: the longest wait is %.2f of what run.watchdog must allow\n",
            LOTS, most);
}

/*
 * The station bus against the plain rule, cycle by cycle (bus_plain.h): buses drawn by lot, mostly
 * with tiny FIFOs, and traffic drawn by lot. Both are told the same; every tenure and arrival with
 * its tick, every packet that a module takes, and every counter must be the same.
 */
#include "bus_plain.h"
#include "machine/bus.h"
#include "machine/values.h"
#include "monitor/taps.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#ifndef LOTS
#define LOTS 400
#endif

enum { TICKS = 3000, HEARD = 256 };

struct ear {
    struct bus_plain_event heard[HEARD];
    unsigned count;
};

struct both {
    uint64_t seed, dice;
    bool hears; /* on_heard is told of what passes */
    struct sim_kernel *k;
    struct sim_room *room;
    struct nm_bus *bus;
    struct nm_port port[NM_MODULES];
    struct module {
        struct both *both;
        unsigned number;
        uint64_t heard[2]; /* packets in and out */
    } module[NM_MODULES];
    struct mon_taps taps[NM_MODULES];
    struct bus_plain plain;
    struct ear ear[2]; /* of bus and plain */
    unsigned gap, sends, takes,
        hot; /* [ticks] between looks; of 100 modules that send and take; hot: of 100 packets */
    sim_tick decided; /* ticks up to this one are over in the plain one */
    uint64_t serial, packets;
};

static unsigned draw(uint64_t *dice, unsigned from, unsigned to)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return from + (unsigned)(*dice >> 33) % (to - from + 1);
}

static bool chance(struct both *b, unsigned percent)
{
    return draw(&b->dice, 0, 99) < percent;
}

/* ---- what is heard --------------------------------------------------------------------------- */

static void hear(void *ctx, struct bus_plain_event event)
{
    struct ear *ear = ctx;
    cr_assert_lt(ear->count, HEARD);
    ear->heard[ear->count++] = event;
}

static void on_tenure(void *ctx, unsigned station, sim_tick now, unsigned cycles,
                      const struct nm_packet *p)
{
    struct both *b = ctx;
    cr_assert_eq(station, 7);
    hear(&b->ear[0], (struct bus_plain_event){now, p->source, cycles, p->line});
}

/* Told of every packet, after the taps have it. */
static void on_heard(void *module, sim_tick now, const struct nm_packet *p, bool out, unsigned data)
{
    struct module *m = module;
    const struct nm_message_row *row = nm_message_row(p->message);
    const struct bus_plain_rule *rule = &m->both->plain.rule;
    cr_assert_eq(data, row->has_data ? rule->line : row->has_word ? rule->word : 0);
    cr_assert(out ? p->source == m->number : p->targets >> m->number & 1);
    cr_assert(now % rule->cycle == 0);
    m->heard[out]++;
    cr_assert_eq(m->both->taps[m->number].v[out ? MON_TAP_HEADERS_OUT : MON_TAP_HEADERS_IN],
                 m->heard[out]);
}

static void on_arrived(void *module, sim_tick now)
{
    const struct module *m = module;
    const struct nm_port *port = &m->both->port[m->number];
    uint64_t line = 0; /* of the packet that came last: the one with the greatest serial among the
                          last of each class */
    for (unsigned c = 0; c < NM_CLASSES; c++)
        for (unsigned i = 0; i < port->in[c].count; i++) {
            const struct nm_packet *p = nm_fifo_at(&port->in[c], i);
            line = p->arrived == (uint32_t)now ? p->line : line;
        }
    hear(&m->both->ear[0], (struct bus_plain_event){now, m->number, 0, line});
}

static void on_sent(void *module, sim_tick now)
{
    const struct module *m = module;
    const struct ear *ear = &m->both->ear[0];
    cr_assert(ear->count && ear->heard[ear->count - 1].at == now &&
              ear->heard[ear->count - 1].module == m->number);
}

/* ---- both are the same ----------------------------------------------------------------------- */

static void compare_fifo(const struct both *b, sim_tick now, const struct nm_fifo *f,
                         const struct bus_plain_fifo *plain)
{
    cr_assert(f->count == plain->count && f->deepest == plain->deepest &&
                  f->reserved == plain->promised,
              "lot %" PRIu64 ", tick %" PRIu64 ": %u %u %u, plainly %u %u %u", b->seed, now,
              f->count, f->deepest, f->reserved, plain->count, plain->deepest, plain->promised);
    cr_assert_eq(f->filled + f->count * now, plain->filled, "lot %" PRIu64 ", tick %" PRIu64,
                 b->seed, now);
    for (unsigned i = 0; i < f->count; i++)
        cr_assert_eq(nm_fifo_at(f, i)->line, plain->packet[i].line);
}

static void compare(struct both *b, sim_tick now)
{
    const struct ear *ear = &b->ear[0], *plain = &b->ear[1];
    for (unsigned i = 0; i < ear->count || i < plain->count; i++) {
        const struct bus_plain_event *e = &ear->heard[i], *p = &plain->heard[i];
        cr_assert(i < ear->count && i < plain->count && e->at == p->at && e->module == p->module &&
                      e->cycles == p->cycles && e->line == p->line,
                  "lot %" PRIu64 ", before tick %" PRIu64 ", event %u of %u: tick %" PRIu64
                  " module %u for %u line %" PRIu64 ", plainly %u: tick %" PRIu64
                  " module %u for %u line %" PRIu64,
                  b->seed, now, i, ear->count, e->at, e->module, e->cycles, e->line, plain->count,
                  p->at, p->module, p->cycles, p->line);
    }
    b->ear[0].count = b->ear[1].count = 0;
    cr_assert_eq(nm_bus_busy(b->bus, now - now % b->plain.rule.cycle),
                 b->plain.busy - (now % b->plain.rule.cycle && now < b->plain.until),
                 "lot %" PRIu64 ", tick %" PRIu64, b->seed, now);
    for (unsigned m = 0; m < NM_MODULES; m++) {
        const struct bus_plain_port *port = &b->plain.port[m];
        const uint64_t *taps = b->taps[m].v;
        for (unsigned c = 0; c < NM_CLASSES; c++) {
            compare_fifo(b, now, &b->port[m].in[c], &port->in[c]);
            compare_fifo(b, now, &b->port[m].out[c], &port->out[c]);
        }
        if (now % b->plain.rule.cycle == 0)
            cr_assert_eq(nm_bus_waited(b->bus, m, now), port->waited,
                         "lot %" PRIu64 ", tick %" PRIu64 ": module %u waited", b->seed, now, m);
        if (m == NM_MODULE_MEMORY)
            continue;
        cr_assert(!b->hears || (b->module[m].heard[true] == port->headers_out &&
                                b->module[m].heard[false] == port->headers_in));
        cr_assert(taps[MON_TAP_HEADERS_OUT] == port->headers_out &&
                      taps[MON_TAP_HEADERS_IN] == port->headers_in &&
                      taps[MON_TAP_DATA_OUT] == port->data_out &&
                      taps[MON_TAP_DATA_IN] == port->data_in &&
                      taps[MON_TAP_NACKED_HEADERS] == port->nacked,
                  "lot %" PRIu64 ", tick %" PRIu64 ": taps of module %u", b->seed, now, m);
    }
}

/* ---- traffic --------------------------------------------------------------------------------- */

static struct nm_packet draw_packet(struct both *b, unsigned module)
{
    struct nm_packet p = {.line = ++b->serial, .source = (uint8_t)module};
    p.message = (uint8_t)draw(&b->dice, 0, NM_MSG__COUNT - 1);
    p.info = chance(b, 20) ? NM_INFO_RETRY : 0;
    const unsigned one = chance(b, b->hot) ? 0 : draw(&b->dice, 0, NM_MODULES - 1);
    p.targets = (uint8_t)(chance(b, 25)   ? draw(&b->dice, 0, (1 << NM_MODULES) - 1)
                          : chance(b, 20) ? draw(&b->dice, 0, 15)
                                          : 1u << one);
    return p;
}

static void act(struct both *b, unsigned module, sim_tick now)
{
    const unsigned class = draw(&b->dice, 0, NM_CLASSES - 1);
    if (chance(b, b->takes) && b->port[module].in[class].count) {
        const struct nm_packet p = *nm_fifo_pop(&b->port[module].in[class], now);
        const struct nm_packet plain = bus_plain_take(&b->plain, module, class);
        cr_assert(p.line == plain.line && p.message == plain.message);
        nm_bus_drained(b->bus, &b->port[module], now);
    }
    const struct nm_packet p = draw_packet(b, module);
    const enum nm_class its = nm_message_row(p.message)->class;
    const bool room = nm_fifo_room(&b->port[module].out[its], 1);
    cr_assert_eq(room, bus_plain_room(&b->plain, module, its));
    if (!room || !chance(b, b->sends))
        return;
    nm_bus_send(b->bus, module, &p);
    bus_plain_send(&b->plain, module, now, &p);
    b->packets++;
}

/* Lets the plain one catch up, compares, and does what modules do at this tick. */
static void step(void *self, sim_tick now, uint64_t arg)
{
    struct both *b = self;
    (void)arg;
    for (; b->decided < now; b->decided++) {
        bus_plain_decide(&b->plain, b->decided);
        bus_plain_arrive(&b->plain, b->decided + 1);
    }
    compare(b, now);
    for (unsigned m = 0; m < NM_MODULES; m++)
        act(b, m, now);
    sim_post(b->k, now + draw(&b->dice, 1, b->gap), SIM_RANK_MODULE, 0, step, b, 0);
}

static struct both *new_both(uint64_t seed)
{
    struct both *b = calloc(1, sizeof *b);
    struct nm_params p;
    b->seed = b->dice = seed;
    b->dice *= 0x9E3779B97F4A7C15ull;
    b->hears = seed % 2;
    nm_params_default(&p);
    const unsigned cycle = draw(&b->dice, 1, 4);
    p.cpu_clock = p.bus_clock * cycle;
    p.bus_arbitration = draw(&b->dice, 1, draw(&b->dice, 0, 3) ? 2 : 9);
    p.bus_fifo = draw(&b->dice, 1, draw(&b->dice, 0, 3) ? 3 : BUS_PLAIN_DEPTH);
    p.bus_width = 4u << draw(&b->dice, 0, 4);
    p.l2_line = 16u << draw(&b->dice, 0, 3);
    b->gap = draw(&b->dice, 0, 1) ? 3 : 60;
    b->sends = draw(&b->dice, 5, 100);
    b->takes = draw(&b->dice, 20, 100);
    b->hot = draw(&b->dice, 0, 1) ? 0 : 70;
    b->k = sim_kernel_new();
    b->room = sim_room_new(SIM_ROOM_SPARSE);
    b->bus = nm_bus_new(b->k, &p, b->room);
    b->plain.rule = (struct bus_plain_rule){
        cycle, (unsigned)p.bus_arbitration, (unsigned)p.bus_fifo,
        (unsigned)((p.l2_line + p.bus_width - 1) / p.bus_width), p.bus_width < 8 ? 2 : 1};
    b->plain.tell = hear;
    b->plain.ctx = &b->ear[1];
    for (unsigned m = 0; m < NM_MODULES; m++) {
        b->module[m] = (struct module){.both = b, .number = m};
        b->port[m] = (struct nm_port){
            .module = &b->module[m], .arrived = on_arrived, .sent = on_sent, .awaits_room = true};
        b->port[m].taps = m == NM_MODULE_MEMORY ? NULL : &b->taps[m];
        nm_bus_attach(b->bus, m, &b->port[m]);
        if (b->hears && m != NM_MODULE_MEMORY)
            nm_bus_hear(b->bus, m, on_heard);
    }
    nm_bus_watch(b->bus, 7, on_tenure, b);
    return b;
}

Test(bus_rule, lots)
{
    uint64_t packets = 0;
    for (uint64_t seed = 1; seed <= LOTS; seed++) {
        struct both *b = new_both(seed);
        sim_post(b->k, 0, SIM_RANK_MODULE, 0, step, b, 0);
        while (sim_kernel_next(b->k) <= TICKS) {
            sim_kernel_allow(b->k, TICKS + 1);
            sim_kernel_step(b->k);
        }
        packets += b->packets;
        sim_kernel_free(b->k);
        sim_room_free(b->room);
        free(b);
    }
    cr_expect_gt(packets, 50 * LOTS);
}

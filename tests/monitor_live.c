/*
 * The monitoring card on a busy machine: what the board says is compared with what the totals and
 * the log of finished reads say.
 */
#include "monitor_rig.h"

#include "machine/values.h"
#include "procard/card.h"
#include "procard/r4400/r4400.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The next number of a fixed sequence, below `below`. */
static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return (*random >> 33) % below;
}

static sim_tick cycle_of(const struct rig *rig)
{
    return rig->p.cpu_clock / rig->p.bus_clock;
}

/* What the exactness of overflows rests on: levels never shrink, and grow by at most one in each
 * PCycle, whatever the ratio of the ring's clock to the card's. */
static void levels_grow(uint64_t ring_clock)
{
    enum { TICKS = 10000 };
    struct nm_params p = rig_params(2, 2, 2);
    struct mon_taps before[4], now;
    struct rig rig;
    p.ring_clock = ring_clock;
    rig_new(&rig, &p, 1000);
    for (unsigned c = 0; c < 4; c++)
        nm_card_taps(rig.m, c, &before[c]);
    for (sim_tick t = 1; t < TICKS; t++) {
        struct nm_trap trap;
        cr_assert(!rig_run(&rig, t, &trap));
        for (unsigned c = 0; c < 4; c++) {
            uint64_t states = 0;
            nm_card_taps(rig.m, c, &now);
            for (int tap = 0; tap < MON_TAP__COUNT; tap++) {
                const int64_t grown = (int64_t)(now.v[tap] - before[c].v[tap]);
                states += tap < PC_ST__COUNT ? now.v[tap] : 0;
                if (!(MON_PACKET_TAPS >> tap & 1))
                    cr_assert(grown >= 0 && grown <= 1, "tick %lu, card %u: %s grows by %ld",
                              (unsigned long)t, c, mon_tap_rows()[tap].name, (long)grown);
            }
            cr_assert_eq(states, t, "the states add up");
            before[c] = now;
        }
    }
    for (unsigned c = 0; c < 4; c++)
        cr_expect_gt(now.v[MON_TAP_RING_BUSY], TICKS / 100);
    rig_free(&rig);
}

Test(monitor_live, levels_grow_by_at_most_one)
{
    levels_grow(25000000);
    levels_grow(50000000);
    levels_grow(150000000);
}

/* ---- no cycle changes ------------------------------------------------------------------------ */

/* Every counter, the mask, the SRAM, every interrupt. */
static void monitor_everything(struct rig *rig, unsigned variant)
{
    static const enum mon_event_id events[][MON_COUNTERS] = {
        {MON_EV_packet_headers, MON_EV_packet_cycles, MON_EV_read_latency, MON_EV_nack_time},
        {MON_EV_run, MON_EV_nacks, MON_EV_last_read_latency, MON_EV_external_time},
        {MON_EV_invalidate_hits, MON_EV_rereferences, MON_EV_counter_above, MON_EV_interrupt_time},
    };
    static const unsigned sources[] = {MON_SOURCE_state_time, MON_SOURCE_phase_time,
                                       MON_SOURCE_scaddr};
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++) {
        const unsigned v = (variant + c) % 3;
        rig_set(rig, c, MON_REG_SRAM_CONTROL, 0);
        rig_set(rig, c, MON_REG_MASK, 0);
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            rig_set(rig, c, MON_REG_CONTROL0 + 4 * k, MON_EV_nothing);
        for (unsigned k = 0; k < MON_COUNTERS; k++) {
            const bool packet = mon_event_is_packet(events[v][k]);
            rig_set(rig, c, MON_REG_CONTROL0 + 4 * k, rig_control(events[v][k], packet, true));
        }
        rig_set(rig, c, MON_REG_LOAD_ALL, UINT32_MAX - 20 * c);
        rig_set(rig, c, MON_REG_COMMAND, c % 6);
        rig_set(rig, c, MON_REG_MASK,
                v == 2 ? 0 : MON_PUT(c & 1, MASK_ADDRESS) | MON_PUT(c >> 1 & 1, MASK_COMMAND));
        rig_set(rig, c, MON_REG_PHASE, c * 37 % 2048);
        rig_set(rig, c, MON_REG_SRAM_CONTROL,
                sources[v] | MON_PUT(1, SRAM_CONTROL_INTERRUPT) |
                    MON_PUT(c >> 2 & 1, SRAM_CONTROL_INVALIDATES));
        rig_set(rig, c, MON_SRAM_WINDOW + 4 * (c * 1000 % MON_SRAM_WORDS), UINT32_MAX);
        cr_assert_eq(rig_get(rig, c, MON_REG_ERROR), 0, "card %u: %#x", c,
                     rig_get(rig, c, MON_REG_ERROR));
    }
}

Test(monitor_live, monitoring_everything_everywhere_changes_no_cycle)
{
    static const unsigned shapes[][3] = {{4, 1, 1}, {4, 4, 1}, {4, 4, 4}};
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct nm_params p = rig_params(shapes[s][0], shapes[s][1], shapes[s][2]);
        uint64_t hash[4];
        for (unsigned variant = 0; variant < 4; variant++) {
            struct rig rig;
            struct nm_trap trap;
            rig_new(&rig, &p, 60);
            unsigned interrupts = 0;
            if (variant)
                monitor_everything(&rig, variant);
            while (rig_run(&rig, 3000, &trap))
                interrupts++;
            if (variant)
                monitor_everything(&rig, variant + 1);
            rig_finish(&rig);
            hash[variant] = rig_hash(&rig);
            cr_expect_eq(hash[variant], hash[0], "shape %u, variant %u", s, variant);
            cr_expect(variant == 0 || interrupts > 0);
            rig_free(&rig);
        }
    }
}

/* ---- overflow at the exact cycle ------------------------------------------------------------- */

enum { CARDS = 4, EDGES = 6000, TRIALS = 256 };

/* The totals of every card at every edge of its clock, of a machine without any board at work. A
 * packet that passes on an edge has passed; a level on it has not yet been there for a cycle. */
static struct mon_taps *record(const struct nm_params *p)
{
    struct mon_taps *at = calloc((size_t)EDGES * CARDS, sizeof *at), behind;
    struct rig rig;
    rig_new(&rig, p, 100000);
    for (sim_tick e = 0; e < EDGES; e++) {
        struct nm_trap trap;
        cr_assert(!e || !rig_run(&rig, e * cycle_of(&rig), &trap));
        for (unsigned c = 0; c < CARDS; c++)
            nm_card_taps(rig.m, c, &at[e * CARDS + c]);
        cr_assert(!rig_run(&rig, e * cycle_of(&rig) + 1, &trap));
        for (unsigned c = 0; c < CARDS; c++) {
            nm_card_taps(rig.m, c, &behind);
            for (int t = 0; t < MON_TAP__COUNT; t++)
                if (MON_PACKET_TAPS >> t & 1)
                    at[e * CARDS + c].v[t] = behind.v[t];
        }
    }
    rig_free(&rig);
    return at;
}

struct trial {
    enum mon_event_id event;
    bool mask;
    uint32_t load;
    sim_tick wraps; /* predicted edge, 0: not before the end */
    bool armed;     /* it interrupts; one counter of a card, so that it is known which one did */
    sim_tick came;  /* edge of the interrupt */
    uint32_t end;   /* predicted reading at the end */
    uint32_t read;  /* the one that was found */
};

static uint64_t total(const struct mon_taps *at, sim_tick edge, unsigned card, enum mon_event_id e)
{
    return mon_event_total(&mon_board_events[e], &at[edge * CARDS + card]);
}

/* An event that counter k can count and whose totals are in the recording. */
static enum mon_event_id some_event(uint64_t *random, unsigned k)
{
    for (;;) {
        const enum mon_event_id e = (enum mon_event_id)draw(random, MON_EV__COUNT);
        if (mon_board_events[e].counters >> k & 1 && !mon_event_needs_board(e))
            return e;
    }
}

static struct trial predict(const struct mon_taps *at, sim_tick begin, unsigned card, unsigned k,
                            uint64_t *random)
{
    struct trial t = {.event = some_event(random, k)};
    t.mask = mon_event_is_packet(t.event) && draw(random, 2);
    const sim_tick from = begin + MON_LOAD_DEAD;
    /* what passes on the edge on which it begins is counted */
    const uint64_t base = total(at, from - mon_event_is_packet(t.event), card, t.event),
                   grows = total(at, EDGES - 1, card, t.event) - base;
    const uint64_t before = 1 + draw(random, grows + grows / 8 + 2);
    t.load = (uint32_t)-before;
    for (sim_tick e = from; e < EDGES && !t.wraps; e++)
        if ((int64_t)(total(at, e, card, t.event) - base) >= (int64_t)before)
            t.wraps = e;
    t.end = t.load + (uint32_t)grows;
    return t;
}

static void program(struct rig *rig, const struct trial trial[CARDS][MON_COUNTERS])
{
    for (unsigned c = 0; c < CARDS; c++)
        for (unsigned k = 0; k < MON_COUNTERS; k++) {
            const struct trial *t = &trial[c][k];
            rig_set(rig, c, MON_REG_CONTROL0 + 4 * k, rig_control(t->event, t->mask, t->armed));
            rig_set(rig, c, MON_REG_COUNTER0 + 4 * k, t->load);
            cr_assert_eq(rig_get(rig, c, MON_REG_ERROR), 0);
        }
}

/* Notes the interrupts up to `until`, but those of edges that are not in the recording. */
static void watch(struct rig *rig, struct trial trial[CARDS][MON_COUNTERS], sim_tick until)
{
    struct nm_trap trap;
    while (rig_run(rig, until, &trap)) {
        if (trap.at >= EDGES * cycle_of(rig))
            continue;
        cr_assert_eq(trap.cause, NM_INTERRUPT_MONITOR);
        cr_assert_eq(trap.at % cycle_of(rig), 0);
        const uint32_t up = rig_get(rig, trap.card, MON_REG_INTERRUPT);
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            if (trial[trap.card][k].armed) {
                cr_assert_eq(up, 1u << k);
                trial[trap.card][k].came = trap.at / cycle_of(rig);
            }
        rig_set(rig, trap.card, MON_REG_OVERFLOW, up);
    }
}

/* 256 runs of 16 counters, four of which interrupt: 1,024 start values and events. With no
 * interrupt latency the interrupt comes on the very edge on which the totals of the undisturbed run
 * say the counter wraps; and the reading at the end has lost nothing over it. */
Test(monitor_live, overflows_interrupt_on_the_predicted_edge)
{
    struct nm_params p = rig_params(CARDS, 1, 1);
    uint64_t random = 4;
    unsigned wrapped = 0;
    struct mon_taps *at = record(&p);
    p.monitor_interrupt = 0;
    for (unsigned run = 0; run < TRIALS; run++) {
        const sim_tick begin = 1 + draw(&random, EDGES / 2);
        struct trial trial[CARDS][MON_COUNTERS];
        struct nm_trap trap;
        struct rig rig;
        rig_new(&rig, &p, 100000);
        cr_assert(!rig_run(&rig, begin * cycle_of(&rig), &trap));
        for (unsigned c = 0; c < CARDS; c++)
            for (unsigned k = 0; k < MON_COUNTERS; k++) {
                trial[c][k] = predict(at, begin, c, k, &random);
                trial[c][k].armed = k == run % MON_COUNTERS;
            }
        program(&rig, trial);
        watch(&rig, trial, (EDGES - 1) * cycle_of(&rig));
        for (unsigned c = 0; c < CARDS; c++)
            for (unsigned k = 0; k < MON_COUNTERS; k++)
                trial[c][k].read = rig_get(&rig, c, MON_REG_COUNTER0 + 4 * k);
        watch(&rig, trial, 2 * EDGES * cycle_of(&rig)); /* the operating system comes later */
        for (unsigned c = 0; c < CARDS; c++)
            for (unsigned k = 0; k < MON_COUNTERS; k++) {
                const struct trial *t = &trial[c][k];
                wrapped += t->armed && t->wraps;
                cr_expect_eq(t->came, t->armed ? t->wraps : 0,
                             "run %u from edge %lu, %s on card %u: %lu, not %lu", run,
                             (unsigned long)begin, mon_board_events[t->event].name, c,
                             (unsigned long)t->came, (unsigned long)t->wraps);
                cr_expect_eq(t->read, t->end, "run %u, %s", run, mon_board_events[t->event].name);
            }
        rig_free(&rig);
    }
    cr_expect_gt(wrapped, 400, "%u", wrapped);
    free(at);
}

Test(monitor_live, an_interrupt_comes_after_its_latency)
{
    struct nm_params p = rig_params(2, 1, 1);
    struct nm_trap trap;
    struct rig rig;
    p.monitor_interrupt = 7;
    rig_new(&rig, &p, 100000);
    rig_set(&rig, 1, MON_REG_CONTROL0, rig_control(MON_EV_time, false, true));
    rig_set(&rig, 1, MON_REG_CONTROL3, rig_control(MON_EV_interrupt_time, false, false));
    rig_set(&rig, 1, MON_REG_COUNTER0, -100);
    cr_assert(rig_run(&rig, 30000, &trap));
    cr_expect_eq(trap.card, 1);
    cr_expect_eq(trap.at, (MON_LOAD_DEAD + 100 + 7) * cycle_of(&rig));
    const sim_tick noticed = trap.at + 50 * cycle_of(&rig);
    cr_assert(!rig_run(&rig, noticed, &trap), "it comes once");
    cr_expect_eq(rig_get(&rig, 1, MON_REG_INTERRUPT), 1);
    cr_assert(!rig_run(&rig, noticed + 300, &trap));
    cr_expect_eq(rig_get(&rig, 1, MON_REG_COUNTER3), 50, "N-74");
    rig_free(&rig);
}

/* A card that waits for what will never come does not keep a machine from being idle; one that
 * waits for time to pass does. */
Test(monitor_live, watching_counters_do_not_keep_an_idle_machine_going)
{
    const struct nm_params p = rig_params(2, 2, 1);
    struct nm_trap trap;
    struct rig rig;
    rig_new(&rig, &p, 20);
    rig_finish(&rig);
    rig_set(&rig, 0, MON_REG_CONTROL1, rig_control(MON_EV_bus_busy, false, true));
    rig_set(&rig, 3, MON_REG_CONTROL0, rig_control(MON_EV_load, false, true));
    rig_set(&rig, 3, MON_REG_LOAD_ALL, UINT32_MAX);
    cr_expect_eq(nm_machine_run(rig.m, SIM_NEVER, &trap), NM_RUN_IDLE);
    rig_set(&rig, 0, MON_REG_CONTROL0, rig_control(MON_EV_time, false, true));
    rig_set(&rig, 0, MON_REG_COUNTER0, -1000000);
    const sim_tick now = nm_machine_now(rig.m);
    cr_assert_eq(nm_machine_run(rig.m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
    cr_expect_geq(trap.at, now + 1000000 * cycle_of(&rig));
    cr_expect_eq(nm_machine_run(rig.m, SIM_NEVER, &trap), NM_RUN_IDLE);
    rig_free(&rig);
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* What counter k of every card counts, once with a mask and once without. */
static void count_with(struct rig *rig, const struct nm_params *p, const enum mon_event_id *events,
                       unsigned mask, uint32_t command)
{
    rig_new(rig, p, 100);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++) {
        rig_set(rig, c, MON_REG_CARE_LOW, 0x40);
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            rig_set(rig, c, MON_REG_CONTROL0 + 4 * k, rig_control(events[k], mask != 0, false));
        rig_set(rig, c, MON_REG_PHASE, c * 0x11 + 8); /* needs all four bits of the PhaseID */
        rig_set(rig, c, MON_REG_PHASE_MATCH, c + 8);
        rig_set(rig, c, MON_REG_COMMAND, command);
        rig_set(rig, c, MON_REG_MASK, mask);
        cr_assert_eq(rig_get(rig, c, MON_REG_ERROR), 0);
    }
    rig_finish(rig);
}

Test(monitor_live, masked_counts_are_parts_of_the_whole)
{
    enum { PHASE = 4, OUT = 0x10, IN = 0x20, COMMAND = 2, ADDRESS = 1 };
    static const enum mon_event_id events[] = {MON_EV_invalidates_done, MON_EV_packet_headers,
                                               MON_EV_packet_cycles, MON_EV_read_latency};
    const struct nm_params p = rig_params(3, 2, 1);
    struct rig all, out, in, odd, own, upgrades;
    count_with(&all, &p, events, 0, 0);
    count_with(&out, &p, events, OUT, 0);
    count_with(&in, &p, events, IN, 0);
    count_with(&odd, &p, events, ADDRESS, 0);
    count_with(&own, &p, events, PHASE | OUT, 0);
    count_with(&upgrades, &p, events, COMMAND | IN, NM_MSG_INVALIDATE);
    for (unsigned c = 0; c < nm_machine_cards(all.m); c++) {
        struct mon_taps t;
        nm_card_taps(all.m, c, &t);
        for (unsigned k = 1; k < 3; k++) {
            const uint32_t o = MON_REG_COUNTER0 + 4 * k;
            cr_expect_eq(rig_get(&all, c, o), rig_get(&in, c, o) + rig_get(&out, c, o));
            cr_expect_gt(rig_get(&odd, c, o), 0);
            cr_expect_lt(rig_get(&odd, c, o), rig_get(&all, c, o));
        }
        cr_expect_eq(rig_get(&out, c, MON_REG_COUNTER1), t.v[MON_TAP_HEADERS_OUT], "N-58");
        cr_expect_eq(rig_get(&in, c, MON_REG_COUNTER1), t.v[MON_TAP_HEADERS_IN], "N-59");
        cr_expect_eq(rig_get(&out, c, MON_REG_COUNTER3), t.v[MON_TAP_READ_LATENCY]);
        cr_expect_eq(rig_get(&in, c, MON_REG_COUNTER3), 0);
        cr_expect_geq(rig_get(&own, c, MON_REG_COUNTER1), t.v[MON_TAP_READS], "N-61");
        cr_expect_lt(rig_get(&own, c, MON_REG_COUNTER1), rig_get(&out, c, MON_REG_COUNTER1),
                     "N-61: what it answers to others has their PhaseID");
        cr_expect_geq(rig_get(&upgrades, c, MON_REG_COUNTER1),
                      t.v[MON_TAP_INVALIDATES_DONE] + t.v[MON_TAP_INVALIDATE_HITS], "N-64");
        cr_expect_eq(rig_get(&upgrades, c, MON_REG_COUNTER0), 0, "its own request was an UPGD");
        cr_expect_eq(rig_get(&out, c, MON_REG_COUNTER0), t.v[MON_TAP_INVALIDATES_DONE]);
    }
    rig_free(&all), rig_free(&out), rig_free(&in), rig_free(&odd), rig_free(&own);
    rig_free(&upgrades);
}

/* The mask on an event of the card's own request sees that request: it went out, as one of three
 * commands, which add up to all of them. (Requests given up: contention.c.) */
Test(monitor_live, events_of_requests_have_the_requests_command)
{
    enum { COMMAND = 2, OUT = 0x10, IN = 0x20 };
    static const enum mon_event_id events[][MON_COUNTERS] = {
        {MON_EV_invalidates_done, MON_EV_requests_nacked, MON_EV_nack_time, MON_EV_read_latency},
        {MON_EV_invalidated_reads, MON_EV_rereferences, MON_EV_read_latency, MON_EV_nack_time},
    };
    static const enum nm_message commands[] = {NM_MSG_RD, NM_MSG_RDEXCL, NM_MSG_UPGD};
    const struct nm_params p = rig_params(4, 2, 1);
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
        struct rig all, out, in, each[3];
        count_with(&all, &p, events[i], 0, 0);
        count_with(&out, &p, events[i], OUT, 0);
        count_with(&in, &p, events[i], IN, 0);
        for (unsigned m = 0; m < 3; m++)
            count_with(&each[m], &p, events[i], COMMAND | OUT, commands[m]);
        for (unsigned k = 0; k < MON_COUNTERS; k++) {
            const char *name = mon_board_events[events[i][k]].name;
            uint64_t some[3] = {0};
            for (unsigned c = 0; c < nm_machine_cards(all.m); c++) {
                const uint32_t o = MON_REG_COUNTER0 + 4 * k;
                uint64_t sum = 0;
                for (unsigned m = 0; m < 3; m++) {
                    some[m] += rig_get(&each[m], c, o);
                    sum += rig_get(&each[m], c, o);
                }
                cr_expect_eq(sum, rig_get(&all, c, o), "%s by command", name);
                cr_expect_eq(rig_get(&out, c, o), rig_get(&all, c, o), "%s goes out", name);
                cr_expect_eq(rig_get(&in, c, o), 0, "%s does not come in", name);
            }
            cr_expect_gt(some[2], 0, "%s of UPGD", name);
            cr_expect_eq(some[0] > 0, events[i][k] != MON_EV_invalidates_done, "%s of RD", name);
        }
        rig_free(&all), rig_free(&out), rig_free(&in);
        for (unsigned m = 0; m < 3; m++)
            rig_free(&each[m]);
    }
}

/* N-62: whatever an incoming packet causes is counted while the packet is in its FIFO, and what
 * goes out is in the outgoing one when it is issued. */
Test(monitor_live, a_packet_is_in_its_fifo_when_the_mask_looks)
{
    static const struct {
        enum mon_event_id event[MON_COUNTERS];
        unsigned fifo;
    } rows[] = {
        {{MON_EV_invalidate_hits, MON_EV_requests_nacked, MON_EV_nacks, MON_EV_external_time}, 0},
        {{MON_EV_nacks, MON_EV_invalidates_done, MON_EV_nack_time, MON_EV_read_latency}, 1},
        {{MON_EV_invalidated_reads, MON_EV_rereferences, MON_EV_nothing, MON_EV_nothing}, 5},
    };
    const struct nm_params p = rig_params(4, 2, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t counted[MON_COUNTERS] = {0};
        struct rig rig;
        rig_new(&rig, &p, 100);
        for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
            for (unsigned k = 0; k < MON_COUNTERS; k++)
                rig_set(
                    &rig, c, MON_REG_CONTROL0 + 4 * k,
                    rig_control(rows[i].event[k], mon_event_is_packet(rows[i].event[k]), false));
            rig_set(&rig, c, MON_REG_FIFO_SELECT, rows[i].fifo);
            rig_set(&rig, c, MON_REG_MASK, MON_PUT(1, MASK_FIFO));
        }
        rig_finish(&rig);
        for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
            struct mon_taps t;
            nm_card_taps(rig.m, c, &t);
            for (unsigned k = 0; k < MON_COUNTERS; k++) {
                const struct mon_event *e = &mon_board_events[rows[i].event[k]];
                counted[k] += rig_get(&rig, c, MON_REG_COUNTER0 + 4 * k);
                cr_expect_eq(rig_get(&rig, c, MON_REG_COUNTER0 + 4 * k), mon_event_total(e, &t),
                             "%s on card %u, FIFO %u", e->name, c, rows[i].fifo);
            }
        }
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            cr_expect(counted[k] > 0 || rows[i].event[k] == MON_EV_nothing, "row %u, %u", i, k);
        rig_free(&rig);
    }
}

/* What histogram and mask know of the phase of a request. */
struct phases {
    uint64_t latency[16];
};

static void note_phase(void *ctx, const struct mon_transaction *t, int index)
{
    struct phases *phases = ctx;
    (void)index;
    phases->latency[t->phase & 15] += t->service;
}

/* One rule: a request has the PhaseID with which it was last issued, for the masked counter and for
 * the histogram, whatever PHASE is when it is done. */
Test(monitor_live, mask_and_histogram_know_the_same_phase)
{
    enum { CARDS_HERE = 8, STEP = 97 /* [PCycles] between changes */ };
    const struct nm_params p = rig_params(4, 2, 1);
    struct phases phases[CARDS_HERE] = {0};
    struct nm_trap trap;
    struct rig rig;
    rig_new(&rig, &p, 100);
    for (unsigned c = 0; c < CARDS_HERE; c++) {
        struct pc_card *card = pc_cpu_at(rig.m, c)->card;
        mon_board_of(card->monitor.unit)->log = note_phase;
        mon_board_of(card->monitor.unit)->log_ctx = &phases[c];
        rig_set(&rig, c, MON_REG_CONTROL0 + 4 * 3, rig_control(MON_EV_read_latency, true, false));
        rig_set(&rig, c, MON_REG_PHASE_MATCH, 3);
        rig_set(&rig, c, MON_REG_MASK, MON_PUT(1, MASK_PHASE));
    }
    for (sim_tick until = STEP; until < 400 * STEP; until += STEP) {
        cr_assert(!rig_run(&rig, until, &trap));
        for (unsigned c = 0; c < CARDS_HERE; c++)
            rig_set(&rig, c, MON_REG_PHASE, 3 + until / STEP % 2);
    }
    rig_finish(&rig);
    for (unsigned c = 0; c < CARDS_HERE; c++) {
        cr_expect_gt(phases[c].latency[4], 0);
        cr_expect_gt(phases[c].latency[3], 0);
        cr_expect_eq(rig_get(&rig, c, MON_REG_COUNTER3), phases[c].latency[3], "card %u", c);
    }
    rig_free(&rig);
}

/* ---- external requests ----------------------------------------------------------------------- */

/* N-54: an intervention that finds its line takes the agent and then the caches. */
Test(monitor_live, external_time_lasts_until_the_answer_is_fetched)
{
    static const enum mon_event_id events[] = {MON_EV_nothing, MON_EV_packet_headers,
                                               MON_EV_nothing, MON_EV_external_time};
    const struct nm_params p = rig_params(2, 1, 1);
    struct rig rig;
    rig_new(&rig, &p, 30);
    const uint64_t least =
        p.agent_response + (p.agent_external + cycle_of(&rig) - 1) / cycle_of(&rig);
    for (unsigned c = 0; c < 2; c++) {
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            rig_set(&rig, c, MON_REG_CONTROL0 + 4 * k,
                    rig_control(events[k], events[k] != MON_EV_nothing, false));
        rig_set(&rig, c, MON_REG_COMMAND, NM_MSG_INTV_S);
        rig_set(&rig, c, MON_REG_MASK, MON_PUT(1, MASK_COMMAND));
    }
    rig_finish(&rig);
    for (unsigned c = 0; c < 2; c++) {
        const uint32_t interventions = rig_get(&rig, c, MON_REG_COUNTER1);
        cr_expect_gt(interventions, 10);
        cr_expect_geq(rig_get(&rig, c, MON_REG_COUNTER3), least * interventions, "card %u", c);
    }
    rig_free(&rig);
}

/* ---- NACKs ----------------------------------------------------------------------------------- */

/* Every NACK is followed by one repeated request; with the option, neither is counted. A counter
 * under a mask that lets everything pass must count as one without. */
Test(monitor_live, nacks_and_repeated_requests_can_be_left_out)
{
    const struct nm_params p = rig_params(4, 2, 1);
    uint64_t nacks = 0, nacked = 0;
    struct rig rig;
    rig_new(&rig, &p, 200);
    for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
        rig_set(&rig, c, MON_REG_OPTIONS, MON_PUT(1, OPTIONS_WITHOUT_NACKS));
        rig_set(&rig, c, MON_REG_CONTROL0, rig_control(MON_EV_packet_headers, true, false));
        rig_set(&rig, c, MON_REG_CONTROL1, rig_control(MON_EV_packet_headers, false, false));
    }
    rig_finish(&rig);
    for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
        struct mon_taps t;
        nm_card_taps(rig.m, c, &t);
        const uint64_t all = t.v[MON_TAP_HEADERS_OUT] + t.v[MON_TAP_HEADERS_IN];
        cr_expect_eq(t.v[MON_TAP_NACKED_HEADERS], 2 * t.v[MON_TAP_NACKS], "card %u", c);
        cr_expect_eq(rig_get(&rig, c, MON_REG_COUNTER1), all - 2 * t.v[MON_TAP_NACKS], "N-41");
        cr_expect_eq(rig_get(&rig, c, MON_REG_COUNTER0), rig_get(&rig, c, MON_REG_COUNTER1));
        cr_expect_leq(t.v[MON_TAP_NACKED_REQUESTS], t.v[MON_TAP_READS]);
        nacks += t.v[MON_TAP_NACKS];
        nacked += t.v[MON_TAP_NACKED_REQUESTS];
    }
    cr_expect(nacked > 0 && nacks > nacked, "N-44: some were refused more than once");
    rig_free(&rig);
}

/* One card's finished reads: the time each has lost to NACKs is booked just after it is noted. */
struct refused {
    const struct pc_card *card;
    uint64_t booked, service, reads;
    uint64_t least; /* [cycles] a request is under way besides, of those that were refused */
};

static void note_refused(void *ctx, const struct mon_transaction *t, int index)
{
    struct refused *r = ctx;
    const uint64_t lost = r->card->taps.v[MON_TAP_NACK_TIME] - r->booked;
    (void)index;
    if (lost && r->service - lost < r->least)
        r->least = r->service - lost;
    r->reads += lost > 0;
    r->booked += lost;
    r->service = t->service;
}

/* N-45: neither the way to the first NACK nor that of the issue that was accepted is lost. Each is
 * at least two headers over the bus, a directory, and the agent. */
Test(monitor_live, time_lost_to_nacks_is_from_the_first_to_the_last_issue)
{
    enum { CARDS_HERE = 8 };
    const struct nm_params p = rig_params(4, 2, 1);
    const uint64_t way = 2 * (p.bus_arbitration + 1) + p.memory_directory + p.agent_response;
    struct refused refused[CARDS_HERE];
    uint64_t reads = 0;
    struct rig rig;
    rig_new(&rig, &p, 200);
    for (unsigned c = 0; c < CARDS_HERE; c++) {
        struct pc_card *card = pc_cpu_at(rig.m, c)->card;
        refused[c] = (struct refused){.card = card, .least = UINT64_MAX};
        mon_board_of(card->monitor.unit)->log = note_refused;
        mon_board_of(card->monitor.unit)->log_ctx = &refused[c];
        rig_set(&rig, c, MON_REG_PHASE, 0); /* has the card look at what the board wants */
    }
    rig_finish(&rig);
    for (unsigned c = 0; c < CARDS_HERE; c++) {
        cr_expect_geq(refused[c].least, 2 * way, "card %u: %lu", c,
                      (unsigned long)refused[c].least);
        reads += refused[c].reads;
    }
    cr_expect_gt(reads, 100);
    rig_free(&rig);
}

/* ---- the SRAM -------------------------------------------------------------------------------- */

/* N-90, for what the card counts by itself; what the program counts is in monitor_board. */
Test(monitor_live, overflow_of_a_word_interrupts)
{
    static const enum mon_source sources[] = {MON_SOURCE_state_time, MON_SOURCE_scaddr};
    const struct nm_params p = rig_params(2, 1, 1);
    for (unsigned i = 0; i < 4; i++) {
        const enum mon_source source = sources[i / 2];
        const bool enabled = i % 2;
        struct nm_trap trap = {0};
        struct rig rig;
        rig_new(&rig, &p, 50);
        for (uint32_t word = 0; word < MON_SRAM_WORDS; word++)
            rig_set(&rig, 1, MON_SRAM_WINDOW + 4 * word, UINT32_MAX);
        rig_set(&rig, 1, MON_REG_SRAM_CONTROL, source | MON_PUT(enabled, SRAM_CONTROL_INTERRUPT));
        cr_expect_eq(rig_run(&rig, 100000, &trap), enabled, "%s", mon_board_sources[source].name);
        if (enabled) {
            cr_expect(trap.card == 1 && trap.cause == NM_INTERRUPT_MONITOR);
            cr_expect_eq(rig_get(&rig, 1, MON_REG_INTERRUPT), 1u << MON_BIT_SRAM);
            cr_expect_eq(rig_sram(rig.m, 1)->word[rig_get(&rig, 1, MON_REG_SRAM_LAST)], 0);
        }
        cr_expect_eq(rig_get(&rig, 1, MON_REG_OVERFLOW), 1u << MON_BIT_SRAM);
        rig_free(&rig);
    }
}

struct log {
    enum mon_source source;
    uint64_t reads, counted, latency, remote, hits;
    uint32_t word[MON_SRAM_WORDS];
};

static void note(void *ctx, const struct mon_transaction *t, int index)
{
    struct log *log = ctx;
    log->reads++;
    log->latency += t->service;
    log->remote += t->remote;
    log->hits += t->nc_hit;
    cr_expect(t->remote || !t->nc_hit);
    if (index < 0)
        return;
    log->counted++;
    log->word[index]++;
    const struct mon_bin bin = mon_bin_decode(log->source, (uint16_t)index, false);
    cr_expect(!bin.has_time || (t->service >= bin.time_low && t->service <= bin.time_high));
    cr_expect(!bin.has_state ||
              (bin.remote == t->remote && bin.global == t->global && bin.valid == t->valid &&
               bin.nc_hit == t->nc_hit && bin.exclusive == t->exclusive));
    cr_expect_eq(bin.phase, t->phase & (log->source == MON_SOURCE_state_phase ? 0x7ff : 0xf));
}

Test(monitor_live, histograms_hold_every_finished_read)
{
    const struct nm_params p = rig_params(4, 2, 1);
    for (enum mon_source s = MON_SOURCE_state_phase; s < MON_SOURCES; s++) {
        struct log *log = calloc(nm_params_cards(&p), sizeof *log);
        uint64_t remote = 0, hits = 0;
        struct rig rig;
        rig_new(&rig, &p, 300);
        for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
            struct pc_card *card = pc_cpu_at(rig.m, c)->card;
            log[c].source = s;
            mon_board_of(card->monitor.unit)->log = note;
            mon_board_of(card->monitor.unit)->log_ctx = &log[c];
            rig_set(&rig, c, MON_REG_PHASE, c * 0x123);
            rig_set(&rig, c, MON_REG_SRAM_CONTROL, s);
        }
        rig_finish(&rig);
        for (unsigned c = 0; c < nm_machine_cards(rig.m); c++) {
            struct mon_taps t;
            uint64_t sum = 0;
            nm_card_taps(rig.m, c, &t);
            const uint32_t *word = rig_sram(rig.m, c)->word;
            for (unsigned i = 0; i < MON_SRAM_WORDS; i++)
                sum += word[i];
            cr_expect_eq(log[c].reads, t.v[MON_TAP_READS]);
            cr_expect_eq(log[c].latency, t.v[MON_TAP_READ_LATENCY]);
            cr_expect_eq(sum + rig_sram(rig.m, c)->lost, log[c].reads);
            cr_expect(!memcmp(word, log[c].word, sizeof log[c].word));
            cr_expect_gt(sum, 50);
            remote += log[c].remote;
            hits += log[c].hits;
        }
        cr_expect(remote > 100 && hits > 0, "%lu %lu", (unsigned long)remote, (unsigned long)hits);
        free(log);
        rig_free(&rig);
    }
}

/* N-82: lines whose StateInfo is known from what the program does with them, and every state that a
 * directory can serve from. */
enum { NC_HIT = 1, GLOBAL = 2, VALID = 4 };

struct found {
    uint64_t times[8]; /* [StateInfo] */
    bool apart;        /* the cards have not yet come to each other's lines */
};

static void note_state(void *ctx, const struct mon_transaction *t, int index)
{
    enum { READ_ONLY = 0x10080, OWN = 0x100000, HOME = 1 << 24 };
    struct found *f = ctx;
    (void)index;
    f->times[(t->nc_hit ? NC_HIT : 0) | (t->global ? GLOBAL : 0) | (t->valid ? VALID : 0)]++;
    if (f->apart && t->address % HOME >= OWN)
        cr_expect(t->valid && !t->global && !t->nc_hit, "its own lines are in LV");
    if (t->address == READ_ONLY)
        cr_expect(t->valid && (t->global || !t->nc_hit), "LV or GV, in a network cache GV");
}

Test(monitor_live, state_info_is_what_the_directory_found)
{
    static const struct {
        unsigned info;
        const char *state;
    } rows[] = {
        {VALID, "LV"},
        {0, "LI"},
        {VALID | GLOBAL, "GV"},
        {GLOBAL, "GI"},
        {NC_HIT | VALID, "LV of a network cache"},
        {NC_HIT, "LI of a network cache"},
        {NC_HIT | VALID | GLOBAL, "GV of a network cache"},
    };
    enum { APART = 8, MANY = 300 }; /* rounds */
    const struct nm_params p = rig_params(4, 2, 1);
    for (unsigned rounds = APART; rounds <= MANY; rounds += MANY - APART) {
        struct found found = {.apart = rounds == APART};
        struct rig rig;
        rig_new(&rig, &p, rounds);
        for (unsigned c = 0; c < 8; c++) {
            struct pc_card *card = pc_cpu_at(rig.m, c)->card;
            mon_board_of(card->monitor.unit)->log = note_state;
            mon_board_of(card->monitor.unit)->log_ctx = &found;
            rig_set(&rig, c, MON_REG_PHASE, 0); /* has the card look at what the board wants */
        }
        rig_finish(&rig);
        for (unsigned i = 0; rounds == MANY && i < sizeof rows / sizeof *rows; i++)
            cr_expect_gt(found.times[rows[i].info], 0, "%s", rows[i].state);
        rig_free(&rig);
    }
}

static uint64_t words_sum(struct rig *rig, unsigned card)
{
    const uint32_t *word = rig_sram(rig->m, card)->word;
    uint64_t sum = 0;
    for (unsigned i = 0; word && i < MON_SRAM_WORDS; i++)
        sum += word[i];
    return sum;
}

/* N-40, N-91; and only lines that are shared are invalidated. */
Test(monitor_live, invalidates_per_line)
{
    const struct nm_params p = rig_params(4, 2, 1);
    uint64_t hits = 0;
    struct rig rig;
    rig_new(&rig, &p, 200);
    for (unsigned c = 0; c < 8; c++) {
        rig_set(&rig, c, MON_REG_SRAM_CONTROL,
                MON_SOURCE_scaddr | MON_PUT(1, SRAM_CONTROL_INVALIDATES) |
                    MON_PUT(1, SRAM_CONTROL_DATA_HALF));
        rig_set(&rig, c, MON_REG_CONTROL0, MON_EV_invalidate_hits);
    }
    rig_finish(&rig);
    for (unsigned c = 0; c < 8; c++) {
        const uint32_t counted = rig_get(&rig, c, MON_REG_COUNTER0);
        const unsigned shared = 0x8000 | (0x10000 >> 5);
        cr_expect_eq(words_sum(&rig, c) + rig_sram(rig.m, c)->lost, counted, "card %u", c);
        cr_expect(!counted || rig_sram(rig.m, c)->word[shared] > 0, "card %u", c);
        hits += counted;
    }
    cr_expect_gt(hits, 100);
    rig_free(&rig);
}

/* N-81: the program's own addresses say where its accesses must be. */
Test(monitor_live, accesses_per_block_of_the_secondary_cache)
{
    enum { ROUNDS = 8 }; /* then the lines come into the blocks of the shared ones */
    const struct nm_params p = rig_params(2, 1, 1);
    struct rig rig;
    rig_new(&rig, &p, ROUNDS);
    rig_set(&rig, 1, MON_REG_SRAM_CONTROL,
            MON_SOURCE_scaddr | MON_PUT(1, SRAM_CONTROL_DATA_HALF) |
                MON_PUT(MON_KIND_LOOKUP, SRAM_CONTROL_KINDS));
    rig_finish(&rig);
    const uint32_t *word = rig_sram(rig.m, 1)->word;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t own = 0x100000 + 0x8040 + i * 4096;
        cr_expect_eq(word[0x8000 | (own >> 5 & 0x3fff)], 1, "round %u", i);
        cr_expect_eq(word[0x8000 | ((own + 64) >> 5 & 0x3fff)], 1, "round %u", i);
    }
    for (unsigned i = 0; i < 0x8000; i++)
        cr_assert_eq(word[i], 0, "instructions are not counted");
    rig_free(&rig);
}

/* N-95: an access counts in the card cycle in which its PCycle falls, not so many PCycles after the
 * one before. So of two accesses 7 PCycles apart the second may find the SRAM free, and of two 8
 * apart not. */
Test(monitor_live, an_access_takes_the_card_cycle_in_which_it_falls)
{
    enum { GAPS = 12, LINES = 0x401000, LINE = 64, APART = 1200 /* [PCycles] */ };
    const struct nm_params p = rig_params(1, 1, 1);
    unsigned counted = 0, lost = 0;
    struct rig rig;
    rig_new(&rig, &p, 1);
    rig_finish(&rig);
    rig_set(&rig, 0, MON_REG_SRAM_CONTROL,
            MON_SOURCE_scaddr | MON_PUT(MON_KIND_LOOKUP, SRAM_CONTROL_KINDS));
    struct pc_cpu *cpu = pc_cpu_at(rig.m, 0);
    const sim_tick cycle = cycle_of(&rig), begin = nm_machine_now(rig.m) / cycle * cycle;
    cr_assert_eq(cycle, 3);
    cpu->horizon = SIM_NEVER;
    for (unsigned i = 0; i < cycle * GAPS; i++) {
        const sim_tick at = begin + i * APART + i % cycle, gap = 1 + i / cycle;
        const uint64_t line[2] = {LINES + 2 * LINE * i, LINES + 2 * LINE * i + LINE};
        for (unsigned k = 0; k < 2; k++) {
            enum pc_stop stop;
            pc_line_fill(cpu->card, PC_SIDE_D, pc_line_place(cpu->card, PC_SIDE_D, line[k]),
                         line[k], NM_LINE_S);
            cr_assert(pc_load(cpu, line[k], 8, at + k * gap, &stop));
        }
        const uint32_t *word = rig_sram(rig.m, 0)->word;
        const bool apart = (at + gap) / cycle - at / cycle >= MON_SRAM_BUSY;
        cr_expect_eq(word[0x8000 | (line[0] >> 5 & 0x3fff)], 1, "tick %% 3 = %u", i % 3);
        cr_expect_eq(word[0x8000 | (line[1] >> 5 & 0x3fff)], apart, "tick %% 3 = %u, %lu later",
                     i % 3, (unsigned long)gap);
        counted += apart && gap == 7;
        lost += !apart && gap == 8;
    }
    cr_expect(counted == 1 && lost == 1);
    rig_free(&rig);
}

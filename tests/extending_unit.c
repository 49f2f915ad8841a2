/*
 * Another counter unit (extending/two_counters.c, which docs/extending-unit.md quotes) on the busy
 * machine: it counts what the taps say, interrupts on the edge on which they say it, changes no
 * cycle, and its rows are those of results.
 */
#include "documents/statistics/registers.h"
#include "documents/totals.h"
#include "extending/two_counters.h"
#include "input/tables.h"
#include "machine/values.h"
#include "monitor_rig.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 4, EDGES = 4000, CONTROL = 0, COUNTER = 4, PER = 8 /* bytes of a counter */ };
enum { COUNTS = 1 << 3, ENABLE = 1 << 4, EVENT = 5 };

static struct nm_card_kind kind;

static void setup(void)
{
    kind = pc_r4400;
    kind.counters = &two_counters;
}

TestSuite(extending_unit, .init = setup);

static const struct {
    unsigned k, event; /* row of the unit's events */
} rows[] = {{0, 1}, {1, 1}, {0, 2}, {1, 3}};

static uint32_t control(unsigned event, bool interrupts)
{
    return two_counters.events[event].number << EVENT | COUNTS | (interrupts ? ENABLE : 0);
}

static uint64_t total(const struct mon_taps *at, unsigned event)
{
    return mon_event_total(&two_counters.events[event], at);
}

static sim_tick cycle_of(const struct rig *rig)
{
    return rig->p.cpu_clock / rig->p.bus_clock;
}

/* Card 1's totals at every edge of its clock, of a machine whose units nobody has programmed:
 * levels up to the edge, packets with those that pass on it. */
static struct mon_taps *record(const struct nm_params *p)
{
    struct mon_taps *at = calloc(EDGES, sizeof *at), behind;
    struct rig rig;
    struct nm_trap trap;
    rig_new_of(&rig, p, &kind, 100000);
    for (sim_tick e = 0; e < EDGES; e++) {
        cr_assert(!e || !rig_run(&rig, e * cycle_of(&rig), &trap));
        nm_card_taps(rig.m, 1, &at[e]);
        cr_assert(!rig_run(&rig, e * cycle_of(&rig) + 1, &trap));
        nm_card_taps(rig.m, 1, &behind);
        for (int t = 0; t < MON_TAP__COUNT; t++)
            if (MON_PACKET_TAPS >> t & 1)
                at[e].v[t] = behind.v[t];
    }
    rig_free(&rig);
    return at;
}

Test(extending_unit, counts_what_the_taps_say)
{
    const struct nm_params p = rig_params(CARDS, 1, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned k = rows[i].k, event = rows[i].event;
        struct mon_taps from[CARDS], to;
        struct nm_trap trap;
        struct rig rig;
        rig_new_of(&rig, &p, &kind, 100000);
        cr_assert(!rig_run(&rig, 3000, &trap));
        for (unsigned c = 0; c < CARDS; c++) {
            nm_card_taps(rig.m, c, &from[c]);
            rig_set(&rig, c, PER * k + CONTROL, control(event, false));
            rig_set(&rig, c, PER * k + COUNTER, UINT32_MAX - c);
        }
        for (sim_tick at = 4000; at < 20000; at += 1777) {
            cr_assert(!rig_run(&rig, at, &trap));
            for (unsigned c = 0; c < CARDS; c++) {
                nm_card_taps(rig.m, c, &to);
                const uint64_t grown = total(&to, event) - total(&from[c], event);
                const struct mon_shown shown = two_counters.measure(event, k, &from[c], &to);
                cr_expect_eq(rig_get(&rig, c, PER * k + COUNTER), UINT32_MAX - c + (uint32_t)grown,
                             "%s on card %u", two_counters.events[event].name, c);
                cr_expect(shown.value == grown && !shown.overflowed);
                cr_expect(grown > 0 || at < 8000);
            }
        }
        rig_free(&rig);
    }
}

/* The overflow is bit 31, whatever comes above it. */
Test(extending_unit, interrupts_on_the_edge_on_which_bit_31_is_set)
{
    static const uint32_t before[] = {1, 2, 7, 15};
    enum { BEGIN = 1000 };
    struct nm_params p = rig_params(CARDS, 1, 1);
    p.monitor_interrupt = 0;
    struct mon_taps *at = record(&p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
            const unsigned k = rows[i].k, event = rows[i].event;
            const bool packets = two_counters.events[event].taps & MON_PACKET_TAPS;
            struct nm_trap trap = {0};
            sim_tick edge = BEGIN;
            struct rig rig;
            rig_new_of(&rig, &p, &kind, 100000);
            cr_assert(!rig_run(&rig, BEGIN * cycle_of(&rig), &trap));
            rig_set(&rig, 1, PER * k + CONTROL, control(event, true));
            rig_set(&rig, 1, PER * k + COUNTER, (1u << 31) - before[b]);
            while (edge < EDGES &&
                   total(&at[edge], event) - total(&at[BEGIN - packets], event) < before[b])
                edge++;
            cr_assert_lt(edge, EDGES);
            cr_assert(rig_run(&rig, EDGES * cycle_of(&rig), &trap));
            cr_expect(trap.card == 1 && trap.cause == NM_INTERRUPT_MONITOR);
            cr_expect_eq(trap.at, edge * cycle_of(&rig), "%s, %u more: edge %lu, not %lu",
                         two_counters.events[event].name, before[b],
                         (unsigned long)(trap.at / cycle_of(&rig)), (unsigned long)edge);
            rig_free(&rig);
        }
    free(at);
}

Test(extending_unit, changes_no_cycle)
{
    const struct nm_params p = rig_params(CARDS, 2, 1);
    uint64_t hash[3];
    for (unsigned variant = 0; variant < 3; variant++) {
        struct rig rig;
        if (variant < 2)
            rig_new_of(&rig, &p, &kind, 60);
        else
            rig_new(&rig, &p, 60); /* the other unit */
        for (unsigned c = 0; variant == 1 && c < nm_machine_cards(rig.m); c++)
            for (unsigned k = 0; k < 2; k++) {
                rig_set(&rig, c, PER * k + CONTROL, control(k ? 3 : 2, true));
                rig_set(&rig, c, PER * k + COUNTER, (1u << 31) - 5 * c);
            }
        rig_finish(&rig);
        hash[variant] = rig_hash(&rig);
        cr_expect_eq(hash[variant], hash[0], "variant %u", variant);
        rig_free(&rig);
    }
}

Test(extending_unit, what_it_refuses)
{
    static const struct {
        uint32_t offset, value, reason;
    } writes[] = {{0x10, 0, MON_REFUSED_NO_REGISTER}, {0, 10 << EVENT, 3}, {8, 2 << EVENT, 3}};
    const struct mon_taps quiet = {0};
    struct mon_unit *unit = two_counters.create(&(struct mon_site){0});
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        cr_expect_eq(two_counters.write(unit, 0, writes[i].offset, writes[i].value, &quiet),
                     writes[i].reason);
        cr_expect_str_neq(mon_unit_reason(&two_counters, writes[i].reason), "?");
    }
    two_counters.free(unit);
}

/* Regions and counters as results name its events and leave out what it does not have. */
Test(extending_unit, its_rows_are_those_of_results)
{
    struct nm_params p = rig_params(2, 1, 1);
    struct in_experiment x = {.machine = {.card = &kind, .params = &p}};
    struct doc_totals card[2] = {0}, none[2] = {0};
    struct nm_station_monitor station[2] = {0};
    const struct doc_sample before = {none, station, NULL, NULL, NULL},
                            after = {card, station, NULL, NULL, NULL};
    struct mon_choice choice = {0};
    struct doc_registers registers[2] = {0};
    struct doc_run run;
    struct nm_trap trap;
    struct rig rig;
    char why[200], *text;
    size_t size;
    cr_assert(mon_choice_add(&two_counters, &choice, "cycles,loads,reads", why, sizeof why));
    cr_expect(!mon_choice_add(&two_counters, &(struct mon_choice){0}, "nacks", why, sizeof why));
    rig_new_of(&rig, &p, &kind, 100000);
    rig_set(&rig, 1, PER + CONTROL, control(3, false));
    run_regions_init(&run, &x, "none", 2, 2, &choice, &before);
    cr_expect_eq(run.plan.banks, 2, "three events on two counters");
    cr_assert(!rig_run(&rig, 9000, &trap));
    for (unsigned c = 0; c < 2; c++) {
        nm_card_taps(rig.m, c, &card[c].taps);
        for (unsigned k = 0; k < 2; k++)
            two_counters.reading(nm_card_unit(rig.m, c), k, &card[c].taps,
                                 &registers[c].counter[k]);
    }
    run_regions_finish(&run, 9000, &after);
    run.registers = registers;
    for (unsigned i = 0; i < choice.count; i++)
        for (unsigned c = 0; c < 2; c++)
            cr_expect_eq(run.region[0].card[c].counts[i], total(&card[c].taps, choice.event[i]));
    FILE *out = open_memstream(&text, &size);
    doc_write_counters(&run, out);
    fclose(out);
    snprintf(why, sizeof why, "\r\n1,1,reads,0,%lu,%lu,requests,0\r\n",
             (unsigned long)card[1].taps.v[MON_TAP_READS],
             (unsigned long)card[1].taps.v[MON_TAP_READS]);
    cr_expect(strstr(text, why), "%s", text);
    cr_expect(!strstr(text, "\r\n0,"), "%s", text);
    free(text);
    run_regions_free(&run);
    rig_free(&rig);
}

/* A file asks in vain for what the unit has not; of an entry of the counters it may say what the
 * unit has. */
Test(extending_unit, what_a_file_may_ask_for)
{
    static const struct {
        const char *direction, *histogram, *refused;
    } asks[] = {{"any", "none", ""},
                {"out", "none", "'monitor.mask': the machine's counter unit, 'two', has none"},
                {"any", "l2", "'monitor.histogram.source': the machine's counter unit, 'two',"}};
    static const struct mon_row flags[] = {{"kernel", "", "whether it counts there", 5}, {0}};
    struct mon_unit_ops modes = two_counters;
    struct in_key keys[IN_COUNTER_KEYS];
    cr_expect_eq(in_counter_table(&two_counters, keys).count, 2);
    modes.flags = flags;
    cr_assert_eq(in_counter_table(&modes, keys).count, 3);
    cr_expect_str_eq(keys[IN_COUNTER_FLAGS].path, "kernel");
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        const struct in_value values[IN_KEY__COUNT] = {0};
        struct in_experiment x;
        char *text;
        size_t size;
        in_experiment_default(&x);
        x.machine.card = &kind;
        x.mask_direction = strcpy(realloc(x.mask_direction, 8), asks[i].direction);
        x.histogram = strcpy(realloc(x.histogram, 8), asks[i].histogram);
        struct in_diag diag = {.out = open_memstream(&text, &size)};
        struct in_reading r = {.diag = &diag};
        in_monitor_read(&r, &x, values);
        fclose(diag.out);
        cr_expect_eq(diag.errors, *asks[i].refused != '\0', "%s", text);
        cr_expect(strstr(text, asks[i].refused), "%s", text);
        free(text);
        in_experiment_free(&x);
    }
}

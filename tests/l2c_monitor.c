/*
 * The event monitors of an L210 and an L220 alone: their registers by rows and by sequences of
 * accesses on totals that the test makes; and random sequences, held against a monitor that is
 * counted cycle by cycle.
 */
#include "monitor/l2c/monitor.h"

#include <criterion/criterion.h>
#include <string.h>

/* A monitor that is on, and the totals it listens to. */
struct world {
    struct l2c_monitor unit;
    struct l2c_signals now;
};

static struct world world_of(enum l2c_kind kind)
{
    struct world w = {.unit = {.kind = kind, .bus = true}};
    for (unsigned s = 0; s < L2C_SIGNALS; s++)
        w.now.total[s] = 50 + 3 * s;
    return w;
}

static uint32_t offset_of(enum l2c_kind kind, const char *name)
{
    const struct mon_register_row *r = l2c_registers(kind);
    while (r->name && strcmp(r->name, name) != 0)
        r++;
    cr_assert(r->name, "%s", name);
    return r->offset;
}

static void put(struct world *w, const char *name, uint32_t value)
{
    cr_assert(l2c_write(&w->unit, offset_of(w->unit.kind, name), value, &w->now));
}

static uint32_t get(const struct world *w, const char *name)
{
    return l2c_read(&w->unit, offset_of(w->unit.kind, name), &w->now);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The documents' lists, typed again. */
Test(l2c_monitor, events_are_the_documents)
{
#define S(signal) (1U << L2C_SIGNAL_##signal)
    static const struct {
        unsigned number;
        uint32_t signals;
    } l220[] = {{0x1, S(CO)},    {0x2, S(DRHIT)}, {0x3, S(DRREQ)},
                {0x4, S(DWHIT)}, {0x5, S(DWREQ)}, {0x6, S(DWTREQ)},
                {0x7, S(IRHIT)}, {0x8, S(IRREQ)}, {0x9, S(WA)}};
    static const uint32_t note[] = {
        /* the seven of the application note, then half-line evictions */
        S(IRREQ), S(IRHIT), S(DRREQ), S(DRHIT), S(DWREQ), S(DWTREQ), S(DWHIT), S(CO_HALVES), S(WA)};
    unsigned count, on220 = 0;
    const struct l2c_event *row = l2c_events(&count);
    for (size_t i = 0; i < sizeof l220 / sizeof *l220; i++) {
        const struct l2c_event *event = l2c_event_at(L2C_220, l220[i].number);
        cr_assert(event, "0x%x", l220[i].number);
        cr_expect_eq(event->signals, l220[i].signals, "%s", event->name);
    }
    for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
        unsigned found = 0;
        for (unsigned e = 0; e < count; e++)
            found += row[e].number[L2C_210] != L2C_NO_EVENT && row[e].signals == note[i];
        cr_expect_eq(found, 1, "row %zu", i);
    }
    for (unsigned e = 0; e < count; e++) {
        on220 += row[e].number[L2C_220] != L2C_NO_EVENT;
        for (unsigned kind = 0; kind < L2C_KINDS; kind++)
            if (row[e].number[kind] != L2C_NO_EVENT)
                cr_expect_eq(l2c_event_at((enum l2c_kind)kind, row[e].number[kind]), &row[e]);
        cr_expect(!row[e].name || strncmp(row[e].name, "l2c_", 4) == 0);
    }
    cr_expect_eq(on220, sizeof l220 / sizeof *l220);
    for (unsigned number = 0; number < 256; number++)
        if (number == 0 || number > 9)
            cr_expect_null(l2c_event_at(L2C_220, number), "0x%x is disabled", number);
}

/* Every word of the 4 KB: registers keep the bits they have; all else reads 0 and takes nothing. */
Test(l2c_monitor, registers_are_whole)
{
    for (unsigned kind = 0; kind < L2C_KINDS; kind++)
        for (uint32_t offset = 0; offset < L2C_SPACE; offset += 4) {
            struct world w = world_of((enum l2c_kind)kind);
            const struct l2c_monitor before = w.unit;
            const struct mon_register_row *r = l2c_registers((enum l2c_kind)kind);
            while (r->name && r->offset != offset)
                r++;
            cr_expect_eq(l2c_read(&w.unit, offset, &w.now), 0, "reset");
            cr_expect_eq(l2c_write(&w.unit, offset, UINT32_MAX, &w.now), r->name != NULL);
            const uint32_t bits = !r->name ? 0 : r->bits == 32 ? UINT32_MAX : (1U << r->bits) - 1;
            const uint32_t read = l2c_read(&w.unit, offset, &w.now);
            cr_expect_eq(read & ~bits, 0, "0x%x", offset);
            if (!r->name || r->access == MON_RO) {
                cr_expect_eq(read, 0);
                for (unsigned k = 0; k < L2C_COUNTERS_MAX; k++)
                    cr_expect_eq(before.counter[k].value, w.unit.counter[k].value);
                cr_expect_eq(before.control, w.unit.control);
            }
            if (r->name && strstr(r->name, "CONFIG"))
                cr_expect_eq(read, bits);
        }
}

/* Fields lie within their registers, and apart. */
Test(l2c_monitor, fields_are_apart)
{
    for (unsigned kind = 0; kind < L2C_KINDS; kind++)
        for (const struct mon_field_row *f = l2c_fields((enum l2c_kind)kind); f->name; f++) {
            const struct mon_register_row *r = l2c_registers((enum l2c_kind)kind);
            while (r->name && strcmp(r->name, f->reg) != 0)
                r++;
            cr_assert(r->name, "%s", f->reg);
            cr_expect_leq(f->low + f->bits, r->bits, "%s.%s", f->reg, f->name);
            for (const struct mon_field_row *g = l2c_fields((enum l2c_kind)kind); g != f; g++)
                cr_expect(strcmp(f->reg, g->reg) != 0 || g->low + g->bits <= f->low);
        }
}

/* ---- L210 ------------------------------------------------------------------------------------ */

enum { COUNT = 1, RESET = 2, LINE = 4, INCREMENT = 1 << 5, OVERFLOW = 2 << 5, INTERRUPT = 1 << 7 };

Test(l2c_monitor, l210_counts_four_and_its_counters_are_read_only)
{
    struct world w = world_of(L2C_210);
    put(&w, "EMCC0", 1);
    put(&w, "EMCC1", 2);
    put(&w, "EMCC2", 9);
    put(&w, "EMCC3", 10);
    put(&w, "EMMC", COUNT);
    w.now.total[L2C_SIGNAL_IRREQ] += 10;
    w.now.total[L2C_SIGNAL_IRHIT] += 7;
    w.now.total[L2C_SIGNAL_CO_HALVES] += 2; /* a full line */
    w.now.total[L2C_SIGNAL_WA] += 4;
    put(&w, "EMC0", 99);
    cr_expect_eq(get(&w, "EMC0"), 10);
    cr_expect_eq(get(&w, "EMC1"), 7);
    cr_expect_eq(get(&w, "EMC2"), 2);
    cr_expect_eq(get(&w, "EMC3"), 4);
    put(&w, "EMMC", RESET);
    w.now.total[L2C_SIGNAL_IRREQ] += 10;
    cr_expect_eq(get(&w, "EMC0"), 0, "it does not count");
    cr_expect_eq(get(&w, "EMMC"), 0, "RESET reads 0");
}

/* Without the event bus the block hears nothing (0x104 bit 20; i.MX31 has it off). */
Test(l2c_monitor, l210_needs_its_event_bus)
{
    struct world w = world_of(L2C_210);
    l2c_set_bus(&w.unit, false, &w.now);
    put(&w, "EMCC0", 1);
    put(&w, "EMMC", COUNT);
    w.now.total[L2C_SIGNAL_IRREQ] += 10;
    cr_expect_eq(get(&w, "EMC0"), 0);
    l2c_set_bus(&w.unit, true, &w.now);
    w.now.total[L2C_SIGNAL_IRREQ] += 3;
    cr_expect_eq(get(&w, "EMC0"), 3);
    l2c_set_bus(&w.unit, false, &w.now);
    w.now.total[L2C_SIGNAL_IRREQ] += 5;
    cr_expect_eq(get(&w, "EMC0"), 3);
}

/* The interrupt is a level until all flags are clear. */
Test(l2c_monitor, l210_interrupt)
{
    struct world w = world_of(L2C_210);
    put(&w, "EMCC0", 1 | INCREMENT | INTERRUPT);
    put(&w, "EMCC2", 10 | INCREMENT | INTERRUPT);
    put(&w, "EMCC3", 3 | INCREMENT);
    put(&w, "EMMC", COUNT | LINE);
    cr_expect(l2c_waits(&w.unit, &w.now) && !l2c_quiet(&w.unit, &w.now), "for signals");
    w.now.total[L2C_SIGNAL_DRREQ]++;
    cr_expect(!l2c_interrupts(&w.unit, &w.now), "counter 3 only has a flag");
    cr_expect_eq(get(&w, "EMCS"), 8);
    w.now.total[L2C_SIGNAL_IRREQ]++;
    w.now.total[L2C_SIGNAL_WA]++;
    cr_expect(l2c_interrupts(&w.unit, &w.now));
    put(&w, "EMCS", 1);
    cr_expect(l2c_interrupts(&w.unit, &w.now), "the other flag is up");
    put(&w, "EMCS", 0);
    cr_expect_eq(get(&w, "EMCS"), 12, "writing 0 does nothing");
    put(&w, "EMCS", 12);
    cr_expect(!l2c_interrupts(&w.unit, &w.now));
    cr_expect_eq(get(&w, "EMCS"), 0);
}

/* A counter that counts the overflows of the one before makes 64 bits. */
Test(l2c_monitor, l210_counters_in_a_row)
{
    struct world w = world_of(L2C_210);
    put(&w, "EMCC0", 17 | OVERFLOW);
    put(&w, "EMCC1", 16 | OVERFLOW);
    put(&w, "EMCC2", 17 | INCREMENT);
    put(&w, "EMMC", COUNT);
    w.now.total[L2C_SIGNAL_CYCLES] += (UINT64_C(3) << 32) + 5;
    cr_expect_eq(get(&w, "EMC1"), 5);
    cr_expect_eq(get(&w, "EMC2"), 3);
    cr_expect_eq(get(&w, "EMC0"), 0, "there is none before counter 0");
    cr_expect_eq(get(&w, "EMCS"), 6);
}

/* ---- L220 ------------------------------------------------------------------------------------ */

enum { BY_INCREMENT = 1, BY_OVERFLOW = 2 };

Test(l2c_monitor, l220_counts_two)
{
    struct world w = world_of(L2C_220);
    put(&w, "EVENT_CONFIG0", 0x3 << 2);
    put(&w, "EVENT_CONFIG1", 0x2 << 2);
    put(&w, "EVENT_CONTROL", 1);
    w.now.total[L2C_SIGNAL_DRREQ] += 20;
    w.now.total[L2C_SIGNAL_DRHIT] += 15;
    cr_expect_eq(get(&w, "EVENT_VALUE0"), 20);
    cr_expect_eq(get(&w, "EVENT_VALUE1"), 15);
    put(&w, "EVENT_CONTROL", 1 | 2);
    cr_expect_eq(get(&w, "EVENT_VALUE0"), 0);
    cr_expect_eq(get(&w, "EVENT_VALUE1"), 15);
    put(&w, "EVENT_CONTROL", 4);
    cr_expect_eq(get(&w, "EVENT_VALUE1"), 0);
    cr_expect_eq(get(&w, "EVENT_CONTROL"), 0, "the reset bits read 0");
}

/* A value is written while the source is 0, and else left alone. */
Test(l2c_monitor, l220_values_are_written_without_a_source)
{
    struct world w = world_of(L2C_220);
    put(&w, "EVENT_VALUE0", 123);
    put(&w, "EVENT_CONFIG0", 0x8 << 2);
    put(&w, "EVENT_VALUE0", 77);
    cr_expect_eq(get(&w, "EVENT_VALUE0"), 123);
    put(&w, "EVENT_CONFIG0", BY_OVERFLOW);
    put(&w, "EVENT_VALUE0", 77);
    cr_expect_eq(get(&w, "EVENT_VALUE0"), 77);
}

/* Counters stay at 2^32-1; the interrupt is masked, and cleared where it is written. */
Test(l2c_monitor, l220_saturates_and_interrupts)
{
    struct world w = world_of(L2C_220);
    put(&w, "EVENT_VALUE1", UINT32_MAX - 5);
    put(&w, "EVENT_CONFIG1", 0x8 << 2 | BY_OVERFLOW);
    put(&w, "INTERRUPT_MASK", 1);
    put(&w, "EVENT_CONTROL", 1);
    cr_expect(l2c_waits(&w.unit, &w.now) && !l2c_quiet(&w.unit, &w.now), "for signals");
    w.now.total[L2C_SIGNAL_IRREQ] += 5;
    cr_expect_eq(get(&w, "EVENT_VALUE1"), UINT32_MAX);
    cr_expect(!l2c_interrupts(&w.unit, &w.now));
    w.now.total[L2C_SIGNAL_IRREQ] += 40;
    cr_expect_eq(get(&w, "EVENT_VALUE1"), UINT32_MAX);
    cr_expect(l2c_interrupts(&w.unit, &w.now));
    cr_expect(get(&w, "RAW_STATUS") == 1 && get(&w, "MASKED_STATUS") == 1);
    put(&w, "INTERRUPT_MASK", 0);
    cr_expect(!l2c_interrupts(&w.unit, &w.now));
    cr_expect(get(&w, "RAW_STATUS") == 1 && get(&w, "MASKED_STATUS") == 0);
    put(&w, "INTERRUPT_CLEAR", 1);
    cr_expect_eq(get(&w, "RAW_STATUS"), 0);
    cr_expect_eq(get(&w, "INTERRUPT_CLEAR"), 0, "write only");
    put(&w, "RAW_STATUS", 1);
    put(&w, "EVENT_CONFIG0", 0x9 << 2 | BY_INCREMENT);
    w.now.total[L2C_SIGNAL_WA]++;
    cr_expect_eq(get(&w, "RAW_STATUS"), 1, "by increment");
}

/* ---- any sequence ---------------------------------------------------------------------------- */

struct plain {
    uint32_t control, status, mask, config[4], value[4];
    bool bus;
};

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void plain_write(struct plain *p, enum l2c_kind kind, uint32_t at, uint32_t v)
{
    if (kind == L2C_210) {
        if (at == 0) {
            p->control = v & 5;
            for (unsigned k = 0; v & 2 && k < 4; k++)
                p->value[k] = 0;
        } else if (at == 4)
            p->status &= ~v;
        else if (at < 0x200)
            p->config[(at - 0x100) / 4] = v & 0xff;
        return;
    }
    switch (at) {
    case 0x200:
        p->control = v & 1;
        p->value[0] = v & 2 ? 0 : p->value[0];
        p->value[1] = v & 4 ? 0 : p->value[1];
        break;
    case 0x204:
    case 0x208:
        p->config[at == 0x204] = v & 0x3f;
        break;
    case 0x20c:
    case 0x210:
        if (p->config[at == 0x20c] < 4)
            p->value[at == 0x20c] = v;
        break;
    case 0x214:
        p->mask = v & 0x1ff;
        break;
    case 0x220:
        p->status &= ~v;
        break;
    default:
        break;
    }
}

static void plain_cycle(struct plain *p, enum l2c_kind kind, const struct l2c_signals *grown)
{
    bool wrapped = false;
    for (unsigned k = 0; k < l2c_counters(kind); k++) {
        const unsigned source = kind == L2C_210 ? p->config[k] & 31 : p->config[k] >> 2;
        const unsigned condition = (kind == L2C_210 ? p->config[k] >> 5 : p->config[k]) & 3;
        const struct l2c_event *event = l2c_event_at(kind, source);
        const bool on = p->control & 1 && (kind == L2C_220 || p->bus);
        const uint32_t n = !event || !on      ? 0
                           : event->overflows ? wrapped
                                              : (uint32_t)l2c_total(grown, event->signals);
        wrapped = p->value[k] + n < n;
        p->value[k] = wrapped && kind == L2C_220 ? UINT32_MAX : p->value[k] + n;
        if ((condition == 1 && n) || (condition == 2 && wrapped))
            p->status |= kind == L2C_210 ? 1U << k : 1;
    }
}

static void compare(const struct world *w, const struct plain *p, uint64_t seed, unsigned step)
{
    for (const struct mon_register_row *r = l2c_registers(w->unit.kind); r->name; r++) {
        struct plain at = *p;
        const uint32_t o = r->offset;
        const uint32_t expected = w->unit.kind == L2C_210
                                      ? (o == 0      ? at.control
                                         : o == 4    ? at.status
                                         : o < 0x200 ? at.config[(o - 0x100) / 4]
                                                     : at.value[(o - 0x200) / 4])
                                  : o == 0x200               ? at.control
                                  : o == 0x204 || o == 0x208 ? at.config[o == 0x204]
                                  : o == 0x20c || o == 0x210 ? at.value[o == 0x20c]
                                  : o == 0x214               ? at.mask
                                  : o == 0x218               ? at.status & at.mask
                                  : o == 0x21c               ? at.status
                                                             : 0;
        cr_assert_eq(l2c_read(&w->unit, o, &w->now), expected, "seed %lu, step %u: %s",
                     (unsigned long)seed, step, r->name);
    }
}

/* Values near their end, sources that there are and are not. */
static uint32_t some_value(uint64_t *state, const char *name)
{
    if (strstr(name, "VALUE"))
        return UINT32_MAX - draw(state) % 8;
    return draw(state);
}

static void random_sequence(enum l2c_kind kind, uint64_t seed)
{
    struct world w = world_of(kind);
    struct plain p = {.bus = true};
    uint64_t state = seed, next = 0;
    bool waits = false, grew = false;
    unsigned line = 0, rows = 0;
    while (l2c_registers(kind)[rows].name)
        rows++;
    for (unsigned step = 0; step < 1500; step++) {
        const bool writes = !(draw(&state) % 8);
        if (writes) {
            const struct mon_register_row *r = &l2c_registers(kind)[draw(&state) % rows];
            const uint32_t value = some_value(&state, r->name);
            l2c_write(&w.unit, r->offset, value, &w.now);
            plain_write(&p, kind, r->offset, value);
        }
        if (kind == L2C_210 && !(draw(&state) % 50)) {
            p.bus = !p.bus;
            l2c_set_bus(&w.unit, p.bus, &w.now);
            next = step;
        }
        if (writes || step == next || (waits && grew)) {
            line = l2c_interrupts(&w.unit, &w.now);
            waits = l2c_waits(&w.unit, &w.now);
            next = step + l2c_quiet(&w.unit, &w.now);
        }
        cr_assert_eq(l2c_interrupts(&w.unit, &w.now) & ~line, 0, "seed %lu, step %u: no look",
                     (unsigned long)seed, step);
        compare(&w, &p, seed, step);
        struct l2c_signals grown = {0};
        grew = !(draw(&state) % 4); /* signals, and not cycles alone */
        for (unsigned s = 0; s < L2C_SIGNALS; s++) {
            grown.total[s] = s == L2C_SIGNAL_CYCLES ? 1 : grew * draw(&state) % 2;
            w.now.total[s] += grown.total[s];
        }
        plain_cycle(&p, kind, &grown);
    }
}

Test(l2c_monitor, any_sequence_as_counted_cycle_by_cycle)
{
    for (unsigned kind = 0; kind < L2C_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 60; seed++)
            random_sequence((enum l2c_kind)kind, seed);
}

/*
 * The performance monitoring unit of an ARM11 alone: the rules of the application note (AT-n are
 * the rows of docs/arm11.md), each by a sequence of register accesses on totals that the
 * test makes; and random sequences, held against a unit that is counted cycle by cycle.
 */
#include "monitor/arm11/pmu.h"

#include <criterion/criterion.h>
#include <string.h>

#define CONTROL(e0, e1, bits) ((uint32_t)(e0) << 20 | (uint32_t)(e1) << 12 | (bits))
enum {
    FLAGS = 7 << ARM11_PMNC_FLAG,
    OVERFLOWED0 = 1 << ARM11_PMNC_FLAG,
    OVERFLOWED1 = 2 << ARM11_PMNC_FLAG,
    OVERFLOWEDC = 4 << ARM11_PMNC_FLAG,
    INTERRUPT0 = 1 << ARM11_PMNC_INTERRUPT,
    INTERRUPTC = 4 << ARM11_PMNC_INTERRUPT,
    GO = ARM11_PMNC_E | ARM11_PMNC_P | ARM11_PMNC_C,
    IRQ0 = 1 << ARM11_LINE_IRQ,
    FIQ0 = 1 << ARM11_LINE_FIQ,
};

/* A unit and the totals it listens to. */
struct world {
    struct arm11_pmu unit;
    struct arm11_signals now;
};

static struct world world_of(enum arm11_chip chip)
{
    struct world w = {.unit = {.chip = chip}};
    for (unsigned s = 0; s < ARM11_SIGNALS; s++)
        w.now.total[s] = 1000 + 17 * s; /* what was before does not matter */
    return w;
}

static void put(struct world *w, enum arm11_pmu_register reg, uint32_t value)
{
    arm11_pmu_write(&w->unit, reg, value, &w->now);
}

static uint32_t get(const struct world *w, enum arm11_pmu_register reg)
{
    return arm11_pmu_read(&w->unit, reg, &w->now);
}

/* `n` cycles pass, and signal s grows by s + 2 in each. */
static void pass(struct world *w, uint64_t n)
{
    for (unsigned s = 0; s < ARM11_SIGNALS; s++)
        w->now.total[s] += s == ARM11_SIGNAL_CYCLES ? n : n * (s + 2);
}

/* The same after the delay of the start, in which the unit is looked at. */
static void start(struct world *w, uint32_t control)
{
    put(w, ARM11_PMNC, control);
    pass(w, ARM11_START_DELAY);
    arm11_pmu_settle(&w->unit, &w->now);
}

static uint32_t growth(enum arm11_signal s)
{
    return s + 2;
}

/* ---- the note's rows ------------------------------------------------------------------------- */

/* Two events and CCNT: start, run, stop, read. */
static void two_events_and_cycles(struct world *w)
{
    const uint32_t control = CONTROL(0x5, 0x7, GO | FLAGS);
    start(w, control);
    pass(w, 100);
    put(w, ARM11_PMNC, control & ~(uint32_t)(GO | FLAGS));
    pass(w, 1000);
    cr_expect_eq(get(w, ARM11_CCNT), 100);
    cr_expect_eq(get(w, ARM11_PMN0), 100 * growth(ARM11_SIGNAL_BRANCHES));
    cr_expect_eq(get(w, ARM11_PMN1), 100 * growth(ARM11_SIGNAL_INSTRUCTIONS));
}

/* PMNC = ev0 << 20 | ev1 << 12 | X << 11 | flags | IE << 4 | D << 3 | C << 2 | P << 1 | E. */
static void one_control_word(struct world *w)
{
    for (unsigned bit = 0; bit < 32; bit++) {
        const bool keeps = bit == 0 || (bit >= 3 && bit < 7 && bit != 7) || bit == 11 ||
                           (bit >= 12 && bit < 28) ||
                           (w->unit.chip == ARM11_1156 && bit >= 28 && bit < 31);
        put(w, ARM11_PMNC, 1U << bit);
        cr_expect_eq(get(w, ARM11_PMNC), keeps ? 1U << bit : 0, "%s, bit %u",
                     arm11_chip_name(w->unit.chip), bit);
    }
}

static void branches_and_instructions(struct world *w)
{
    put(w, ARM11_PMN0, 5);
    put(w, ARM11_PMN1, 6);
    put(w, ARM11_CCNT, 7);
    put(w, ARM11_PMNC, 0x00507007);
    cr_expect_eq(get(w, ARM11_PMNC), 0x00507001, "C and P read 0");
    for (unsigned r = ARM11_CCNT; r < ARM11_PMU_REGISTERS; r++)
        cr_expect_eq(get(w, (enum arm11_pmu_register)r), 0, "all are reset");
    pass(w, ARM11_START_DELAY);
    arm11_pmu_settle(&w->unit, &w->now);
    pass(w, 10);
    cr_expect_eq(get(w, ARM11_PMN0), 10 * growth(ARM11_SIGNAL_BRANCHES));
    cr_expect_eq(get(w, ARM11_PMN1), 10 * growth(ARM11_SIGNAL_INSTRUCTIONS));
    cr_expect_eq(get(w, ARM11_CCNT), 10);
}

static void divider(struct world *w)
{
    static const unsigned rows[] = {0, 1, 63, 64, 65, 127, 128, 6400, 6463};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(w, ARM11_PMNC, 0);
        start(w, ARM11_PMNC_D | GO);
        pass(w, rows[i] / 2);
        arm11_pmu_settle(&w->unit, &w->now);
        pass(w, rows[i] - rows[i] / 2);
        cr_expect_eq(get(w, ARM11_CCNT), rows[i] / 64, "%u cycles", rows[i]);
    }
}

static void overflow_after_n(struct world *w)
{
    static const uint32_t rows[] = {1, 2, 1000, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(w, ARM11_PMNC, 0);
        put(w, ARM11_PMNC, FLAGS | ARM11_PMNC_E);
        put(w, ARM11_PMNC, CONTROL(0xff, 0xff, 0));
        put(w, ARM11_PMN0, 0U - rows[i]);
        start(w, CONTROL(0xff, 0xff, ARM11_PMNC_E));
        pass(w, rows[i] - 1);
        cr_expect_eq(get(w, ARM11_PMN0), 0xffffffff);
        cr_expect(!(get(w, ARM11_PMNC) & OVERFLOWED0));
        pass(w, 1);
        cr_expect_eq(get(w, ARM11_PMN0), 0, "it wraps");
        cr_expect(get(w, ARM11_PMNC) & OVERFLOWED0);
        pass(w, 5);
        cr_expect_eq(get(w, ARM11_PMN0), 5, "and goes on");
    }
    put(w, ARM11_PMN0, 0U - 1000);
    cr_expect_eq(get(w, ARM11_PMN0), 0xfffffc18, "the note's example");
}

static void interrupt_line(struct world *w)
{
    const uint32_t cycles = CONTROL(0xff, 0, ARM11_PMNC_E);
    put(w, ARM11_PMN0, 0xffffffff);
    start(w, cycles);
    pass(w, 1);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), 0, "not enabled");
    put(w, ARM11_PMNC, cycles | INTERRUPT0);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), IRQ0);
    pass(w, 1000);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), IRQ0, "it stays");
    put(w, ARM11_PMNC, (cycles | INTERRUPT0) & ~(uint32_t)ARM11_PMNC_E);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), 0, "E is in the AND");
    put(w, ARM11_PMNC, cycles | 1U << ARM11_PMNC_FIQ);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), w->unit.chip == ARM11_1156 ? FIQ0 : 0,
                 "as FIQ");
    put(w, ARM11_PMNC, cycles | INTERRUPT0 | OVERFLOWED1 | OVERFLOWEDC);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), IRQ0, "others' flags");
    put(w, ARM11_PMNC, cycles | INTERRUPT0 | OVERFLOWED0);
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), 0, "its own");
}

static void clearing_needs_enable(struct world *w)
{
    put(w, ARM11_PMN0, 0xffffffff);
    start(w, CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPT0));
    pass(w, 1);
    put(w, ARM11_PMNC, CONTROL(0xff, 0, FLAGS | INTERRUPT0));
    cr_expect_eq(get(w, ARM11_PMNC), CONTROL(0xff, 0, OVERFLOWED0 | INTERRUPT0), "the flag stays");
    put(w, ARM11_PMNC, CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPT0));
    cr_expect_eq(arm11_pmu_lines(&w->unit, &w->now), IRQ0, "and so does its interrupt");
    put(w, ARM11_PMNC, CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPT0 | FLAGS));
    cr_expect_eq(get(w, ARM11_PMNC), CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPT0));
}

static void writing_0_to_a_flag(struct world *w)
{
    put(w, ARM11_PMN0, 0xffffffff);
    put(w, ARM11_CCNT, 0xffffffff);
    start(w, CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPTC));
    pass(w, 1);
    put(w, ARM11_PMNC, CONTROL(0xff, 0, ARM11_PMNC_E | INTERRUPTC));
    cr_expect_eq(get(w, ARM11_PMNC) & FLAGS, OVERFLOWED0 | OVERFLOWEDC, "no effect");
    put(w, ARM11_PMNC, get(w, ARM11_PMNC));
    cr_expect_eq(get(w, ARM11_PMNC) & FLAGS, 0, "what is written back clears");
}

static void either_etmextout(struct world *w)
{
    start(w, CONTROL(0x22, 0x21, GO));
    w->now.total[ARM11_SIGNAL_ETMEXTOUT0] += 3;
    w->now.total[ARM11_SIGNAL_ETMEXTOUT1] += 2; /* two of the cycles are the same */
    cr_expect_eq(get(w, ARM11_PMN0), 5, "2 when both are asserted");
    cr_expect_eq(get(w, ARM11_PMN1), 2);
    cr_expect_eq(arm11_event_most(arm11_event_at(w->unit.chip, 0x22)), 2);
}

/* Every number of every chip: it has a row and counts its signals, or it is told of and counts 0.
 */
static void every_number(struct world *w)
{
    for (unsigned number = 0; number < 256; number++) {
        const struct arm11_event *event = arm11_event_at(w->unit.chip, number);
        put(w, ARM11_PMNC, 0);
        const unsigned unknown =
            arm11_pmu_write(&w->unit, ARM11_PMNC, CONTROL(number, 0xff, GO), &w->now);
        cr_expect_eq(unknown, event ? 0 : 1, "0x%x", number);
        cr_expect_eq(arm11_pmu_write(&w->unit, ARM11_PMNC, CONTROL(0xff, number, GO), &w->now),
                     event ? 0 : 2, "0x%x", number);
        start(w, CONTROL(number, number, GO));
        pass(w, ARM11_START_DELAY);
        arm11_pmu_settle(&w->unit, &w->now);
        const uint64_t before = event ? arm11_total(&w->now, event->signals) : 0;
        const uint32_t shown = get(w, ARM11_PMN0);
        pass(w, 1000);
        const uint64_t grown = event ? arm11_total(&w->now, event->signals) - before : 0;
        cr_expect_eq(get(w, ARM11_PMN0) - shown, grown, "0x%x", number);
        cr_expect_eq(get(w, ARM11_PMN1) - shown, grown, "0x%x", number);
        cr_expect_eq(get(w, ARM11_PMNC) >> 20, number, "the field reads as written");
    }
}

static void start_delay(struct world *w)
{
    put(w, ARM11_PMNC, CONTROL(0x7, 0xff, GO));
    for (unsigned left = ARM11_START_DELAY; left; left--) {
        cr_expect_eq(arm11_pmu_next(&w->unit, &w->now, true), left);
        pass(w, 1);
        arm11_pmu_settle(&w->unit, &w->now);
        cr_expect_eq(get(w, ARM11_CCNT) + get(w, ARM11_PMN0) + get(w, ARM11_PMN1), 0);
    }
    pass(w, 1);
    cr_expect(get(w, ARM11_CCNT) == 1 && get(w, ARM11_PMN1) == 1);
    cr_expect_eq(get(w, ARM11_PMN0), growth(ARM11_SIGNAL_INSTRUCTIONS));
    put(w, ARM11_PMNC, CONTROL(0x7, 0xff, ARM11_PMNC_E));
    pass(w, 1);
    cr_expect_eq(get(w, ARM11_CCNT), 2, "it has been enabled: there is no delay");
}

static const struct {
    const char *at; /* rows of docs/arm11.md */
    void (*check)(struct world *w);
} rows[] = {
    {"AT-1", two_events_and_cycles},     {"AT-3", one_control_word},
    {"AT-4", branches_and_instructions}, {"AT-5", divider},
    {"AT-6", overflow_after_n},          {"AT-7", interrupt_line},
    {"AT-8", clearing_needs_enable},     {"AT-9", writing_0_to_a_flag},
    {"AT-31", either_etmextout},         {"AT-34", every_number},
    {"start delay", start_delay},
};

Test(arm11_pmu, rules_of_the_note)
{
    for (unsigned chip = 0; chip < ARM11_CHIPS; chip++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct world w = world_of((enum arm11_chip)chip);
            rows[i].check(&w);
        }
}

/* ---- rows of events.def against the note's table, typed again -------------------------------- */

#define S(signal) (1U << ARM11_SIGNAL_##signal)
enum { ON1136 = 1 << ARM11_1136, ON1156 = 1 << ARM11_1156, ON1176 = 1 << ARM11_1176 };

Test(arm11_pmu, events_are_the_notes)
{
    static const struct {
        unsigned number, chips;
        uint32_t signals;
    } document[] = {
        {0x00, 7, S(I_MISS)},
        {0x01, 7, S(NO_INSN)},
        {0x02, 7, S(DEPENDENCY)},
        {0x03, ON1136 | ON1176, S(I_MICROTLB)},
        {0x04, ON1136 | ON1176, S(D_MICROTLB)},
        {0x05, 7, S(BRANCHES)},
        {0x06, 7, S(MISPREDICTED)},
        {0x07, 7, S(INSTRUCTIONS)},
        {0x09, 7, S(D_CACHEABLE)},
        {0x0a, 7, S(D_ACCESS)},
        {0x0b, 7, S(D_MISS)},
        {0x0c, 7, S(WRITEBACK)},
        {0x0d, 7, S(PC_CHANGE)},
        {0x0f, ON1136 | ON1176, S(TLB_MISS)},
        {0x10, 7, S(EXTERNAL)},
        {0x11, 7, S(LSU_FULL)},
        {0x12, 7, S(DRAINED)},
        {0x13, ON1156, 0},
        {0x14, ON1156, 0},
        {0x20, 7, S(ETMEXTOUT0)},
        {0x21, 7, S(ETMEXTOUT1)},
        {0x22, 7, S(ETMEXTOUT0) | S(ETMEXTOUT1)},
        {0x23, ON1176, S(CALLS)},
        {0x24, ON1176, S(RETURNS)},
        {0x25, ON1176, S(PREDICTED)},
        {0x26, ON1176, S(RETURNED_WRONG)},
        {0x30, ON1156, 0},
        {0x31, ON1156, 0},
        {0x32, ON1156, 0},
        {0x33, ON1156, 0},
        {0x34, ON1156, 0},
        {0x35, ON1156, 0},
        {0x36, ON1156, S(RETURNS)},
        {0x37, ON1156, S(RETURNED_WRONG)},
        {0x38, ON1156, 0},
        {0xff, 7, S(CYCLES)},
    };
    unsigned count;
    const struct arm11_event *row = arm11_events(&count);
    cr_assert_eq(count, sizeof document / sizeof *document);
    for (unsigned i = 0; i < count; i++) {
        cr_expect_eq(row[i].number, document[i].number, "0x%x", row[i].number);
        cr_expect_eq(row[i].chips, document[i].chips, "0x%x", row[i].number);
        cr_expect_eq(row[i].signals, document[i].signals, "0x%x", row[i].number);
        cr_expect_eq(strncmp(row[i].name, "cpu_", 4), 0);
        cr_expect(*row[i].unit && *row[i].sentence && *row[i].source);
        for (unsigned j = 0; j < i; j++)
            cr_expect(!(row[i].chips & row[j].chips) ||
                          (row[i].number != row[j].number && strcmp(row[i].name, row[j].name) != 0),
                      "%s twice on a chip", row[i].name);
    }
}

/* A signal that no event counts would be kept in vain. */
Test(arm11_pmu, every_signal_is_counted)
{
    unsigned count;
    uint32_t counted = 0;
    const struct arm11_event *row = arm11_events(&count);
    for (unsigned i = 0; i < count; i++)
        counted |= row[i].signals;
    cr_expect_eq(counted, (uint32_t)((UINT64_C(1) << ARM11_SIGNALS) - 1));
}

/* ---- EVNTBUS --------------------------------------------------------------------------------- */

/* 20 bits, each event on its own lines, and nothing without X. */
Test(arm11_pmu, evntbus)
{
    for (unsigned chip = 0; chip < ARM11_CHIPS; chip++) {
        struct world w = world_of((enum arm11_chip)chip);
        uint32_t all = 0;
        unsigned count;
        const struct arm11_event *row = arm11_events(&count);
        for (unsigned i = 0; i < count; i++) {
            struct arm11_signals grown = {0};
            if (!row[i].line || !(row[i].chips >> chip & 1))
                continue;
            grown.total[__builtin_ctz(row[i].signals)] = 1;
            w.unit.control = 0;
            cr_expect_eq(arm11_pmu_bus(&w.unit, &grown), 0);
            w.unit.control = ARM11_PMNC_X;
            cr_expect_eq(arm11_pmu_bus(&w.unit, &grown), 1U << row[i].bus, "%s", row[i].name);
            grown.total[__builtin_ctz(row[i].signals)] = 9;
            const uint32_t lines = arm11_pmu_bus(&w.unit, &grown);
            cr_expect_eq(lines, ((1U << row[i].line) - 1) << row[i].bus, "it saturates");
            cr_expect_eq(all & lines, 0, "%s", row[i].name);
            all |= lines;
        }
        cr_expect_eq(all, chip == ARM11_1156 ? 0xe7de7 : 0xf7dff);
        cr_expect_eq(all >> 20, 0);
    }
}

/* ---- any sequence ---------------------------------------------------------------------------- */

/* The unit once more, counted cycle by cycle as the note describes it. */
struct plain {
    uint32_t control, value[ARM11_COUNTERS];
    unsigned flags, since, delay;
};

static void plain_write(struct plain *p, enum arm11_pmu_register reg, uint32_t value,
                        enum arm11_chip chip)
{
    static const unsigned counter[] = {0, 2, 0, 1};
    if (reg != ARM11_PMNC) {
        p->value[counter[reg]] = value;
        return;
    }
    if (value & 1) {
        p->flags &= ~(value >> 8 & 7);
        p->delay = p->control & 1 ? p->delay : 3;
    }
    p->value[0] = value & 2 ? 0 : p->value[0];
    p->value[1] = value & 2 ? 0 : p->value[1];
    p->value[2] = value & 4 ? 0 : p->value[2];
    p->since = value & 4 || (value ^ p->control) & 8 ? 0 : p->since;
    p->control = value & (chip == ARM11_1156 ? 0x7ffff879 : 0x0ffff879);
}

static void plain_cycle(struct plain *p, const struct arm11_signals *grown, enum arm11_chip chip)
{
    if (!(p->control & 1))
        return;
    if (p->delay) {
        p->delay--;
        return;
    }
    const bool tick = !(p->control & 8) || ++p->since == 64;
    p->since %= 64;
    for (unsigned k = 0; k < ARM11_COUNTERS; k++) {
        const struct arm11_event *event =
            k < 2 ? arm11_event_at(chip, p->control >> (k ? 12 : 20) & 0xff) : NULL;
        const uint32_t n = k == 2 ? tick : event ? (uint32_t)arm11_total(grown, event->signals) : 0;
        p->flags |= p->value[k] + n < n ? 1U << k : 0;
        p->value[k] += n;
    }
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static uint32_t some_value(uint64_t *state, enum arm11_pmu_register reg)
{
    static const uint8_t events[] = {0x0, 0x5, 0x7, 0xff, 0x22, 0x24, 0x36, 0x12, 0x0b, 0x99};
    if (reg != ARM11_PMNC)
        return 0U - draw(state) % 200;
    return CONTROL(events[draw(state) % sizeof events], events[draw(state) % sizeof events],
                   draw(state) % 0x1000) |
           draw(state) << 28;
}

/* 0: it asks for none. */
static uint64_t next_look(const struct world *w, uint64_t cycle)
{
    const uint64_t alone = arm11_pmu_next(&w->unit, &w->now, true),
                   other = arm11_pmu_next(&w->unit, &w->now, false);
    const uint64_t first = alone && (!other || alone < other) ? alone : other;
    return first ? cycle + first : 0;
}

/* No interrupt comes sooner than the unit says, and each look comes when it asks for it. */
static void random_sequence(enum arm11_chip chip, uint64_t seed)
{
    struct world w = world_of(chip);
    struct plain p = {0};
    uint64_t state = seed, next = 0, cycle = 0;
    uint32_t awaits = 0, grew = 0;
    unsigned lines = 0;
    for (unsigned step = 0; step < 2000; step++, cycle++) {
        if (!(draw(&state) % 20)) {
            const enum arm11_pmu_register reg = draw(&state) % ARM11_PMU_REGISTERS;
            const uint32_t value = some_value(&state, reg);
            put(&w, reg, value);
            plain_write(&p, reg, value, chip);
            next = next_look(&w, cycle);
            lines = arm11_pmu_lines(&w.unit, &w.now);
            awaits = arm11_pmu_awaits(&w.unit, &w.now);
        } else if (cycle == next || awaits & grew) {
            arm11_pmu_settle(&w.unit, &w.now);
            lines = arm11_pmu_lines(&w.unit, &w.now);
            next = next_look(&w, cycle);
            awaits = arm11_pmu_awaits(&w.unit, &w.now);
        }
        cr_assert_eq(awaits & ~(uint32_t)ARM11_RARE, 0);
        cr_assert_eq(arm11_pmu_lines(&w.unit, &w.now) & ~lines, 0, "seed %lu, step %u: no look",
                     (unsigned long)seed, step);
        cr_assert_eq(get(&w, ARM11_PMNC), p.control | p.flags << 8, "seed %lu, step %u",
                     (unsigned long)seed, step);
        for (unsigned r = ARM11_CCNT; r < ARM11_PMU_REGISTERS; r++)
            cr_assert_eq(get(&w, (enum arm11_pmu_register)r),
                         p.value[r == ARM11_CCNT ? 2 : r - ARM11_PMN0], "seed %lu, step %u: %u",
                         (unsigned long)seed, step, r);
        struct arm11_signals grown = {0};
        for (unsigned s = 0; s < ARM11_SIGNALS; s++)
            grown.total[s] = s == ARM11_SIGNAL_CYCLES ? 1 : draw(&state) % 2;
        grew = 0;
        for (unsigned s = 0; s < ARM11_SIGNALS; s++) {
            w.now.total[s] += grown.total[s];
            grew |= (grown.total[s] != 0) << s;
        }
        plain_cycle(&p, &grown, chip);
    }
}

/* What a chip does not have is told of, of the field that names it. */
Test(arm11_pmu, every_number_in_both_fields)
{
    static const uint8_t others[] = {0x00, 0x07, 0x99, 0xff};
    for (unsigned chip = 0; chip < ARM11_CHIPS; chip++)
        for (unsigned n = 0; n < 256; n++)
            for (size_t i = 0; i < sizeof others; i++) {
                struct world w = world_of((enum arm11_chip)chip);
                const unsigned a = !arm11_event_at((enum arm11_chip)chip, n),
                               b = !arm11_event_at((enum arm11_chip)chip, others[i]);
                cr_expect_eq(arm11_pmu_write(&w.unit, ARM11_PMNC, CONTROL(n, others[i], 0), &w.now),
                             a | b << 1, "%s, 0x%x and 0x%x", arm11_chip_name(chip), n, others[i]);
                cr_expect_eq(arm11_pmu_write(&w.unit, ARM11_PMNC, CONTROL(others[i], n, 0), &w.now),
                             b | a << 1, "%s, 0x%x and 0x%x", arm11_chip_name(chip), others[i], n);
                cr_expect_eq(get(&w, ARM11_PMNC), CONTROL(others[i], n, 0));
            }
}

/* The least and the most that a register holds, and what is next to that; counting from there. */
Test(arm11_pmu, every_register_at_its_ends)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (unsigned chip = 0; chip < ARM11_CHIPS; chip++)
        for (unsigned r = ARM11_CCNT; r < ARM11_PMU_REGISTERS; r++)
            for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
                struct world w = world_of((enum arm11_chip)chip);
                const enum arm11_pmu_register reg = (enum arm11_pmu_register)r;
                put(&w, reg, values[i]);
                for (unsigned other = ARM11_CCNT; other < ARM11_PMU_REGISTERS; other++)
                    cr_expect_eq(get(&w, (enum arm11_pmu_register)other),
                                 other == r ? values[i] : 0);
                put(&w, ARM11_PMNC, CONTROL(0xff, 0xff, ARM11_PMNC_E));
                pass(&w, ARM11_START_DELAY);
                arm11_pmu_settle(&w.unit, &w.now);
                pass(&w, 2);
                cr_expect_eq(get(&w, reg), values[i] + 2, "%s, register %u from 0x%x",
                             arm11_chip_name(chip), r, values[i]);
                const unsigned wraps = values[i] > UINT32_MAX - 2;
                cr_expect_eq(!!(get(&w, ARM11_PMNC) & 7U << ARM11_PMNC_FLAG), wraps,
                             "%s, register %u from 0x%x", arm11_chip_name(chip), r, values[i]);
            }
}

Test(arm11_pmu, any_sequence_as_counted_cycle_by_cycle)
{
    for (unsigned chip = 0; chip < ARM11_CHIPS; chip++)
        for (uint64_t seed = 1; seed <= 100; seed++)
            random_sequence((enum arm11_chip)chip, seed);
}

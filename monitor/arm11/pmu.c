/*
 * The performance monitoring unit of an ARM11.
 *
 * The one thing to know: there is one enable for everything. Counters cannot be stopped singly, a
 * write of PMNC says anew what all of them do, and so it is by writing back the flags it has read
 * that a handler clears them.
 */
#include "monitor/arm11/pmu.h"

#include <stddef.h>

#define ARM1136 (1U << ARM11_1136)
#define ARM1156 (1U << ARM11_1156)
#define ARM1176 (1U << ARM11_1176)
#define MMU     (ARM1136 | ARM1176)
#define ALL     (ARM1136 | ARM1156 | ARM1176)
#define S(its)  (UINT32_C(1) << ARM11_SIGNAL_##its)
#define NEVER   0
#define OFF     0

static const struct arm11_event events[] = {
#define ARM11(number, chips, signals, bus, lines, name, unit, sentence, source) \
    {number, chips, bus, lines, signals, #name, unit, sentence, source},
#include "monitor/arm11/events.def"
#undef ARM11
};
enum { EVENTS = sizeof events / sizeof *events };
_Static_assert((int)EVENTS <= (int)ARM11_EVENTS_MAX, "room for every row");

static const unsigned most[ARM11_SIGNALS] = {
#define SIGNAL(name, most, sentence) most,
#include "monitor/arm11/signals.def"
};

/* ---- rows ------------------------------------------------------------------------------------ */

const char *arm11_chip_name(enum arm11_chip chip)
{
    static const char *const names[ARM11_CHIPS] = {
        [ARM11_1136] = "ARM1136", [ARM11_1156] = "ARM1156", [ARM11_1176] = "ARM1176"};
    return names[chip];
}

const struct arm11_event *arm11_events(unsigned *count)
{
    *count = EVENTS;
    return events;
}

const struct arm11_event *arm11_event_at(enum arm11_chip chip, unsigned number)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (events[i].number == number && events[i].chips >> chip & 1)
            return &events[i];
    return NULL;
}

unsigned arm11_event_most(const struct arm11_event *event)
{
    unsigned sum = 0;
    for (uint32_t left = event->signals; left; left &= left - 1)
        sum += most[__builtin_ctz(left)];
    return sum;
}

uint64_t arm11_total(const struct arm11_signals *now, uint32_t signals)
{
    uint64_t sum = 0;
    for (uint32_t left = signals; left; left &= left - 1)
        sum += now->total[__builtin_ctz(left)];
    return sum;
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint64_t pmu_cycles(const struct arm11_signals *now)
{
    return now->total[ARM11_SIGNAL_CYCLES];
}

const struct arm11_event *arm11_pmu_event(const struct arm11_pmu *u, unsigned k)
{
    static const unsigned field[] = {ARM11_PMNC_EVENT0, ARM11_PMNC_EVENT1};
    return arm11_event_at(u->chip, u->control >> field[k] & 0xff);
}

static uint64_t pmu_total(const struct arm11_pmu *u, unsigned k, const struct arm11_signals *now)
{
    if (k == ARM11_COUNTER_CCNT)
        return pmu_cycles(now);
    const struct arm11_event *event = arm11_pmu_event(u, k);
    return event ? arm11_total(now, event->signals) : 0;
}

/* Of `grown` cycles, how many CCNT counts. */
static uint64_t pmu_prescale(struct arm11_pmu *u, uint64_t grown)
{
    if (!(u->control & ARM11_PMNC_D))
        return grown;
    const uint64_t sum = u->prescaled + grown;
    u->prescaled = (unsigned)(sum % ARM11_PRESCALE);
    return sum / ARM11_PRESCALE;
}

/* From now on a counter counts what it is told to. */
static void pmu_begin(struct arm11_pmu *u, unsigned k, const struct arm11_signals *now)
{
    u->counter[k].base = pmu_total(u, k, now);
}

static bool has_started(const struct arm11_pmu *u, const struct arm11_signals *now)
{
    return u->control & ARM11_PMNC_E && pmu_cycles(now) >= u->starts;
}

/* What has happened up to now is not counted when that ends the delay of the start, to the cycle.
 */
void arm11_pmu_settle(struct arm11_pmu *u, const struct arm11_signals *now)
{
    const bool late = !u->started && has_started(u, now) && pmu_cycles(now) > u->starts;
    const bool counted = u->started || late;
    u->started = has_started(u, now);
    for (unsigned k = 0; counted && k < ARM11_COUNTERS; k++) {
        uint64_t grown = pmu_total(u, k, now) - u->counter[k].base;
        if (k == ARM11_COUNTER_CCNT)
            grown = pmu_prescale(u, late ? pmu_cycles(now) - u->starts : grown);
        u->flags |= (u->counter[k].value + grown) >> 32 ? 1U << k : 0;
        u->counter[k].value += (uint32_t)grown;
    }
    for (unsigned k = 0; k < ARM11_COUNTERS; k++)
        pmu_begin(u, k, now);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The counter of a register. */
static unsigned counter_of(enum arm11_pmu_register reg)
{
    return reg == ARM11_CCNT   ? ARM11_COUNTER_CCNT
           : reg == ARM11_PMN1 ? ARM11_COUNTER_PMN1
                               : ARM11_COUNTER_PMN0;
}

/* Bits of PMNC that keep what is written. */
static uint32_t pmu_kept(enum arm11_chip chip)
{
    const uint32_t fiq = chip == ARM11_1156 ? ARM11_PMNC_ALL_COUNTERS : 0;
    return fiq << ARM11_PMNC_FIQ | UINT32_C(0xff) << ARM11_PMNC_EVENT0 |
           UINT32_C(0xff) << ARM11_PMNC_EVENT1 | ARM11_PMNC_X |
           ARM11_PMNC_ALL_COUNTERS << ARM11_PMNC_INTERRUPT | ARM11_PMNC_D | ARM11_PMNC_E;
}

uint32_t arm11_pmu_read(const struct arm11_pmu *u, enum arm11_pmu_register reg,
                        const struct arm11_signals *now)
{
    struct arm11_pmu settled = *u;
    arm11_pmu_settle(&settled, now);
    return reg == ARM11_PMNC ? settled.control | settled.flags << ARM11_PMNC_FLAG
                             : settled.counter[counter_of(reg)].value;
}

static unsigned write_control(struct arm11_pmu *u, uint32_t value, const struct arm11_signals *now)
{
    const uint32_t before = u->control;
    unsigned unknown = 0;
    u->control = value & pmu_kept(u->chip);
    if (value & ARM11_PMNC_E)
        u->flags &= ~(value >> ARM11_PMNC_FLAG & ARM11_PMNC_ALL_COUNTERS);
    if (value & ARM11_PMNC_E && !(before & ARM11_PMNC_E))
        u->starts = pmu_cycles(now) + ARM11_START_DELAY;
    u->started &= has_started(u, now);
    if (value & ARM11_PMNC_P)
        u->counter[ARM11_COUNTER_PMN0].value = u->counter[ARM11_COUNTER_PMN1].value = 0;
    if (value & ARM11_PMNC_C)
        u->counter[ARM11_COUNTER_CCNT].value = 0;
    if (value & ARM11_PMNC_C || (value ^ before) & ARM11_PMNC_D)
        u->prescaled = 0;
    for (unsigned k = 0; k < ARM11_COUNTER_CCNT; k++)
        unknown |= arm11_pmu_event(u, k) ? 0 : 1U << k;
    return unknown;
}

unsigned arm11_pmu_write(struct arm11_pmu *u, enum arm11_pmu_register reg, uint32_t value,
                         const struct arm11_signals *now)
{
    unsigned unknown = 0;
    arm11_pmu_settle(u, now);
    if (reg == ARM11_PMNC)
        unknown = write_control(u, value, now);
    else
        u->counter[counter_of(reg)].value = value;
    for (unsigned k = 0; k < ARM11_COUNTERS; k++)
        pmu_begin(u, k, now);
    return unknown;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

unsigned arm11_pmu_lines(const struct arm11_pmu *u, const struct arm11_signals *now)
{
    struct arm11_pmu settled = *u;
    arm11_pmu_settle(&settled, now);
    const unsigned flags = settled.control & ARM11_PMNC_E ? settled.flags : 0;
    return (flags & settled.control >> ARM11_PMNC_INTERRUPT) << ARM11_LINE_IRQ |
           (flags & settled.control >> ARM11_PMNC_FIQ) << ARM11_LINE_FIQ;
}

enum { NEAR = 64 }; /* [cycles] it costs more to look every few cycles than whenever it grows */

/* [cycles] for which counter k, which counts, cannot overflow, at least 1; 0: it never does. */
static uint64_t pmu_quiet(const struct arm11_pmu *u, unsigned k)
{
    const uint64_t left = (UINT64_C(1) << 32) - u->counter[k].value;
    if (k == ARM11_COUNTER_CCNT)
        return u->control & ARM11_PMNC_D ? left * ARM11_PRESCALE - u->prescaled : left;
    const struct arm11_event *event = arm11_pmu_event(u, k);
    const unsigned grows = event ? arm11_event_most(event) : 0;
    return grows ? (left + grows - 1) / grows : 0;
}

static uint32_t signals_of(const struct arm11_pmu *u, unsigned k)
{
    if (k == ARM11_COUNTER_CCNT)
        return S(CYCLES);
    const struct arm11_event *event = arm11_pmu_event(u, k);
    return event ? event->signals : 0;
}

/* Whether the core tells of all that counter k counts. */
static bool is_told(const struct arm11_pmu *u, unsigned k)
{
    return !(signals_of(u, k) & ~(uint32_t)ARM11_RARE);
}

/* Whether a counter can overflow, and that would interrupt. */
static bool pmu_waits(const struct arm11_pmu *u, unsigned k)
{
    const uint32_t enabled = u->control >> ARM11_PMNC_INTERRUPT | u->control >> ARM11_PMNC_FIQ;
    return (enabled & ~u->flags) >> k & 1 && signals_of(u, k);
}

uint64_t arm11_pmu_next(const struct arm11_pmu *u, const struct arm11_signals *now, bool alone)
{
    struct arm11_pmu settled = *u;
    uint64_t next = 0;
    if (!(u->control & ARM11_PMNC_E))
        return 0;
    if (pmu_cycles(now) < u->starts)
        return alone ? u->starts - pmu_cycles(now) : 0;
    arm11_pmu_settle(&settled, now);
    for (unsigned k = 0; k < ARM11_COUNTERS; k++) {
        const uint64_t its = pmu_waits(&settled, k) ? pmu_quiet(&settled, k) : 0;
        if (!its || (its < NEAR && is_told(&settled, k)) ||
            (signals_of(&settled, k) & S(CYCLES)) / S(CYCLES) != alone)
            continue;
        next = !next || its < next ? its : next;
    }
    return next;
}

uint32_t arm11_pmu_awaits(const struct arm11_pmu *u, const struct arm11_signals *now)
{
    struct arm11_pmu settled = *u;
    uint32_t signals = 0;
    arm11_pmu_settle(&settled, now);
    for (unsigned k = 0; settled.started && k < ARM11_COUNTERS; k++)
        if (pmu_waits(&settled, k) && is_told(&settled, k) && pmu_quiet(&settled, k) < NEAR)
            signals |= signals_of(&settled, k);
    return signals;
}

/* ---- export ---------------------------------------------------------------------------------- */

uint32_t arm11_pmu_bus(const struct arm11_pmu *u, const struct arm11_signals *grown)
{
    uint32_t bus = 0;
    if (!(u->control & ARM11_PMNC_X))
        return 0;
    for (unsigned i = 0; i < EVENTS; i++) {
        const uint32_t n = (uint32_t)arm11_total(grown, events[i].signals);
        if (events[i].chips >> u->chip & 1)
            bus |= (n < 1U << events[i].line ? n : (1U << events[i].line) - 1) << events[i].bus;
    }
    return bus;
}

unsigned arm11_most(enum arm11_signal signal)
{
    return most[signal];
}

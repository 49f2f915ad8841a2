/*
 * The event monitors of the L210 and the L220.
 *
 * The one thing to know: they end differently. An L210's counters wrap, and one can count another's
 * overflows; an L220's stay at 2^32-1.
 */
#include "monitor/l2c/monitor.h"

#include <stddef.h>

#define S(its)    (UINT32_C(1) << L2C_SIGNAL_##its)
#define NEVER     0
#define NO        L2C_NO_EVENT
#define OVERFLOWS (UINT32_C(1) << 31)
_Static_assert(L2C_SIGNALS < 31, "a set of signals is a word with a bit to spare");

#define ROW(on210, on220, its, name, unit, sentence, source) \
    {{on210, on220}, (its) % OVERFLOWS, (its) / OVERFLOWS != 0, name, unit, sentence, source},
#define L2C(on210, on220, its, name, ...) ROW(on210, on220, its, #name, __VA_ARGS__)
#define L2C_210(on210, its, name, ...)    ROW(on210, NO, its, #name, __VA_ARGS__)
#define L2C_220(on220, its, name, ...)    ROW(NO, on220, its, #name, __VA_ARGS__)
#define L2C_SILENT(on210, its, ...)       ROW(on210, NO, its, NULL, __VA_ARGS__)
static const struct l2c_event events[] = {
#include "monitor/l2c/events.def"
};
#undef ROW
#undef L2C
#undef L2C_210
#undef L2C_220
#undef L2C_SILENT
enum { EVENTS = sizeof events / sizeof *events };
_Static_assert((int)EVENTS <= (int)L2C_EVENTS_MAX, "room for every row");

#define NONE(...)
#define REGISTER(name, offset, bits, access, sentence) \
    {#name, sentence, offset, 0, bits, MON_##access},
#define FIELD(reg, name, low, bits, sentence) {#reg, #name, sentence, low, bits},

static const struct mon_register_row registers[L2C_KINDS][16] = {{
#define L210       REGISTER
#define L210_FIELD NONE
#define L220       NONE
#define L220_FIELD NONE
#include "monitor/l2c/registers.def"
                                                                     {0}},
                                                                 {
#undef L210
#undef L220
#define L210 NONE
#define L220 REGISTER
#include "monitor/l2c/registers.def"
                                                                     {0}}};

static const struct mon_field_row fields[L2C_KINDS][8] = {{
#undef L210_FIELD
#undef L220
#define L210_FIELD FIELD
#define L220       NONE
#include "monitor/l2c/registers.def"
                                                              {0}},
                                                          {
#undef L210_FIELD
#undef L220_FIELD
#define L210_FIELD NONE
#define L220_FIELD FIELD
#include "monitor/l2c/registers.def"
                                                              {0}}};
#undef L210
#undef L210_FIELD
#undef L220
#undef L220_FIELD

/* Where things are. */
enum {
    EMMC = 0x000,
    EMCS = 0x004,
    EMCC = 0x100,
    EMC = 0x200,
    EVENT_CONTROL = 0x200,
    EVENT_CONFIG1 = 0x204,
    EVENT_CONFIG0 = 0x208,
    EVENT_VALUE1 = 0x20c,
    EVENT_VALUE0 = 0x210,
    INTERRUPT_MASK = 0x214,
    MASKED_STATUS = 0x218,
    RAW_STATUS = 0x21c,
    INTERRUPT_CLEAR = 0x220,
};
enum {
    ENABLE = 1,
    EMMC_RESET = 2,
    EMMC_INTERRUPT = 4,
    EMCC_INTERRUPT = 1 << 7,
    RAW_COUNTER = 1, /* of RAW_STATUS */
};
enum condition { ON_NOTHING, ON_INCREMENT, ON_OVERFLOW, ON_NOTHING_EITHER };

/* ---- rows ------------------------------------------------------------------------------------ */

const char *l2c_kind_name(enum l2c_kind kind)
{
    return kind == L2C_210 ? "L210" : "L220";
}

unsigned l2c_counters(enum l2c_kind kind)
{
    return kind == L2C_210 ? L2C_210_COUNTERS : L2C_220_COUNTERS;
}

const struct l2c_event *l2c_events(unsigned *count)
{
    *count = EVENTS;
    return events;
}

const struct l2c_event *l2c_event_at(enum l2c_kind kind, unsigned number)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (events[i].number[kind] == number && number != L2C_NO_EVENT)
            return &events[i];
    return NULL;
}

const struct mon_register_row *l2c_registers(enum l2c_kind kind)
{
    return registers[kind];
}

const struct mon_field_row *l2c_fields(enum l2c_kind kind)
{
    return fields[kind];
}

uint64_t l2c_total(const struct l2c_signals *now, uint32_t signals)
{
    uint64_t sum = 0;
    for (uint32_t left = signals; left; left &= left - 1)
        sum += now->total[__builtin_ctz(left)];
    return sum;
}

/* ---- counters -------------------------------------------------------------------------------- */

static unsigned monitor_source_of(const struct l2c_monitor *u, unsigned k)
{
    return u->kind == L2C_210 ? u->counter[k].config & 31 : u->counter[k].config >> 2 & 15;
}

static enum condition condition_of(const struct l2c_monitor *u, unsigned k)
{
    return (enum condition)(
        (u->kind == L2C_210 ? u->counter[k].config >> 5 : u->counter[k].config) & 3);
}

static const struct l2c_event *monitor_event_of(const struct l2c_monitor *u, unsigned k)
{
    return l2c_event_at(u->kind, monitor_source_of(u, k));
}

static bool monitor_counts(const struct l2c_monitor *u)
{
    return u->control & ENABLE && (u->kind == L2C_220 || u->bus);
}

static uint64_t monitor_total(const struct l2c_monitor *u, unsigned k,
                              const struct l2c_signals *now)
{
    const struct l2c_event *event = monitor_event_of(u, k);
    return event ? l2c_total(now, event->signals) : 0;
}

/* Adds to a counter. @return how often it overflowed */
static uint64_t l2c_monitor_add(struct l2c_monitor *u, unsigned k, uint64_t grown)
{
    const uint64_t sum = u->counter[k].value + grown;
    const bool stays = u->kind == L2C_220 && sum >> 32;
    u->counter[k].value = stays ? UINT32_MAX : (uint32_t)sum;
    return sum >> 32;
}

static void monitor_note(struct l2c_monitor *u, unsigned k, bool incremented, bool overflowed)
{
    const enum condition c = condition_of(u, k);
    if ((c == ON_INCREMENT && incremented) || (c == ON_OVERFLOW && overflowed))
        u->status |= u->kind == L2C_210 ? 1U << k : (uint32_t)RAW_COUNTER;
}

void l2c_settle(struct l2c_monitor *u, const struct l2c_signals *now)
{
    uint64_t before = 0; /* overflows of the counter before */
    for (unsigned k = 0; k < l2c_counters(u->kind); k++) {
        const struct l2c_event *event = monitor_event_of(u, k);
        const uint64_t its = monitor_total(u, k, now);
        const uint64_t grown = event && event->overflows ? before : its - u->counter[k].base;
        u->counter[k].base = its;
        before = monitor_counts(u) ? l2c_monitor_add(u, k, grown) : 0;
        monitor_note(u, k, monitor_counts(u) && grown, before);
    }
}

void l2c_set_bus(struct l2c_monitor *u, bool on, const struct l2c_signals *now)
{
    l2c_settle(u, now);
    u->bus = on;
}

/* ---- registers ------------------------------------------------------------------------------- */

static const struct mon_register_row *row_at(enum l2c_kind kind, uint32_t offset)
{
    const struct mon_register_row *r = registers[kind];
    while (r->name && r->offset != offset)
        r++;
    return r->name ? r : NULL;
}

static uint32_t read_210(const struct l2c_monitor *u, uint32_t offset)
{
    return offset == EMMC   ? u->control
           : offset == EMCS ? u->status
           : offset < EMC   ? u->counter[offset / 4 % L2C_COUNTERS_MAX].config
                            : u->counter[offset / 4 % L2C_COUNTERS_MAX].value;
}

static uint32_t read_220(const struct l2c_monitor *u, uint32_t offset)
{
    switch (offset) {
    case EVENT_CONTROL:
        return u->control;
    case EVENT_CONFIG1:
    case EVENT_CONFIG0:
        return u->counter[offset == EVENT_CONFIG1].config;
    case EVENT_VALUE1:
    case EVENT_VALUE0:
        return u->counter[offset == EVENT_VALUE1].value;
    case INTERRUPT_MASK:
        return u->mask;
    case MASKED_STATUS:
        return u->status & u->mask;
    default:
        return u->status;
    }
}

uint32_t l2c_read(const struct l2c_monitor *u, uint32_t offset, const struct l2c_signals *now)
{
    const struct mon_register_row *row = row_at(u->kind, offset);
    struct l2c_monitor settled = *u;
    if (!row || row->access == MON_WO)
        return 0;
    l2c_settle(&settled, now);
    return u->kind == L2C_210 ? read_210(&settled, offset) : read_220(&settled, offset);
}

static void write_210(struct l2c_monitor *u, uint32_t offset, uint32_t value)
{
    if (offset == EMMC) {
        u->control = value & ~(uint32_t)EMMC_RESET;
        for (unsigned k = 0; value & EMMC_RESET && k < L2C_COUNTERS_MAX; k++)
            u->counter[k].value = 0;
    } else if (offset == EMCS) {
        u->status &= ~value;
    } else {
        u->counter[offset / 4 % L2C_COUNTERS_MAX].config = value;
    }
}

static void write_220(struct l2c_monitor *u, uint32_t offset, uint32_t value)
{
    const unsigned k = offset == EVENT_CONFIG1 || offset == EVENT_VALUE1;
    if (offset == EVENT_CONTROL) {
        u->control = value & ENABLE;
        u->counter[0].value = value & 2 ? 0 : u->counter[0].value;
        u->counter[1].value = value & 4 ? 0 : u->counter[1].value;
    } else if (offset == EVENT_CONFIG0 || offset == EVENT_CONFIG1) {
        u->counter[k].config = value;
    } else if (offset == EVENT_VALUE0 || offset == EVENT_VALUE1) {
        if (!monitor_source_of(u, k))
            u->counter[k].value = value;
    } else if (offset == INTERRUPT_MASK) {
        u->mask = value;
    } else {
        u->status &= ~value;
    }
}

bool l2c_write(struct l2c_monitor *u, uint32_t offset, uint32_t value,
               const struct l2c_signals *now)
{
    const struct mon_register_row *row = row_at(u->kind, offset);
    if (!row || row->access == MON_RO)
        return row != NULL;
    l2c_settle(u, now);
    value &= row->bits < 32 ? (UINT32_C(1) << row->bits) - 1 : UINT32_MAX;
    if (u->kind == L2C_210)
        write_210(u, offset, value);
    else
        write_220(u, offset, value);
    for (unsigned k = 0; k < l2c_counters(u->kind); k++)
        u->counter[k].base = monitor_total(u, k, now);
    return true;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Flags that interrupt. */
static uint32_t monitor_enabled(const struct l2c_monitor *u)
{
    uint32_t flags = 0;
    if (u->kind == L2C_220)
        return u->mask;
    for (unsigned k = 0; k < L2C_COUNTERS_MAX && u->control & EMMC_INTERRUPT; k++)
        flags |= u->counter[k].config & EMCC_INTERRUPT ? 1U << k : 0;
    return flags;
}

unsigned l2c_interrupts(const struct l2c_monitor *u, const struct l2c_signals *now)
{
    struct l2c_monitor settled = *u;
    l2c_settle(&settled, now);
    return settled.status & monitor_enabled(u);
}

/* Whether counter k can set a flag that is not up, and interrupt. */
static bool monitor_waits(const struct l2c_monitor *u, unsigned k)
{
    const uint32_t flag = u->kind == L2C_210 ? 1U << k : (uint32_t)RAW_COUNTER;
    const enum condition c = condition_of(u, k);
    return monitor_counts(u) && monitor_enabled(u) & ~u->status & flag &&
           (c == ON_INCREMENT || c == ON_OVERFLOW);
}

bool l2c_waits(const struct l2c_monitor *u, const struct l2c_signals *now)
{
    struct l2c_monitor settled = *u;
    bool any = false;
    l2c_settle(&settled, now);
    for (unsigned k = 0; k < l2c_counters(u->kind); k++)
        any |= monitor_waits(&settled, k);
    return any;
}

/* [cycles] until counter k has counted `left` more, if it counts cycles, or overflows of one that
 * does; 0: it does not, or that is beyond all time. */
static uint64_t monitor_by_time(const struct l2c_monitor *u, unsigned k, uint64_t left)
{
    const struct l2c_event *event = monitor_event_of(u, k);
    if (!event)
        return 0;
    if (!event->overflows)
        return event->signals & S(CYCLES) ? left : 0;
    if (!k || left >> 31)
        return 0;
    return monitor_by_time(u, k - 1, (left << 32) - u->counter[k - 1].value);
}

uint64_t l2c_quiet(const struct l2c_monitor *u, const struct l2c_signals *now)
{
    struct l2c_monitor settled = *u;
    uint64_t soonest = 0;
    l2c_settle(&settled, now);
    for (unsigned k = 0; k < l2c_counters(u->kind); k++) {
        const bool increment = condition_of(&settled, k) == ON_INCREMENT;
        const uint64_t left = increment ? 1 : (UINT64_C(1) << 32) - settled.counter[k].value;
        const uint64_t its = monitor_waits(&settled, k) ? monitor_by_time(&settled, k, left) : 0;
        if (its && (!soonest || its < soonest))
            soonest = its;
    }
    return soonest;
}

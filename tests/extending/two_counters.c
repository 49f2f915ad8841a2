/* Two 32-bit counters in the manner of the R10000: each has a control word (event in bits 8:5,
 * interrupt enable in bit 4, bit 3 counts) and a value, and interrupts while its bit 31 is set. */
#include "two_counters.h"

#include "monitor/taps.h"

#include <stdlib.h>

enum { COUNTS = 1 << 3, ENABLE = 1 << 4, EVENT = 5, OVERFLOW = 31, REGISTERS = 4 };

struct unit {
    struct mon_unit unit;
    struct {
        uint32_t control, load; /* value at `base`, which is a total */
        uint64_t base, taps;    /* taps 0: it stands still */
    } c[2];
};

#define T(tap) (UINT64_C(1) << MON_TAP_##tap)
static const struct mon_event events[] = {
    {"off", "", "cycles", "never counts", 15, MON_SCOPE_CARD, 3, 0},
    {"cycles", "", "cycles", "card clock cycles", 0, MON_SCOPE_MACHINE, 3, T(CYCLES)},
    {"loads", "", "PCycles", "a load completed", 2, MON_SCOPE_CARD, 1, T(ST_LOAD)},
    {"reads", "", "requests", "reads completed", 10, MON_SCOPE_CARD, 2, T(READS)},
};
static const struct mon_register_row registers[] = {
    {"CONTROL0", "what counter 0 counts", 0x0, 0, 9, MON_RW},
    {"COUNTER0", "counter 0", 0x4, 0, 32, MON_RW},
    {"CONTROL1", "what counter 1 counts", 0x8, 0, 9, MON_RW},
    {"COUNTER1", "counter 1", 0xc, 0, 32, MON_RW},
    {0}};
static const struct mon_row reasons[] = {
    {"no_register", "", "there is no register", MON_REFUSED_NO_REGISTER},
    {"no_event", "", "this counter has no such event", 3},
    {0}};

static uint32_t value(const struct mon_unit *u, unsigned k, const struct mon_taps *now)
{
    const struct unit *x = (const struct unit *)u;
    return x->c[k].load + (uint32_t)(mon_sum(x->c[k].taps, now) - x->c[k].base);
}

static uint32_t read(struct mon_unit *u, uint32_t offset, const struct mon_taps *now)
{
    const struct unit *x = (struct unit *)u;
    return offset / 4 >= REGISTERS ? 0
           : offset & 4            ? value(u, offset / 8, now)
                                   : x->c[offset / 8].control;
}

static unsigned write(struct mon_unit *u, unsigned writer, uint32_t offset, uint32_t word,
                      const struct mon_taps *now)
{
    struct unit *x = (struct unit *)u;
    const unsigned k = offset / 8;
    const int event = offset & 4 ? 0 : mon_event_numbered(u->ops, word >> EVENT & 15);
    (void)writer;
    if (offset / 4 >= REGISTERS)
        return MON_REFUSED_NO_REGISTER;
    if (event < 0 || !(events[event].counters >> k & 1))
        return 3;
    x->c[k].load = offset & 4 ? word : value(u, k, now);
    if (!(offset & 4)) {
        x->c[k].control = word;
        x->c[k].taps = word & COUNTS ? events[event].taps : 0;
    }
    x->c[k].base = mon_sum(x->c[k].taps, now);
    u->hears = 0; /* counters of packets that interrupt are looked at where a packet passes */
    for (unsigned i = 0; i < 2; i++)
        u->hears |= x->c[i].control & ENABLE ? x->c[i].taps & MON_PACKET_TAPS : 0;
    return 0;
}

static struct mon_look look(const struct mon_unit *u, unsigned k, const struct mon_taps *now)
{
    const struct unit *x = (const struct unit *)u;
    const uint32_t v = value(u, k, now);
    const bool waits = x->c[k].control & ENABLE && !(v >> OVERFLOW);
    return mon_look_ahead(waits ? x->c[k].taps : 0, (UINT64_C(1) << OVERFLOW) - v);
}

static unsigned pending(const struct mon_unit *u, const struct mon_taps *now, uint64_t known,
                        unsigned *which)
{
    const struct unit *x = (const struct unit *)u;
    unsigned due = 0;
    *which = 0;
    for (unsigned k = 0; k < 2; k++) {
        const bool told = !(x->c[k].taps & ~known);
        *which |= (unsigned)told << k;
        due |= (unsigned)(told && x->c[k].control & ENABLE && value(u, k, now) >> OVERFLOW) << k;
    }
    return due;
}

static struct mon_shown measure(unsigned event, unsigned k, const struct mon_taps *from,
                                const struct mon_taps *to)
{
    const uint64_t n = mon_event_total(&events[event], to) - mon_event_total(&events[event], from);
    (void)k;
    return (struct mon_shown){(uint32_t)n, n >> OVERFLOW};
}

static void reading(const struct mon_unit *u, unsigned k, const struct mon_taps *now,
                    struct mon_reading *out)
{
    const struct unit *x = (const struct unit *)u;
    const uint32_t v = value(u, k, now), control = x->c[k].control;
    const int event = mon_event_numbered(u->ops, control >> EVENT & 15);
    *out = (struct mon_reading){control & COUNTS, (unsigned)event, false, control, v, v,
                                v >> OVERFLOW};
}

static struct mon_unit *create(const struct mon_site *site)
{
    struct unit *x = calloc(1, sizeof *x);
    (void)site;
    if (!x)
        abort();
    x->unit.ops = &two_counters;
    return &x->unit;
}

static void release(struct mon_unit *u)
{
    free(u);
}

const struct mon_unit_ops two_counters = {.name = "two",
                                          .counters = 2,
                                          .overflow = "bit 31 of the counter was set",
                                          .events = events,
                                          .event_count = 4,
                                          .nothing = 0, /* the row "off" */
                                          .registers = registers,
                                          .reasons = reasons,
                                          .create = create,
                                          .free = release,
                                          .read = read,
                                          .write = write,
                                          .look = look,
                                          .pending = pending,
                                          .measure = measure,
                                          .reading = reading};

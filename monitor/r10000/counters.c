/*
 * The event counters of an R10000 or R12000. What differs between the chips is which signal an
 * event's number means, and how wide the number is.
 *
 * The one thing to know: overflow is bit 31, not the carry out of it. A counter that is past it
 * goes on counting, and stops interrupting by itself when it wraps to 0.
 */
#include "monitor/r10000/counters.h"

#include <string.h>

#define NO R10K_NO_EVENT
#define ROW(on0, on1, its, name, title, unit, sentence, source) \
    {{on0, on1}, R10K_SIGNAL_##its, #name, title, unit, sentence, source},
#define NONE(...)

#define R10K   ROW
#define R10K_2 ROW
#define R10K_3 NONE
#define R12K(...)
static const struct r10k_event revision2[] = {
#include "monitor/r10000/events.def"
};
#undef R10K_2
#undef R10K_3
#define R10K_2 NONE
#define R10K_3 ROW
static const struct r10k_event revision3[] = {
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_3
#undef R12K
#define R10K              NONE
#define R10K_3            NONE
#define R12K(number, ...) ROW(number, number, __VA_ARGS__)
static const struct r10k_event r12000[] = {
#include "monitor/r10000/events.def"
};
#undef R10K
#undef R10K_2
#undef R10K_3
#undef R12K

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
_Static_assert(COUNT(revision2) <= R10K_EVENTS_MAX && COUNT(revision3) <= R10K_EVENTS_MAX &&
                   COUNT(r12000) <= R10K_EVENTS_MAX,
               "room for every row");

static const struct {
    const char *name;
    const struct r10k_event *event;
    unsigned events;
    unsigned numbers; /* that fit into a control register */
    bool apart;       /* the counters have events of their own, and IRIX numbers them on */
} chips[R10K_CHIPS] = {
    [R10K_R10000_2] = {"R10000 2.x", revision2, COUNT(revision2), 16, true},
    [R10K_R10000_3] = {"R10000 3.x", revision3, COUNT(revision3), 16, true},
    [R10K_R12000] = {"R12000", r12000, COUNT(r12000), 32, false},
};

static const struct {
    const char *name;
    unsigned most;
} signals[R10K_SIGNALS] = {
#define SIGNAL(name, delay, most, sentence) {#name, most},
#include "monitor/r10000/signals.def"
#undef SIGNAL
};

/* ---- rows ------------------------------------------------------------------------------------ */

const char *r10k_chip_name(enum r10k_chip chip)
{
    return chips[chip].name;
}

const struct r10k_event *r10k_events(enum r10k_chip chip, unsigned *count)
{
    *count = chips[chip].events;
    return chips[chip].event;
}

const struct r10k_event *r10k_event_at(enum r10k_chip chip, unsigned k, unsigned number)
{
    for (unsigned i = 0; i < chips[chip].events; i++)
        if (chips[chip].event[i].number[k] == number && number != R10K_NO_EVENT)
            return &chips[chip].event[i];
    return NULL;
}

const struct r10k_event *r10k_event_named(enum r10k_chip chip, const char *name)
{
    for (unsigned i = 0; i < chips[chip].events; i++)
        if (!strcmp(chips[chip].event[i].name, name))
            return &chips[chip].event[i];
    return NULL;
}

unsigned r10k_irix_counters(enum r10k_chip chip, unsigned irix)
{
    if (irix >= R10K_IRIX_EVENTS)
        return 0;
    return chips[chip].apart ? 1U << irix / chips[chip].numbers : (1U << R10K_COUNTERS) - 1;
}

unsigned r10k_irix_number(enum r10k_chip chip, unsigned irix)
{
    return irix % chips[chip].numbers;
}

const struct r10k_event *r10k_irix_event(enum r10k_chip chip, unsigned irix)
{
    const unsigned counters = r10k_irix_counters(chip, irix);
    return counters ? r10k_event_at(chip, (unsigned)__builtin_ctz(counters),
                                    r10k_irix_number(chip, irix))
                    : NULL;
}

unsigned r10k_signal_most(enum r10k_signal signal)
{
    return signals[signal].most;
}

const char *r10k_signal_name(enum r10k_signal signal)
{
    return signals[signal].name;
}

uint64_t r10k_total(const struct r10k_signals *now, enum r10k_signal signal, unsigned modes)
{
    static const unsigned bit[R10K_MODES] = {[R10K_USER] = R10K_COUNT_USER,
                                             [R10K_SUPERVISOR] = R10K_COUNT_SUPERVISOR,
                                             [R10K_KERNEL] = R10K_COUNT_KERNEL,
                                             [R10K_EXCEPTION] = R10K_COUNT_EXCEPTION};
    uint64_t total = 0;
    for (unsigned m = 0; m < R10K_MODES; m++)
        total += modes & bit[m] ? now->total[signal][m] : 0;
    return total;
}

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t r10k_control_bits(enum r10k_chip chip)
{
    return (chips[chip].numbers - 1) << R10K_EVENT_SHIFT | R10K_INTERRUPTS | R10K_COUNT_ALL;
}

static enum r10k_signal signal_of(const struct r10k_counters *c, unsigned k)
{
    const unsigned number = c->counter[k].control >> R10K_EVENT_SHIFT;
    return (enum r10k_signal)r10k_event_at(c->chip, k, number)->signal;
}

/* Total of what counter k counts. */
static uint64_t counters_total(const struct r10k_counters *c, unsigned k,
                               const struct r10k_signals *now)
{
    return r10k_total(now, signal_of(c, k), c->counter[k].control & R10K_COUNT_ALL);
}

uint32_t r10k_control(const struct r10k_counters *c, unsigned k)
{
    return c->counter[k].control;
}

uint32_t r10k_value(const struct r10k_counters *c, unsigned k, const struct r10k_signals *now)
{
    return c->counter[k].load + (uint32_t)(counters_total(c, k, now) - c->counter[k].base);
}

void r10k_set_value(struct r10k_counters *c, unsigned k, uint32_t value,
                    const struct r10k_signals *now)
{
    c->counter[k].load = value;
    c->counter[k].base = counters_total(c, k, now);
}

void r10k_set_control(struct r10k_counters *c, unsigned k, uint32_t control,
                      const struct r10k_signals *now)
{
    const uint32_t value = r10k_value(c, k, now);
    c->counter[k].control = control & r10k_control_bits(c->chip);
    r10k_set_value(c, k, value, now);
}

/* ---- overflow -------------------------------------------------------------------------------- */

unsigned r10k_pending(const struct r10k_counters *c, const struct r10k_signals *now)
{
    unsigned pending = 0;
    for (unsigned k = 0; k < R10K_COUNTERS; k++)
        if (c->counter[k].control & R10K_INTERRUPTS && r10k_value(c, k, now) >> R10K_OVERFLOW)
            pending |= 1U << k;
    return pending;
}

uint64_t r10k_quiet(const struct r10k_counters *c, unsigned k, const struct r10k_signals *now)
{
    const uint32_t control = c->counter[k].control, value = r10k_value(c, k, now);
    const uint64_t most = signals[signal_of(c, k)].most;
    if (!(control & R10K_INTERRUPTS) || !(control & R10K_COUNT_ALL) || value >> R10K_OVERFLOW)
        return 0;
    return ((UINT32_C(1) << R10K_OVERFLOW) - value + most - 1) / most;
}

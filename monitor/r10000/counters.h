/*
 * The event counters of an R10000 or R12000: two, each with a control register in coprocessor 0.
 *
 * They count nothing by themselves. The core keeps running totals of its signals in each mode
 * (signals.h), so a counter is what was put into it and a difference of two totals. `now` are the
 * totals at the tick of the call; they never go back.
 */
#ifndef MON_R10000_COUNTERS_H
#define MON_R10000_COUNTERS_H

#include "monitor/r10000/signals.h"

#include <stdbool.h>

#pragma GCC visibility push(default)

/** Kinds of processor that count differently. */
enum r10k_chip {
    R10K_R10000_2, /**< R10000 of revision 2.x */
    R10K_R10000_3, /**< R10000 of revision 3.x */
    R10K_R12000,
    R10K_CHIPS
};

enum {
    R10K_COUNTERS = 2,
    R10K_IRIX_EVENTS = 32, /**< IRIX's numbers of events: 0 .. 31 */
    R10K_NO_EVENT = 0xff,
    R10K_EVENTS_MAX = 32, /**< rows of a chip, at most */
};

/** A row of events.def, as it is on one chip. Strings are static. */
struct r10k_event {
    uint8_t number[R10K_COUNTERS]; /**< in the control register of counter k, or R10K_NO_EVENT */
    uint8_t signal;                /**< enum r10k_signal */
    const char *name, *title, *unit, *sentence, *source;
};

/** The name of a chip, as people write it: "R10000 2.x". */
const char *r10k_chip_name(enum r10k_chip chip);

/** What its counters can count; the order is that of events.def. */
const struct r10k_event *r10k_events(enum r10k_chip chip, unsigned *count);

/** What counter k counts with this number, or NULL. */
const struct r10k_event *r10k_event_at(enum r10k_chip chip, unsigned k, unsigned number);

/** The event of a name, or NULL. */
const struct r10k_event *r10k_event_named(enum r10k_chip chip, const char *name);

/** Counters that can count IRIX's event `irix` under that number: bit k. On an R10000 there is one
 *  of them, on an R12000 it is any. 0: there is no such event. */
unsigned r10k_irix_counters(enum r10k_chip chip, unsigned irix);

/** The number of IRIX's event in a control register. */
unsigned r10k_irix_number(enum r10k_chip chip, unsigned irix);

/** IRIX's event, or NULL. */
const struct r10k_event *r10k_irix_event(enum r10k_chip chip, unsigned irix);

/** Greatest increment of a signal in a PCycle. */
unsigned r10k_signal_most(enum r10k_signal signal);
/** Its name in signals.def. */
const char *r10k_signal_name(enum r10k_signal signal);

/** A set of modes, as control registers have them. */
enum {
    R10K_COUNT_EXCEPTION = 1,
    R10K_COUNT_KERNEL = 2,
    R10K_COUNT_SUPERVISOR = 4,
    R10K_COUNT_USER = 8,
    R10K_COUNT_ALL = 15,
    R10K_INTERRUPTS = 16, /**< in a control register: overflow interrupts */
    R10K_EVENT_SHIFT = 5, /**< the event's number from this bit on: 4 bits, 5 on an R12000 */
    R10K_OVERFLOW = 31,   /**< a counter has overflowed while this bit is set */
};

/** A signal's total in some modes. @param modes  of R10K_COUNT_ALL */
uint64_t r10k_total(const struct r10k_signals *now, enum r10k_signal signal, unsigned modes);

/** A processor's counters. Zero but for `chip`: as after power-on, when nothing counts. */
struct r10k_counters {
    enum r10k_chip chip;
    struct r10k_counter {
        uint32_t control;
        uint32_t load; /**< its value ... */
        uint64_t base; /**< ... at this total of what it counts */
    } counter[R10K_COUNTERS];
};

/** Bits of a control register that can be set; the others are reserved and read 0. */
uint32_t r10k_control_bits(enum r10k_chip chip);

uint32_t r10k_control(const struct r10k_counters *c, unsigned k);
/** The counter keeps its value, and goes on from it. */
void r10k_set_control(struct r10k_counters *c, unsigned k, uint32_t control,
                      const struct r10k_signals *now);
uint32_t r10k_value(const struct r10k_counters *c, unsigned k, const struct r10k_signals *now);
void r10k_set_value(struct r10k_counters *c, unsigned k, uint32_t value,
                    const struct r10k_signals *now);

/** Counters that interrupt: bit k. They have overflowed, and their control registers allow it. A
 *  level. */
unsigned r10k_pending(const struct r10k_counters *c, const struct r10k_signals *now);

/** [PCycles] for which counter k cannot begin to interrupt, at least 1; 0: it does, or nothing that
 *  it counts can make it. */
uint64_t r10k_quiet(const struct r10k_counters *c, unsigned k, const struct r10k_signals *now);

#pragma GCC visibility pop

#endif

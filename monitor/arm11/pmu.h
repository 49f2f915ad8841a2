/*
 * The performance monitoring unit of an ARM11: a cycle counter, two event counters, and PMNC, the
 * register that controls all three. Programs reach them as coprocessor 15, c15, c12.
 *
 * It counts nothing by itself. The core keeps running totals of its signals (signals.h), so a
 * counter is what was put into it and a difference of two totals. `now` are the totals at the tick
 * of the call, and never go back; the total of ARM11_SIGNAL_CYCLES is that tick in processor
 * cycles. The owner of a unit calls arm11_pmu_settle at the moment arm11_pmu_next says. If that is
 * late, as where no time is kept, the event counters have the events of a start's delay, too.
 */
#ifndef MON_ARM11_PMU_H
#define MON_ARM11_PMU_H

#include "monitor/arm11/signals.h"

#include <stdbool.h>

/** Kinds of processor whose units differ. */
enum arm11_chip { ARM11_1136, ARM11_1156, ARM11_1176, ARM11_CHIPS };

enum {
    ARM11_EVENTS_MAX = 48, /**< rows of events.def, at most */
    ARM11_START_DELAY = 3, /**< [cycles] from the write that enables the counters [M] */
    ARM11_PRESCALE = 64,   /**< [cycles] CCNT counts once for, with D */
};

/** A row of events.def. Strings are static. */
struct arm11_event {
    uint8_t number;    /**< in an event field of PMNC */
    uint8_t chips;     /**< bit: enum arm11_chip */
    uint8_t bus, line; /**< on EVNTBUS: lowest bit, and how many; 0: none */
    uint32_t signals;  /**< bit: enum arm11_signal; added up */
    const char *name, *unit, *sentence, *source;
};
_Static_assert(ARM11_SIGNALS <= 32, "a set of signals is a word");

/** The name of a chip, as people write it: "ARM1136". */
const char *arm11_chip_name(enum arm11_chip chip);

/** All rows; those of a chip have its bit. @param[out] count  how many */
const struct arm11_event *arm11_events(unsigned *count);

/** What a chip counts under a number, or NULL: it is reserved. */
const struct arm11_event *arm11_event_at(enum arm11_chip chip, unsigned number);

/** The greatest increment of an event in a cycle. */
unsigned arm11_event_most(const struct arm11_event *event);

/** Registers, by opcode 2 of MCR and MRC. */
enum arm11_pmu_register { ARM11_PMNC, ARM11_CCNT, ARM11_PMN0, ARM11_PMN1, ARM11_PMU_REGISTERS };

/** Bits of PMNC [S]. */
enum {
    ARM11_PMNC_E = 1 << 0,       /**< all counters count; an interrupt can be cleared */
    ARM11_PMNC_P = 1 << 1,       /**< written as 1: PMN0 and PMN1 become 0 */
    ARM11_PMNC_C = 1 << 2,       /**< written as 1: CCNT becomes 0 */
    ARM11_PMNC_D = 1 << 3,       /**< CCNT counts every 64th cycle */
    ARM11_PMNC_INTERRUPT = 4,    /**< from this bit on: interrupt enables of PMN0, PMN1, CCNT */
    ARM11_PMNC_FLAG = 8,         /**< overflow flags of PMN0, PMN1, CCNT; cleared by writing 1 */
    ARM11_PMNC_X = 1 << 11,      /**< events go out on EVNTBUS */
    ARM11_PMNC_EVENT1 = 12,      /**< 8 bits: what PMN1 counts */
    ARM11_PMNC_EVENT0 = 20,      /**< 8 bits: what PMN0 counts */
    ARM11_PMNC_FIQ = 28,         /**< ARM1156: FIQ enables of PMN0, PMN1, CCNT */
    ARM11_PMNC_ALL_COUNTERS = 7, /**< a field with a bit for each of the three */
};

/** Counters, as the bits of PMNC number them. */
enum { ARM11_COUNTER_PMN0, ARM11_COUNTER_PMN1, ARM11_COUNTER_CCNT, ARM11_COUNTERS };

/** Interrupt lines of the unit (nPMUIRQ and nPMUFIQ, active low there): from this bit on, the flags
 *  that assert it. */
enum { ARM11_LINE_IRQ = 0, ARM11_LINE_FIQ = ARM11_COUNTERS };

/** A unit. Zero but for `chip`: as after reset, when nothing counts. */
struct arm11_pmu {
    enum arm11_chip chip;
    uint32_t control;   /**< PMNC without its flags and what reads 0 */
    unsigned flags;     /**< bit k: counter k has overflowed */
    unsigned prescaled; /**< [cycles] towards CCNT's next increment with D; below 64 */
    uint64_t starts;    /**< [cycles] nothing is counted before this */
    bool started;       /**< and it has come */
    struct {
        uint32_t value; /**< ... */
        uint64_t base;  /**< ... at this total of what it counts */
    } counter[ARM11_COUNTERS];
};

/** Brings the counters and their flags up to `now`. */
void arm11_pmu_settle(struct arm11_pmu *u, const struct arm11_signals *now);

/** A register, as a program reads it. Bits that are unpredictable read 0. Reading changes nothing.
 */
uint32_t arm11_pmu_read(const struct arm11_pmu *u, enum arm11_pmu_register reg,
                        const struct arm11_signals *now);

/** A program writes a register.
 *  @return bit k: counter k has been told to count what this chip does not have; it stands still */
unsigned arm11_pmu_write(struct arm11_pmu *u, enum arm11_pmu_register reg, uint32_t value,
                         const struct arm11_signals *now);

/** The event that counter 0 or 1 counts; NULL: none that there is. */
const struct arm11_event *arm11_pmu_event(const struct arm11_pmu *u, unsigned k);

/** What asserts the interrupt lines, a flag each (ARM11_LINE_...). A level: the flag is up, its
 *  enable is, and E is. */
unsigned arm11_pmu_lines(const struct arm11_pmu *u, const struct arm11_signals *now);

/** [cycles] after which the unit must be looked at (arm11_pmu_settle, arm11_pmu_lines), at least 1;
 *  0: never. Asked again after each look and each write.
 *  @param u      it
 *  @param now    totals
 *  @param alone  only for what comes even if the processor does nothing; false: for the rest */
uint64_t arm11_pmu_next(const struct arm11_pmu *u, const struct arm11_signals *now, bool alone);

/** Signals, a bit each, that a counter near its end waits for: in the cycle after one of them has
 *  grown the unit must be looked at, too. All are of ARM11_RARE. Asked again likewise. */
uint32_t arm11_pmu_awaits(const struct arm11_pmu *u, const struct arm11_signals *now);

/** EVNTBUS in a cycle, 20 bits; 0 without X. @param grown  by how much each signal grew in it */
uint32_t arm11_pmu_bus(const struct arm11_pmu *u, const struct arm11_signals *grown);

/** The greatest growth of a signal in a cycle. */
unsigned arm11_most(enum arm11_signal signal);

/** Total of some signals. @param signals  bit: enum arm11_signal */
uint64_t arm11_total(const struct arm11_signals *now, uint32_t signals);

#endif

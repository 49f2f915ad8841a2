/*
 * The event monitors of the secondary cache controllers: an L210's, a block of four counters on its
 * event bus, and an L220's, two counters within the controller. Programs reach their registers in
 * memory (registers.def).
 *
 * As every counter unit it counts nothing by itself: the controller keeps running totals of its
 * signals (signals.h), and a counter is a difference of two. `now` are the totals at the tick of
 * the call, and never go back.
 */
#ifndef MON_L2C_MONITOR_H
#define MON_L2C_MONITOR_H

#include "monitor/l2c/signals.h"
#include "monitor/unit.h"

#include <stdbool.h>

/** Controllers. */
enum l2c_kind { L2C_210, L2C_220, L2C_KINDS };

enum {
    L2C_210_COUNTERS = 4,
    L2C_220_COUNTERS = 2,
    L2C_COUNTERS_MAX = L2C_210_COUNTERS,
    L2C_EVENTS_MAX = 24, /**< rows of events.def, at most */
    L2C_NO_EVENT = 0xff,
    L2C_SPACE = 0x1000, /**< [bytes] of registers */
};

/** A row of events.def. Strings are static. */
struct l2c_event {
    uint8_t number[L2C_KINDS];                   /**< as a counter's source, or L2C_NO_EVENT */
    uint32_t signals;                            /**< bit: enum l2c_signal; added up */
    bool overflows;                              /**< it counts overflows of the counter before */
    const char *name, *unit, *sentence, *source; /**< name NULL: it is no result */
};

const char *l2c_kind_name(enum l2c_kind kind);

/** How many counters its monitor has. */
unsigned l2c_counters(enum l2c_kind kind);

/** All rows. @param[out] count  how many */
const struct l2c_event *l2c_events(unsigned *count);

/** What a source number means, or NULL: nothing is counted. */
const struct l2c_event *l2c_event_at(enum l2c_kind kind, unsigned number);

/** Its registers, and their fields; tables end with a name that is NULL. */
const struct mon_register_row *l2c_registers(enum l2c_kind kind);
const struct mon_field_row *l2c_fields(enum l2c_kind kind);

/** A monitor. Zero but for `kind`: as after reset. */
struct l2c_monitor {
    enum l2c_kind kind;
    bool bus;         /**< an L210's event bus is on; without it the block hears nothing */
    uint32_t control; /**< EMMC, EVENT_CONTROL */
    uint32_t status;  /**< EMCS, RAW_STATUS */
    uint32_t mask;    /**< INTERRUPT_MASK */
    struct {
        uint32_t config;
        uint32_t value; /**< ... */
        uint64_t base;  /**< ... at this total of what it counts */
    } counter[L2C_COUNTERS_MAX];
};

/** Brings counters and flags up to `now`. */
void l2c_settle(struct l2c_monitor *u, const struct l2c_signals *now);

/** The controller's event bus is switched (bit 20 of its auxiliary control register). */
void l2c_set_bus(struct l2c_monitor *u, bool on, const struct l2c_signals *now);

/** A register as a program reads it, at a multiple of 4; what is not there reads 0. */
uint32_t l2c_read(const struct l2c_monitor *u, uint32_t offset, const struct l2c_signals *now);

/** A program writes a register. What cannot be written is left alone.
 *  @return whether that changed something, or there is such a register at least */
bool l2c_write(struct l2c_monitor *u, uint32_t offset, uint32_t value,
               const struct l2c_signals *now);

/** What asserts its interrupt line, a level: flags of its status. */
unsigned l2c_interrupts(const struct l2c_monitor *u, const struct l2c_signals *now);

/** Whether a counter may begin to interrupt: the owner of a monitor that waits looks
 * (l2c_interrupts) when a signal has grown, and, for signals that grow by themselves, when
 * l2c_quiet says. Asked again after each look and each write. */
bool l2c_waits(const struct l2c_monitor *u, const struct l2c_signals *now);

/** [cycles] until a counter begins to interrupt if no signal but that of cycles grows, at least 1;
 *  0: none does. Asked again after each look and each write. */
uint64_t l2c_quiet(const struct l2c_monitor *u, const struct l2c_signals *now);

/** Total of some signals. @param signals  bit: enum l2c_signal */
uint64_t l2c_total(const struct l2c_signals *now, uint32_t signals);

#endif

/*
 * The controller of the secondary cache, an L210 or L220 (l2.controller): how long it takes, what
 * its event monitor sees, and its registers. Which lines there are is the card's (cache.c), for the
 * directory takes the card for their owner.
 *
 * An ARM11's core tells it of reads and writes; no other core does.
 */
#ifndef PC_L2C_H
#define PC_L2C_H

#include "monitor/l2c/monitor.h"
#include "procard/core.h"

enum {
    PC_L2C_LINE = 32,           /**< [bytes] of its lines and of a slave port's buffer */
    PC_L2C_CONTROLLER = 0x2000, /**< where its registers are in the card's register space ... */
    PC_L2C_EVENTS = 0x3000,     /**< ... and an L210's block of event counters */
    PC_L2C_END = 0x4000,
};

struct pc_l2c {
    bool on;
    uint32_t aux;              /**< auxiliary control register */
    uint64_t buffer[PC_SIDES]; /**< the line in the buffer of a slave port; ~0: none */
    struct l2c_monitor monitor;
    struct l2c_signals signals;
    bool waits;      /**< a counter of its monitor may begin to interrupt */
    unsigned raised; /**< flags of its monitor that have interrupted and still do */
};

struct pc_card;

void pc_l2c_init(struct pc_card *card);

/** What has been counted, at tick `at`. */
struct l2c_signals pc_l2c_signals(const struct pc_card *card, sim_tick at);

/** A line leaves the secondary cache, for whatever reason: the ports' buffers have it no more. */
void pc_l2c_loses(struct pc_card *card, uint64_t line);

/** A dirty line leaves the secondary cache to make room. */
void pc_l2c_evicts(struct pc_card *card);

/** Whether an offset in the card's register space is its own, and the accesses. A write of what
 * cannot be written changes nothing.
 *  @return of a write: 0, or MON_REFUSED_...; of an offset: its row, or NULL */
bool pc_l2c_has(const struct pc_card *card, uint32_t offset);
const struct mon_register_row *pc_l2c_register_at(const struct pc_card *card, uint32_t offset);
uint32_t pc_l2c_read(const struct pc_card *card, uint32_t offset, sim_tick at);
unsigned pc_l2c_write(struct pc_card *card, uint32_t offset, uint32_t value, sim_tick at);

/** A look at the event monitor, at tick `at`: an interrupt that has begun goes to the processor, as
 *  those of its own counters do (NM_INTERRUPT_COUNTERS), and the next look is asked for. */
void pc_l2c_look(struct pc_card *card, sim_tick at);

/* ---- for the core ---------------------------------------------------------------------------- */

/** The core reads of a line, once for each miss.
 *  @param cpu  the core
 *  @param side  its slave port
 *  @param look  as pc_look_up has said
 *  @param without  [PCycles] it takes if there is no controller
 *  @return [PCycles] from the miss to the first doubleword, if the line is there */
sim_tick pc_l2c_reads(struct pc_cpu *cpu, enum pc_side side, const struct pc_look *look,
                      sim_tick without);

/** The core writes to a line, once for each line of stores that leaves its write buffer.
 *  @param cpu  the core
 *  @param look  as pc_look_up has said
 *  @param without  [PCycles] it takes if there is no controller
 *  @return [PCycles] until they are written, if the line is there */
sim_tick pc_l2c_writes(struct pc_cpu *cpu, const struct pc_look *look, sim_tick without);

#endif

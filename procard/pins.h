/*
 * The R4400's Status(7:0) pins: what a logic analyser on the card would see of a run (R44-2, R44-3;
 * manual p. 241).
 *
 * The pins change with MasterClock, which has two PCycles. At the rising edge of the MasterClock
 * whose first PCycle is T they show two codes: in bits 3:0 the state of PCycle T-2, in bits 7:4
 * that of PCycle T-3.
 */
#ifndef PC_PINS_H
#define PC_PINS_H

#include "procard/core.h"

#pragma GCC visibility push(default)

/** The pin codes of the states (status.def): a project choice, the manual's are lost. */
extern const uint8_t pc_status_codes[PC_ST__COUNT];

/** Called at every MasterClock edge: its first PCycle, and the pins. */
typedef void pc_pins_fn(void *ctx, sim_tick t, uint8_t status);

/** A recording of a processor's pins. */
struct pc_pins {
    const uint8_t *codes; /**< PC_ST__COUNT of them */
    pc_pins_fn *edge;
    void *ctx;
    uint64_t seen[PC_ST__COUNT]; /**< PCycles passed on so far */
    sim_tick next;               /**< the next PCycle */
    uint8_t older;               /**< code of the one before it */
};

/** Begins at tick `now`, at which the processor's totals are `states`. The PCycle before it shows
 * as other stall. `codes` and `ctx` must outlive the recording. */
void pc_pins_begin(struct pc_pins *p, sim_tick now, const uint64_t states[PC_ST__COUNT],
                   const uint8_t codes[PC_ST__COUNT], pc_pins_fn *edge, void *ctx);

/**
 * Passes on the PCycles since the last call. Call it after every instruction: what lies between two
 * calls is put into the order in which one instruction goes by - the stalls it waits for, the
 * instruction, what it kills, the fetch stall and the slips of the one behind it.
 */
void pc_pins_follow(struct pc_pins *p, const uint64_t states[PC_ST__COUNT]);

/** Passes on `n` PCycles of a stall that begins where the last call left off, as soon as it is
 *  charged: an exception whose handler returns is several in a row. */
void pc_pins_stall(struct pc_pins *p, enum pc_status state, uint64_t n);

#pragma GCC visibility pop

#endif

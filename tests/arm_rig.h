/*
 * An ARM11 on flat memory, for tests of the core alone: what cache.c and agent.c give a core is
 * defined here over a host buffer, with a secondary cache that has everything, or that asks for a
 * line when it is first wanted.
 */
#ifndef ARM_RIG_H
#define ARM_RIG_H

#include "procard/arm11/pipeline.h"

#include "machine/values.h"

enum { RIG_LINE_ASKED = 64, RIG_ASKED = 8 };

struct arm_rig {
    struct arm11 cpu;
    struct nm_params p;
    uint8_t *bytes; /**< guest memory, [base, base + size) */
    uint32_t base, size;
    uint32_t uncached; /**< a page of 4 KB that is in no cache; 0: none */
    bool remote;       /**< lines come when they have been asked for */
    uint8_t *here;     /**< by line of 64 bytes: enum nm_line */
    unsigned wait;     /**< [ticks] a request takes */
    struct {
        uint64_t line;
        sim_tick due;
        bool store, fetch;
    } asked[RIG_ASKED];
    unsigned count;
    unsigned reads[PC_SIDES]; /**< of lines of the secondary cache */
    sim_tick look;            /**< its counters are to be looked at; SIM_NEVER */
    unsigned interrupts;      /**< of its counters, so far */
    enum pc_stop why;
};

/** Memory zeroed; registers 0; at `base`, in ARM state; the parameters' defaults, of `core`. */
void arm_rig_init(struct arm_rig *rig, uint32_t base, uint32_t size, enum nm_core core);
void arm_rig_free(struct arm_rig *rig);
/** After parameters have been changed. */
void arm_rig_begin(struct arm_rig *rig);

void arm_rig_put(struct arm_rig *rig, uint32_t va, uint32_t word);
void arm_rig_put_half(struct arm_rig *rig, uint32_t va, uint16_t half);

/** Runs until a trap, in runs that end at random, `slice` ticks apart at most; 0: as far as they
 * go.
 *  @param rig  it @param limit  of the clock @param slice  0: none @param seed  for slices
 *  @return false: the limit, or books that do not add up */
bool arm_rig_run(struct arm_rig *rig, sim_tick limit, unsigned slice, uint64_t seed);

uint64_t arm_rig_random(uint64_t *seed);

#endif

/*
 * A processor on flat memory, for tests of the interpreter alone: the slow paths that cache.c gives
 * the card are defined here over a host buffer, with primary caches that miss, stall and make the
 * processor wait by rules that depend on nothing but the guest's own behaviour.
 */
#ifndef ISA_RIG_H
#define ISA_RIG_H

#include "procard/r4400/r4400.h"

enum { RIG_LINES = 16, RIG_LINE_SHIFT = 5 };

struct rig {
    struct r4400 cpu;
    uint8_t *bytes; /**< guest memory, [base, base + size) */
    uint64_t base, size;
    bool cached;  /**< fill lines on access; false: every access takes the slow path */
    bool stalls;  /**< misses cost time */
    bool forgets; /**< between runs the code is flushed now and then, or the place in it given up */
    uint64_t log; /**< hash of all slow-path accesses that succeeded, with their ticks */
    uint64_t waiting_line, waiting_kind; /**< an access was told to wait for this */
    uint64_t ready_line;                 /**< ... and may now go on */
    enum pc_stop why;                    /**< the last run came to its end */
    struct pc_line d[RIG_LINES], i[RIG_LINES];
};

/** Memory zeroed; registers reset; pc at base. */
void rig_init(struct rig *rig, uint64_t base, uint64_t size, bool n64, enum nm_isa isa);
void rig_free(struct rig *rig);

/** Back to reset, caches empty, memory and code kept. */
void rig_restart(struct rig *rig, bool n64);

void rig_put(struct rig *rig, uint64_t va, uint32_t word);

/** One run of the processor, to `horizon` at most. */
enum pc_stop rig_go(struct rig *rig, sim_tick horizon);

/**
 * Runs until a trap. `slice` > 0: with horizons at random distances up to it, drawn from `seed`.
 * Checks after every stop that the states add up to the clock; false if they do not, or if `limit`
 * ticks pass first.
 */
bool rig_run(struct rig *rig, sim_tick limit, unsigned slice, uint64_t seed);

/** The next of a reproducible series of numbers. */
uint64_t rig_random(uint64_t *seed);

#endif

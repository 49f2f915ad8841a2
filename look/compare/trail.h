/*
 * The state of a machine at some moments of a run, in short: to see where two runs part.
 *
 * A state is all that the machine has counted until then (cards, buses, memories, network caches,
 * rings) and where each processor stands; not the bytes in registers and memory, which matter when
 * a processor does something else because of them.
 */
#ifndef LOOK_COMPARE_TRAIL_H
#define LOOK_COMPARE_TRAIL_H

#include "documents/run.h"
#include "documents/totals.h"

enum {
    LOOK_MARKS = 512,       /**< moments of a run */
    LOOK_TRAIL_CARDS = 1024 /**< cards of a machine, at most (nm_params_check) */
};

/** Which moments, and how long the run is. */
struct look_schedule {
    sim_tick first, step; /**< [ticks] */
    unsigned marks;       /**< up to LOOK_MARKS */
    bool growing;         /**< from the middle on each step is twice the one before */
    bool detailed;        /**< two marks, with all that the cards have counted */
    sim_tick limit;       /**< [ticks] the run is stopped; SIM_NEVER: not */
};

/** The machine at a moment. */
struct look_mark {
    sim_tick at;
    uint64_t digest;
};

/** A card at a moment. */
struct look_stand {
    uint64_t pc; /**< virtual, where its processor stands */
    uint32_t thread;
    struct doc_totals totals;
};

/** What came of it; shared with the process in which the run is. */
struct look_trail {
    unsigned marks;
    struct look_mark mark[LOOK_MARKS];
    bool ended;              /**< the run has been counted up */
    bool stopped;            /**< at the limit of the schedule */
    sim_tick ticks;          /**< that it took */
    uint64_t result, output; /**< the hashes of the run, and of what the program wrote */
    unsigned cards;          /**< of a detailed one: */
    unsigned arounds;        /**< stations, and then rings */
    struct look_stand card[2][LOOK_TRAIL_CARDS]; /**< at each mark */
    uint64_t around[2][2 * LOOK_TRAIL_CARDS];    /**< the same: digests */
};

#endif

/*
 * A run that models of detectors look at. Whoever has it run gives them, and a file in which he
 * finds what they have answered: the run in a process of its own leaves nothing else.
 *
 * In the file: a struct run_models_came; for each model a struct run_models_said, and so many
 * struct run_models_line behind it.
 */
#ifndef RUN_MODELS_H
#define RUN_MODELS_H

#include "procard/eye.h"
#include "run/observer.h"

#include <stdio.h>

struct run_models_page;

/** What the run came to. */
struct run_models_came {
    sim_tick ticks;
    uint64_t hash;
};

/** What a model cost, and how many lines follow. */
struct run_models_said {
    uint64_t lines, bits, events, interrupts, lost, pcycles;
};

/** A line that it names. */
struct run_models_line {
    uint64_t pa, va;
    bool placed; /* a page of the program has it; else va is 0 */
    double score;
    uint64_t count;
    sim_tick when;
};

/** What the listener `run_models` needs: its `self`, the caller's. */
struct run_models {
    struct det_machine machine;
    const struct det_choice *choice; /**< [models] */
    size_t models;
    bool charge;   /**< they delay processors */
    FILE *answers; /**< where they go */

    /* its own, which begins as zeroes */
    struct run_live *live;
    struct det_desk *desk;
    struct pc_eyes *eyes;
    struct run_models_page *virtual, *physical; /* by virtual, by physical address */
};

/** To be given to whoever runs the experiment as the caller's own. */
extern const struct run_observer run_models;

#endif

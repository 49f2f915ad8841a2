/* A card's pipeline in a run: an observer of it. */
#ifndef WATCH_STAGES_H
#define WATCH_STAGES_H

#include "run/observer.h"
#include "watch/pipeline.h"

/** What is wanted, and what came of it: the observer's `self`. */
struct watch_stages {
    unsigned card;
    sim_tick from, to; /**< [ticks] the window; SIM_NEVER: to the end */

    struct watch_pipeline *pipeline; /**< the caller's (watch_pipeline_free) */
    bool ran;
    uint64_t result; /**< hash of the run's result, */
    bool whole;      /**< ... which came to its end */

    /* its own */
    struct run_live *live;
    bool follows;
};

extern const struct run_observer watch_stages_observer;

#endif

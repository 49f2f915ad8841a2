/* Lines of a run, watched while it is simulated once more: an observer of it. */
#ifndef WATCH_WATCHER_H
#define WATCH_WATCHER_H

#include "run/observer.h"
#include "watch/record.h"

/** What is to be watched, and what came of it: the observer's `self`. */
struct watch_watcher {
    uint64_t line;      /**< virtual address; without a symbol */
    const char *symbol; /**< function or variable, perhaps with +OFFSET: all its lines, or that one;
                             NULL: none */
    sim_tick from, to;  /**< [ticks] the window; SIM_NEVER: to the end */

    struct watch_record record; /**< the caller's, if it has rows */
    bool ran;                   /**< there was a run */
    bool placed;                /**< some of it has had memory */
    uint64_t result;            /**< hash of the run's result, */
    bool whole;                 /**< ... which came to its end */

    /* its own */
    struct run_live *live;
    struct watch_listening *listening;
    uint64_t va, va_to; /* lines that are meant */
    struct watch_range *range;
    size_t ranges, room;
    bool over; /* the window is */
};

extern const struct run_observer watch_observer;

#endif

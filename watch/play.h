/* A scenario, watched: the accesses of docs/latency.md, and several at once (programs/driven/). */
#ifndef WATCH_PLAY_H
#define WATCH_PLAY_H

#include "watch/chart.h"

#include <stdbool.h>
#include <stddef.h>

/** The name of the i-th scenario; NULL after the last. Static. */
const char *watch_scenario(size_t i);

/** What is to be seen in it: one sentence. Static; NULL: the name says it. */
const char *watch_scenario_says(size_t i);

/** A scenario that is to be watched. */
struct watch_wish {
    size_t scenario;
    unsigned level;      /**< of the highest ring between the stations; 0: their own */
    const char *machine; /**< its name */
};

/**
 * Simulates it on a machine with these parameters, on which nothing else happens.
 * @param[out] record  the caller's (watch_record_free), if it was simulated
 * @param[out] title   for it
 * @return false with one sentence in `why`
 */
bool watch_play(const struct nm_params *p, const struct watch_wish *wish,
                struct watch_record *record, struct watch_title *title, char *why, size_t size);

#endif

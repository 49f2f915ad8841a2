/* Where a run stands, on stderr: a line that renews itself on a terminal, else a line a minute. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "base/time.h"
#include "run/earlier.h"

#include <stdbool.h>
#include <stdio.h>

struct run_progress {
    FILE *out; /**< NULL: silent */
    bool terminal;
    uint64_t hz;                       /**< ticks per simulated second */
    sim_tick limit;                    /**< SIM_NEVER: none, so no share and no time left */
    const struct run_earlier *earlier; /**< an earlier run, the caller's; its path may be NULL */
    double started;                    /**< [host s] */
    double shown;                      /**< [host s] when last shown */
    bool dirty;                        /**< the terminal's line holds our text */
};

/** @param out  NULL for --quiet
 *  @param earlier  as the field */
void run_progress_init(struct run_progress *p, FILE *out, uint64_t hz, sim_tick limit,
                       const struct run_earlier *earlier);

/** Call often; shows something only when it is time. @param instructions  0: not known */
void run_progress_update(struct run_progress *p, sim_tick now, uint64_t instructions);

/** Wipes the terminal's line; call before anything else is printed there. */
void run_progress_clear(struct run_progress *p);

#endif

/* Where a run stands, on stderr: a line that renews itself on a terminal, else a line a minute. */
#ifndef REP_PROGRESS_H
#define REP_PROGRESS_H

#include "base/time.h"
#include "report/earlier.h"

#include <stdbool.h>
#include <stdio.h>

struct rep_progress {
    FILE *out; /**< NULL: silent */
    bool terminal;
    uint64_t hz;                       /**< ticks per simulated second */
    sim_tick limit;                    /**< SIM_NEVER: none, so no share and no time left */
    const struct rep_earlier *earlier; /**< an earlier run, the caller's; its path may be NULL */
    double started;                    /**< [host s] */
    double shown;                      /**< [host s] when last shown */
    bool dirty;                        /**< the terminal's line holds our text */
};

/** @param out  NULL for --quiet
 *  @param earlier  as the field */
void rep_progress_init(struct rep_progress *p, FILE *out, uint64_t hz, sim_tick limit,
                       const struct rep_earlier *earlier);

/** Call often; shows something only when it is time. */
void rep_progress_update(struct rep_progress *p, sim_tick now, uint64_t instructions);

/** Wipes the terminal's line; call before anything else is printed there. */
void rep_progress_clear(struct rep_progress *p);

#endif

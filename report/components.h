/*
 * The machine around the cards in the results: buses, memory cards, network caches, rings.
 */
#ifndef REP_COMPONENTS_H
#define REP_COMPONENTS_H

#include "report/stats.h"

/** Calls `fn` for every statistic of the stations' parts and of the rings. */
void rep_components_walk(const struct rep_run *run, const struct rep_region *region,
                         rep_stat_fn *fn, void *ctx);

/** What to look at first in a machine with rings. */
enum rep_highlight_id {
    REP_BUSIEST_BUS,
    REP_BUSIEST_MEMORY,
    REP_BUSIEST_RING,
    REP_BUSIEST_TOP_RING, /**< only where there are several local rings */
    REP_NETCACHE_HITS,
    REP_NACK_SHARE,
    REP_HIGHLIGHTS
};

/** Where something was ("station" 3), or a share of what it is made of. */
struct rep_part {
    const char *name, *unit; /**< static */
    double value;
};

enum { REP_PARTS = 3 };

struct rep_highlight {
    const char *name, *sentence;     /**< static; NULL: it does not apply to this machine */
    double percent;                  /**< NAN: of nothing */
    struct rep_part part[REP_PARTS]; /**< those with a name */
};

/** "ring 1, link 3": the parts in `out`, "" if there are none. */
const char *rep_highlight_parts(const struct rep_highlight *h, char *out, size_t size);

/** Calls `fn` for all highlights, as metrics of the machine. */
void rep_highlights_walk(const struct rep_run *run, const struct rep_region *region,
                         rep_stat_fn *fn, void *ctx);

/** Fills in all highlights; without rings none applies. */
void rep_highlights(const struct rep_run *run, const struct rep_region *region,
                    struct rep_highlight out[REP_HIGHLIGHTS]);

/** What the coherence histogram is called in the run directory. */
#define REP_HISTOGRAM "monitor/coherence_histogram.csv"

/** Writes the cells of the coherence histograms that are not 0, of every region. */
void rep_write_histogram(const struct rep_run *run, FILE *out);

#endif

/*
 * The machine around the cards in the results: buses, memory cards, network caches, rings.
 */
#ifndef RES_STATISTICS_COMPONENTS_H
#define RES_STATISTICS_COMPONENTS_H

#include "results/statistics/stats.h"

/** Calls `fn` for every statistic of the stations' parts and of the rings. */
void res_components_walk(const struct res_run *run, const struct res_region *region,
                         res_stat_fn *fn, void *ctx);

/** What to look at first in a machine with rings. */
enum res_highlight_id {
    RES_BUSIEST_BUS,
    RES_BUSIEST_MEMORY,
    RES_BUSIEST_RING,
    RES_BUSIEST_TOP_RING, /**< only where there are several local rings */
    RES_NETCACHE_HITS,
    RES_NACK_SHARE,
    RES_HIGHLIGHTS
};

/** Where something was ("station" 3), or a share of what it is made of. */
struct res_part {
    const char *name, *unit; /**< static */
    double value;
};

enum { RES_PARTS = 3 };

struct res_highlight {
    const char *name, *sentence;     /**< static; NULL: it does not apply to this machine */
    double percent;                  /**< NAN: of nothing */
    struct res_part part[RES_PARTS]; /**< those with a name */
};

/** "ring 1, link 3": the parts in `out`, "" if there are none. */
const char *res_highlight_parts(const struct res_highlight *h, char *out, size_t size);

/** Calls `fn` for all highlights, as metrics of the machine. */
void res_highlights_walk(const struct res_run *run, const struct res_region *region,
                         res_stat_fn *fn, void *ctx);

/** Fills in all highlights; without rings none applies. */
void res_highlights(const struct res_run *run, const struct res_region *region,
                    struct res_highlight out[RES_HIGHLIGHTS]);

/** What the coherence histogram is called in the run directory. */
#define RES_HISTOGRAM "monitor/coherence_histogram.csv"

/** Writes the cells of the coherence histograms that are not 0, of every region. */
void res_write_histogram(const struct res_run *run, FILE *out);

#endif

/*
 * The machine around the cards in the results: buses, memory cards, network caches, rings.
 */
#ifndef DOC_STATISTICS_COMPONENTS_H
#define DOC_STATISTICS_COMPONENTS_H

#include "documents/statistics/stats.h"

/** Calls `fn` for every statistic of the stations' parts and of the rings. */
void doc_components_walk(const struct doc_run *run, const struct doc_region *region,
                         doc_stat_fn *fn, void *ctx);

/** What to look at first in a machine with rings. */
enum doc_highlight_id {
    DOC_BUSIEST_BUS,
    DOC_BUSIEST_MEMORY,
    DOC_BUSIEST_RING,
    DOC_BUSIEST_CENTRAL_RING, /**< only where there are several local rings */
    DOC_NETCACHE_HITS,
    DOC_NACK_SHARE,
    DOC_HIGHLIGHTS
};

/** Where something was ("station" 3), or a share of what it is made of. */
struct doc_part {
    const char *name, *unit; /**< static */
    double value;
};

enum { DOC_PARTS = 3 };

struct doc_highlight {
    const char *name, *sentence;     /**< static; NULL: it does not apply to this machine */
    double percent;                  /**< NAN: of nothing */
    struct doc_part part[DOC_PARTS]; /**< those with a name */
};

/** "ring 1, link 3": the parts in `out`, "" if there are none. */
const char *doc_highlight_parts(const struct doc_highlight *h, char *out, size_t size);

/** Calls `fn` for all highlights, as metrics of the machine. */
void doc_highlights_walk(const struct doc_run *run, const struct doc_region *region,
                         doc_stat_fn *fn, void *ctx);

/** Fills in all highlights; without rings none applies. */
void doc_highlights(const struct doc_run *run, const struct doc_region *region,
                    struct doc_highlight out[DOC_HIGHLIGHTS]);

/** What the coherence histogram is called in the run directory. */
#define DOC_HISTOGRAM "monitor/coherence_histogram.csv"

/** Writes the cells of the coherence histograms that are not 0, of every region. */
void doc_write_histogram(const struct doc_run *run, FILE *out);

#endif

/*
 * What a finished run would take on another machine, told from its traffic. docs/whatif.md has the
 * model, and how far off it is.
 *
 * Thread i stays on processor i, and what was on station s is on station s of the other machine; of
 * a smaller one, on s modulo its stations. Misses, messages and the work between them stay what
 * they were.
 */
#ifndef REP_FLOW_H
#define REP_FLOW_H

#include "machine/params.h"
#include "machine/statistics.h"
#include "machine/traffic.h"
#include "report/results.h"

/** [PCycles] Reads on an idle machine, as `numachine latency` measures them; what a machine has not
 *  got is 0. */
struct rep_latency {
    double home;              /**< from the memory of the station */
    double netcache;          /**< from its network cache */
    double away[RING_LEVELS]; /**< from the memory of another one, by the highest ring between */
};

/** What a station's part of the run was. */
struct rep_flow_station {
    double work;         /**< [PCycles] of its cards with threads, without the next */
    double stall;        /**< [PCycles] waiting for secondary misses and acknowledgements */
    double refused;      /**< [PCycles] of these, until requests were refused no more */
    double requests;     /**< of its cards that were answered */
    double hits, misses; /**< of these, by the network cache; not */
    double bus;          /**< [bus cycles] it was busy */
    double lines;        /**< that its cards had from outside, or gave back */
    double accesses;     /**< to its memory */
    unsigned cards;      /**< that had a thread */
};

/** A run, or a region of it. rep_flow_read fills it, rep_flow_free releases it. */
struct rep_flow_run {
    struct nm_params p;
    unsigned stations, last_card; /**< the last card that had a thread */
    double elapsed;               /**< [s] */
    struct rep_flow_station *station;
    struct nm_traffic *traffic; /**< [stations * stations], by sender */
    double links[RING_LEVELS];  /**< [slots] moved on the links of a level's rings */
    struct rep_latency latency; /**< of its machine; the caller's to fill in */
};

/** Reads it from a run's directory. @return false with one line in `why` */
bool rep_flow_read(struct rep_flow_run *run, const struct rep_results *results,
                   const struct nm_params *p, const char *region, char *why, size_t size);
void rep_flow_free(struct rep_flow_run *run);

/** Whether flows can tell anything of a run on this other machine.
 *  @return false with one line in `why`: which parameter is in the way, or how many cards */
bool rep_flow_fits(const struct rep_flow_run *run, const struct nm_params *other, char *why,
                   size_t size);

/** Shares of time in which something is busy; [0] on the machine of the run, [1] on the other. */
struct rep_flow_use {
    double mean, most;
    unsigned at; /**< the busiest one: station, or ring of the level */
};

enum rep_flow_part {
    REP_FLOW_BUS,
    REP_FLOW_MEMORY,
    REP_FLOW_RING,
    REP_FLOW_PARTS = REP_FLOW_RING + RING_LEVELS
};

/** A prediction. */
struct rep_flow {
    double elapsed;      /**< [s] there */
    double slower;       /**< times as long as on the machine of the run */
    double idle_latency; /**< and if nothing ever waited for a bus, a ring or a memory */
    double saturated;    /**< times as long because something moves all it can */
    struct rep_flow_use use[2][REP_FLOW_PARTS]; /**< of each level's links from REP_FLOW_RING on */
};

/** Predicts. Once per process (prog_flows_run).
 *  @param latency  of the other machine
 *  @return 0, or a negated errno as prog_flows_run */
int rep_flow_predict(const struct rep_flow_run *run, const struct nm_params *other,
                     const struct rep_latency *latency, struct rep_flow *flow);

/** How far off predictions were, of a kind of other machine (flow_errors.def). */
struct rep_flow_error {
    const char *kind, *sentence;
    double median, worst; /**< [%] of the absolute error */
    unsigned runs;
};

/** What is known of predictions like this one. */
const struct rep_flow_error *rep_flow_error(const struct rep_flow_run *run,
                                            const struct nm_params *other);

#endif

/*
 * What a finished run would take on another machine, told from its traffic. docs/whatif.md has the
 * model, and how far off it is.
 *
 * Thread i stays on processor i, and what was on station s is on station s of the other machine; of
 * a smaller one, on s modulo its stations. Misses, messages and the work between them stay what
 * they were.
 */
#ifndef LOOK_FLOW_FLOW_H
#define LOOK_FLOW_FLOW_H

#include "documents/statistics/finished.h"
#include "machine/statistics.h"
#include "machine/traffic.h"
#include "machine/values.h"

/** [PCycles] Reads on an idle machine, as `numachine latency` measures them; what a machine has not
 *  got is 0. */
struct look_latency {
    double home;              /**< from the memory of the station */
    double netcache;          /**< from its network cache */
    double away[RING_LEVELS]; /**< from the memory of another one, by the highest ring between */
};

/** What a station's part of the run was. */
struct look_flow_station {
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

/** A run, or a region of it. look_flow_read fills it, look_flow_free releases it. */
struct look_flow_run {
    struct nm_params p;
    unsigned stations, last_card; /**< the last card that had a thread */
    double elapsed;               /**< [s] */
    struct look_flow_station *station;
    struct nm_traffic *traffic;  /**< [stations * stations], by sender */
    double links[RING_LEVELS];   /**< [slots] moved on the links of a level's rings */
    struct look_latency latency; /**< of its machine; the caller's to fill in */
};

/** Reads it from a run's directory. @return false with one line in `why` */
bool look_flow_read(struct look_flow_run *run, const struct doc_finished *results,
                    const struct nm_params *p, const char *region, char *why, size_t size);
void look_flow_free(struct look_flow_run *run);

/** Whether flows can tell anything of a run on this other machine.
 *  @return false with one line in `why`: which parameter is in the way, or how many cards */
bool look_flow_fits(const struct look_flow_run *run, const struct nm_params *other, char *why,
                    size_t size);

/** Shares of time in which something is busy; [0] on the machine of the run, [1] on the other. */
struct look_flow_use {
    double mean, most;
    unsigned at; /**< the busiest one: station, or ring of the level */
};

enum look_flow_part {
    LOOK_FLOW_BUS,
    LOOK_FLOW_MEMORY,
    LOOK_FLOW_RING,
    LOOK_FLOW_PARTS = LOOK_FLOW_RING + RING_LEVELS
};

/** A prediction. */
struct look_flow {
    double elapsed;      /**< [s] there */
    double slower;       /**< times as long as on the machine of the run */
    double idle_latency; /**< and if nothing ever waited for a bus, a ring or a memory */
    double saturated;    /**< times as long because something moves all it can */
    struct look_flow_use use[2]
                            [LOOK_FLOW_PARTS]; /**< of each level's links from LOOK_FLOW_RING on */
};

/** Predicts. Once per process (prog_flows_run).
 *  @param latency  of the other machine
 *  @return 0, or a negated errno as prog_flows_run */
int look_flow_predict(const struct look_flow_run *run, const struct nm_params *other,
                      const struct look_latency *latency, struct look_flow *flow);

/** How far off predictions were, of a kind of other machine (look/flow/errors.def). */
struct look_flow_error {
    const char *kind, *sentence;
    double median, worst; /**< [%] of the absolute error */
    unsigned runs;
};

/** What is known of predictions like this one. */
const struct look_flow_error *look_flow_error(const struct look_flow_run *run,
                                              const struct nm_params *other);

#endif

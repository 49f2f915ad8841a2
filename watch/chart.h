/*
 * A recording as a message sequence chart: components side by side, time downwards.
 */
#ifndef WATCH_CHART_H
#define WATCH_CHART_H

#include "watch/record.h"

#include <stdio.h>

/** What a lane is beside the modules of a station (packet.h). */
enum { WATCH_LANE_BUS = NM_MODULES, WATCH_LANE_RINGS };

struct watch_lane {
    uint16_t station; /**< not of the rings */
    uint8_t module;   /**< of the station, or WATCH_LANE_x */
};

struct watch_lanes {
    struct watch_lane *lane; /**< [count] from left to right */
    size_t count;
};

/** The components that a recording speaks of: the first requester's station, the rings, the others.
 *  @return the caller's: free(lanes.lane) */
struct watch_lanes watch_lanes_of(const struct watch_record *record);

/** The number of a lane; lanes->count: there is none. */
size_t watch_lane_find(const struct watch_lanes *lanes, unsigned station, unsigned module);

/** "1.c0", "1.bus", "rings". @return buf */
const char *watch_lane_name(const struct watch_lane *lane, char buf[40]);

/** What is shown beside a recording. */
struct watch_title {
    const char *name;     /**< of the scenario, or what was run */
    const char *sentence; /**< NULL: none */
    const char *machine;
    sim_tick origin; /**< [ticks] what is shown as 0 */
    sim_tick over;   /**< when what was measured was over; 0: nothing was */
};

/** As text: a row a line. */
void watch_text(const struct watch_record *record, const struct watch_title *title, FILE *out);

/** As a picture for papers. */
void watch_svg(const struct watch_record *record, const struct watch_title *title, FILE *out);

#endif

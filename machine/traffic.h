/*
 * What stations send each other over the rings, counted where it is handed to them.
 */
#ifndef NM_TRAFFIC_H
#define NM_TRAFFIC_H

#include <stdint.h>

/** At which end of a message the home of its line is. */
enum nm_side {
    NM_TO_HOME,
    NM_FROM_HOME,
    NM_BETWEEN, /**< at neither, or it goes to many stations */
    NM_SIDES
};

/** From one station to another, since tick 0. A message to many stations counts for each. */
struct nm_traffic {
    uint64_t packets[NM_SIDES], bytes[NM_SIDES]; /**< bytes behind the headers */
};

struct nm_machine;

/** What a station has sent, by the station it went to: [nm_machine_stations]; NULL: the machine has
 *  no rings. It is the machine's, and grows. */
const struct nm_traffic *nm_machine_traffic(const struct nm_machine *m, unsigned station);

#endif

/*
 * The monitors of the rest of the machine: buses, FIFOs, memory cards, network caches, rings.
 *
 * All of them are totals since tick 0 which the parts keep anyway; looking at them changes nothing.
 * They are exact at nm_machine_now() when that was reached by NM_RUN_UNTIL.
 */
#ifndef NM_STATISTICS_H
#define NM_STATISTICS_H

#include "machine/bus.h"
#include "machine/machine.h"
#include "machine/protocol.h"

/* ---- the coherence histogram ----------------------------------------------------------------- */

/** "LV" and so on. */
const char *nm_histogram_row_name(unsigned row);

/** Accesses to a directory: [state][locked][message][it came over the rings]. */
typedef uint64_t nm_histogram[NM_ROWS][2][NM_MSG__COUNT][2];

enum nm_histogram_agent { NM_HISTOGRAM_MEMORY, NM_HISTOGRAM_NETCACHE, NM_HISTOGRAMS };

/* ---- stations -------------------------------------------------------------------------------- */

/** The FIFOs of a station, numbered: four for each bus port (in and out, both classes; see
 *  nm_port_fifo), then those of the ring interface. */
enum {
    NM_FIFO_DELIVERED = 4 * NM_MODULES,              /**< from the rings, not yet taken, by class */
    NM_FIFO_OUTPUT = NM_FIFO_DELIVERED + NM_CLASSES, /**< to the local ring, by class */
    NM_FIFO_INPUT = NM_FIFO_OUTPUT + NM_CLASSES,     /**< from the local ring: slots, not packets */
    NM_STATION_FIFOS
};

static inline unsigned nm_port_fifo(unsigned module, bool out, unsigned class)
{
    return 4 * module + 2 * out + class;
}

/** Totals that may be subtracted; words only. */
struct nm_station_counts {
#define STATION(field, part, name, unit, sentence) uint64_t field;
#define RING(field, part, name, unit, sentence)
#include "machine/statistics.def"
#undef STATION
#undef RING
    uint64_t filled[NM_STATION_FIFOS]; /**< depth summed over time: [packets (slots) x ticks] */
    nm_histogram histogram[NM_HISTOGRAMS];
};

/** Greatest depths since tick 0: [packets], of NM_FIFO_INPUT [slots]. */
struct nm_station_peaks {
    uint64_t deepest[NM_STATION_FIFOS];
};

struct nm_station_monitor {
    struct nm_station_counts sum;
    struct nm_station_peaks most;
};

/** What station `station` (0 .. nm_machine_stations - 1) has counted so far. */
void nm_machine_station(const struct nm_machine *m, unsigned station,
                        struct nm_station_monitor *out);
unsigned nm_machine_stations(const struct nm_machine *m);

/* ---- rings ----------------------------------------------------------------------------------- */

enum { NM_RING_NODES_MAX = RING_FAN_MAX + 1 };

/** Totals that may be subtracted; words only. `up` and `down` are 0 on the central ring. */
struct nm_ring_counts {
#define STATION(field, part, name, unit, sentence)
#define RING(field, part, name, unit, sentence) uint64_t field;
#include "machine/statistics.def"
#undef STATION
#undef RING
    uint64_t up_filled, down_filled;  /**< [slots x ticks] */
    uint64_t link[NM_RING_NODES_MAX]; /**< [ring cycles] a slot in use moved from node i to the
                                           next; also: slots moved */
};

struct nm_ring_peaks {
    uint64_t up_deepest, down_deepest; /**< [slots] */
};

struct nm_ring_monitor {
    struct nm_ring_counts sum;
    struct nm_ring_peaks most;
};

/** Where a ring is. */
struct nm_ring_place {
    unsigned level; /**< 0: local ring */
    unsigned index; /**< among the rings of its level, in the order of their stations */
    unsigned nodes; /**< and links and slots; the last node is the interface to the ring above */
    bool top;       /**< there is none above */
};

/** The hierarchy of a machine's rings. */
struct ring_shape nm_ring_shape(const struct nm_params *p);

/** Rings of a machine, all levels together; 0 when it has one station and therefore none. */
unsigned nm_ring_count(const struct nm_params *p);

/** Ring `ring` (0 .. nm_ring_count - 1): local rings first, the central ring last. */
struct nm_ring_place nm_ring_place(const struct nm_params *p, unsigned ring);

/** What ring `ring` has counted so far. Cycles are counted as far as the rings have run. */
void nm_machine_ring(const struct nm_machine *m, unsigned ring, struct nm_ring_monitor *out);

/* ---- what passes ----------------------------------------------------------------------------- */

/** Has `told` called for every tenure of every bus from now on (bus.h); NULL: no longer. It only
 *  reads. */
void nm_machine_watch_buses(struct nm_machine *m, nm_bus_tenure_fn *told, void *ctx);

struct nm_ear; /* hear.h */

/** Has directories and network cards tell `ear` from now on; NULL: no longer. (Cards: pc_hear.) */
void nm_machine_hear(struct nm_machine *m, const struct nm_ear *ear);

/** Queues of a station, both classes together: into and out of each module (2 * module, and 1
 *  more), and from the rings. */
enum { NM_QUEUE_FROM_RINGS = 2 * NM_MODULES, NM_QUEUES };

/** How many packets are in each of them now, up to 255. While the machine stands, or in what the
 *  station itself says. */
void nm_machine_depths(const struct nm_machine *m, unsigned station, uint8_t depth[NM_QUEUES]);

/* ---- arithmetic ------------------------------------------------------------------------------ */

/** sum += now - start for totals, the greater one for greatest depths. */
void nm_station_monitor_add(struct nm_station_monitor *sum, const struct nm_station_monitor *now,
                            const struct nm_station_monitor *start);
void nm_ring_monitor_add(struct nm_ring_monitor *sum, const struct nm_ring_monitor *now,
                         const struct nm_ring_monitor *start);

/* ---- for the assembly (machine.c) ------------------------------------------------------------ */

struct nm_memory;
struct nm_network;
struct ring_net;

/** The parts of a station; `network` and `net` are NULL when there are no rings. */
struct nm_station_parts {
    const struct nm_bus *bus;
    const struct nm_memory *memory;
    const struct nm_network *network;
    const struct ring_net *net;
    sim_tick ring_cycle; /**< [ticks] */
    unsigned number;
};

/** Reads them at tick `now`, not before anything that has happened to them. */
void nm_station_look(const struct nm_station_parts *parts, sim_tick now,
                     struct nm_station_monitor *out);
void nm_ring_look(const struct ring_net *net, sim_tick ring_cycle, struct nm_ring_place place,
                  struct nm_ring_monitor *out);

#endif

/*
 * The network card of a station: the network cache for lines of other stations, and the station's
 * side of the local ring interface.
 */
#ifndef NM_NETWORK_H
#define NM_NETWORK_H

#include "machine/controller.h"
#include "ring/ring.h"

struct nm_network;

/** What its monitor counts (TR, multipurpose counters). */
struct nm_network_count {
    uint64_t requests;     /**< RD, RDEXCL and UPGD of cards here, NACKed ones included */
    uint64_t hits;         /**< answered on this station: the next three together */
    uint64_t migration;    /**< from the cache, brought by another card (migration effect) */
    uint64_t caching;      /**< from the cache, brought by the same card (caching effect) */
    uint64_t localised;    /**< only other cards here lost the line or a copy (what "coherence
                                localisation" means is not in our sources: assumed) */
    uint64_t misses;       /**< sent on to the home; the rest of the requests was NACKed */
    uint64_t combined;     /**< NACKed because the line was already on its way (combining effect);
                                retries count again */
    uint64_t false_remote; /**< requests that came back: the line was on this station */
    uint64_t special;      /**< special reads */
    uint64_t ejections;
};

/** History of a queue of packets delivered by the rings and not yet taken. */
struct nm_delivered_count {
    uint64_t filled;  /**< [packets x ticks] */
    uint64_t deepest; /**< most at once */
};

/**
 * @param place     where it stands
 * @param net       the rings; the caller runs them
 * @param contents  copied
 */
struct nm_network *nm_network_new(struct nm_kernel *k, struct nm_bus *bus,
                                  const struct nm_params *p, const struct nm_place *place,
                                  struct ring_net *net, const struct nm_contents *contents);
void nm_network_free(struct nm_network *n);

/** A packet is complete at the ring interface at tick `at` (>= now). */
void nm_network_deliver(struct nm_network *n, nm_tick at, const struct ring_packet *p);

/** The line a packet on the rings is about. */
uint64_t nm_network_line_of(const struct ring_packet *p);

struct nm_network_count nm_network_count(const struct nm_network *n);

/** @param class  enum nm_class */
struct nm_delivered_count nm_network_delivered(const struct nm_network *n, unsigned class,
                                               nm_tick now);

/** Its controller, for looking. */
const struct nm_controller *nm_network_controller(const struct nm_network *n);

/** [bus cycles] the network cache worked on a message, up to `now`. */
uint64_t nm_network_busy(const struct nm_network *n, nm_tick now);

/** Entry of a line, for looking. */
struct nm_dir_line nm_network_line(const struct nm_network *n, uint64_t line);

/** Packets waiting between rings and station, for the dump. @param class  enum nm_class */
unsigned nm_network_waiting(const struct nm_network *n, unsigned class);

#endif

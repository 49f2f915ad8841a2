/*
 * The network card of a station: a router between the station bus and the local ring, and the
 * network cache (netcache.h) for lines of other stations.
 */
#ifndef NM_NETWORK_H
#define NM_NETWORK_H

#include "machine/netcache.h"
#include "machine/traffic.h"
#include "ring/ring.h"

struct nm_network;

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
struct nm_network *nm_network_new(struct sim_kernel *k, struct nm_bus *bus,
                                  const struct nm_params *p, const struct nm_place *place,
                                  struct ring_net *net, const struct nm_backing *contents);
void nm_network_free(struct nm_network *n);

/** A packet is complete at the ring interface at tick `at` (>= now). */
void nm_network_deliver(struct nm_network *n, sim_tick at, const struct ring_packet *p);

/** Handles a message for the network cache without time, as nm_netcache_at_once. */
void nm_network_at_once(struct nm_network *n, const struct nm_packet *in, struct nm_sends *before,
                        struct nm_sends *sends);

/** The line a packet on the rings is about. */
uint64_t nm_network_line_of(const struct ring_packet *p);

/** @param class  enum nm_class */
struct nm_delivered_count nm_network_delivered(const struct nm_network *n, unsigned class,
                                               sim_tick now);

/** Its cache, for looking. */
const struct nm_netcache *nm_network_cache(const struct nm_network *n);

/** Its controller, for looking. */
const struct nm_controller *nm_network_controller(const struct nm_network *n);

/** Has it and its cache tell `ear`; NULL: no longer. */
void nm_network_hear(struct nm_network *n, const struct nm_ear *ear);

/** [bus cycles] the network cache worked on a message, up to `now`. */
uint64_t nm_network_busy(const struct nm_network *n, sim_tick now);

/** What it has handed to the rings, by the station it goes to. */
const struct nm_traffic *nm_network_sent(const struct nm_network *n);

/** Packets waiting between rings and station, for the dump. @param class  enum nm_class */
unsigned nm_network_waiting(const struct nm_network *n, unsigned class);

#endif

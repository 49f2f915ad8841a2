/*
 * The network cache: a direct-mapped cache of other stations' lines, with a directory entry per
 * line (TR, network cache). The network card (network.c) brings it messages; its controller
 * (controller.h) decides what becomes of an entry. This is the store of the entries: where they are
 * found, made and given up, and what the card's monitor counts of it.
 *
 * The hard idea is that the cache does not enforce inclusion. An entry may be ejected while cards
 * of the station still share or even own the line; the entry is then in state N, which says
 * nothing. A request of another station for such a line, or our own coming back (false remote
 * request), finds the owner by asking the cards in turn. While that goes on, the entry lives in a
 * small associative buffer, because its place in the cache may belong to another line.
 *
 * A protocol without a network cache (its table has one state) has an entry for the message at hand
 * only.
 */
#ifndef NM_NETCACHE_H
#define NM_NETCACHE_H

#include "machine/controller.h"

struct nm_netcache;

/** What its monitor counts (TR, multipurpose counters). */
struct nm_netcache_count {
    uint64_t requests;     /**< RD, RDEXCL and UPGD of cards here, NACKed ones included */
    uint64_t hits;         /**< answered on this station: the next three together */
    uint64_t migration;    /**< from the cache, brought by another card (migration effect) */
    uint64_t caching;      /**< from the cache, brought by the same card (caching effect) */
    uint64_t localised;    /**< only other cards here lost the line or a copy (what "coherence
                                localisation" means is not in our sources: assumed) */
    uint64_t misses;       /**< sent on to the home; the rest of the requests was NACKed */
    uint64_t false_remote; /**< requests that came back: the line was on this station */
    uint64_t special;      /**< special reads */
    uint64_t ejections;
};

/** @param c     decides; the caller's, outlives the cache. Its agent is NM_AGENT_NC.
 *  @param contents  outlives it */
struct nm_netcache *nm_netcache_new(const struct nm_params *p, struct nm_controller *c,
                                    const struct nm_backing *contents);

/** Whether the protocol keeps lines in network caches. */
bool nm_netcache_keeps(const struct nm_protocol *protocol);

/** The host may fetch what a message about the line will need. */
void nm_netcache_expect(const struct nm_netcache *cache, uint64_t line);

/** Lets the controller decide on a message, unless there is no place for its line: then it has been
 *  refused. @param from_network  it came over the rings */
void nm_netcache_handle(struct nm_netcache *cache, const struct nm_packet *in, bool from_network,
                        sim_tick now);

/** The same for a line that the card's special function unit asks for.
 *  @return false: nothing has happened, as the line is locked, or there is no place for it, or its
 *          next turn is another's */
bool nm_netcache_own(struct nm_netcache *cache, const struct nm_packet *in, sim_tick now);

/** Handles a message without time (warm.h).
 *  @param[out] before  what goes out ahead, because another line makes room
 *  @param[out] sends   what it brings about */
void nm_netcache_at_once(struct nm_netcache *cache, const struct nm_packet *in, bool from_network,
                         struct nm_sends *before, struct nm_sends *sends);

/** What is known of a line, for looking. */
struct nm_dir_line nm_netcache_line(const struct nm_netcache *cache, uint64_t line);

/** The same of a line that a processor asks about.
 *  @param by_index  `line` names the place, not itself
 *  @param[out] found  the line's address; ~0: none */
struct nm_dir_line nm_netcache_look(const struct nm_netcache *cache, uint64_t line, bool by_index,
                                    uint64_t *found);

struct nm_netcache_count nm_netcache_count(const struct nm_netcache *cache);

#endif

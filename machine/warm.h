/*
 * Warming: the machine's protocol without its time. Processors go on in turns, as in functional
 * mode, but with their caches; what a miss brings about in caches and directories happens at once,
 * message by message, as if the machine had nothing else to do. So a stretch that is not timed
 * leaves behind what a timed one would have left in caches, network caches and directories.
 *
 * The tables of the protocol (protocol.h) decide, as in a timed machine; there is no second one.
 * The messages of a transaction are handled in the order in which they were sent, which is one of
 * the orders that a machine may bring about.
 */
#ifndef NM_WARM_H
#define NM_WARM_H

#include "base/queue.h"
#include "base/time.h"
#include "machine/packet.h"

struct nm_machine;

/** A message that waits to be handled. */
struct nm_under_way {
    struct nm_packet packet;
    uint16_t station; /**< on whose bus it is */
};

enum { NM_KEPT = 1024 /**< places for lines that are kept; a power of two */ };

/** A line that no other card gets before `until`. */
struct nm_kept {
    uint64_t line;
    sim_tick until;
    uint32_t card; /**< it is this card's until then */
};

/** What warming needs of a machine. All zero: nothing is under way. */
struct nm_warm {
    struct nm_under_way *message;
    struct sim_queue queue;
    struct nm_kept kept[NM_KEPT]; /**< by line */
};

/** Puts a message on a station's bus; it goes to its `targets`, or over the rings along its route.
 *  Its source is set. */
void nm_warm_put(struct nm_machine *m, unsigned station, const struct nm_packet *p);

/** Handles messages until none is left. A protocol error is told to the check. */
void nm_warm_deliver(struct nm_machine *m);

/** From which tick on a card may be given a line, `at` or later: another card may keep it. */
sim_tick nm_warm_free(const struct nm_machine *m, uint64_t line, unsigned card, sim_tick at);

/** A line is a card's until then. Another line's keep may be forgotten for it. */
void nm_warm_keep(struct nm_machine *m, uint64_t line, unsigned card, sim_tick until);

#endif

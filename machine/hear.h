/*
 * What a machine says of its protocol at work, to one that listens: rows of the tables that fire,
 * messages that are refused without a look, and those that go to the rings and come from them.
 * (Tenures of the buses: nm_machine_watch_buses.) Listening changes nothing that is simulated.
 *
 * A timed machine alone says anything. Stations run one after the other for a while each, so what
 * different ones say does not come in the order of its ticks.
 */
#ifndef NM_HEAR_H
#define NM_HEAR_H

#include "base/time.h"
#include "machine/protocol.h"

enum nm_said_kind {
    NM_SAID_ROW,     /**< an agent has done what a row of its table says */
    NM_SAID_REFUSED, /**< a directory has refused the packet for lack of room or of a turn */
    NM_SAID_SENT,    /**< the network card has handed the packet to the rings */
    NM_SAID_CAME,    /**< the packet is complete at a station's ring interface */
};

struct nm_said {
    enum nm_said_kind kind;
    sim_tick at;
    uint16_t station;
    uint64_t line;                  /**< physical; of accesses outside coherence the datum's */
    const struct nm_packet *packet; /**< what came, or went; NULL: nothing did. During the call */

    /* of ROW; of REFUSED the agent alone */
    enum nm_agent agent;
    uint8_t card; /**< of an NM_AGENT_CARD: on its station */
    uint8_t before, event, after;
    uint8_t cards;      /**< a directory's processor mask, */
    ring_mask stations; /**< ... and, of a home, routing mask, when it was done */
};

typedef void nm_said_fn(void *ctx, const struct nm_said *said);

/** Who listens. The caller's. */
struct nm_ear {
    nm_said_fn *told;
    void *ctx;
};

static inline void nm_say(const struct nm_ear *ear, const struct nm_said *said)
{
    ear->told(ear->ctx, said);
}

#endif

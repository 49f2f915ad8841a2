/*
 * What the cards of a machine tell models of detectors (detect/model.h): what becomes of lines of
 * data, and, if a model wants to hear of accesses, each of them. Nothing simulated changes.
 */
#ifndef PC_EYE_H
#define PC_EYE_H

#include "detect/desk.h"
#include "procard/record.h"

struct nm_packet;
struct nm_params;
struct pc_eyes;
struct pc_request;

/** The machine as models know it: one with caches. */
void pc_eyes_machine(const struct nm_params *p, struct det_machine *out);

/** Has all cards of a machine of processor cards tell a desk, from now on; before its first run.
 *  @param desk  the caller's, outlives it
 *  @return the caller's, to be closed behind the machine's last run and before its end; NULL: the
 *          cards have no caches, or their core cannot tell of accesses, or is told otherwise
 * already
 */
struct pc_eyes *pc_eyes_open(struct nm_machine *m, struct det_desk *desk);
void pc_eyes_close(struct pc_eyes *eyes);

/** What models make cards spend delays their processors from now on: an exception whose handler
 *  takes so long comes ahead of the next access that is not a hit of the fast path. It waits until
 * a line that was granted has been accessed, and a store conditional has been made, or a program
 *  whose every miss is sampled would get nowhere.
 *  @return false: the cards' core does not wait for its requests, and cannot be delayed so */
bool pc_eyes_charge(struct pc_eyes *eyes);

/* ---- for cache.c, agent.c and record.c; only while card->eye is there ------------------------ */

/** An access that may begin at tick `at` begins later, if a model has made the card spend time.
 *  @return when */
sim_tick pc_eye_delays(struct pc_card *card, sim_tick at);
/** The card begins to ask for a line of data, for an access of `size` bytes. */
void pc_eye_asks(struct pc_card *card, const struct pc_request *r, uint64_t va, uint64_t pa,
                 unsigned size);
/** The request leaves. */
void pc_eye_issues(struct pc_card *card, const struct pc_request *r, sim_tick now);
/** It is served, by `in`. */
void pc_eye_has(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                sim_tick now);
/** The card's copy of a line goes: of data, or of a cache that is joint and does not know. @param
 * state  that it was in
 *  @param taken  another card wants it; false: it makes room */
void pc_eye_loses(struct pc_card *card, uint64_t line, uint8_t state, bool taken, sim_tick now);
/** The card had it alone, in `state`, and keeps a copy. */
void pc_eye_shares(struct pc_card *card, uint64_t line, uint8_t state, sim_tick now);
/** A line comes to the primary data cache. @param took  [PCycles] */
void pc_eye_raises(struct pc_card *card, uint64_t pa, uint64_t took, sim_tick at);
/** ... and goes. */
void pc_eye_drops(struct pc_card *card, uint64_t part, sim_tick at);

#endif

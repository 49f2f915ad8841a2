/*
 * Processors that make a test's references instead of executing instructions. The cards are the
 * real ones; the test defines pc_run, which takes the interpreter's place, and finds its own data
 * for a processor with actor_of.
 */
#ifndef ACTORS_H
#define ACTORS_H

#include "machine/machine.h"
#include "procard/card.h"
#include "procard/procard.h"

/* Bits of a virtual address: its page is uncached, or cached but not coherent. The bits below are
 * the physical address; the cards' registers are always uncached. */
#define UNCACHED    (UINT64_C(1) << 42)
#define NONCOHERENT (UINT64_C(1) << 43)

/** A machine whose cards have these addresses. The caller's (nm_machine_free). */
struct nm_machine *actors_machine(const struct nm_params *p);

/** Has a card go on at tick `at`; pc_run is called with this actor. The actor is the caller's and
 *  outlives the card's next trap. */
void actors_start(struct nm_machine *m, unsigned card, void *actor, nm_tick at);

/** What actors_start was given for the card. */
void *actor_of(const struct pc_cpu *cpu);

/** A number below `below`, and the next state of the sequence. */
uint64_t actors_draw(uint64_t *random, uint64_t below);

/** Defaults, on a machine of so many cards per station, stations per local ring, and so on. */
void actors_params(struct nm_params *p, unsigned processors, unsigned stations, unsigned locals,
                   unsigned groups);

/** Every queue of bus and rings so long, or as short as it can be. [messages] */
void actors_queues(struct nm_params *p, unsigned fifo);

/** The defaults of the parameter table, in the hostile build too, but no TLB: what is counted is
 * what the memory takes, not software. */
void actors_plain_params(struct nm_params *p);

#endif

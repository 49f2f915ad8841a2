/*
 * Processors that make a test's references instead of executing instructions. The cards are the
 * real ones; their core (procard/core.h) is a test's own, whose run the test defines:
 * actors_take_turns with what its actors do in turn.
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

/** Cards with the test's core. */
extern const struct nm_card_kind actors_kind;

/** A machine whose cards have these addresses. The caller's (nm_machine_free). */
struct nm_machine *actors_machine(const struct nm_params *p);

/** Has a card go on at tick `at`; acting_run is called with this actor. The actor is the caller's
 * and outlives the card's next trap. */
void actors_start(struct nm_machine *m, unsigned card, void *actor, nm_tick at);

/** What actors_start was given for the card. */
void *actor_of(const struct pc_cpu *cpu);

/** What came of an actor's turn. */
enum actors_turn {
    ACTORS_DONE,  /**< and the time it took has been charged */
    ACTORS_WAITS, /**< nothing has happened; *stop says for what */
    ACTORS_ENDED, /**< it has nothing more to do: the card traps */
};

/** One reference, or some time of nothing, up to cpu->horizon at most. */
typedef enum actors_turn actors_turn_fn(struct pc_cpu *cpu, void *actor, enum pc_stop *stop);

/** The run of the test's core; the test defines it. */
enum pc_stop acting_run(struct pc_cpu *cpu, nm_tick horizon);

/** What that is for actors. */
enum pc_stop actors_take_turns(struct pc_cpu *cpu, nm_tick horizon, actors_turn_fn *turn);

/** Has an instruction complete, and hold the pipeline, in one state for `n` PCycles. */
void actors_spend(struct pc_cpu *cpu, enum pc_status state, uint64_t n);

enum actors_reference { ACTORS_LOAD, ACTORS_STORE, ACTORS_LINKED, ACTORS_CONDITIONAL };

/** A reference to 8 bytes, now. @param[out] failed  a store-conditional had lost its link; else
 * false
 *  @return where they are; NULL if it failed or must wait, then *stop says for what */
uint8_t *actors_refer(struct pc_cpu *cpu, enum actors_reference what, uint64_t address,
                      enum pc_stop *stop, bool *failed);

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

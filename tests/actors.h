/*
 * Machines whose processors make a test's references (procard/driver/driver.h) instead of executing
 * instructions; the cards are the real ones.
 */
#ifndef ACTORS_H
#define ACTORS_H

#include "machine/machine.h"
#include "procard/card.h"
#include "procard/driver/driver.h"

#define UNCACHED    PC_FLAT_UNCACHED
#define NONCOHERENT PC_FLAT_NONCOHERENT

/** A machine of driver cores in the flat space. The caller's (nm_machine_free). */
struct nm_machine *actors_machine(const struct nm_params *p);

/** The same where every second card of a station has the caches of `other`, which is the same
 * machine and one that nm_params_check allows, as `p` is. */
struct nm_machine *actors_mixture(const struct nm_params *p, const struct nm_params *other);

/** A reference to 8 bytes. */
struct pc_reference actors_reference(enum pc_reference_kind kind, uint64_t address);

/** `n` PCycles of nothing, n > 0. */
struct pc_reference actors_pause(uint64_t n);

/** A number below `below`, and the next state of the sequence. */
uint64_t actors_draw(uint64_t *random, uint64_t below);

/** Those of test_machine, on a machine of so many cards per station, stations per local ring, and
 * so on. */
void actors_params(struct nm_params *p, unsigned processors, unsigned stations, unsigned locals,
                   unsigned groups);

/** Every queue of bus and rings so long, or as short as it can be. [messages] */
void actors_queues(struct nm_params *p, unsigned fifo);

/** The defaults, whatever TEST_MACHINE says, but no TLB: what is counted is what the memory takes,
 *  not software. */
void actors_plain_params(struct nm_params *p);

#endif

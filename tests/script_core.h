/* A core that executes nothing: what its counters can see of it is a script, a function of the
 * PCycle, so that a test can say what they must show. */
#ifndef SCRIPT_CORE_H
#define SCRIPT_CORE_H

#include "procard/procard.h"

/** The mode the processor is in, in that PCycle. */
enum r10k_mode script_mode(unsigned card, uint64_t pcycle);

/** By how much a signal grows in a PCycle; between 0 and its greatest increment. Signals differ in
 *  how often they do. */
unsigned script_growth(unsigned card, uint64_t pcycle, enum r10k_signal signal);

/** The totals before a PCycle, if the processor has run from PCycle 0 on. */
void script_totals(unsigned card, uint64_t pcycle, struct r10k_signals *out);

/** The processor traps (a system call) at that PCycle; 0: never. Before it runs. */
void script_trap(struct nm_machine *m, unsigned card, uint64_t pcycle);

/** A kind of card with such a core, and without a monitoring card. */
extern const struct nm_card_kind script_card;

#endif

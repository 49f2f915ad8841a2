/*
 * Machines drawn by lot: any values the rows of machine/params.def allow and the rules of
 * machine/rules.def let stand together, corner values often. The same seed gives the same machine.
 */
#ifndef LOT_H
#define LOT_H

#include "machine/params.h"

/**
 * Draws a machine, in checking mode. What tells how a run is made (run.*) is not drawn otherwise.
 * @param cards   it has no more processors
 * @param memory  [bytes] nor less memory altogether
 */
void lot_draw(uint64_t seed, uint64_t cards, uint64_t memory, struct nm_params *p);

#endif

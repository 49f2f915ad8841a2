/*
 * Machines drawn by lot: any values the rows of machine/params.def allow and the rules of
 * machine/rules.def let stand together, corner values often. The same seed gives the same machine,
 * with rows that are added later, too, unless they are among its choices.
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

/** The same as if the row `key` (NULL: none) were not there: it keeps its default.
 *  @return how many times rows were drawn again because something did not fit */
unsigned lot_draw_without(const char *key, uint64_t seed, uint64_t cards, uint64_t memory,
                          struct nm_params *p);

#endif

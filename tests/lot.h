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

/**
 * Some machines have R10000s or R12000s on some cards. Drawn are what may differ from card to card,
 * and which cards.
 * @param p       of lot_draw, of the same number; only its watchdog may grow
 * @param other   what those cards are
 * @param of      [nm_params_cards] true: such a card. There is at least one of each kind
 * @return false: all cards of this machine are alike
 */
bool lot_mix(uint64_t seed, struct nm_params *p, struct nm_params *other, bool *of);

/** The same as if the row `key` (NULL: none) were not there: it keeps its default.
 *  @return how many times rows were drawn again because something did not fit */
unsigned lot_draw_without(const char *key, uint64_t seed, uint64_t cards, uint64_t memory,
                          struct nm_params *p);

#endif

/*
 * What a debugger sees of a processor card: what it has of a line, what it does. It only reads.
 */
#ifndef PC_SEEN_H
#define PC_SEEN_H

#include "machine/machine.h"

#include <stdio.h>

/** What a card has of a line. */
struct pc_line_seen {
    const char *state;   /**< in its protocol's table; static */
    bool has;            /**< its secondary cache has a copy */
    bool asks;           /**< a request for it is outstanding, ... */
    bool sent;           /**< ... and on its way */
    const char *message; /**< as it was issued last; static */
    unsigned nacks;      /**< it has been refused so often */
    sim_tick since;      /**< [ticks] the processor has asked */
};

/** @param pa  an address in the line, of memory */
void pc_line_see(struct nm_machine *m, unsigned card, uint64_t pa, struct pc_line_seen *out);

/** What the processor does, its requests under way, and what its core has in its pipeline: without
 *  the last line's end, for people. */
void pc_card_say(struct nm_machine *m, unsigned card, FILE *out);

#endif

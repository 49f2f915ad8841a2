/*
 * The functional mode: cards that are processors only, in turns.
 */
#ifndef NM_FUNCTIONAL_H
#define NM_FUNCTIONAL_H

#include "machine/assembly.h"

enum {
    NM_QUANTUM = 1024,     /**< [PCycles] no two running processors are further apart. What the
                                operating system does to another processor is dated so far ahead */
    NM_QUANTUM_LINKED = 32 /**< [PCycles] of them, most from a turn's end to an SC: two attempts of
                              16 instructions */
};

/** Runs cards up to `until` or the earliest trap, and leaves all others at or beyond its tick. */
void nm_functional_run(struct nm_machine *m, sim_tick until);

#endif

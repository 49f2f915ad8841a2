/*
 * The modes without a timed machine: cards that are processors only, or processors with caches
 * (warm.h), in turns.
 */
#ifndef NM_FUNCTIONAL_H
#define NM_FUNCTIONAL_H

#include "machine/assembly.h"

enum {
    NM_QUANTUM = 1024,      /**< [PCycles] no two running processors are further apart. What the
                                 operating system does to another processor is dated so far ahead */
    NM_QUANTUM_LINKED = 32, /**< [PCycles] of them, most from a turn's end to an SC: two attempts of
                              16 instructions */
    NM_QUANTUM_WARM = 384 /**< [PCycles] the same of processors with caches, but for what they wait
                               for. Shorter turns cost more and bring results no nearer to those of
                               a timed machine (measured with 96 to 1,536) */
};

/** [PCycles] The quantum of the machine's present mode; timed: 0. */
sim_tick nm_functional_quantum(const struct nm_machine *m);

/** Runs cards up to `until` or the earliest trap, and leaves all others at or beyond its tick. */
void nm_functional_run(struct nm_machine *m, sim_tick until);

#endif

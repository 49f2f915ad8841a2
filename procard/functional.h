/*
 * The functional mode: cards that are processors only.
 */
#ifndef PC_FUNCTIONAL_H
#define PC_FUNCTIONAL_H

#include "procard/card.h"

/** [PCycles] No two running processors are further apart. What the operating system does to
 *  another processor is dated so far ahead. */
enum { PC_QUANTUM = 1024 };

/**
 * Runs cards up to `until` or the earliest trap, and leaves all others at or beyond its tick.
 * @return the card that trapped, its cpu.now the tick, no longer PC_TRAPPED; NULL: none before
 *         `until`
 */
struct pc_card *pc_functional_run(struct pc_card *const *card, unsigned cards, nm_tick until);

#endif

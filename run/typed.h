/*
 * What a run's blocks and stacks hold, by the names that the program has for them: who leads to a
 * block is looked up while it is there (prog_names.reach).
 *
 * A look costs the host as much as there are pointers. So it is taken when a block or a place on a
 * stack has been asked for often, before such a block is given back, when a thread ends and at the
 * end of the run, and not again before the run has simulated as much as the last one has cost. That
 * depends on simulated things alone. A place in a block that no look has found is looked for once
 * more from the instruction that asks for it: it has a variable in a register, perhaps the only
 * pointer there is.
 */
#ifndef RUN_TYPED_H
#define RUN_TYPED_H

#include "documents/rows/objects.h"
#include "run/observer.h"

struct run_typed;

/** What is there at a moment. */
struct run_typed_now {
    const struct doc_block *block; /**< [blocks] none overlap; by `from` */
    size_t blocks;
    const struct doc_block *mapping; /**< [mappings] the same; what holds no block is of these */
    size_t mappings;
    const struct doc_thread *thread; /**< [threads] that have not ended, by number */
    size_t threads;
    uint32_t stopped; /**< the thread whose registers are known; 0: none's */
    sim_tick at;
};

/** @return the caller's; NULL: the program's names do not say */
struct run_typed *run_typed_new(struct run_live *live);
void run_typed_free(struct run_typed *typed);

/** Whether a look may be taken now. */
bool run_typed_may(const struct run_typed *typed);

/** Looks where all pointers lead. */
void run_typed_look(struct run_typed *typed, const struct run_typed_now *now);

/** The same from the variables of the thread alone that has been stopped, and not far, for the
 *  blocks that are given: of little cost. */
void run_typed_near(struct run_typed *typed, const struct run_typed_now *now);

/** Whether the block, or what is at `va` in it, has a name. */
bool run_typed_knows(const struct run_typed *typed, const struct doc_block *block);
bool run_typed_knows_at(const struct run_typed *typed, const struct doc_block *block, uint64_t va);

/** Whether the block has a name that nothing better is to be hoped for. */
bool run_typed_has(const struct run_typed *typed, const struct doc_block *block);

/** A place on a stack has been asked for often. @param now  with the thread whose stack it is */
void run_typed_stack(struct run_typed *typed, const struct run_typed_now *now, uint64_t va);

/** All that has been found: `path`, `paths`, `part` and `parts`, whose sites are there. */
void run_typed_take(struct run_typed *typed, struct doc_objects *out);

#endif

/*
 * A core that does not wait for its misses (pc_core_ops.requests), for tests: a window of accesses
 * in program order, of which any may look up its line, ask for it and read, while only the oldest
 * completes. It is no processor anybody built; what it does with its card an R10000 does, too.
 *
 * Loads read as early as they can, the youngest first, and read again if their line is lost before
 * they complete. Stores ask for their line early and write when they complete.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "machine/card.h"
#include "procard/core.h"

enum window_kind {
    WINDOW_LOAD,
    WINDOW_STORE,
    WINDOW_LINKED,
    WINDOW_CONDITIONAL,
    WINDOW_FETCH,
    WINDOW_GUESS,     /**< asks for a line and wants nothing of it: a wrong path */
    WINDOW_GUESS_OWN, /**< the same, to store */
    WINDOW_SYNC,
};

/** An access of 8 bytes, or to a register of 4. */
struct window_access {
    enum window_kind kind;
    unsigned size;
    uint64_t address; /**< in pc_flat_space */
    uint64_t value;   /**< stored, by a store conditional added to what the last load linked has
                           read; or, when it is done, loaded */
    bool failed;      /**< a store conditional has */
    bool end;         /**< there is no more: the card traps when all is done */
};

struct window_source {
    /** The next access; zeroed. */
    void (*next)(void *self, struct window_access *out);
    /** One has completed, in program order. */
    void (*done)(void *self, const struct window_access *access, sim_tick now);
};

/** What the core does wrong: as if its card did not tell it of a loss, or only a while later. */
enum window_fault { WINDOW_RIGHT, WINDOW_DEAF, WINDOW_LATE };

extern const struct nm_card_kind window_kind;

/** What has happened, to see that a test has tested something. */
struct window_counts {
    uint64_t most;            /**< requests outstanding at once */
    uint64_t line, set, full; /**< times a line could not be asked for, and why */
    uint64_t read_again;      /**< loads whose line was lost before they completed */
    uint64_t evicted, shared; /**< losses of these kinds */
    uint64_t at_once;         /**< oldest accesses that were done as their line came */
    uint64_t in_vain;         /**< requests of which nothing came */
    uint64_t while_waiting;   /**< requests over while the card waited for an uncached access ... */
    uint64_t without_thread;  /**< ... or had trapped, or had no thread */
    uint64_t asked, invalidated; /**< external requests, and of these invalidations */
    uint64_t other_way;          /**< hits in the way that was not looked at first */
};

/** Starts a card's core at tick `at`. */
void window_start(struct nm_machine *m, unsigned card, const struct window_source *source,
                  void *self, enum window_fault fault, sim_tick at);
const struct window_counts *window_counts(struct nm_machine *m, unsigned card);

#endif

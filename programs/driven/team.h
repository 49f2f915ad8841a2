/*
 * A team: threads on driver cores (procard/driver/driver.h), one a card, that share an address
 * space of their own. What a thread does comes from a producer, in batches: references that the
 * producer does not wait for, and then one act whose result it needs. Kernels and patterns are
 * producers.
 *
 * A workload of this kind has a struct that begins with a struct driven_team, DRIVEN_TEAM_OPS among
 * its operations, and a `prepare` of its own that calls driven_team_prepare. Its machine is one of
 * pc_driver cards.
 */
#ifndef DRIVEN_TEAM_H
#define DRIVEN_TEAM_H

#include "procard/driver/driver.h"
#include "programs/workload.h"

#pragma GCC visibility push(default)

/** What a thread does behind the references of a batch. */
enum driven_act {
    DRIVEN_OVER,    /**< nothing more: it has ended */
    DRIVEN_MORE,    /**< the next batch */
    DRIVEN_LOAD,    /**< a load whose value is wanted */
    DRIVEN_LINKED,  /**< a load-linked, */
    DRIVEN_STORED,  /**< a store-conditional of `value` */
    DRIVEN_ADD,     /**< LL, add `value`, SC, again until it succeeds */
    DRIVEN_SWAP,    /**< LL, SC of `value`, the same */
    DRIVEN_COMPARE, /**< LL, and if the word is `expected`, SC of `value`, the same */
    DRIVEN_WAIT,    /**< looks at the word until `relation` to `value` holds */
    DRIVEN_UNTIL,   /**< the processor idles until tick `value` */
    DRIVEN_BEGIN,   /**< the region `name` begins, */
    DRIVEN_FINISH,  /**< ... or ends; the machine stands meanwhile */
};

/** Where a thread is, for people. The producer's; `file` may be NULL: not known. */
struct driven_place {
    const char *what; /**< it does there: "kn_lock" */
    const char *file;
    unsigned line;
};

/** What a producer hands over. */
struct driven_batch {
    const struct pc_packed *reference; /**< the producer's; they stay until it is asked again */
    size_t count;                      /**< of them */
    enum driven_act act;
    unsigned size;            /**< [bytes] of the word: 4 or 8; LOAD: 1 too, or 2 */
    uint64_t address;         /**< virtual */
    uint64_t value, expected; /**< operands of `size` bytes */
    enum pc_relation relation;
    const char *name; /**< of a region */
    struct driven_place place;
};

/** What came of an act. */
struct driven_result {
    uint64_t value;       /**< the word as it was found: loaded, or before it was changed */
    bool failed;          /**< STORED lost its link; COMPARE found another word */
    sim_tick began, done; /**< [ticks] of its last reference, as in struct pc_result */
};

/** A producer of a team. `self` is the workload's own struct. */
struct driven_producer {
    /**
     * The next batch of a thread, at tick `now`. Called while the machine runs, as
     * pc_driver_source.next is, and under the same rules.
     * @param result  of the last batch's act; zeroed at first
     * @param[out] out  zeroed
     */
    void (*refill)(void *self, unsigned thread, sim_tick now, const struct driven_result *result,
                   struct driven_batch *out);

    /** Whether an address is one of the program's; its page gets memory then when it is touched.
     *  NULL: all are, below 1 << PC_PACKED_BITS. */
    bool (*owns)(void *self, uint64_t va);

    /** All threads have ended: the last word of the run, by prog_finish. NULL: status 0. */
    void (*ended)(void *self);
};

struct driven_member;
struct driven_page;

/** A team. The producer may read `run`, `threads`; the rest is the team's. */
struct driven_team {
    struct prog_run *run;
    const struct driven_producer *producer;
    unsigned threads; /**< thread i is on card i */

    struct driven_member *member; /**< [threads] */
    struct driven_page *page;     /**< those that have memory */
    unsigned busy;                /**< threads that have not ended */
    sim_tick look_at;             /**< next look whether they all wait */
};

/** Takes so many threads (0: one for each card that may have one) and the machine's address space.
 *  @return false: the machine is not one of driver cards, or has too few; prog_finish was called */
bool driven_team_prepare(struct driven_team *team, struct prog_run *run,
                         const struct driven_producer *producer, unsigned threads);

/** Gives a page its memory before it is touched; of one that has it nothing changes.
 *  @param card     that would touch it first
 *  @param station  its home (nm_page_alloc_at); -1: as the machine's rule says
 *  @return false: there is none left; prog_finish was called */
bool driven_team_page(struct driven_team *team, unsigned card, uint64_t va, int station);

/** Where a virtual address lies. @return false: its page has no memory yet */
bool driven_team_at(const struct driven_team *team, uint64_t va, uint64_t *pa);

/** Virtual address of the register of a thread's card that has the PhaseID, for packed stores of 4
 *  bytes; 0: its counter unit has none, or the
 *  machine is functional at times, and no registers are there then. */
uint64_t driven_team_phase(const struct driven_team *team, unsigned thread);

/* The operations of struct prog_workload that a team has. */
void driven_team_start(void *self);
bool driven_team_runs(const void *self);
sim_tick driven_team_date(const void *self);
void driven_team_due(void *self, sim_tick now);
void driven_team_trap(void *self, const struct nm_trap *trap);
void driven_team_describe(void *self, FILE *out);

/** Gives back what the team holds. */
void driven_team_end(struct driven_team *team);

/** All of them but `start`, which a workload may have of its own. */
#define DRIVEN_TEAM_OPS                                                      \
    .cards = &pc_driver, .runs = driven_team_runs, .date = driven_team_date, \
    .due = driven_team_due, .trap = driven_team_trap, .describe = driven_team_describe

#pragma GCC visibility pop

#endif

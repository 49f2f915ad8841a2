/* What the files of this room share: the plan of each phase, the threads, and what is measured. */
#ifndef PATTERNS_PARTS_H
#define PATTERNS_PARTS_H

#include "programs/driven/team.h"
#include "programs/patterns/draws.h"
#include "programs/patterns/patterns.h"

#include <xxhash.h>

enum { PATTERNS_BATCH = 256 /**< references of a thread at once */ };

/** What a phase comes to. Sums only, so that the order in which threads add to them is no part of
 *  them. */
struct patterns_sums {
    uint64_t references; /**< made */
    uint64_t time;       /**< [PCycles] in the phase, of all threads */
    uint64_t late;       /**< [PCycles] that references began after their time */
    uint64_t wait;       /**< [PCycles] of all that waited */
    uint64_t *latency;   /**< [latencies] how many waited so many PCycles */
    size_t latencies;
};

struct patterns_plan;
struct patterns_member;

/** Address of a reference of a phase that is drawn. */
typedef uint64_t patterns_address_fn(const struct patterns_plan *plan,
                                     const struct patterns_member *m, uint64_t number,
                                     const struct patterns_draw *draw);

/** A phase on this machine. */
struct patterns_plan {
    const struct patterns_phase *phase;
    patterns_address_fn *address;
    unsigned group;       /**< threads that share a region */
    unsigned regions;     /**< of the phase, */
    uint64_t base, pitch; /**< ... the r-th of them at base + r * pitch */
    uint64_t front;  /**< [bytes] of a region in front of the data: words that are waited for */
    uint64_t line;   /**< [bytes] of a line */
    uint64_t count;  /**< words, lines, rows or steps to choose from */
    uint64_t row;    /**< [bytes] false-shared: from row to row */
    uint64_t apart;  /**< [bytes] false-shared: from thread to thread */
    unsigned places; /**< stations that references of a thread go to, */
    uint64_t part;   /**< ... and bytes of a region for each */
    unsigned shift;  /**< of the size of a reference */
    uint64_t stores; /**< [2^-32] share of them */
    bool open;       /**< open loop */
    bool draws;      /**< it needs draws at all */
    struct patterns_alias *zipf;      /**< [count] or NULL */
    struct patterns_geometric spaces; /**< between references, if drawn */
    struct patterns_sums sums;
};

/** Where a thread is between phases, and in one. */
enum patterns_step {
    PATTERNS_ARRIVES,
    PATTERNS_ARRIVED,
    PATTERNS_LEFT,
    PATTERNS_RELEASES,
    PATTERNS_ENTERS,
    PATTERNS_RUNS
};

/** How far a thread is with a lock. */
enum patterns_stage {
    PATTERNS_FREE,
    PATTERNS_LOOKS,
    PATTERNS_SWAPS,
    PATTERNS_TAKES,
    PATTERNS_WAITS
};

struct patterns_member {
    unsigned thread;
    unsigned region, rank, of; /**< in the phase: its region, and which of how many there it is */
    size_t phase;              /**< it is in, or about to enter */
    enum patterns_step step;
    bool first, last;    /**< of the threads that came to the phase's beginning */
    uint64_t done, made; /**< references: done with, and made */
    bool waited;         /**< rounds, turns: for the present one */
    enum patterns_stage stage;
    uint32_t ticket;
    bool pending;    /**< open loop: a reference is under way, */
    sim_tick issued; /**< ... since then; of a lock: the first attempt */
    sim_tick began;  /**< the phase */
    sim_tick due;    /**< open loop: the next reference */
    struct pc_packed batch[PATTERNS_BATCH + 2];
};

struct patterns_run {
    struct driven_team team;
    const struct prog_program *program;
    const struct patterns_work *work;
    struct patterns_plan *plan;     /**< [work->phases] */
    struct patterns_member *member; /**< [threads] */
    struct patterns_logs logs;
    uint64_t joins, line; /**< where threads meet, and bytes of a line */
    XXH64_state_t *hash;  /**< of the printed text */
};

/* ---- layout.c ---- */

/** Works out every phase's regions and gives their pages memory. @return false: it cannot be,
 *  prog_finish was called */
bool patterns_lay_out(struct patterns_run *p);

/** A thread's place in a phase. @return false: it has nothing to do there */
bool patterns_seat(const struct patterns_run *p, const struct patterns_plan *plan,
                   struct patterns_member *m);

/** Where the words are that threads meet by before phase j: how many have come, which may go on. */
static inline uint64_t patterns_join(const struct patterns_run *p, size_t j, unsigned word)
{
    return p->joins + (2 * j + word) * p->line;
}

static inline uint64_t patterns_region(const struct patterns_plan *plan,
                                       const struct patterns_member *m)
{
    return plan->base + m->region * plan->pitch;
}

/* ---- fill.c ---- */

/** The address function of a kind; NULL: it is not drawn. */
patterns_address_fn *patterns_address(enum patterns_kind kind);

/** Takes note of the result of the last batch. */
void patterns_settle(struct patterns_run *p, struct patterns_member *m, sim_tick now);

/** The next batch of a thread that has not done all of its references. */
void patterns_fill(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                   const struct driven_result *result, struct driven_batch *out);

/* ---- results.c ---- */

/** A reference waited so long [PCycles]; 0: it did not. */
void patterns_note(struct patterns_sums *sums, uint64_t latency);

/** Prints the table of phases. */
void patterns_print(struct patterns_run *p);

/** Rows of figures.def. */
enum {
#define COUNT(id, path, unit, value, sentence)        PATTERNS_FIGURE_##id,
#define RATIO(id, path, unit, above, below, sentence) PATTERNS_FIGURE_##id,
#include "programs/patterns/figures.def"
#undef COUNT
#undef RATIO
    PATTERNS_FIGURES
};
extern const struct prog_figure patterns_figures[PATTERNS_FIGURES];

/** Tells what each phase has come to (prog_hooks.figures). */
void patterns_tell(struct patterns_run *p);

#endif

/*
 * Which point of a sweep runs next, and what is known of what it will cost.
 *
 * The cost of a point is taken to be that of the nearest finished one (or the mean of several as
 * near), and its memory likewise. Numbers are as far apart as their logarithms to the base of 2,
 * other values as 4 doublings. Until a point has finished, a point may need all the memory that its
 * machine can have.
 */
#ifndef SWP_PLAN_H
#define SWP_PLAN_H

#include "documents/directory/digest.h"
#include "sweep/sweep.h"

enum swp_state {
    SWP_WAITING,
    SWP_RUNNING,
    SWP_ENDED, /**< its process is over, and what it has left is not looked at yet */
    SWP_DONE,
    SWP_FAILED,
    SWP_STATES
};

/** As they are called in files. */
extern const char *const swp_state_word[SWP_STATES];

/** A point on its way. */
struct swp_job {
    enum swp_state state;
    bool ours;                /**< it is of this shard */
    bool kept;                /**< done: by an earlier sweep into this directory */
    int exit_code;            /**< of the run; meaningless before it has ended */
    double seconds;           /**< [s] that it took; done only */
    double began;             /**< [s] running: when, by the caller's clock */
    uint64_t peak;            /**< [bytes] done: that it needed */
    uint64_t bound;           /**< [bytes] that it can need at most, by its machine */
    struct doc_digest inputs; /**< what it depends on ... */
    char *digest;             /**< ... as one: doc_digest_text */
    double near;      /**< how far the nearest finished point is; HUGE_VAL: there is none ... */
    unsigned as_near; /**< ... so many are as near, */
    double cost;      /**< [s] their mean time */
    double memory;    /**< [bytes] and memory */
};

struct swp_plan {
    const struct swp_sweep *sweep;
    struct swp_job *job;    /**< [sweep->points] in their order */
    struct doc_digest base; /**< what the experiment without its sweep depends on */
    bool anew;              /**< its directory has points of it, but no index that can be read */
    unsigned processes;     /**< that run at a time; at least 1 */
    uint64_t memory;        /**< [bytes] that all of them may need together */
};

/** Zero but for sweep, processes and memory is a good start; swp_plan_free releases it. */
void swp_plan_init(struct swp_plan *plan);
void swp_plan_free(struct swp_plan *plan);

/** Which of `count` shards a point is in, from 0: by its id, so that it is in the same one beside
 * any other points. */
unsigned swp_shard(const char *id, unsigned count);

/** A job is done: its seconds and peak are known. Others learn from it. */
void swp_plan_done(struct swp_plan *plan, size_t job);

/** [bytes] that a job will probably need. */
uint64_t swp_plan_memory(const struct swp_plan *plan, size_t job);

/** The job to start now: of those that wait and fit into the memory that is left, the longest; of
 *  equals the first. One always fits if nothing runs. SIZE_MAX: none, because all processes are
 *  busy, or memory is, or nothing waits. */
size_t swp_plan_next(const struct swp_plan *plan);

/** [s] until all is done, at least; negative: nothing is known yet.
 *  @param now  [s] as swp_job.began */
double swp_plan_left(const struct swp_plan *plan, double now);

/** How many of our jobs are in a state. */
size_t swp_plan_count(const struct swp_plan *plan, enum swp_state state);

#endif

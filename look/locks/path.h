/*
 * The critical path through a run, and what a lock has to do with its length.
 *
 * The path is walked back from the end of the run: where a thread had waited for another, the path
 * goes on in that one, from the moment it ended the wait; at a thread's birth it goes on in the
 * thread that made it. So its parts follow each other without a gap, and are as long as the run
 * together.
 */
#ifndef LOOK_LOCKS_PATH_H
#define LOOK_LOCKS_PATH_H

#include "documents/rows/locks.h"

/** What a part of the path is. */
enum look_lock_part {
    LOOK_PART_WORK,     /**< the thread computes, or is in the operating system */
    LOOK_PART_HOLDING,  /**< it does so, and holds what the path waits for afterwards: `site` */
    LOOK_PART_HANDOVER, /**< from its release until the waiting thread goes on, at `site` */
    LOOK_PART_SLEEP,    /**< the thread waits for a date, a signal, or no known thread, at `site` */
    DOC_PARTS
};

struct look_lock_segment {
    enum look_lock_part part;
    uint32_t thread;
    uint32_t site; /**< NONE: of work */
    sim_tick from, to;
};

/** The path's parts from the run's end to its beginning; none is empty. @return the caller's */
struct look_lock_segment *look_locks_path(const struct doc_locks *locks, size_t *count);

/**
 * How much sooner the run would end if no thread had to wait for that lock, and its calls took no
 * time: all else takes as long as it took, and happens in the order in which it did.
 * @return [ticks]
 */
uint64_t look_locks_bound(const struct doc_locks *locks, uint32_t lock);

#endif

/*
 * What is in a trace: how many records of each kind, and which lines and pages its threads touch.
 */
#ifndef TR_SUMMARY_H
#define TR_SUMMARY_H

#include "programs/traces/trace.h"

enum { TR_LINES_MAX = 1 << 25 /**< lines whose threads are kept apart; further ones are not */ };

/** Of one thread. */
struct tr_thread_summary {
    uint64_t references, instructions; /**< without the system's PCycles */
};

struct tr_summary {
    uint64_t records[TR_OP__COUNT];
    uint64_t references, instructions; /**< of all threads */
    uint64_t bytes;                    /**< referred to, fetches aside */
    struct tr_thread_summary *thread;  /**< [threads] */
    uint32_t threads;
    uint64_t lines, pages;            /**< touched */
    uint64_t shared, written, handed; /**< lines touched by two threads or more; lines written;
                                           lines that are both */
    bool full;                        /**< there are more lines than TR_LINES_MAX */
    struct tr_touched *touched;       /**< its own */
    size_t places, used;
    uint64_t page_bytes, line_bytes;
};

/** @param line  [bytes] of a line: a power of two
 *  @param page  [bytes] of a page: likewise */
void tr_summary_begin(struct tr_summary *summary, uint64_t line, uint64_t page);
void tr_summary_add(struct tr_summary *summary, const struct tr_batch *batch);

/** Lines and pages are counted now. */
void tr_summary_end(struct tr_summary *summary);
void tr_summary_free(struct tr_summary *summary);

#endif

/*
 * Locks as somebody looks at them: sums by lock, with names, in an order; and written.
 */
#ifndef REP_LOCKS_VIEW_H
#define REP_LOCKS_VIEW_H

#include "report/locks_path.h"
#include "report/object_at.h"

/** A lock, summed up. */
struct rep_lock_row {
    uint32_t lock; /**< index */
    uint64_t v[REP_LOCK_COLUMNS];
    unsigned waiters; /**< threads that waited for it */
    double fairness;  /**< Jain's index of their waiting times: 1 all the same, 1/n one has all of
                         it;  0: nobody waited */
    uint32_t holder, waiter; /**< sites that made others wait most, and waited most; NONE: none */
    uint64_t path;           /**< [ticks] of the critical path that it was held, or handed over */
    uint64_t bound;          /**< [ticks] rep_locks_bound; 0 of a lock that nobody waited for */
};

/** When a lock was waited for. */
struct rep_lock_use {
    sim_tick from, to;
};

/** Zero plus the first part is a good start; then rep_locks_view_open. */
struct rep_locks_view {
    const struct rep_locks *locks;
    struct rep_code *code;
    struct rep_finder *finder; /**< what lay at a lock's address then */
    unsigned sort;             /**< enum rep_lock_column */

    /* of rep_locks_view_open */
    struct rep_lock_use *use; /**< [locks] */
    struct rep_lock_row *row; /**< [rows] by the column, the greatest first */
    size_t rows;
    uint64_t whole[REP_LOCK_COLUMNS]; /**< of all rows */
    struct rep_lock_segment *segment; /**< [segments] the critical path, backwards */
    size_t segments;
};

/** Only locks of that name or address, if it is not NULL.
 *  @return false with one sentence in `why`: there is none; rep_locks_view_close is due anyway */
bool rep_locks_view_open(struct rep_locks_view *view, const char *lock, char *why, size_t size);
void rep_locks_view_close(struct rep_locks_view *view);

/** The name of a lock for people: of the variable, member, or block of the heap that it is, or its
 *  address. */
void rep_lock_label(const struct rep_locks_view *view, uint32_t lock, FILE *out);

/** A place for people: its function and line, or its address. */
void rep_lock_place(const struct rep_locks_view *view, uint64_t pc, FILE *out);

/** [PCycles] What 99 % of its holds, or of its hand-overs, did not exceed. */
uint64_t rep_lock_held_most(const struct rep_locks_view *view, const struct rep_lock_row *row);
uint64_t rep_lock_handover_most(const struct rep_locks_view *view, const struct rep_lock_row *row);

/** Finds a column by its name in results. @return false: there is none */
bool rep_lock_column_find(const char *name, unsigned *column);

/** Writes an open view. Errors stay with the stream (ferror). */
typedef void rep_locks_fn(const struct rep_locks_view *view, FILE *out);

#define FORMAT(name, write, sentence) rep_locks_fn write;
#include "report/lock_formats.def"
#undef FORMAT

enum rep_locks_as {
#define FORMAT(name, write, sentence) REP_LOCKS_AS_##name,
#include "report/lock_formats.def"
#undef FORMAT
    REP_LOCKS_AS__COUNT
};

/** A row of lock_formats.def. Strings are static. */
struct rep_locks_format {
    const char *name;
    rep_locks_fn *write;
    const char *sentence;
};
extern const struct rep_locks_format rep_locks_formats[REP_LOCKS_AS__COUNT];

#endif

/*
 * A view of locks: sums by lock, with names, in an order; and written.
 */
#ifndef LOOK_LOCKS_VIEW_H
#define LOOK_LOCKS_VIEW_H

#include "documents/rows/locks.h"
#include "look/locks/path.h"
#include "look/object_at.h"

/** A lock, summed up. */
struct look_lock_row {
    uint32_t lock; /**< index */
    uint64_t v[DOC_LOCK_COLUMNS];
    unsigned waiters; /**< threads that waited for it */
    double fairness;  /**< Jain's index of their waiting times: 1 all the same, 1/n one has all of
                         it;  0: none waited */
    uint32_t holder, waiter; /**< sites that made others wait most, and waited most; NONE: none */
    uint64_t path;           /**< [ticks] of the critical path that it was held, or handed over */
    uint64_t bound;          /**< [ticks] look_locks_bound, */
    bool bound_known;        /**< which is not worked out for locks whose calls took little time */
};

/** What rows can be sorted by: first the columns, enum doc_lock_column. */
enum look_lock_figure {
    LOOK_LOCK_HELD_P99 = DOC_LOCK_COLUMNS, /**< [PCycles] 99 % of its holds did not exceed that, */
    LOOK_LOCK_HANDOVER_P99,                /**< ... of its hand-overs */
    LOOK_LOCK_WAITERS,
    LOOK_LOCK_FAIRNESS,
    LOOK_LOCK_PATH,
    LOOK_LOCK_BOUND,
    LOOK_LOCK_FIGURES
};

/** A lock is dear if threads waited one part in so many of their time for it, and the run would end
 *  as much of its time sooner without it. */
enum { LOOK_LOCK_DEAR = 20 };

/** When a lock was waited for. */
struct look_lock_use {
    sim_tick from, to;
};

/** Zero plus the first part is a good start; then look_locks_view_open. */
struct look_locks_view {
    const struct doc_locks *locks;
    struct look_code *code;
    struct look_finder *finder; /**< what lay at a lock's address then */
    unsigned sort;              /**< enum doc_lock_column or look_lock_figure */

    /* of look_locks_view_open */
    struct look_lock_use *use; /**< [locks] */
    struct look_lock_row *row; /**< [rows] by the figure, the greatest first */
    size_t rows;
    uint64_t whole[DOC_LOCK_COLUMNS];  /**< of all locks, whichever are shown */
    struct look_lock_segment *segment; /**< [segments] the critical path, backwards */
    size_t segments;
};

/** Only locks of that name or address, if it is not NULL.
 *  @return false with one sentence in `why`: there is none; look_locks_view_close is due anyway */
bool look_locks_view_open(struct look_locks_view *view, const char *lock, char *why, size_t size);
void look_locks_view_close(struct look_locks_view *view);

/** The name of a lock for people: of the variable, member, or block of the heap that it is, or its
 *  address. */
void look_lock_label(const struct look_locks_view *view, uint32_t lock, FILE *out);
/** The same; the caller's. */
char *look_lock_label_text(const struct look_locks_view *view, uint32_t lock);

/** A place for people, said once: its function and line, or its address. */
void look_lock_place_put(const struct look_locks_view *view, uint64_t pc, FILE *out);

/** What of a column is at a place. */
struct look_lock_place {
    uint64_t pc, n;
};

/** Where a lock has something of a column, whichever thread was there: most first.
 *  @param[out] count  how many @return the caller's */
struct look_lock_place *look_lock_places(const struct look_locks_view *view, uint32_t lock,
                                         unsigned column, size_t *count);

/** The dear lock that was waited for longest of those behind `before`; NULL: no more. Waiting for a
 *  thread's end, a condition, a semaphore, an initialisation or a date is how programs are written.
 */
const struct look_lock_row *look_lock_dear(const struct look_locks_view *view,
                                           const struct look_lock_row *before);

/** [PCycles] that all threads were there. */
uint64_t look_locks_time(const struct doc_locks *locks);

/** A figure of a row. */
double look_lock_figure_of(const struct look_locks_view *view, const struct look_lock_row *row,
                           unsigned figure);

/** Whether there is one: what was never held has no times of holding. */
bool look_lock_figure_known(const struct look_lock_row *row, unsigned figure);

/** Its name in results. @return buf */
const char *look_lock_figure_name(unsigned figure, char buf[DOC_COLUMN_NAME]);

/** Finds a figure by that. @return false: there is none */
bool look_lock_figure_find(const char *name, unsigned *figure);

/** Writes an open view: tables for people, an object with lists of locks, of places and of the
 *  path's parts, a line for each lock. Errors stay with the stream (ferror). */
typedef void look_locks_fn(const struct look_locks_view *view, FILE *out);
look_locks_fn look_locks_text, look_locks_json, look_locks_csv;

/** Strings are static. */
enum { LOOK_LOCKS_FORMATS = 3 };
extern const struct look_locks_format {
    const char *name;
    look_locks_fn *write;
} look_locks_formats[LOOK_LOCKS_FORMATS];

#endif

/*
 * Locks as somebody looks at them: sums by lock, with names, in an order; and written.
 */
#ifndef REP_LOCKS_VIEW_H
#define REP_LOCKS_VIEW_H

#include "report/locks_names.h"
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
    uint64_t bound;          /**< [ticks] rep_locks_bound, */
    bool bound_known;        /**< which is not worked out for locks whose calls took little time */
};

/** What rows can be sorted by: first the columns, enum rep_lock_column. */
enum rep_lock_figure {
    REP_LOCK_HELD_P99 = REP_LOCK_COLUMNS, /**< [PCycles] 99 % of its holds did not exceed that, */
    REP_LOCK_HANDOVER_P99,                /**< ... of its hand-overs */
    REP_LOCK_WAITERS,
    REP_LOCK_FAIRNESS,
    REP_LOCK_PATH,
    REP_LOCK_BOUND,
    REP_LOCK_FIGURES
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
    unsigned sort; /**< enum rep_lock_column or rep_lock_figure */ /**< enum rep_lock_column */

    /* of rep_locks_view_open */
    struct rep_lock_use *use; /**< [locks] */
    struct rep_lock_row *row; /**< [rows] by the figure, the greatest first */
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

/** A figure of a row. */
double rep_lock_figure(const struct rep_locks_view *view, const struct rep_lock_row *row,
                       unsigned figure);

/** Whether there is one: what was never held has no times of holding. */
bool rep_lock_figure_known(const struct rep_lock_row *row, unsigned figure);

/** Its name in results. @return buf */
const char *rep_lock_figure_name(unsigned figure, char buf[REP_LOCK_NAME]);

/** Finds a figure by that. @return false: there is none */
bool rep_lock_figure_find(const char *name, unsigned *figure);

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

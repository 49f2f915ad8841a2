/*
 * A profile as somebody looks at it: the rows of a region and a thread, with names, summed up by
 * something. Writers (profile_write.h) stand on this.
 *
 * Paths of the profile are by addresses of calls. Here those with the same functions are one stack.
 */
#ifndef REP_PROFILE_VIEW_H
#define REP_PROFILE_VIEW_H

#include "report/profile.h"
#include "report/profile_code.h"
#include "report/profile_cost.h"
#include "report/source.h"

/** Stands for the instruction of PCycles that a change of phase cut through. */
#define REP_BORDER       "(" REP_BORDER_WORDS ")"
#define REP_BORDER_WORDS "at a region's border"

/** For what was spent while no region was open that the program marked. */
#define REP_NO_REGION "(in no region)"

/** For the function of a card that has had no thread. */
#define REP_NO_THREAD "(no thread yet)"

/** By what rows are summed up. */
enum rep_by {
#define BY(name, key, call, label, sentence) REP_BY_##name,
#include "report/profile_by.def"
#undef BY
    REP_BY__COUNT
};

/** A row of profile_by.def. Strings are static. */
struct rep_by_row {
    const char *name, *sentence;
};
extern const struct rep_by_row rep_by_rows[REP_BY__COUNT];

/** A function that is on a path. */
struct rep_function {
    char *name;        /**< an address if it has none. The view's */
    uint64_t from, to; /**< virtual; to 0: not known */
    const char *file;  /**< NULL: not known */
    unsigned line;     /**< of its first instruction; 0: not known */
};

/** A list of functions that called each other. */
struct rep_stack {
    uint32_t parent; /**< a stack before it; its own number: there is none */
    uint32_t function;
};

/** Zero plus the first part is a good start; then rep_view_open. */
struct rep_view {
    const struct rep_profile *profile;
    struct rep_code *code;
    struct rep_measure measure;
    uint32_t region; /**< 0: the whole run */
    int64_t thread;  /**< -1: all */

    /* of rep_view_open */
    struct rep_cost whole;         /**< of all rows that are looked at */
    size_t threads;                /**< that have such rows; not counting 0 */
    struct rep_function *function; /**< [functions] */
    size_t functions;
    uint32_t *called;        /**< [paths] its last function */
    struct rep_stack *stack; /**< [stacks] */
    size_t stacks;
    uint32_t *stacked;          /**< [paths] its stack */
    struct rep_sources sources; /**< what of them was shown */

    /* its own */
    bool *open; /**< [phases] whether the region is */
    struct rep_text *texts;
    const char **text; /**< [count] names of lines, by number */
    size_t text_count;
};

void rep_view_open(struct rep_view *view);
void rep_view_close(struct rep_view *view);

/** Whether a row is of the region and the thread. */
bool rep_view_has(const struct rep_view *view, const struct pc_profile_row *row);

/** Sums up all rows; the caller's, to be given to rep_sums_free. */
struct rep_sums rep_view_sum(struct rep_view *view, enum rep_by by);

/** What each path cost with all that was called from it: [paths], the caller's. */
struct rep_cost *rep_view_inclusive(const struct rep_view *view);

/** Writes the name of a key of rep_view_sum. */
void rep_view_label(struct rep_view *view, enum rep_by by, struct rep_key key, FILE *out);

/** The source text of a key of REP_BY_line; NULL: it is not known. */
const char *rep_view_source(struct rep_view *view, struct rep_key key);

/** Writes the functions of a stack from the first to the last, with `between` between them. */
void rep_view_stack(const struct rep_view *view, uint32_t stack, char between, FILE *out);

#endif

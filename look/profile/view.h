/*
 * A view of a profile: the rows of a region and a thread, with names, summed up by a key. Writers
 * (look/profile/write.h) stand on this.
 *
 * Paths of the profile are by addresses of calls. Here those with the same functions are one stack.
 */
#ifndef LOOK_PROFILE_VIEW_H
#define LOOK_PROFILE_VIEW_H

#include "documents/rows/profile.h"
#include "look/code.h"
#include "look/cost.h"
#include "look/source.h"

/** Stands for the instruction of PCycles that a change of phase cut through. */
#define LOOK_BORDER       "(" LOOK_BORDER_WORDS ")"
#define LOOK_BORDER_WORDS "at a region's border"

/** For what was spent while no region was open that the program marked. */
#define LOOK_NO_REGION "(in no region)"

/** For the function of a card that has had no thread. */
#define LOOK_NO_THREAD "(no thread yet)"

/** By what rows are summed up. */
enum look_by {
#define BY(name, key, call, label, sentence) LOOK_BY_##name,
#include "look/profile/by.def"
#undef BY
    LOOK_BY__COUNT
};

/** A row of look/profile/by.def. Strings are static. */
struct look_by_row {
    const char *name, *sentence;
};
extern const struct look_by_row look_by_rows[LOOK_BY__COUNT];

/** A function that is on a path. */
struct look_function {
    char *name;        /**< an address if it has none. The view's */
    uint64_t from, to; /**< virtual; to 0: not known */
    const char *file;  /**< NULL: not known */
    unsigned line;     /**< of its first instruction; 0: not known */
};

/** A list of functions that called each other. */
struct look_stack {
    uint32_t parent; /**< a stack before it; its own number: there is none */
    uint32_t function;
};

/** Zero plus the first part is a good start; then look_view_open. */
struct look_view {
    const struct doc_profile *profile;
    struct look_code *code;
    struct look_measure measure;
    uint32_t region; /**< 0: the whole run */
    int64_t thread;  /**< -1: all */

    /* of look_view_open */
    struct look_cost whole;         /**< of all rows that are looked at */
    size_t threads;                 /**< that have such rows; not counting 0 */
    struct look_function *function; /**< [functions] */
    size_t functions;
    uint32_t *called;         /**< [paths] its last function */
    struct look_stack *stack; /**< [stacks] */
    size_t stacks;
    uint32_t *stacked;           /**< [paths] its stack */
    struct look_sources sources; /**< what of them was shown */

    /* its own */
    bool *open; /**< [phases] whether the region is */
    struct look_text *texts;
    const char **text; /**< [count] names of lines, by number */
    size_t text_count;
};

void look_view_open(struct look_view *view);
void look_view_close(struct look_view *view);

/** Whether a row is of the region and the thread. */
bool look_view_has(const struct look_view *view, const struct pc_profile_row *row);

/** Sums up all rows; the caller's, to be given to look_sums_free. */
struct look_sums look_view_sum(struct look_view *view, enum look_by by);

/** What each path cost with all that was called from it: [paths], the caller's. */
struct look_cost *look_view_inclusive(const struct look_view *view);

/** The name of a key of look_view_sum; the caller's. */
char *look_view_label(struct look_view *view, enum look_by by, struct look_key key);

/** The source text of a key of LOOK_BY_line; NULL: it is not known. */
const char *look_view_source(struct look_view *view, struct look_key key);

/** Writes the functions of a stack from the first to the last, with `between` between them. */
void look_view_stack(const struct look_view *view, uint32_t stack, char between, FILE *out);

#endif

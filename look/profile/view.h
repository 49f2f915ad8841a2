/*
 * A view of a profile: the rows of a region and a thread, with names, summed up by a key. Writers
 * (look/profile/write.h) stand on this.
 *
 * Paths of the profile are by addresses of calls, and of functions that have code. Here what was
 * inlined is a call, too: calls are a tree of nodes, in which a path and a row have their places.
 * Those with the same functions are one stack.
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

/** A call under way: of a path of the profile, or one that was inlined. */
struct look_node {
    uint32_t parent; /**< the call that it was made in; its own number: none */
    uint32_t function;
    uint32_t stack;
    uint32_t own; /**< the function that what is spent here counts for: not one that was inlined
                     from a file of the system, but its caller */
    uint64_t at;  /**< address of the call; of one that was inlined, of its first instruction;
                       PC_PROFILE_NOWHERE: not called */
    const struct look_chain *site; /**< where the call is: a frame of it; NULL: not called */
    unsigned frame;
    bool inlined;
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
    size_t functions, function_room;
    struct look_node *node; /**< [nodes] a parent stands in front */
    size_t nodes, node_room;
    uint32_t *path_node;      /**< [paths] its last call that was not inlined */
    uint32_t *row_node;       /**< [rows] the innermost call */
    uint32_t *called;         /**< [paths] its last function that has code */
    struct look_stack *stack; /**< [stacks] */
    size_t stacks, stack_room;
    struct look_sources sources; /**< what of them was shown */

    /* its own */
    bool *open;               /**< [phases] whether the region is */
    struct look_names *names; /**< of functions, by number */
    struct look_text *texts;
    struct look_text **text; /**< [text_count] lines, by number */
    size_t text_count;
};

void look_view_open(struct look_view *view);
void look_view_close(struct look_view *view);

/** Whether a row is of the region and the thread. */
bool look_view_has(const struct look_view *view, const struct pc_profile_row *row);

/** Sums up all rows; the caller's, to be given to look_sums_free. */
struct look_sums look_view_sum(struct look_view *view, enum look_by by);

/** Finds functions, calls and stacks; of look_view_open. */
void look_view_find(struct look_view *view);
void look_view_forget(struct look_view *view);

/** The number of a frame's function, of one that was inlined. @return false: none of the view's */
bool look_view_function(const struct look_view *view, const struct prog_frame *frame,
                        uint32_t *function);

/** What each call cost with all that was called from it: [nodes], the caller's. */
struct look_cost *look_view_inclusive(const struct look_view *view);

/** The name of a key of look_view_sum; the caller's. */
char *look_view_label(struct look_view *view, enum look_by by, struct look_key key);

/** Of a key of LOOK_BY_line the calls that were inlined there, as a chain; NULL: none. The view's.
 */
const char *look_view_inlined(struct look_view *view, struct look_key key);

/** The source text of a key of LOOK_BY_line; NULL: it is not known. */
const char *look_view_source(struct look_view *view, struct look_key key);

/** Writes the functions of a stack from the first to the last, with `between` between them. */
void look_view_stack(const struct look_view *view, uint32_t stack, char between, FILE *out);

#endif

/*
 * What would mend a program: other layouts of what its threads share and lock, and other homes of
 * its pages, each tried by a run, alone and together, until a budget of runs is used up.
 *
 * Nothing is concluded from shares of time. A layout that was not run is not recommended, and one
 * that did not gain is not either.
 */
#ifndef LOOK_MEND_MEND_H
#define LOOK_MEND_MEND_H

#include "look/locks/view.h"
#include "look/placement/pages.h"
#include "look/sharing/what_if.h"

enum {
    LOOK_MEND_OBJECTS = 8,     /**< that are laid out otherwise, at most */
    LOOK_MEND_CANDIDATES = 32, /**< bits of a look_mend_set */
    LOOK_MEND_NAMES = LOOK_MEND_OBJECTS + 1,
    LOOK_MEND_PAGES = 31, /**< the bit that stands for pages among those of objects */
    LOOK_MEND_RULE = -1,  /**< memory.placement as it is */
};

/** A change. */
struct look_mend_candidate {
    char *names[LOOK_MEND_NAMES]; /**< of the objects that are laid out otherwise; NULL after the
                                       last; none: pages move */
    enum look_unit unit;
    unsigned objects; /**< bits: those of struct look_mend that it is about, or LOOK_MEND_PAGES;
                           no other may change one of them as well */
    struct look_layout layout;
    struct nm_range *range; /**< [ranges] of pages that move */
    size_t ranges;
    int rule;   /**< memory.placement that pages in no range go by, or LOOK_MEND_RULE */
    char *what; /**< "each element of tallies" */
};

/** Candidates that are tried together: bits by their numbers. */
typedef uint32_t look_mend_set;

/** What a run came to. */
struct look_mend_result {
    bool compares;         /**< to the end that the program had come to before */
    bool same_output;      /**< or it is not known */
    uint64_t ticks;        /**< [ticks] that it took */
    uint64_t instructions; /**< of all processors */
};

/** A run. */
struct look_mend_trial {
    look_mend_set set;
    struct look_mend_result result;
};

struct look_mend;

/** Runs the program once with each set, `count` of them, in any order.
 *  @param[out] result  [count] zeroed; one that stays so did not compare
 *  @return false: nothing can be run, or somebody has asked to stop */
typedef bool look_mend_run_fn(void *ctx, const struct look_mend *mend, const look_mend_set *set,
                              size_t count, struct look_mend_result *result);

/** Made by look_mend_new, filled by look_mend_search. */
struct look_mend {
    const struct look_sharing *sharing;
    const struct look_locks_view *locks;
    const struct look_pages *pages;
    uint64_t before;                       /**< [ticks] of the program as it is */
    uint64_t instructions;                 /**< of that; 0: not known */
    const char *object[LOOK_MEND_OBJECTS]; /**< [objects] names, the sharing's or its own */
    size_t objects;
    struct look_mend_candidate candidate[LOOK_MEND_CANDIDATES];
    size_t candidates;
    unsigned runs;                 /**< at most */
    struct look_mend_trial *trial; /**< [trials] in the order of trying */
    size_t trials;
    /** The best one; and the best that leaves pages where they are, which is the source's alone.
     *  NULL: none has gained */
    const struct look_mend_trial *best, *best_layout;
};

/**
 * Finds the candidates.
 * @param sharing  outlives it, as all the others do
 * @param locks  of all locks
 * @param pages  NULL: none can move
 * @return the caller's
 */
struct look_mend *look_mend_new(const struct look_sharing *sharing,
                                const struct look_locks_view *locks, const struct look_pages *pages,
                                const struct doc_objects *objects);
void look_mend_free(struct look_mend *mend);

/** Tries them. @param runs  at most @return false: as `run` */
bool look_mend_search(struct look_mend *mend, unsigned runs, look_mend_run_fn *run, void *ctx);

/** What bytes a set keeps apart. @param layout  the caller's, zeroed before */
void look_mend_layout(const struct look_mend *mend, look_mend_set set, struct look_layout *layout);

/** Whether a candidate moves pages. */
bool look_mend_moves(const struct look_mend_candidate *candidate);

/** The one of a set that moves pages; NULL: none does. */
const struct look_mend_candidate *look_mend_mover(const struct look_mend *mend, look_mend_set set);

/** [%] fewer PCycles than the program as it is. */
double look_mend_gain(const struct look_mend *mend, const struct look_mend_trial *trial);

/** Whether it executed clearly more or fewer instructions than the program as it is, which neither
 *  spinning nor a change of its time explains: if it did other work, its time is no measure. */
bool look_mend_differs(const struct look_mend *mend, const struct look_mend_trial *trial);

/** The run of a set; NULL: there was none. */
const struct look_mend_trial *look_mend_tried(const struct look_mend *mend, look_mend_set set);

/** What to write in the source for a set: lines, each ended. @return the caller's */
char *look_mend_source(const struct look_mend *mend, look_mend_set set);

/** Writes it as DOC_MEND has it. */
void look_mend_json(const struct look_mend *mend, FILE *out);

/** How it can be written. Strings are static. */
extern const struct look_mend_format {
    const char *name;
    void (*write)(const struct look_mend *mend, FILE *out);
} look_mend_formats[3];

#endif

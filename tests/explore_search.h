/*
 * Exhaustive breadth-first search over the worlds of a configuration. Worlds are told apart by a
 * 128-bit hash of their packed bytes; the first world found wrong has the shortest trace.
 */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "tests/explore_model.h"

enum ex_verdict {
    EX_CLEAN,
    EX_WRONG,     /**< a step or world violates a property */
    EX_DEADLOCK,  /**< somebody waits and nothing can happen but new accesses */
    EX_LIVELOCK,  /**< from some world no quiet one can be reached without new accesses */
    EX_UNFINISHED /**< more worlds than allowed */
};

struct ex_result {
    enum ex_verdict verdict;
    const char *what; /**< EX_WRONG: the property */
    uint32_t worlds, depth;
    uint64_t steps;
    double seconds; /**< [s] host time, for people only */
    uint32_t trace; /**< steps of the shortest trace */
};

/**
 * Searches all worlds, `limit` at most. Used cells are added to `cells` unless NULL. On a violation
 * the trace is printed to `out` unless NULL.
 */
struct ex_result ex_search(const struct ex_config *machine, uint32_t limit, ex_cells cells,
                           FILE *out);

const char *ex_verdict_name(enum ex_verdict v);

#endif

/*
 * What an experiment expects of its results: the rows of expect.stats. run/expect.h judges them.
 */
#ifndef IN_EXPECT_H
#define IN_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Rows of bounds.def. */
enum in_bound {
#define BOUND(name, operator, words) IN_BOUND_##name,
#include "input/bounds.def"
#undef BOUND
    IN_BOUND__COUNT
};
/** The key of each: "at_most". */
extern const char *const in_bound_name[IN_BOUND__COUNT];

/** A statistic of a region. */
struct in_measured {
    char *region; /**< NULL: the whole run */
    char *stat;   /**< its path in stats.json: "machine.truth.loads" */
};

/** One expectation. All of it is its own. */
struct in_expect {
    char *where; /**< it is written: "file.yaml:12:7" */
    struct in_measured stat[2];
    bool ratio;     /**< of the first to the second; else of the first alone */
    char *point[2]; /**< at these points of a sweep, each by what it sets: "program.processors=1;
                         protocol=flat"; NULL: of the run itself */
    char *bound[IN_BOUND__COUNT];        /**< as written; NULL: none of the kind */
    long double number[IN_BOUND__COUNT]; /**< the same; exact for whole numbers of 64 bits */
};

/** Whether a value keeps all bounds. */
bool in_expect_holds(const struct in_expect *expect, long double value);

/** Writes what it is about: "machine.elapsed of region work". */
void in_expect_subject(const struct in_expect *expect, FILE *out);
/** Writes its bounds: "at least 1 and at most 2". */
void in_expect_bounds(const struct in_expect *expect, FILE *out);

void in_measured_free(struct in_measured *stat, size_t count);
/** Frees `count` and what they own. */
void in_expect_free(struct in_expect *expect, size_t count);

#endif

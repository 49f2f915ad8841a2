/*
 * Many runs side by side: a column for each run, a row for each statistic that is asked for.
 */
#ifndef LOOK_COMPARE_COMPARE_H
#define LOOK_COMPARE_COMPARE_H

#include "documents/statistics/finished.h"

#include <stdio.h>

/** A statistic. Strings are its own. */
struct look_compared {
    char *component, *stat;
    char *unit;
};

struct look_comparison {
    const struct doc_finished *run; /**< [runs] */
    size_t runs;
    char *const *name; /**< [runs] of their columns, for people */
    const char *region;
    struct look_compared *row; /**< [rows] as the first run that has them has them */
    size_t rows;
};

/**
 * Chooses the rows.
 * @param patterns  NULL-terminated, as of a shell, for paths of stats.json; NULL: those of
 *                  compare.def
 * @pre run, runs, name and region are set, the rest is zero
 * @return false with one line in `why`: no run has such a region, or a pattern fits nothing;
 *         look_compare_free is due in any case
 */
bool look_compare_make(struct look_comparison *c, char *const *patterns, char *why, size_t size);
void look_compare_free(struct look_comparison *c);

/** The value of a row in a run. */
struct doc_value look_compared_value(const struct look_comparison *c, size_t row, size_t run);

/** How it can be written: text for people, csv with a row for each statistic, all as one object in
 *  json. Strings are static. */
extern const struct look_compare_format {
    const char *name;
    void (*write)(const struct look_comparison *c, FILE *out);
} look_compare_formats[3];

#endif

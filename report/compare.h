/*
 * Many runs side by side: a column for each run, a row for each statistic that is asked for.
 */
#ifndef REP_COMPARE_H
#define REP_COMPARE_H

#include "report/results.h"

#include <stdio.h>

/** A statistic. Strings are its own. */
struct rep_compared {
    char *component, *stat;
    char *unit;
};

struct rep_comparison {
    const struct rep_results *run; /**< [runs] */
    size_t runs;
    char *const *name; /**< [runs] of their columns, for people */
    const char *region;
    struct rep_compared *row; /**< [rows] as the first run that has them has them */
    size_t rows;
};

/**
 * Chooses the rows.
 * @param patterns  NULL-terminated, as of a shell, for paths of stats.json; NULL: those of
 *                  compare.def
 * @pre run, runs, name and region are set, the rest is zero
 * @return false with one line in `why`: no run has such a region, or a pattern fits nothing;
 *         rep_compare_free is due in any case
 */
bool rep_compare_make(struct rep_comparison *c, char *const *patterns, char *why, size_t size);
void rep_compare_free(struct rep_comparison *c);

/** The value of a row in a run. */
struct rep_value rep_compared_value(const struct rep_comparison *c, size_t row, size_t run);

/** A way to write it. Strings are static. */
struct rep_compare_format {
    const char *name;
    void (*write)(const struct rep_comparison *c, FILE *out);
    const char *sentence;
};
#define FORMAT(name, write, sentence) void write(const struct rep_comparison *c, FILE *out);
#include "report/compare_formats.def"
#undef FORMAT
enum rep_compare_as {
#define FORMAT(name, write, sentence) REP_COMPARE_AS_##name,
#include "report/compare_formats.def"
#undef FORMAT
    REP_COMPARE_AS__COUNT
};
extern const struct rep_compare_format rep_compare_formats[REP_COMPARE_AS__COUNT];

#endif

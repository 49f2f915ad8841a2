/*
 * Two runs held against each other: what was asked for otherwise, and what came out otherwise.
 *
 * Statistics are sorted by how much they say: the relative change, |B - A| / the greater of both,
 * and of a count n times n / (n + 100), n being the greater. So 1 that became 2 does not come
 * before a million that became a million and a half. PCycles of functions and objects, which add
 * up, are sorted by |B - A|.
 */
#ifndef REP_DIFF_H
#define REP_DIFF_H

#include "report/profile_view.h"
#include "report/results.h"
#include "report/sharing.h"

/** A key of the configuration; value NULL: that run has none of it. Strings are the change's. */
struct rep_setting {
    char *key;
    char *value[2], *origin[2];
};

/** Something that has another value. Strings are its own. */
struct rep_change {
    char *region; /**< NULL: of a function or an object, in the whole run */
    char *name;   /**< "machine.truth.loads" */
    char *unit;
    struct rep_value value[2];
    bool apart;    /**< they are not of the same part of the runs: no difference, no percentage */
    double weight; /**< by which they are sorted */
};

struct rep_changes {
    struct rep_change *change; /**< [count] those that say most first */
    size_t count;
    size_t small; /**< other changes, below the threshold */
    size_t parts; /**< or of the machine's parts, which were not wanted */
    size_t apart; /**< values that are not of the same part of the runs */
};

/** What changes can be of; rows of diff_parts.def. */
enum rep_diff_part {
#define PART(name, sentence) REP_DIFF_##name,
#include "report/diff_parts.def"
#undef PART
    REP_DIFF__COUNT
};
/** Strings are static. */
struct rep_diff_part_row {
    const char *name, *sentence;
};
extern const struct rep_diff_part_row rep_diff_parts[REP_DIFF__COUNT];

struct rep_diff {
    const struct rep_results *of[2];
    bool all;                    /**< every part of the machine, too, and no end of rows */
    double threshold;            /**< [%] relative changes below this are only counted */
    bool same;                   /**< the result hashes are equal */
    struct rep_setting *setting; /**< [settings] */
    size_t settings;
    struct rep_changes part[REP_DIFF__COUNT];
    char **only[2]; /**< NULL-terminated regions that only this run has; NULL: none */
};

/** Compares configurations and statistics. @pre of, all and threshold are set, the rest is zero;
 *  rep_diff_free releases it */
void rep_diff_make(struct rep_diff *diff);
/** Compares configurations only. */
void rep_diff_make_head(struct rep_diff *diff);
/** The same of two profiles by function. */
void rep_diff_functions(struct rep_diff *diff, struct rep_view *const view[2]);
/** And of what objects lost by being shared. */
void rep_diff_objects(struct rep_diff *diff, const struct rep_sharing *const sharing[2]);
void rep_diff_free(struct rep_diff *diff);

/** [%] By how much a value is more than it was. @return false: there is no such number */
bool rep_change_percent(const struct rep_change *change, double *percent);

/** Writes for people which runs they are, and what they were asked for otherwise. */
void rep_diff_head(const struct rep_diff *diff, FILE *out);

/** A way to write it. Strings are static. */
struct rep_diff_format {
    const char *name;
    void (*write)(const struct rep_diff *diff, FILE *out);
    const char *sentence;
};
#define FORMAT(name, write, sentence) void write(const struct rep_diff *diff, FILE *out);
#include "report/diff_formats.def"
#undef FORMAT
enum rep_diff_as {
#define FORMAT(name, write, sentence) REP_DIFF_AS_##name,
#include "report/diff_formats.def"
#undef FORMAT
    REP_DIFF_AS__COUNT
};
extern const struct rep_diff_format rep_diff_formats[REP_DIFF_AS__COUNT];

#endif

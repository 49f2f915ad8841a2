/*
 * Two runs held against each other: what was asked for otherwise, and what came out otherwise.
 *
 * Statistics are sorted by how much they say: the relative change, |B - A| / the greater of both,
 * and of a count n times n / (n + 100), n being the greater. So 1 that became 2 does not come
 * before a million that became a million and a half. PCycles of functions and objects, which add
 * up, are sorted by |B - A|.
 */
#ifndef LOOK_COMPARE_DIFF_H
#define LOOK_COMPARE_DIFF_H

#include "documents/statistics/finished.h"
#include "look/profile/view.h"
#include "look/sharing/sharing.h"

/** A key of the configuration; value NULL: that run has none of it. Strings are the change's. */
struct look_setting {
    char *key;
    char *value[2], *origin[2];
};

/** Something that has another value. Strings are its own. */
struct look_change {
    char *region; /**< NULL: of a function or an object, in the whole run */
    char *name;   /**< "machine.truth.loads" */
    char *unit;
    struct doc_value value[2];
    bool apart;    /**< they are not of the same part of the runs: no difference, no percentage */
    double weight; /**< by which they are sorted */
};

struct look_changes {
    struct look_change *change; /**< [count] those that say most first */
    size_t count;
    size_t small; /**< other changes, below the threshold */
    size_t parts; /**< or of the machine's parts, which were not wanted */
    size_t apart; /**< values that are not of the same part of the runs */
};

/** What changes can be of; rows of diff_parts.def. */
enum look_diff_part {
#define PART(name, sentence) LOOK_DIFF_##name,
#include "look/compare/diff_parts.def"
#undef PART
    LOOK_DIFF__COUNT
};
/** Strings are static. */
struct look_diff_part_row {
    const char *name, *sentence;
};
extern const struct look_diff_part_row look_diff_parts[LOOK_DIFF__COUNT];

struct look_diff {
    const struct doc_finished *of[2];
    bool all;                     /**< every part of the machine, too, and no end of rows */
    double threshold;             /**< [%] relative changes below this are only counted */
    bool same;                    /**< the result hashes are equal */
    struct look_setting *setting; /**< [settings] */
    size_t settings;
    struct look_changes part[LOOK_DIFF__COUNT];
    char **only[2]; /**< NULL-terminated regions that only this run has; NULL: none */
};

/** Compares configurations and statistics. @pre of, all and threshold are set, the rest is zero;
 *  look_diff_free releases it */
void look_diff_make(struct look_diff *diff);
/** Compares configurations only. */
void look_diff_make_head(struct look_diff *diff);
/** The same of two profiles by function. */
void look_diff_functions(struct look_diff *diff, struct look_view *const view[2]);
/** And of what objects lost by being shared. */
void look_diff_objects(struct look_diff *diff, const struct look_sharing *const sharing[2]);
void look_diff_free(struct look_diff *diff);

/** [%] By how much a value is more than it was. @return false: there is no such number */
bool look_change_percent(const struct look_change *change, double *percent);

/** Writes for people which runs they are, and what they were asked for otherwise. */
void look_diff_head(const struct look_diff *diff, FILE *out);

/** How they can be written: text for people, csv with a row for each difference, all as one object
 *  in json. Strings are static. */
extern const struct look_diff_format {
    const char *name;
    void (*write)(const struct look_diff *diff, FILE *out);
} look_diff_formats[3];

#endif

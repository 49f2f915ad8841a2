/*
 * Costs, in all columns of a profile; their sums by key; and the part of them that is asked for.
 */
#ifndef LOOK_COST_H
#define LOOK_COST_H

#include "documents/rows/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sums of the columns. */
struct look_cost {
    int64_t v[PC_PROFILE__COUNT];
};

/** What a row is. */
struct look_cost look_cost_of(const struct pc_profile_row *row);

/** Adds `what` to `to`. */
void look_cost_add(struct look_cost *to, const struct look_cost *what);

/** A question to a cost: a state or a group of monitor/status.def, `total`, or another column.
 *  What other stall has of cards without a thread (`idle`) is in no state and no group: a machine
 *  of 64 cards that runs one thread would else show nothing but it. */
struct look_measure {
    const char *unit; /**< static */
    uint64_t columns; /**< bit c: column c is part of it, */
    uint64_t less;    /**< or is taken off */
    char name[DOC_COLUMN_NAME];
};

/** What a line of the text has beside its PCycles (look/cost_parts.def): first what these are made
 * of, then counts. */
enum {
#define PART(name, columns, less) LOOK_PROFILE_PART_##name,
#define COUNT(name, columns)      LOOK_PROFILE_PART_##name,
#include "look/cost_parts.def"
#undef PART
#undef COUNT
    LOOK_PROFILE_PARTS,
    LOOK_PROFILE_STATES = LOOK_PROFILE_PART_other + 1
};
extern const struct look_measure look_profile_parts[LOOK_PROFILE_PARTS];

/** All PCycles that threads spent. */
struct look_measure look_measure_total(void);

/** Finds one by name. @return false with one sentence in `why` */
bool look_measure_find(const char *name, struct look_measure *measure, char *why, size_t size);

int64_t look_measured(const struct look_measure *measure, const struct look_cost *cost);

/** `some` of `all` [percent]; 0 of nothing. */
double look_percent(int64_t some, int64_t all);

/* ---- sums by key ----------------------------------------------------------------------------- */

/** What two sums differ in. */
struct look_key {
    uint64_t a, b;
};

/** The sum of a key. */
struct look_entry {
    struct look_key key;
    struct look_cost self; /**< spent there */
    struct look_cost all;  /**< and in what was called from there, each PCycle once */
    uint32_t open;         /**< how many calls under way belong to it, while sums are made */
};

/** Sums by key. Zero is empty; look_sums_free releases it. */
struct look_sums {
    struct look_entry **entry; /**< [entries] each stays where it is */
    size_t entries, room;
    struct look_slot *slots; /**< its own */
};

/** The sum of a key, 0 at first. */
struct look_entry *look_sums_at(struct look_sums *sums, struct look_key key);

/** Brings those of which most is measured to the front, equal ones by key. @param all  by what was
 * called from there, too */
void look_sums_sort(struct look_sums *sums, const struct look_measure *measure, bool all);

/** Brings the lowest keys to the front. */
void look_sums_sort_keys(struct look_sums *sums);

void look_sums_free(struct look_sums *sums);

#endif

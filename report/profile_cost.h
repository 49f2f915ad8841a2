/*
 * What was spent, in all columns of a profile; sums of it by key; and what of it somebody asks for.
 */
#ifndef REP_PROFILE_COST_H
#define REP_PROFILE_COST_H

#include "report/profile_columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sums of the columns. */
struct rep_cost {
    int64_t v[PC_PROFILE__COUNT];
};

/** a + b. Sums that a made-up file drives out of 64 bits wrap around. */
static inline int64_t rep_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/** What a row is. */
struct rep_cost rep_cost_of(const struct pc_profile_row *row);

/** Adds `what` to `to`. */
void rep_cost_add(struct rep_cost *to, const struct rep_cost *what);

/** A question to a cost: a state or a group of monitor/status.def, `total`, or another column.
 *  What other stall has of cards without a thread (`idle`) is in no state and no group: a machine
 *  of 64 cards that runs one thread would else show nothing but it. */
struct rep_measure {
    const char *unit; /**< static */
    uint64_t columns; /**< bit c: column c is part of it, */
    uint64_t less;    /**< or is taken off */
    char name[REP_COLUMN_NAME];
};

/** What a line of the text has beside its PCycles (profile_parts.def): first what these are made
 * of, then counts. */
enum {
#define PART(name, columns, less) REP_PROFILE_PART_##name,
#define COUNT(name, columns)      REP_PROFILE_PART_##name,
#include "report/profile_parts.def"
#undef PART
#undef COUNT
    REP_PROFILE_PARTS,
    REP_PROFILE_STATES = REP_PROFILE_PART_other + 1
};
extern const struct rep_measure rep_profile_parts[REP_PROFILE_PARTS];

/** All PCycles that threads spent. */
struct rep_measure rep_measure_total(void);

/** Finds one by name. @return false with one sentence in `why` */
bool rep_measure_find(const char *name, struct rep_measure *measure, char *why, size_t size);

int64_t rep_measured(const struct rep_measure *measure, const struct rep_cost *cost);

/** `some` of `all` [percent]; 0 of nothing. */
double rep_percent(int64_t some, int64_t all);

/* ---- sums by key ----------------------------------------------------------------------------- */

/** What two sums differ in. */
struct rep_key {
    uint64_t a, b;
};

/** The sum of a key. */
struct rep_entry {
    struct rep_key key;
    struct rep_cost self; /**< spent there */
    struct rep_cost all;  /**< and in what was called from there, each PCycle once */
    uint32_t open;        /**< how many calls under way belong to it, while sums are made */
};

/** Sums by key. Zero is empty; rep_sums_free releases it. */
struct rep_sums {
    struct rep_entry **entry; /**< [entries] each stays where it is */
    size_t entries, room;
    struct rep_slot *slots; /**< its own */
};

/** The sum of a key, 0 at first. */
struct rep_entry *rep_sums_at(struct rep_sums *sums, struct rep_key key);

/** Brings those of which most is measured to the front, equal ones by key. @param all  by what was
 * called from there, too */
void rep_sums_sort(struct rep_sums *sums, const struct rep_measure *measure, bool all);

/** Brings the lowest keys to the front. */
void rep_sums_sort_keys(struct rep_sums *sums);

void rep_sums_free(struct rep_sums *sums);

#endif

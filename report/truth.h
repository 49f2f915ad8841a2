/*
 * The truth of a run's misses: who had which lines and touched which bytes, and what each
 * instruction's requests were for (procard/misses.h); as a file and in memory.
 *
 * truth.json is beside the run's profile.json, and its rows speak of that file's phases and paths.
 */
#ifndef REP_TRUTH_H
#define REP_TRUTH_H

#include "procard/misses.h"
#include "report/profile.h"
#include "report/profile_columns.h"
#include "report/run.h"
#include "report/tenants.h"

#include <stdio.h>

#define REP_TRUTH "truth.json"

enum { REP_TRUTH_SCHEMA = 2 /**< version of the layout of truth.json */ };

/** A truth in memory. All of it is its own; release with rep_truth_free. */
struct rep_truth {
    uint64_t line;       /**< [bytes] of the secondary cache, a power of two up to 128 */
    uint64_t memory;     /**< [bytes] of a station's: physical address / memory is a line's home */
    uint64_t processors; /**< of a station: card / processors is a card's */
    struct pc_missed_copy *copy; /**< [copies] by line, card and half */
    size_t copies;
    struct rep_tenant *tenant; /**< [tenants] by number; sites are those of the run's objects */
    size_t tenants;
    struct pc_missed_row *row; /**< [rows] by copy, phase, thread, path, pc and tenant */
    size_t rows;
};

/** A row of misses.def. Strings are static. */
extern const struct rep_column rep_truth_columns[PC_MISS__COUNT];

void rep_truth_free(struct rep_truth *truth);

/** [requests] of a row: misses and upgrades. */
int64_t rep_truth_requests(const struct pc_missed_row *row);

/** Writes it as JSON. */
void rep_truth_write(const struct rep_truth *truth, FILE *out);

/** Reads what rep_truth_write wrote. Bad input of any kind is refused.
 *  @param profile  that it speaks of
 *  @param sites    how many the run's objects have
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool rep_truth_read(const char *path, const struct rep_profile *profile, size_t sites,
                    struct rep_truth *truth, char *why, size_t size);

/**
 * In each ended region, the classes' sums must be the cards' misses and upgrades.
 * @return true, or false with one sentence about the first that is not
 */
bool rep_truth_adds_up(const struct rep_truth *truth, const struct rep_profile *profile,
                       const struct rep_run *run, char *why, size_t size);

#endif

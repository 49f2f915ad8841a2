/*
 * The truth of a run's misses: who had which lines and touched which bytes, and what each
 * instruction's requests were for (procard/misses.h); as a file and in memory.
 *
 * truth.json is beside the run's profile.json, and its rows speak of that file's phases and paths.
 */
#ifndef RES_DOCUMENTS_TRUTH_H
#define RES_DOCUMENTS_TRUTH_H

#include "procard/misses.h"
#include "results/documents/objects.h"
#include "results/documents/profile.h"
#include "results/documents/profile_columns.h"
#include "results/run.h"

#include <stdio.h>

#define RES_TRUTH "truth.json"

enum { RES_TRUTH_SCHEMA = 2 /**< version of the layout of truth.json */ };

/** What a request was for, as far as it was known when it was made. In truth.json by number. */
enum res_tenant_kind {
    RES_TENANT_nobody,    /**< no block, stack or thread-local variable was there */
    RES_TENANT_several,   /**< more than are told apart: not known */
    RES_TENANT_call,      /**< nobody yet: asked for within a call of the site, which had not
                               returned; what it gave, if it is there */
    RES_TENANT_block,     /**< a block */
    RES_TENANT_stack,     /**< of a thread */
    RES_TENANT_variables, /**< of a thread */
    RES_TENANT__COUNT
};

struct res_tenant {
    enum res_tenant_kind kind;
    struct res_block block; /**< of a block: `from`, `to` and `site`; of a thread's: `from`, `to`
                               and `thread`; of a call: `site` */
};

/** A truth in memory. All of it is its own; release with res_truth_free. */
struct res_truth {
    uint64_t line;       /**< [bytes] of the secondary cache, a power of two up to 128 */
    uint64_t memory;     /**< [bytes] of a station's: physical address / memory is a line's home */
    uint64_t processors; /**< of a station: card / processors is a card's */
    struct pc_missed_copy *copy; /**< [copies] by line, card and half */
    size_t copies;
    struct res_tenant *tenant; /**< [tenants] by number; sites are those of the run's objects */
    size_t tenants;
    struct pc_missed_row *row; /**< [rows] by copy, phase, thread, path, pc and tenant */
    size_t rows;
};

/** A row of misses.def. Strings are static. */
extern const struct res_column res_truth_columns[PC_MISS__COUNT];

void res_truth_free(struct res_truth *truth);

/** [requests] of a row: misses and upgrades. */
int64_t res_truth_requests(const struct pc_missed_row *row);

/** Writes it as JSON. */
void res_truth_write(const struct res_truth *truth, FILE *out);

/** Reads what res_truth_write wrote. Bad input of any kind is refused.
 *  @param profile  that it speaks of
 *  @param sites    how many the run's objects have
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool res_truth_read(const char *path, const struct res_profile *profile, size_t sites,
                    struct res_truth *truth, char *why, size_t size);

/**
 * In each ended region, the classes' sums must be the cards' misses and upgrades.
 * @return true, or false with one sentence about the first that is not
 */
bool res_truth_adds_up(const struct res_truth *truth, const struct res_profile *profile,
                       const struct res_run *run, char *why, size_t size);

#endif

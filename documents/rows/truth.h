/*
 * The truth of a run's misses: who had which lines and touched which bytes, and what each
 * instruction's requests were for (procard/misses.h); as a file and in memory.
 *
 * truth.json is beside the run's profile.json, and its rows speak of that file's phases and paths.
 */
#ifndef DOC_DOCUMENTS_TRUTH_H
#define DOC_DOCUMENTS_TRUTH_H

#include "documents/rows/objects.h"
#include "documents/rows/profile.h"
#include "procard/misses.h"

#define DOC_TRUTH "truth.json"

/** What it consists of: truth.def. */
extern const struct doc_document doc_truth_document;

/** What a request was for, as far as it was known when it was made. In truth.json by number. */
enum doc_tenant_kind {
    DOC_TENANT_nobody,    /**< no block, stack or thread-local variable was there */
    DOC_TENANT_several,   /**< more than are told apart: not known */
    DOC_TENANT_call,      /**< nobody yet: asked for within a call of the site, which had not
                               returned; what it gave, if it is there */
    DOC_TENANT_block,     /**< a block */
    DOC_TENANT_stack,     /**< of a thread */
    DOC_TENANT_variables, /**< of a thread */
    DOC_TENANT__COUNT
};

struct doc_tenant {
    enum doc_tenant_kind kind;
    struct doc_block block; /**< of a block: `from`, `to` and `site`; of a thread's: `from`, `to`
                               and `thread`; of a call: `site` */
};

/** A truth in memory. All of it is its own; release with doc_truth_free. */
struct doc_truth {
    uint64_t line;       /**< [bytes] of the secondary cache, a power of two up to 128 */
    uint64_t memory;     /**< [bytes] of a station's: physical address / memory is a line's home */
    uint64_t processors; /**< of a station: card / processors is a card's */
    struct pc_missed_copy *copy; /**< [copies] by line, card and half */
    size_t copies;
    struct doc_tenant *tenant; /**< [tenants] by number; sites are those of the run's objects */
    size_t tenants;
    struct pc_missed_row *row; /**< [rows] by copy, phase, thread, path, pc and tenant */
    size_t rows;
    struct pc_missed_window *window; /**< [windows] by copy and begin */
    size_t windows;
    struct pc_missed_size *size; /**< [sizes] by copy, bytes and offset */
    size_t sizes;
    int64_t *values;        /**< [rows][doc_truth_columns.count] what the rows' `v` point to */
    int64_t *window_values; /**< the same of the windows */
};

/** What a row has values of: procard/misses.def. */
extern const struct doc_columns doc_truth_columns;

void doc_truth_free(struct doc_truth *truth);

/** [requests] of a row: misses and upgrades. */
int64_t doc_truth_requests(const struct pc_missed_row *row);

/** [PCycles] that they took. */
int64_t doc_truth_time(const struct pc_missed_row *row);

/** Writes it as JSON. */
void doc_truth_write(const struct doc_truth *truth, FILE *out);

/** Reads what doc_truth_write wrote. Bad input of any kind is refused.
 *  @param profile  that it speaks of
 *  @param sites    how many the run's objects have
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool doc_truth_read(const char *path, const struct doc_profile *profile, size_t sites,
                    struct doc_truth *truth, char *why, size_t size);

/** Misses and upgrades, of all classes, of the phases in which a region is open. */
void doc_truth_sum(const struct doc_truth *truth, const struct doc_profile *profile, size_t region,
                   int64_t *misses, int64_t *upgrades);

#endif

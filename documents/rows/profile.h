/*
 * The profile of a run: rows, paths, regions; as a file and in memory.
 *
 * profile.json in a run's directory has addresses and numbers only; names come from the program
 * when somebody looks (prog_workload.names).
 */
#ifndef DOC_DOCUMENTS_PROFILE_H
#define DOC_DOCUMENTS_PROFILE_H

#include "documents/document.h"
#include "procard/profile.h"

#define DOC_PROFILE "profile.json"

/** What it consists of: profile.def. */
extern const struct doc_document doc_profile_document;

/** What a row has values of: procard/profile.def. */
extern const struct doc_columns doc_columns;

/** The name as results have it, in lower case. @return buf */
const char *doc_column_name(unsigned column, char buf[DOC_COLUMN_NAME]);

/** A profile in memory. All of it is its own; release with doc_profile_free. */
struct doc_profile {
    char **region; /**< [regions] names; [0] is "whole" */
    size_t regions;
    uint32_t **phase; /**< [phases] the regions that are open in each, ascending: numbers of
                           `region`, with their count in [0] */
    size_t phases;
    struct pc_profile_path *path; /**< [paths] */
    size_t paths;
    struct pc_profile_row *row; /**< [rows] by phase, thread, path, pc */
    size_t rows;
};

/** Whether a region is open in one of the phases. */
bool doc_phase_has(const struct doc_profile *profile, size_t phase, size_t region);

void doc_profile_free(struct doc_profile *profile);

/** Writes it as JSON. */
void doc_profile_write(const struct doc_profile *profile, FILE *out);

/** Reads what doc_profile_write wrote. Bad input of any kind is refused.
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool doc_profile_read(const char *path, struct doc_profile *profile, char *why, size_t size);

#endif

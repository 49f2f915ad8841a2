/*
 * What a run has kept in its directory, for the commands that look at it afterwards.
 */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "report/objects.h"
#include "report/profile.h"
#include "report/profile_code.h"
#include "report/results.h"
#include "report/truth.h"

/** Zero, then cli_kept_open; cli_kept_close is due in any case. */
struct cli_kept {
    const char *directory;
    struct rep_profile profile;
    struct rep_code code;
    struct rep_objects objects;
    struct rep_truth truth;
};

/** What else than the profile and the program's names is to be read. */
enum cli_kept_parts {
    CLI_KEPT_PROFILE,
    CLI_KEPT_OBJECTS, /**< the objects, too, */
    CLI_KEPT_TRUTH    /**< and what was asked of misses */
};

/** Whether `directory` is a run's and has the file `path`, which is its `what`; else one line in
 *  `why`. */
bool cli_kept_find(const char *directory, const char *path, const char *what, char *why,
                   size_t size);

/** @return false after a complaint */
bool cli_kept_open(struct cli_kept *kept, const char *directory, enum cli_kept_parts parts);
void cli_kept_close(struct cli_kept *kept);

/** Reads what a run of any kind has left. @return false after a complaint; rep_results_free is due
 *  in any case */
bool cli_results_open(struct rep_results *results, const char *directory);

#endif

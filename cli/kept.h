/*
 * What a run has kept in its directory, for the commands that look at it afterwards.
 */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "cli/cli.h"
#include "documents/statistics/finished.h"
#include "look/kept.h"

/** Whether a word is the name of a directory, of a run maybe, and no file's. */
bool cli_is_directory(const char *path);

/** Whether `directory` is a run's and has the file `path`, which is its `what`; else one line in
 *  `why`. */
bool cli_kept_find(const char *directory, const char *path, const char *what, char *why,
                   size_t size);

/** What the options say of source files. It refuses what cannot be meant. */
struct look_files cli_files(const struct cli_given *given);

/** As look_kept_open; what is missing, it says how a run comes to have it.
 *  @return false after a complaint; look_kept_close is due in any case */
bool cli_kept_open(struct look_kept *kept, const char *directory, unsigned parts);

/** Reads what a run of any kind has left. @return false after a complaint; doc_finished_free is due
 *  in any case */
bool cli_results_open(struct doc_finished *results, const char *directory);

#endif

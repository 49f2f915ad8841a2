/*
 * The directory of a run's results.
 *
 * Files in it are written whole: under another name first, then renamed, so that nobody ever reads
 * half a file and an interrupted run leaves the previous one.
 */
#ifndef REP_RUNDIR_H
#define REP_RUNDIR_H

#include <stdbool.h>
#include <stdio.h>

/** What became of a request for a directory. */
enum rep_dir {
    REP_DIR_MADE,
    REP_DIR_REFUSED, /**< there is something in it that would be lost: the user's to decide */
    REP_DIR_FAILED,  /**< the host said no */
};

struct rep_rundir {
    char path[4096];
};

/**
 * Makes a run directory.
 * @param path   where; NULL: the first free results/<name>-NNN under the current directory
 * @param force  results already in `path` are replaced; otherwise they are refused. A directory
 * that holds other things than a run's results is refused in any case
 * @param[out] why  on failure one sentence
 * @return on failure no result of an earlier run has been changed
 */
enum rep_dir rep_rundir_make(struct rep_rundir *dir, const char *path, const char *name, bool force,
                             char *why, size_t size);

/** Writes a file's contents to `out`. */
typedef void rep_write_fn(void *ctx, FILE *out);

/** Replaces dir/name (or dir/directory/name) at once by what `write` writes. @return false, with
 * one sentence in `why`. @pre `name` is one of the files a run writes (rundir.c) */
bool rep_rundir_write(const struct rep_rundir *dir, const char *name, rep_write_fn *write,
                      void *ctx, char *why, size_t size);

#endif

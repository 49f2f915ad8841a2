/*
 * The directory of a sweep.
 *
 *     sweep.json          which points there are, and how far they are
 *     points/ID/          an ordinary run directory, of each point that has come to an end
 *     points/ID.part/     the same while the point runs; of a sweep that was killed, a leftover
 *     failed/ID/          what a failed point has left, if it has left anything
 *     logs/ID.txt         what a failed point has said
 *
 * A point appears in points/ by one rename, when its files are on the disk: it is there whole or
 * not at all. The directory belongs to one sweep at a time; its lock (flock) is shared with the
 * processes that it starts, so that a sweep that was killed cannot be resumed before the last of
 * them is gone.
 */
#ifndef SWP_DIR_H
#define SWP_DIR_H

#include "documents/directory/rundir.h"
#include "sweep/plan.h"

struct swp_dir {
    struct doc_rundir place; /**< its path and its lock */
};

/**
 * Makes a sweep's directory, or with `resume` takes over the one that is there.
 * @param path  NULL: a fresh results/NAME-NNN
 * @return as doc_rundir_make. After DOC_DIR_MADE: swp_dir_close
 */
enum doc_dir swp_dir_make(struct swp_dir *dir, doc_file_name_fn *names, const char *path,
                          const char *name, bool resume, char *why, size_t size);

/** Locks a directory that is there, for as long as something is written into it. @return likewise
 */
enum doc_dir swp_dir_borrow(struct swp_dir *dir, const char *path, char *why, size_t size);
void swp_dir_close(struct swp_dir *dir);

/** Whether a directory holds a sweep. */
bool swp_dir_is(const char *path);

/** Whether a sweep may begin there, or go on; a directory that holds other things may have neither.
 *  @return false: see `why` */
bool swp_dir_free_to_begin(const char *path, doc_file_name_fn *names, bool resume, char *why,
                           size_t size);

/** Removes what points that did not come to an end have left. @return false: see `why` */
bool swp_dir_sweep(const struct swp_dir *dir, char *why, size_t size);

/** What is known of the points that are there.
 *  @param path  of the sweep's directory
 *  @param name  of the sweep: where nothing is finished yet, what shows that it is another one;
 * NULL: nothing does
 *  @return false: a point is there that had other inputs, or another sweep is; `why` says so, and
 *          nothing is changed */
bool swp_dir_look(struct swp_plan *plan, const char *path, const char *name, char *why,
                  size_t size);

/** Name of something of a point. Allocated. */
char *swp_dir_name(const struct swp_dir *dir, const char *room, const char *id, const char *suffix);

/** Whether what is in ID.part is a run that came to its end and had these inputs; reads its time
 * and its memory.
 *  @param directory  ID.part, or ID */
bool swp_run_read(const char *directory, struct swp_job *job, char *why, size_t size);

/** Whether a finished point is still there. */
bool swp_dir_has(const struct swp_dir *dir, const char *id);

/** Gives a point its name, and forgets what it said. @return false: see `why` */
bool swp_dir_keep(const struct swp_dir *dir, const char *id, char *why, size_t size);

/** Puts aside what a failed point has left. */
void swp_dir_fail(const struct swp_dir *dir, const char *id);

/** Removes what a point that was stopped has left. */
void swp_dir_drop(const struct swp_dir *dir, const char *id);

/** Removes a directory, a file, or nothing, with all that is in it. @return whether it is gone */
bool swp_dir_remove(const char *path);

/** Removes the directories of failures and of what was said, if nothing is in them. */
void swp_dir_tidy(const struct swp_dir *dir);

/** Writes sweep.json. @return false: see `why` */
bool swp_dir_write(const struct swp_dir *dir, const struct swp_plan *plan, const char *name,
                   char *why, size_t size);

#endif

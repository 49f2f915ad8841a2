/*
 * The directory of a run's results.
 *
 * A directory belongs to one run at a time: it is locked (flock) from its making until
 * doc_rundir_close or the end of the process, however that comes. Where the file system cannot lock
 * directories (NFS), it is the user who must not start two runs into one.
 *
 * Files in it are written whole (whole.h), and what became of each is kept here, so that the
 * manifest can say what the directory holds.
 */
#ifndef DOC_DIRECTORY_RUNDIR_H
#define DOC_DIRECTORY_RUNDIR_H

#include "documents/whole.h"

/** What every run writes ahead of its results. */
#define DOC_MANIFEST "manifest.json"
#define DOC_RESOLVED "config.resolved.yaml"
#define DOC_PROGRAM  "guest.elf"

/** The page that `report` makes of a run, and what `mend` has tried; no run writes them, but a
 * later run may replace them. */
#define DOC_PAGE "report.html"
#define DOC_MEND "mend.json"

/** What became of a request for a directory. */
enum doc_dir {
    DOC_DIR_MADE,
    DOC_DIR_REFUSED, /**< another run writes into it, or there is something in it that would be
                          lost: the user's to decide */
    DOC_DIR_FAILED,  /**< the host said no */
};

enum { DOC_FILES_MAX = 64 /**< files a run may write */ };

/** Names of the files that runs leave beside these, each in the directory or in monitor/ there: of
 *  the i-th; NULL: behind the last. */
typedef const char *doc_file_name_fn(unsigned i);

/** What became of one of them in this run. */
struct doc_file {
    bool asked; /**< it was to be written ... */
    bool whole; /**< ... and was */
    struct doc_content content;
};

struct doc_rundir {
    char path[4096];
    int lock;                            /**< descriptor of the directory */
    doc_file_name_fn *names;             /**< that runs leave */
    struct doc_file file[DOC_FILES_MAX]; /**< by doc_rundir_name */
};

/** Whether doc_rundir_make would take `path` without `force`, as it is now: it is not there, or
 *  empty. @return false: see `why` */
bool doc_rundir_may(const char *path, doc_file_name_fn *names, char *why, size_t size);

/**
 * Makes a run directory, or takes over one that is there, and locks it.
 * @param path   where; NULL: the first free results/<name>-NNN under the current directory
 * @param force  results already in `path` may be replaced; otherwise they are refused. A directory
 * that holds other things than a run's results, whole or not, is refused in any case
 * @param[out] why  on failure one sentence
 * @return nothing of an earlier run has been changed. After DOC_DIR_MADE: doc_rundir_close
 */
enum doc_dir doc_rundir_make(struct doc_rundir *dir, doc_file_name_fn *names, const char *path,
                             const char *name, bool force, char *why, size_t size);

/** Removes what an earlier run has left, except manifest.json. To be called when that already says
 *  that this run is under way. @return false, with one sentence in `why` */
bool doc_rundir_clear(const struct doc_rundir *dir, char *why, size_t size);

/** Replaces dir/name (or dir/directory/name) at once by what `write` writes. @return false, with
 * one sentence in `why`. @pre doc_rundir_name knows `name` */
bool doc_rundir_write(struct doc_rundir *dir, const char *name, doc_write_fn *write, void *ctx,
                      char *why, size_t size);

/** Name of the i-th file that a run may write, in the order in which a manifest lists them; NULL:
 * behind the last. */
const char *doc_rundir_name(const struct doc_rundir *dir, unsigned i);

/** Whether every file that was asked for is there whole. */
bool doc_rundir_is_whole(const struct doc_rundir *dir);

/** Brings the names of the files to the disk. */
void doc_rundir_sync(const struct doc_rundir *dir);

/** Gives the directory back. */
void doc_rundir_close(struct doc_rundir *dir);

#endif

/*
 * A sweep on more than this host: as jobs of Slurm, or on hosts that GNU parallel reaches. Either
 * way a part of it is this program again with --shard, on a file system that all hosts see, and in
 * a directory of its own (sweep/shards.h).
 */
#ifndef SWP_AWAY_H
#define SWP_AWAY_H

#include "documents/whole.h"
#include "sweep/shards.h"

/** A sweep that goes away. The caller fills in what is asked for, then swp_away_open the rest;
 * swp_away_close is due in any case. */
struct swp_away {
    const char *file, *out;             /**< of the experiment; of the sweep's directory */
    char *const *sets, *const *events;  /**< more options of `run`, as lists ... */
    char *const *groups, *const *allow; /**< ... */
    bool slurm, quiet;                  /**< Slurm runs it, else GNU parallel */
    const char *hosts, *hosts_file;     /**< for GNU parallel, one of these */
    unsigned jobs, asked;               /**< points at a time; shards; 0: as is good */
    int ended;                          /**< statuses: the greatest of a run that came to its
                                             end, ... */
    int orphaned, failed;               /**< ... of what runs it (sweep/process.h) */
    const char *(*stop)(void);          /**< why all is to stop; NULL: it is not */
    const struct swp_plan *plan;        /**< knows what is done */

    char *program, *home; /**< absolute: this program, the current directory ... */
    char *path;           /**< ... the sweep's directory */
    char *name;           /**< of the experiment, in letters that mean nothing to anybody */
    unsigned shards;
};

/** How it went; but for OK `why` says more, or is empty. */
enum swp_went {
    SWP_WENT_WELL,
    SWP_WENT_NOWHERE, /**< its files could not be made */
    SWP_WENT_WRONG,
    SWP_WENT_STOPPED
};

/** Whether what is asked for can be done: the directory has a name that nobody misreads, and all
 * that are named, in the command or in a file, are hosts and nothing to a shell.
 *  @return false: see `why`; likewise below */
bool swp_away_possible(const struct swp_away *away, char *why, size_t size);
/** Whether the program that does it is here. */
bool swp_away_installed(const struct swp_away *away, char *why, size_t size);

bool swp_away_open(struct swp_away *away, const char *name, char *why, size_t size);
void swp_away_close(struct swp_away *away);

/** Prints what would be done; changes nothing. */
void swp_away_show(const struct swp_away *away);

/** The jobs of a sweep: numbers, "" of what is not submitted, and the cluster if there are several.
 */
enum { SWP_JOB_NUMBER = 80 /**< bytes of what sbatch says */ };
struct swp_slurm_jobs {
    char shards[SWP_JOB_NUMBER], collect[SWP_JOB_NUMBER], cluster[SWP_JOB_NUMBER];
};

/* Of both: `dir` is locked and has no shards. */

/** Submits what is not done, and a job that collects. */
enum swp_went swp_slurm_submit(struct swp_away *away, const struct swp_dir *dir, const char *name,
                               struct swp_slurm_jobs *jobs, char *why, size_t size);

/** Runs what is not done, and gathers it; `plan` knows it then. If all is to stop, it stops.
 * @return whether all hosts have done what they should; otherwise `why` may be "". How points have
 * ended is in `plan` */
bool swp_hosts_run(struct swp_away *away, const struct swp_dir *dir, struct swp_plan *plan,
                   const char *name, char *why, size_t size);

/** Whether jobs that were submitted for a sweep's directory may still come to it: Slurm is asked.
 *  @param[out] why  one sentence if so, or if Slurm does not answer */
bool swp_slurm_waits(const char *directory, const char *(*stop)(void), char *why, size_t size);
/** Whether the jobs that were submitted last for a directory are those of this one. */
bool swp_slurm_is_latest(const char *directory, const char *job);
/** None that was submitted is to come to it any more. */
void swp_slurm_forget(const char *directory);

/* ---- what both have in common, private to them ----------------------------------------------- */

/** Writes the lines of a script that run shard "$shard". @param jobs  of --jobs, for the shell;
 * NULL: what was asked for */
void swp_away_write(const struct swp_away *away, FILE *out, const char *jobs);

/** Name of a script. Allocated. */
char *swp_away_script(const struct swp_away *away, const char *script);

/** A script, and who writes it with the struct swp_away. */
struct swp_script {
    const char *name;
    doc_write_fn *write;
};

/** Makes the directories of the shards, and writes scripts.
 *  @param scripts  ended by one without a name */
bool swp_away_prepare(struct swp_away *away, const struct swp_dir *dir, const char *name,
                      const struct swp_script *scripts, char *why, size_t size);

/** Writes the numbers of the shards that have something to do, from 1.
 *  @param between  them */
void swp_away_numbers(const struct swp_away *away, FILE *out, const char *between);

bool swp_slurm_installed(const char *(*stop)(void), char *why, size_t size);
bool swp_hosts_installed(const char *(*stop)(void), char *why, size_t size);
bool swp_hosts_possible(const struct swp_away *away, char *why, size_t size);

/** How many shards are good. */
unsigned swp_slurm_shards(const struct swp_away *away);
unsigned swp_hosts_shards(const struct swp_away *away);

/** What is run, for people. */
void swp_slurm_show(const struct swp_away *away);
void swp_hosts_show(const struct swp_away *away);

#endif

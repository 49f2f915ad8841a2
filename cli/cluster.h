/*
 * A sweep on more than this host: as jobs of Slurm, or on hosts that GNU parallel reaches. Either
 * way a part of it is this program again with --shard, on a file system that all hosts see, and in
 * a directory of its own (sweep/shards.h).
 */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include "cli/sweep.h"
#include "documents/whole.h"
#include "sweep/shards.h"

/** Options of who runs it: Slurm, else GNU parallel, on hosts or on those of a file. */
#define CLI_CLUSTER "slurm hosts hosts_file"

/** The one that is given; NULL: none. */
const char *cli_cluster_option(const struct cli_sweep *ask);

/** Whether what is asked for goes together, and can be done here. @return false after a complaint
 */
bool cli_cluster_is_good(const struct cli_sweep *ask);

/* Of all these: `plan` knows what is done, and `dir` is locked and has no shards. */

/** Submits what is not done, and a job that collects. */
enum cli_exit cli_slurm_submit(const struct cli_sweep *ask, const struct swp_plan *plan,
                               const struct swp_dir *dir, const char *name);

/** Runs what is not done, and gathers it; `plan` knows it then. Asked to stop (stop.h), it stops.
 * @return whether all hosts have done what they should. How points have ended is in `plan` */
enum cli_exit cli_hosts_run(const struct cli_sweep *ask, struct swp_plan *plan,
                            const struct swp_dir *dir, const char *name);

/** Prints what either of them would do; changes nothing. */
enum cli_exit cli_cluster_show(const struct cli_sweep *ask, const struct swp_plan *plan,
                               const char *name);

/* ---- what both have in common ---------------------------------------------------------------- */

/** A sweep that goes away. Zero, then cli_away_open; cli_away_close is due in any case. */
struct cli_away {
    const struct cli_sweep *ask;
    const struct swp_plan *plan;
    char *program, *home; /**< absolute: this program, the current directory ... */
    char *out;            /**< ... the sweep's directory */
    char *name;           /**< of the experiment, in letters that mean nothing to anybody */
    unsigned shards;
};

/** @return false after a complaint */
bool cli_away_open(struct cli_away *away, const struct cli_sweep *ask, const struct swp_plan *plan,
                   const char *name, unsigned shards);
void cli_away_close(struct cli_away *away);

/** Writes a word as a shell reads it. */
void cli_away_quote(FILE *out, const char *word);

/** Writes the lines of a script that run shard "$shard". @param jobs  of --jobs, for the shell;
 * NULL: what was asked for */
void cli_away_write(const struct cli_away *away, FILE *out, const char *jobs);

/** Name of a script. Allocated. */
char *cli_away_script(const struct cli_away *away, const char *script);

/** A script, and who writes it with the struct cli_away. */
struct cli_script {
    const char *name;
    doc_write_fn *write;
};

/** Makes the directories of the shards, and writes scripts.
 *  @param scripts  ended by one without a name
 *  @return false after a complaint */
bool cli_away_prepare(struct cli_away *away, const struct swp_dir *dir, const char *name,
                      const struct cli_script *scripts);

/** Writes the numbers of the shards that have something to do, from 1.
 *  @param between  them */
void cli_away_numbers(const struct cli_away *away, FILE *out, const char *between);

/** Runs a command to its end; what it says goes to stderr, but for its first `size` bytes on
 * stdout. A wish to stop (stop.h) goes on to it. @return its status, 128 and more of a signal; -1:
 * there is none (errno) */
int cli_away_ask(char *const *words, char *said, size_t size);

/** Whether jobs that were submitted for a sweep's directory may still come to it: Slurm is asked.
 *  @param[out] why  one sentence if so, or if Slurm does not answer */
bool cli_slurm_waits(const char *directory, char *why, size_t size);
/** Whether the jobs that were submitted last for a directory are those of this one. */
bool cli_slurm_is_latest(const char *directory, const char *job);
/** None that was submitted is to come to it any more. */
void cli_slurm_forget(const char *directory);

/** Whether the program that does it is here. @return false after a complaint */
bool cli_slurm_installed(void);
bool cli_hosts_installed(void);

/** Whether all that are named, in the command or in a file, are hosts and nothing to a shell.
 *  @return false after a complaint */
bool cli_hosts_are_good(const struct cli_sweep *ask);

/** What is run, for people. */
void cli_slurm_show(struct cli_away *away);
void cli_hosts_show(struct cli_away *away);

/** How many shards are good: as many as were asked for, or */
unsigned cli_slurm_shards(const struct cli_sweep *ask, const struct swp_plan *plan);
unsigned cli_hosts_shards(const struct cli_sweep *ask, const struct swp_plan *plan);

#endif

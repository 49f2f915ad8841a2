/* numachine run of a file with a sweep: all its points, each a process of this program. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/exit.h"
#include "cli/options.h"

/** How a sweep is to be run. Zero is a good start. */
struct cli_sweep {
    const char *file;
    const struct cli_given *given;    /**< of `run` */
    const struct in_experiment *base; /**< the file without its sweep */
    unsigned shard, shards;           /**< from 0, of; 0 shards: all of it */
};

/** Options of what runs it elsewhere: Slurm, else GNU parallel, on hosts or on those of a file. */
#define CLI_SWEEP_AWAY "slurm hosts hosts_file"

/** The one that is given; NULL: none. */
const char *cli_sweep_away(const struct cli_sweep *ask);

/** Whether what is asked for goes together, and can be done here. @return false after a complaint
 */
bool cli_sweep_is_good(const struct cli_sweep *ask);

/** Runs it. @return the worst of its points' statuses (docs/sweeps.md) */
enum cli_exit cli_sweep_run(const struct cli_sweep *ask);

#endif

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

/** Runs it. @return the worst of its points' statuses (docs/sweeps.md) */
enum cli_exit cli_sweep_run(const struct cli_sweep *ask);

#endif

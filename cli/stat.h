/* The experiment that a command line describes, as `stat` has them. */
#ifndef CLI_STAT_H
#define CLI_STAT_H

#include "cli/options.h"
#include "input/experiment.h"

/** Makes it of the PROGRAM in the words and of stat's options. A line that is wrong in itself ends
 *  the program. @return false after a complaint; in_experiment_free is due in any case */
bool cli_stat_experiment(struct in_experiment *x, const struct cli_given *g, struct in_diag *diag);

#endif

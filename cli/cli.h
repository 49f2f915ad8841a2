/* The subcommands; one file each. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/exit.h"
#include "cli/options.h"
#include "input/experiment.h"

/** The source that this program was built from, as git describes it. Said in one file only, so that
 *  nothing else changes with each commit. */
const char *cli_git(void);

#define COMMAND(name, arguments, options, sentence, text, notes, examples) \
    int cli_##name(struct cli_given *given);
#include "cli/commands.def"

#endif

/* The subcommands; one file each. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/exit.h"

#include <argp.h>

/** argp_parse; a wrong command line ends the program as ever, and so does a lack of memory. */
void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/** The source that this program was built from, as git describes it. Said in one file only, so that
 *  nothing else changes with each commit. */
const char *cli_git(void);

#define COMMAND(name, function, sentence) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

#endif

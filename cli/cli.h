/* The subcommands; one file each. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/exit.h"

#include <argp.h>

#define COMMAND(name, function, sentence) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

#endif

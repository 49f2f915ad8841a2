/* How a subcommand says that it cannot. */
#include "cli/exit.h"

#include <stdio.h>

enum cli_exit cli_complain(enum cli_exit status, const char *why)
{
    fprintf(stderr, "numachine: error: %s\n", why);
    return status;
}

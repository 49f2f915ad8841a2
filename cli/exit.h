/* Exit statuses of the program; the sentences of exit.def stand in --help. */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

#include <stdio.h>

enum cli_exit {
#define EXIT(name, status, sentence) CLI_EXIT_##name = status,
#include "documents/exit.def"
#undef EXIT
};

/** Says what is wrong, in one line. @return status */
static inline enum cli_exit cli_complain(enum cli_exit status, const char *why)
{
    fprintf(stderr, "numachine: error: %s\n", why);
    return status;
}

#endif

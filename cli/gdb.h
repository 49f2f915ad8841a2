/* A session under a debugger: what `gdb`, and `run --gdb`, have in common. */
#ifndef CLI_GDB_H
#define CLI_GDB_H

#include "cli/options.h"
#include "cli/session.h"

/**
 * Runs a session, once somebody debugs it: whoever the command line names, else gdb.
 * @param session  takes what a debugger needs
 * @return exit status of this program: gdb's own, if it was started
 */
int cli_debugged(const struct cli_given *given, struct cli_session *session,
                 struct prog_outcome *outcome);

#endif

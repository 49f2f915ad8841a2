/* A session under a debugger: what `gdb`, and `run --gdb`, have in common. */
#ifndef CLI_GDB_H
#define CLI_GDB_H

#include "cli/options.h"
#include "cli/session.h"
#include "debug/debug.h"

/** Of a run that is asked at its end only (dbg_to_end). */
struct cli_arrival {
    dbg_arrive_fn *tell;
    void *ctx;
};

/**
 * Runs a session, once somebody debugs it: whoever the command line names, else gdb.
 * @param session  takes what a debugger needs
 * @param arrival  NULL: it is asked from its beginning on
 * @return exit status of this program: gdb's own, if it was started
 */
int cli_debugged(const struct cli_given *given, struct cli_session *session,
                 const struct cli_arrival *arrival, struct prog_outcome *outcome);

#endif

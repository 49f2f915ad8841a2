/*
 * Being asked to stop, or to say how far a run is.
 *
 * SIGINT, SIGTERM, SIGHUP (unless it was ignored when we were started, as by nohup) and the host's
 * limit on CPU time ask a run to stop: it ends at the next moment it can and writes its results.
 * Asking again within CLI_STOP_GRACE seconds changes nothing, because some senders send two signals
 * at once (timeout, a terminal that closes); asking again later ends the program where it stands,
 * with CLI_EXIT_INTERRUPTED and whatever files were whole by then. SIGUSR1 asks for a look.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

enum { CLI_STOP_GRACE = 2 /**< [s] */ };

/** Starts to listen. Calls that wait for the host are interrupted, so that the run listens too. */
void cli_stop_listen(void);

/** The run is over and its results are being written: no signal may interrupt that any more. */
void cli_stop_finish(void);

bool cli_stop_asked(void);

/** Who asked, as "SIGTERM" or "CPU limit", and what to tell people; static. NULL: nobody. */
const char *cli_stop_cause(void);
const char *cli_stop_reason(void);

/** Whether a look was asked for since the last call: at the counts, */
bool cli_look_asked(void);
/** and at the threads. */
bool cli_threads_asked(void);

#endif

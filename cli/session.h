/*
 * One experiment from its description to its results: what `run` and `stat` have in common.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/exit.h"
#include "input/experiment.h"
#include "programs/program.h"

#include <stdio.h>

struct run_observer;

/** How an experiment is to be run and shown. Everything belongs to the caller. */
struct cli_session {
    const struct in_experiment *experiment;
    int argc; /**< the command line, for the manifest */
    char *const *argv;
    const char *git; /**< likewise (cli_git); of a run that keeps nothing NULL will do */
    int stdin_fd;    /**< behind the guest's stdin if the experiment names no file; -1: empty */
    bool keep;       /**< write a run directory ... */
    const char *out; /**< ... here; NULL: a fresh one under results/ */
    bool force, quiet;
    unsigned host_threads; /**< of the host at most, for the machine; 0: 1 */
    bool passes;           /**< the command ends with the program's status (cli_passed_status) */
    bool copies;           /**< the run may make copies of its process */
    bool again; /**< it has been before: nothing that the program does reaches the host, nor
                     is said how it ended */
    bool lines; /**< instead of the table, lines for other programs (documents/statistics/lines.h),
                 */
    const char *separator;               /**< with this between fields; NULL: JSON */
    const struct run_observer *observer; /**< the caller's own (run/observer.h), which leaves no
                                              files; NULL: it has none */
    void *self;                          /**< its */
    FILE *table; /**< where the tables go, and last the run directory's name */
};

/** Status of a command that ends as its program did: the program's, or 128 and its signal, where
 * the simulator has nothing else to say. */
int cli_passed_status(enum cli_exit status, const struct prog_outcome *outcome);

/**
 * Runs it. Complaints go to stderr. Signals that ask the run to
 * stop (stop.h) end it with its results so far, SIGUSR1 prints them and all threads on stderr and
 * goes on.
 * @param[out] outcome  how the program ended; end is PROG_UNLOADABLE if it was not even started
 * @return exit status of this program
 */
enum cli_exit cli_session_run(const struct cli_session *session, struct prog_outcome *outcome);

#endif

/*
 * One experiment from its description to its results: what `run` and `stat` have in common.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/exit.h"
#include "input/experiment.h"
#include "programs/program.h"

#include <stdio.h>

struct doc_truth;
struct doc_run;

/** Who hears of a run what is in no file. `ctx` goes to each call; any of them may be NULL. */
struct cli_listener {
    void *ctx;
    void (*paged)(void *ctx, uint64_t va, uint64_t pa); /**< as prog_hooks.paged */
    /** As prog_hooks.interrupted. */
    void (*interrupted)(void *ctx, struct nm_machine *m, unsigned card,
                        const struct prog_access *access, unsigned count);
    sim_tick moment_at; /**< [ticks] of the first call of `moment` */
    /** As prog_hooks.moment, of a machine that may be looked at. */
    sim_tick (*moment)(void *ctx, struct nm_machine *m, sim_tick at);
    /** The run has been counted up: registers and hash are known. */
    void (*ended)(void *ctx, const struct doc_run *run);
};

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
    bool lines; /**< instead of the table, lines for other programs (documents/statistics/lines.h),
                 */
    const char *separator;   /**< with this between fields; NULL: JSON */
    struct doc_truth *truth; /**< of a run that asks for it: gets what misses were, and is then
                                  the caller's; NULL: nobody wants it */
    const struct cli_listener *listener; /**< NULL: nobody */
    FILE *table; /**< where the tables go, and last the run directory's name */
};

/** Status of a command that ends as its program did: the program's, or 128 and its signal, where
 * the simulator has nothing else to say. */
int cli_passed_status(enum cli_exit status, const struct prog_outcome *outcome);

/** What expectations have been held against. Zero is a good start; cli_seen_free is due. */
struct cli_seen {
    uint64_t *hash; /**< [count] of what names of statistics depend on */
    size_t count;
};

/** Whether a run of the experiment can have the statistics that are expected of it. Nothing is run.
 *  @param seen  a struct cli_seen, of experiments that expect the same: those that are alike in
 * what decides it are looked at once
 *  @return false after a line on stderr for each that cannot be */
bool cli_session_possible(void *seen, const struct in_experiment *x);
void cli_seen_free(struct cli_seen *seen);

/**
 * Runs it. Complaints go to stderr. Signals that ask the run to
 * stop (stop.h) end it with its results so far, SIGUSR1 prints them and all threads on stderr and
 * goes on.
 * @param[out] outcome  how the program ended; end is PROG_UNLOADABLE if it was not even started
 * @return exit status of this program
 */
enum cli_exit cli_session_run(const struct cli_session *session, struct prog_outcome *outcome);

#endif

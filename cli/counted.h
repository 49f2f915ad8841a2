/*
 * A program on R10000s, for the commands that look at their event counters: what is named on the
 * command line, a PROGRAM or an EXPERIMENT, and whose counters these are.
 */
#ifndef CLI_COUNTED_H
#define CLI_COUNTED_H

#include "cli/options.h"
#include "input/experiment.h"
#include "procard/procard.h"

#include <stdio.h>

struct prog_outcome;
struct run_observer;

/** Makes the experiment of the words of the command line. @return false after complaints; else the
 *  caller's (in_experiment_free) */
bool cli_counted_make(struct in_experiment *x, const struct cli_given *given, struct in_diag *diag);

/** Whether a card's processor has such counters. */
bool cli_counted_card(const struct in_machine *machine, unsigned card);

/** Processors that have none, though others have. */
unsigned cli_counted_without(const struct in_machine *machine);

/** Whose events are counted. @param mixed  other processors beside them will do
 *  @return R10K_CHIPS after a complaint */
enum r10k_chip cli_counted_chip(const struct in_machine *machine, bool mixed, struct in_diag *diag);

/** Runs it without its table. @param self  the observer's
 *  @return as cli_passed_status */
int cli_counted_run(const struct in_experiment *x, const struct cli_given *given,
                    const struct run_observer *observer, void *self, struct prog_outcome *outcome);

/** Where a report goes to: the file of --output, or standard error. @return NULL after a complaint
 */
FILE *cli_counted_open(const char *path);

/** @return whether all got there, else false after a complaint */
bool cli_counted_close(FILE *out, const char *path);

#endif

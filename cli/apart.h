/*
 * A run in a process of its own, of which only what an observer has seen comes back: what the
 * program writes goes nowhere, and the run's confinement ends with it.
 */
#ifndef CLI_APART_H
#define CLI_APART_H

#include "cli/exit.h"
#include "input/experiment.h"

struct run_observer;

struct cli_apart {
    const struct run_observer *observer;
    void *self; /**< the observer's, in the process; and for: */
    /** In the process, behind the run: hands over what there is (cli_apart_give). */
    void (*give)(void *self, enum cli_exit status, int fd);
    /** Here: takes it (cli_apart_take). @return false: not all came, or there was no run; what the
     *  process has said on standard error is said then */
    bool (*take)(void *self, int fd);
};

/** Runs it. Its standard input is this program's, unless that is a terminal.
 *  @return as `take`; false also if there was no process, after a complaint */
bool cli_apart_run(const struct in_experiment *x, const struct cli_apart *apart);

/** @return false: the other end is closed */
bool cli_apart_give(int fd, const void *bytes, size_t size);
bool cli_apart_take(int fd, void *bytes, size_t size);

#endif

/*
 * A run that everybody listens to: simulated, and counted up.
 */
#ifndef RUN_SIMULATE_H
#define RUN_SIMULATE_H

#include "documents/directory/manifest.h"
#include "run/earlier.h"
#include "run/live.h"

/** What a run needs beside what its experiment says. */
struct run_surroundings {
    const char *program;                  /**< executable on the host; "": there is none */
    const void *described;                /**< as prog_program.described */
    const char *kept;                     /**< the directory that keeps it; NULL: none does */
    const struct prog_approach *approach; /**< the experiment's, with addresses of the program */
    int stdin_fd; /**< behind the guest's stdin if the experiment names no file; -1: empty */
    bool quiet;   /**< says nothing of how far it is */
    bool within;  /**< another program: the host's kernel does not confine the process */
    bool copies;  /**< as prog_program.copies */
    bool again;   /**< it has been before: the host hears nothing of it (prog_program.doubles) */
    const char *const *tool;           /**< as prog_program.tool */
    const struct run_earlier *earlier; /**< by which the end is told */

    /** What people ask meanwhile: that it stops, that it shows its counts, or its threads. */
    bool (*stop)(void), (*look)(void), (*threads)(void);
    const bool *over; /**< it stops when that is true; NULL: it never is */
};

/** A machine as the experiment has it. @param cards  the workload's own kind; NULL: the machine's
 */
struct nm_machine *run_machine_new(const struct in_experiment *x, const struct nm_card_kind *cards);

/** Writes what the experiment says into the cards' registers. @pre the machine has not run */
void run_program_cards(struct run_live *live);

/** Simulates it: live->run.outcome.
 *  @return false, with one sentence in `why`: there is no such standard input */
bool run_simulate(struct run_live *live, const struct run_surroundings *around, char *why,
                  size_t size);

/** Closes the books of a run that has ended: all that was counted, its hash, and what became of its
 *  expectations. One that does not add up is PROG_BROKEN. */
enum doc_status run_conclude(struct run_live *live);

#endif

/* The guest program of an experiment: an executable that is there, or one built from its source. */
#ifndef CLI_GUEST_H
#define CLI_GUEST_H

#include "cli/exit.h"
#include "input/experiment.h"
#include "programs/scratch.h"

#include <stdbool.h>
#include <stdio.h>

struct cli_guest {
    char *path;                           /**< of the executable on the host; NULL: a pattern */
    void *described;                      /**< the pattern */
    const struct prog_workload *workload; /**< runs it */
    struct prog_scratch directory;        /**< where it was built; none: it was not */
};

/** Finds or builds the program and checks that the machine can run it. Complaints go to stderr.
 *  Zero is a good start; release with cli_guest_release in any case. */
enum cli_exit cli_guest_get(struct cli_guest *guest, const struct in_experiment *x);

/** Removes what was built; the guest is then zero again. */
void cli_guest_release(struct cli_guest *guest);

/** Copies the executable. @return false, with errno, when it cannot be read */
bool cli_guest_copy(const struct cli_guest *guest, FILE *out);

/** Directories that are the simulator's own: of its files (in_home_own), and of executables that
 * are kept. NULL-terminated and allocated (in_free_list). */
char **cli_guest_tool(void);

#endif

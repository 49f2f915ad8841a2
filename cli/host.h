/* What the program needs of its host before it begins, and its last words when a library gives up.
 */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stdbool.h>

struct nm_machine;

/**
 * Stands something in for standard streams that are closed, sees to a stack that suffices, makes
 * files that grow beyond the user's limit an error like any other, and from now on turns abort(),
 * ours or a library's, into a sentence and one of the program's exit statuses.
 * @return false, after a complaint, if the host gives too little to begin with
 */
bool cli_host_prepare(void);

/** Whether a run is under way: a kernel that calls exit(0) meanwhile ends the process with status 1
 *  and a message, as there are no results. */
void cli_host_runs(bool runs);

/** Says so if a machine has `got` threads of the host where more were asked for; 0: none were. */
void cli_host_threads(const struct nm_machine *m, unsigned asked, unsigned got);

#endif

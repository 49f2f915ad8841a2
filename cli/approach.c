/*
 * Where the points of a fast-forward lie in the program.
 *
 * The one hard idea: what an experiment says of a program that must be built first can only be held
 * against it here. What is wrong is said where the experiment says it.
 */
#include "cli/approach.h"

#include "input/tables.h"
#include "input/workload.h"

#include <stdio.h>
#include <string.h>

static bool approach_find(struct prog_point *point, const struct in_experiment *x, const char *path,
                          enum in_experiment_key key, const char *name)
{
    const char *origin = x->origins[key].text;
    char why[512];
    if (point->kind != PROG_AT_PC || !path ||
        in_entry(path, point->mark, &point->pc, why, sizeof why))
        return true;
    if (strchr(origin, ':')) /* a file and a line */
        fprintf(stderr, "%s: error: '%s': %s\n", origin, name, why);
    else
        fprintf(stderr, "numachine: error: %s: %s\n", name, why);
    return false;
}

bool cli_approach_find(struct prog_approach *approach, const struct in_experiment *x,
                       const struct cli_guest *guest)
{
    *approach = x->approach;
    if ((x->from || x->to || x->approach.sampling.every) && !guest->workload->forwards) {
        fputs("numachine: error: run.from, run.to, run.sample: what this runs can only be timed as "
              "a whole; of a "
              "trace, time a part that has been cut out of it (numachine trace cut)\n",
              stderr);
        return false;
    }
    return approach_find(&approach->from, x, guest->path, IN_KEY_from, "run.from") &&
           approach_find(&approach->to, x, guest->path, IN_KEY_to, "run.to");
}

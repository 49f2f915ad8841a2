/* What a run depends on, as one number: to tell whether results are still those of an experiment.
 */
#ifndef REP_DIGEST_H
#define REP_DIGEST_H

#include "input/experiment.h"

/** Hash of the resolved configuration, of the program (or its source), of its standard input and of
 *  this program's version. Where values come from and where files are does not matter. Headers that
 *  a source includes, and files that the program may use, are not looked at. */
uint64_t rep_digest(const struct in_experiment *x);

/** The same as the manifest has it: "xxh64:0123456789abcdef". Allocated. */
char *rep_digest_text(const struct in_experiment *x);

#endif
